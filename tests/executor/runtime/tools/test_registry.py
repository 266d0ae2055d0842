"""Tools by name, and an agent's part of them."""

import pytest

from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolUnknown
from zkagent.executor.runtime.core.tools import ToolDefinition, ToolOutput
from zkagent.executor.runtime.tools.registry import ToolRegistry


def made(id: str, *, safe: bool = False) -> ToolDefinition:
    async def run(given: object, context: object) -> ToolOutput:
        return ToolOutput(True)

    return ToolDefinition(id, "", {"type": "object"}, run, safe_by_default=safe)


@pytest.fixture
def registry() -> ToolRegistry:
    return ToolRegistry([made("kv_get", safe=True), made("kv_put"), made("shell")])


def ids(tools: tuple[ToolDefinition, ...]) -> list[str]:
    return [tool.id for tool in tools]


def test_a_tool_is_found_by_its_id(registry: ToolRegistry) -> None:
    assert registry.find("shell").id == "shell"
    with pytest.raises(ToolUnknown, match="kv_get, kv_put, shell"):
        registry.find("shel")


def test_an_agent_gets_what_is_safe_unless_more_is_allowed(registry: ToolRegistry) -> None:
    assert ids(registry.for_agent()) == ["kv_get"]
    assert ids(registry.for_agent(allow=["kv_*"])) == ["kv_get", "kv_put"]


def test_what_is_denied_is_not_given_whatever_is_allowed(registry: ToolRegistry) -> None:
    assert ids(registry.for_agent(allow=["kv_*", "shell"], deny=["kv_put"])) == ["kv_get", "shell"]


@pytest.mark.parametrize("lists", [{"allow": ["sh"]}, {"deny": ["sh"]}, {"deny": ["x*"]}])
def test_a_list_with_a_name_that_no_tool_has_is_refused(
    registry: ToolRegistry, lists: dict[str, list[str]]
) -> None:
    with pytest.raises(ToolUnknown):
        registry.for_agent(**lists)


def test_a_second_tool_of_an_id_is_refused(registry: ToolRegistry) -> None:
    for id in ("shell", "Shell"):
        with pytest.raises(AgentConfigRefused, match="already"):
            registry.register(made(id))


@pytest.mark.parametrize("id", ["", "a b", "1a", "a" * 65, "ä", "a\n"])
def test_an_id_that_no_model_can_say_is_refused(registry: ToolRegistry, id: str) -> None:
    with pytest.raises(AgentConfigRefused, match="no tool's id"):
        registry.register(made(id))


def test_what_is_registered_later_is_not_given_to_an_agent_that_runs(
    registry: ToolRegistry,
) -> None:
    given = registry.for_agent(allow=["kv_*"])
    registry.register(made("kv_all", safe=True))
    assert ids(given) == ["kv_get", "kv_put"]
