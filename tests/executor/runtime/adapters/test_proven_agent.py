"""An agent on a chain as a tool of a runtime's agent."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.executor.runtime.adapters.chains import Happened, OnChain
from zkagent.errors import ZkagentError
from zkagent.executor.errors import HappenedUnreceipted, PlanError
from zkagent.executor.runs.errors import (
    DoneBefore,
    NonceTaken,
    NotAgreed,
    NotAsSigned,
    NothingToDo,
    RunInHand,
    RunReverted,
    RunUnsettled,
    StateKeepsChanging,
)
from zkagent.executor.runtime import Agent, AgentConfig, AllowAll, PlanStep, ScriptedPlanner
from zkagent.executor.runtime.adapters.proven_agent import proven_agent
from zkagent.executor.runtime.core.errors import CallUnknown, ToolFault, ToolTimeout
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
    ("ends", "kind", "retriable"),
    [
        (RunUnsettled("r1", "0xab", 3, "no node answers"), ToolTimeout, True),
        (StateKeepsChanging(3, "the balance"), ToolFault, True),
        (PlanError("the model is another one"), ToolFault, False),
        (RunReverted("paused", "", {}), ToolFault, False),
        (NotAgreed(), ToolFault, False),
        (NotAsSigned("0xab", ("another amount",)), CallUnknown, False),
        (NonceTaken("r1", "0xab", 3), CallUnknown, False),
        (RunInHand("ab"), CallUnknown, False),
        (ZkagentError("no key"), CallUnknown, False),
    ],
)
def test_only_what_surely_was_not_sent_is_said_not_to_have_happened(
    ends: ZkagentError, kind: type[ToolFault], retriable: bool
) -> None:
    with pytest.raises(ToolFault) as caught:
        call(OnChain(ends))
    assert (type(caught.value), caught.value.retriable) == (kind, retriable)
    assert str(ends) in str(caught.value)
    assert ("did not happen" in str(caught.value)) == (kind is ToolFault)


def test_what_happened_and_has_no_receipt_is_told_with_its_transaction() -> None:
    found = call(OnChain(HappenedUnreceipted("0xab", 7, "Sent", "the disk is full")))
    assert found.ok
    assert isinstance(found.output, dict)
    reason = found.output.pop("reason")
    assert "the disk is full" in str(reason)
    assert found.output == {"answer": "Sent", "transaction": "0xab", "block": 7}


def test_an_instruction_that_failed_before_is_told_with_its_transaction() -> None:
    found = call(OnChain(DoneBefore("r1", "0xab", "was sent, and failed", "send it anew")))
    assert found.ok is False
    assert isinstance(found.output, dict)
    assert found.output["transaction"] == "0xab"


def test_a_receipt_that_was_moved_away_leaves_the_transaction(tmp_path: Path) -> None:
    done = DoneBefore("r1", "0xab", "was carried out", "")
    found = call(OnChain(done, receipt=str(tmp_path / "gone.json")))
    assert found.output == {"transaction": "0xab", "reason": str(done)}


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
