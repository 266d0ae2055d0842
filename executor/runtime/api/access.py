"""Who may do what over HTTP: a key may as much as the roles that it was given, and no more.

A key that may ask for proofs may not run agents by that alone. Whoever needs no key, on this
machine, is its owner.
"""

from collections.abc import Mapping

from zkagent.executor.runtime.core.errors import AgentConfigRefused, RunUnknown
from zkagent.executor.runtime.core.runs import RunRecord
from zkagent.executor.runtime.permissions.roles import (
    DEFAULT_GRANTS,
    LOCAL_OWNER,
    Action,
    Principal,
    Roles,
)

#: Whoever has this one alone begins runs, and sees and ends those that are their own.
USER = "user"
GRANTS: Mapping[str, frozenset[Action]] = {**DEFAULT_GRANTS, USER: frozenset({"start_runs"})}


class Access:
    """keys: a key's id to its roles. Raises AgentConfigRefused: there is no such role."""

    def __init__(self, keys: Mapping[str, frozenset[str]] | None = None) -> None:
        self._keys = dict(keys or {})
        self._roles = Roles(GRANTS)
        for roles in self._keys.values():
            if unknown := roles - set(GRANTS):
                raise AgentConfigRefused(
                    f"{min(unknown)!r:.40} is no role: there are {', '.join(sorted(GRANTS))}"
                )

    def principal(self, key_id: str) -> Principal:
        if key_id == LOCAL_OWNER.name:
            return LOCAL_OWNER
        return Principal(key_id, self._keys.get(key_id, frozenset()))

    def require(self, principal: Principal, action: Action) -> None:
        """Raises RoleMissing."""
        self._roles.require(principal, action)

    def sees_all(self, principal: Principal) -> bool:
        return self._roles.permit(principal, "read_runs")

    def check_read(self, principal: Principal, run: RunRecord) -> None:
        """Raises RunUnknown: whoever may not see a run does not learn that there is one."""
        if run.owner != principal.name and not self.sees_all(principal):
            raise unknown_run(run.id)

    def check_abort(self, principal: Principal, run: RunRecord) -> None:
        """Raises RunUnknown, RoleMissing: of those of others that may be seen."""
        self.check_read(principal, run)
        if run.owner != principal.name:
            self.require(principal, "abort_runs")


def unknown_run(run_id: str) -> RunUnknown:
    return RunUnknown(f"there is no run {run_id!r:.80}", run=run_id)


__all__ = ["GRANTS", "USER", "Access", "unknown_run"]
