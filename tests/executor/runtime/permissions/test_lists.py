"""Which tools may be used: each permitted one beside its refused neighbour."""

import asyncio

import pytest

from tests.executor.runtime.permissions.asking import asked, step_verdict, tool
from zkagent.executor.runtime.core.config import AgentConfig
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.permissions.defaults import default_permissions
from zkagent.executor.runtime.permissions.engine import PermissionEngine
from zkagent.executor.runtime.permissions.lists import KnownTool, SafeTools, ToolLists
from zkagent.executor.runtime.planners.scripted import ScriptedPlanner

SAFE, UNSAFE, WIPE = tool("look"), tool("mail", safe=False), tool("wipe", destructive=True)


def test_a_safe_tool_may_be_used_and_no_other_one() -> None:
    engine = default_permissions()
    assert step_verdict(engine, SAFE).allowed
    assert step_verdict(engine, UNSAFE).rules == ("safe_tools",)
    assert step_verdict(engine, WIPE).rules == ("safe_tools",)


def test_a_tool_that_is_not_safe_may_be_used_where_it_is_named() -> None:
    engine = default_permissions(allow=["mail"])
    assert step_verdict(engine, UNSAFE).allowed
    assert not step_verdict(engine, tool("mails", safe=False)).allowed


def test_a_destructive_tool_is_named_as_one() -> None:
    assert not step_verdict(default_permissions(allow=["wipe"]), WIPE).allowed
    assert step_verdict(default_permissions(destructive=["wipe"]), WIPE).allowed
    assert "destructive=" in step_verdict(default_permissions(allow=["wipe"]), WIPE).reason


def test_a_destructive_tool_that_is_not_safe_either_is_named_once() -> None:
    both = tool("wipe", safe=False, destructive=True)
    assert step_verdict(default_permissions(destructive=["wipe"]), both).allowed
    assert not step_verdict(default_permissions(allow=["wipe"]), both).allowed


def test_denied_is_denied_whatever_else_allows_it() -> None:
    engine = default_permissions(allow=["mail"], deny=["mail"])
    assert step_verdict(engine, UNSAFE).rules == ("tool_lists",)
    assert step_verdict(engine, SAFE).allowed


def test_on_a_list_of_all_that_may_be_used_others_are_missing() -> None:
    engine = default_permissions(only=["look"])
    assert step_verdict(engine, SAFE).allowed
    assert not step_verdict(engine, tool("peek")).allowed


def test_an_agent_has_lists_of_its_own_beside_those_of_all() -> None:
    lists = ToolLists(deny=["peek"], agents={"clerk": ToolLists(deny=["look"])})
    engine = PermissionEngine([lists])
    assert not step_verdict(engine, SAFE).allowed
    assert step_verdict(engine, SAFE, agent="chief").allowed
    assert not step_verdict(engine, tool("peek")).allowed


def test_a_step_names_the_tool_exactly_that_the_agent_has() -> None:
    engine = PermissionEngine([KnownTool()])
    assert step_verdict(engine, SAFE).allowed
    assert not step_verdict(engine, None).allowed


@pytest.mark.parametrize(
    "name", ["l\u043eok", "ｌook", "look\u200b", "look ", "LOOK", "lооk", "look\n"]
)
def test_a_name_that_looks_alike_is_another_tools(name: str) -> None:
    engine = default_permissions()
    step = PlanStep("tool", name, {})
    assert not asyncio.run(engine.judge_step(asked(of=SAFE), step)).allowed
    alike = tool(name)
    if name != "LOOK":
        assert not step_verdict(engine, alike).allowed
        with pytest.raises(AgentConfigRefused, match="no name of a tool"):
            SafeTools(allow=[name])


def test_a_text_is_no_list_of_tools() -> None:
    with pytest.raises(AgentConfigRefused, match=r"\['mail'\]"):
        SafeTools(allow="mail")


def test_a_tool_that_the_agent_has_not_is_not_permitted_by_mistake() -> None:
    config = AgentConfig("clerk", "look", tools=[UNSAFE], planner=ScriptedPlanner([]))
    assert step_verdict(default_permissions(config, allow=["mail"]), UNSAFE).allowed
    with pytest.raises(AgentConfigRefused, match="no tool 'male'"):
        default_permissions(config, allow=["male"])
