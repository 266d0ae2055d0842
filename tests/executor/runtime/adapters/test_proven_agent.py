"""An agent on a chain as a tool of a runtime's agent."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

import zkagent
from tests.executor.runtime.adapters.chains import Happened, OnChain
from zkagent.errors import ZkagentError
from zkagent.executor.runs.errors import DoneBefore, NothingToDo, RunUnsettled
from zkagent.executor.runtime import Agent, AgentConfig, AllowAll, PlanStep, ScriptedPlanner
from zkagent.executor.runtime.adapters.proven_agent import proven_agent
from zkagent.executor.runtime.core.errors import ToolFault
from zkagent.executor.runtime.core.tools import CallContext, ToolOutput


def call(agent: Any, instruction: str = "deposit 5 USDC") -> ToolOutput:
    context = CallContext("run", "teller", 0, "key", 1.0)
    return asyncio.run(proven_agent(agent).run({"instruction": instruction}, context))


def test_a_run_on_chain_is_a_tool_s_call() -> None:
    agent = OnChain()
    assert call(agent).output == {
        "answer": "Successfully deployed",
        "observations": ["Successfully deployed"],
        "transaction": "0x" + "ab" * 32,
        "block": 7,
        "gas_used": 1_000_000,
        "receipt": "run.json",
    }
    assert agent.prompts == ["deposit 5 USDC"]


def test_it_has_to_be_allowed_by_name() -> None:
    tool = proven_agent(OnChain())
    assert (tool.destructive, tool.safe_by_default, tool.honours_keys) == (True, False, True)


def test_what_calls_no_tool_is_an_answer() -> None:
    assert call(OnChain(NothingToDo("Please say how much."))).output == {
        "answer": "Please say how much."
    }


@pytest.mark.parametrize(
    ("ends", "retriable"),
    [
        (RunUnsettled("r1", "0xab", 3, "no node answers"), True),
        (ZkagentError("no key"), False),
    ],
)
def test_what_may_settle_is_tried_again_and_other_errors_are_not(
    ends: ZkagentError, retriable: bool
) -> None:
    with pytest.raises(ToolFault) as caught:
        call(OnChain(ends))
    assert caught.value.retriable is retriable
    assert str(ends) in str(caught.value)


def test_an_instruction_that_failed_before_is_told_with_its_transaction() -> None:
    found = call(OnChain(DoneBefore("r1", "0xab", "was sent, and failed", "send it anew")))
    assert found.ok is False
    assert isinstance(found.output, dict)
    assert found.output["transaction"] == "0xab"


@pytest.mark.slow
@pytest.mark.chain
def test_an_agent_off_chain_uses_a_proven_one_on_chain() -> None:
    with zkagent.agent() as wallet:
        tool = proven_agent(wallet)
        steps = [
            PlanStep("tool", tool.id, {"instruction": "deposit 5 USDC"}),
            lambda state: PlanStep("finish", result=state.actions[0].output),
        ]
        config = AgentConfig(
            "teller", "Save 5.", [tool], ScriptedPlanner(steps), permissions=AllowAll()
        )
        done = Agent(config).run()
        found = done.result
        assert isinstance(found, dict), done.error
        assert found["answer"] == "Successfully deployed"
        assert zkagent.verify_receipt(found["receipt"], rpc=wallet.rpc)
        told_again = call(Repeated(wallet, found))
    assert told_again.output == {**found, "before": True}


@dataclass
class Repeated:
    """An agent whose instruction was carried out, as one on a lasting chain would say."""

    agent: Any
    found: Any

    def run(self, prompt: str) -> Happened:
        record = self.agent.session.journal.look()[0][-1]
        assert record.transaction == self.found["transaction"]
        raise DoneBefore(record.id, record.transaction, "was carried out", "")

    def receipt_of(self, run: str) -> str:
        return str(self.agent.receipt_of(run))
