"""A planner whose instructions are a stored prompt."""

import asyncio

import pytest

from zkagent.executor.runtime import Agent, AgentConfig, AllowAll, ScriptedClient
from zkagent.executor.runtime.core.errors import PromptFault
from zkagent.executor.runtime.memory.in_memory import InMemoryStore
from zkagent.executor.runtime.planners.model import ModelPlanner
from zkagent.executor.runtime.planners.prompted import prompted_planner
from zkagent.executor.runtime.prompts.store import PromptStore
from zkagent.executor.runtime.prompts.template import NewTemplate


@pytest.fixture
def prompts() -> PromptStore:
    return PromptStore(InMemoryStore().collections())


def planner_of(prompts: PromptStore, text: str) -> ModelPlanner:
    async def made() -> ModelPlanner:
        await prompts.put(NewTemplate("rules", text))
        return await prompted_planner(prompts, "rules", {"name": "Bob"})

    return asyncio.run(made())


def test_a_model_gets_the_prompt_and_the_result_names_its_version(prompts: PromptStore) -> None:
    planner = planner_of(prompts, "Be polite to {{ name }}.")
    client = ScriptedClient(["hello"])
    config = AgentConfig(
        "greeter", "Greet.", planner=planner, model_providers=[client], permissions=AllowAll()
    )
    result = Agent(config).run()
    current = asyncio.run(prompts.get("rules"))
    assert current
    assert result.provenance.templates == {"rules": current.version}
    assert result.result == "hello"
    assert "\nBe polite to Bob.\n" in client.asked[0][0].content


def test_what_is_put_later_changes_no_planner(prompts: PromptStore) -> None:
    planner = planner_of(prompts, "Be polite to {{ name }}.")
    later = planner_of(prompts, "Be short.")
    assert planner.templates != later.templates
    assert "polite" in planner.system
    assert "polite" not in later.system


def test_a_prompt_that_is_not_there_makes_no_planner(prompts: PromptStore) -> None:
    with pytest.raises(PromptFault, match="there is no prompt"):
        asyncio.run(prompted_planner(prompts, "rules"))
