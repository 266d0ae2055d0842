"""Rules that hold back a tool name one that the agent has: a misspelt name would hold back none."""

from typing import Any

import pytest

from tests.executor.runtime.scripts import DONE, Calls, agent, tool
from zkagent.executor.runtime import AgentConfig, Limit, Supervised, default_permissions
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.permissions import Permissions
from zkagent.executor.runtime.permissions.arguments import Arguments
from zkagent.executor.runtime.permissions.engine import PermissionEngine
from zkagent.executor.runtime.permissions.lists import ToolLists
from zkagent.executor.runtime.permissions.rates import Rates
from zkagent.executor.runtime.planners.scripted import ScriptedPlanner

TOOLS = [tool(Calls(["ok"]), name=name) for name in ("pay", "look")]


def rules(name: str) -> list[Any]:
    return [
        Supervised(["pay", name]),
        Rates([Limit("few", 1, 60.0, tools=["look", name])]),
        Arguments(name, fits=lambda given: True),
        ToolLists(deny=[name]),
        ToolLists(agents={"clerk": ToolLists(deny=[name])}),
    ]


def made(permissions: Permissions) -> None:
    agent(DONE, tools=TOOLS, permissions=permissions)


@pytest.mark.parametrize("place", range(5))
def test_a_rule_about_a_tool_that_the_agent_has_not_is_refused(place: int) -> None:
    made(PermissionEngine([rules("pay")[place]]))
    for wrong in ("pya", "Pay", "pay_"):
        with pytest.raises(
            AgentConfigRefused, match=rf"has no tool '{wrong}', which its rule .* it has look, pay"
        ):
            made(PermissionEngine([rules(wrong)[place]]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"rules": [Supervised(["pya"])]},
        {"limits": [Limit("few", 1, 60.0, tools=["pya"])]},
        {"deny": ["pya"]},
    ],
)
def test_permissions_of_an_agent_are_refused_alike_with_and_without_its_config(
    wrong: dict[str, Any],
) -> None:
    config = AgentConfig("clerk", "Pay.", TOOLS, ScriptedPlanner([DONE]))
    with pytest.raises(AgentConfigRefused, match="has no tool 'pya'"):
        default_permissions(config, **wrong)
    with pytest.raises(AgentConfigRefused, match="has no tool 'pya'"):
        made(default_permissions(**wrong))
    made(default_permissions(**wrong, shared=True))


def test_what_lets_pass_may_name_more_than_an_agent_has_and_lists_of_others_do() -> None:
    made(default_permissions(allow=["other"], destructive=["more"], only=["pay", "third"]))
    made(PermissionEngine([ToolLists(agents={"someone": ToolLists(deny=["theirs"])})]))
