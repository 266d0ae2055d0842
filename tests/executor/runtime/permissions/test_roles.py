"""Who may do what."""

import pytest

from zkagent.executor.runtime.core.errors import AgentConfigRefused, RoleMissing
from zkagent.executor.runtime.permissions.roles import (
    ACTIONS,
    DEFAULT_GRANTS,
    LOCAL_OWNER,
    Action,
    Principal,
    Roles,
)


@pytest.mark.parametrize("action", sorted(ACTIONS))
@pytest.mark.parametrize("role", sorted(DEFAULT_GRANTS))
def test_a_role_permits_what_it_is_granted_and_nothing_else(role: str, action: Action) -> None:
    ada = Principal("ada", frozenset({role}))
    if action in DEFAULT_GRANTS[role]:
        Roles().require(ada, action)
    else:
        with pytest.raises(RoleMissing, match=rf"ada may not {action}: .*owner"):
            Roles().require(ada, action)


def test_whoever_has_no_role_or_one_that_nobody_granted_may_do_nothing() -> None:
    for roles in (frozenset(), frozenset({"admin"}), frozenset({"Owner"})):
        assert not any(Roles().permit(Principal("eve", roles), action) for action in ACTIONS)
    assert all(Roles().permit(LOCAL_OWNER, action) for action in ACTIONS)


def test_who_approves_does_not_start_and_who_starts_does_not_approve() -> None:
    roles = Roles()
    assert not roles.permit(Principal("a", frozenset({"approver"})), "start_runs")
    assert not roles.permit(Principal("o", frozenset({"operator"})), "approve")


def test_a_grant_names_actions_that_there_are() -> None:
    with pytest.raises(AgentConfigRefused, match="'fly' is no action"):
        Roles({"pilot": frozenset({"fly"})})  # type: ignore[dict-item]
