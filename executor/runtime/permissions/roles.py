"""Who may do what around agents: start, abort and read runs, and approve their steps.

Tools, agents and prompts are made by the host's own code, which is asked for no role. Agents, tools
and models are no principals: a role is given by the host, to people and services.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from zkagent.executor.runtime.core.errors import AgentConfigRefused, RoleMissing

Action = Literal["start_runs", "abort_runs", "read_runs", "approve"]
ACTIONS: frozenset[Action] = frozenset(get_args(Action))


@dataclass(frozen=True, slots=True)
class Principal:
    """name: what the host knows somebody by; roles: by name."""

    name: str
    roles: frozenset[str] = frozenset()


#: What roles permit where a host does not say otherwise.
DEFAULT_GRANTS: Mapping[str, frozenset[Action]] = {
    "owner": ACTIONS,
    "operator": frozenset({"start_runs", "abort_runs", "read_runs"}),
    "approver": frozenset({"approve", "read_runs"}),
    "auditor": frozenset({"read_runs"}),
}
#: Whoever runs the process, where nobody else has a name.
LOCAL_OWNER = Principal("local", frozenset({"owner"}))


class Roles:
    """grants: role to what it permits. Raises AgentConfigRefused."""

    def __init__(self, grants: Mapping[str, frozenset[Action]] = DEFAULT_GRANTS) -> None:
        for role, actions in grants.items():
            if unknown := set(actions) - ACTIONS:
                raise AgentConfigRefused(
                    f"role {role}: {min(unknown)!r} is no action: {', '.join(sorted(ACTIONS))}"
                )
        self._grants = {role: frozenset(actions) for role, actions in grants.items()}

    def permit(self, principal: Principal, action: Action) -> bool:
        return any(action in self._grants.get(role, ()) for role in principal.roles)

    def require(self, principal: Principal, action: Action) -> None:
        """Raises RoleMissing."""
        if not self.permit(principal, action):
            having = sorted(role for role, actions in self._grants.items() if action in actions)
            raise RoleMissing(
                f"{principal.name} may not {action}: that takes the role {' or '.join(having)}",
                principal=principal.name,
                action=action,
            )


__all__ = ["ACTIONS", "DEFAULT_GRANTS", "LOCAL_OWNER", "Action", "Principal", "Roles"]
