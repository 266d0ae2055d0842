"""An agent on a chain as a tool: it plans, proves and sends, and the runtime's agent hears of it.

with zkagent.agent(rpc, address, key_file=key) as wallet:
    config = AgentConfig("teller", task, tools=[proven_agent(wallet)], ...)
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from zkagent.errors import ZkagentError
from zkagent.executor.errors import HappenedUnreceipted, InsufficientFunds, PlanError
from zkagent.executor.receipts.format import load_receipt
from zkagent.executor.runs.errors import (
    DoneBefore,
    NotAgreed,
    NotAsSigned,
    NothingToDo,
    RunReverted,
    RunUnsettled,
    StateKeepsChanging,
)
from zkagent.executor.runtime.core.errors import CallUnknown, ToolFault, ToolTimeout
from zkagent.executor.runtime.core.json_values import JsonObject
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.tools.threads import in_thread
from zkagent.prover.errors import ProverError
from zkagent.verifier_contracts.errors import FeeRefused

TIMEOUT_S = 600.0
#: What ends an instruction of which nothing was sent, or all was reverted. Of all else it is not
#: known: a record that cannot be read may be one of what happened.
NOTHING_HAPPENED = (
    FeeRefused,
    InsufficientFunds,
    NotAgreed,
    PlanError,
    ProverError,
    RunReverted,
    StateKeepsChanging,
)


class HappenedRun(Protocol):
    """As zkagent.Run."""

    @property
    def answer(self) -> str: ...
    @property
    def observations(self) -> Sequence[str]: ...
    @property
    def transaction(self) -> str: ...
    @property
    def block(self) -> int: ...
    @property
    def gas_used(self) -> int: ...
    @property
    def path(self) -> Path: ...


class AgentOnChain(Protocol):
    """As zkagent.agent gives it."""

    def run(self, prompt: str) -> HappenedRun: ...

    def receipt_of(self, run: str) -> str:
        """Where the receipt of a run lies, by the run's id; empty where there is none."""


def proven_agent(
    agent: AgentOnChain,
    tool_id: str = "proven_agent",
    *,
    description: str = "Carries out an instruction on chain, each decision proven.",
    timeout_s: float = TIMEOUT_S,
) -> ToolDefinition:
    """A tool that takes {"instruction": TEXT} and gives {"answer", "observations", "transaction",
    "block", "gas_used", "receipt"}: what `zkagent verify-run` takes.

    An account's instruction is carried out once: given again, as after a crash, what came of it is
    told again, with "before": true. What calls no tool is sent nowhere, and has its answer alone.
    What happened and has no receipt says why, as "reason". It is destructive, and has to be
    allowed by name.
    """

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        try:
            happened = await in_thread(agent.run, str(given["instruction"]))
        except NothingToDo as exc:
            return ToolOutput(True, {"answer": exc.answer})
        except DoneBefore as exc:
            return await in_thread(_before, agent, exc)
        except HappenedUnreceipted as exc:
            return ToolOutput(True, _unreceipted(exc))
        except ZkagentError as exc:
            raise _fault(exc) from exc
        return ToolOutput(True, _told(happened), {"gas_used": happened.gas_used})

    schema: JsonObject = {
        "type": "object",
        "properties": {"instruction": {"type": "string", "minLength": 1}},
        "required": ["instruction"],
        "additionalProperties": False,
    }
    return ToolDefinition(
        tool_id,
        description,
        schema,
        run,
        destructive=True,
        honours_keys=True,
        timeout_s=timeout_s,
    )


def _told(happened: HappenedRun) -> dict[str, Any]:
    return {
        "answer": happened.answer,
        "observations": list(happened.observations),
        "transaction": happened.transaction,
        "block": happened.block,
        "gas_used": happened.gas_used,
        "receipt": str(happened.path),
    }


def _unreceipted(happened: HappenedUnreceipted) -> dict[str, Any]:
    return {
        "answer": happened.answer,
        "transaction": happened.transaction,
        "block": happened.block,
        "reason": str(happened),
    }


def _fault(exc: ZkagentError) -> ToolFault:
    if isinstance(exc, RunUnsettled):
        return ToolTimeout(f"the run is not settled: {exc}", retriable=True)
    if isinstance(exc, NOTHING_HAPPENED) and not isinstance(exc, NotAsSigned):
        changing = isinstance(exc, StateKeepsChanging)
        return ToolFault(f"the run did not happen: {exc}", retriable=changing)
    return CallUnknown(f"whether the run happened is not known: {exc}")


def _before(agent: AgentOnChain, done: DoneBefore) -> ToolOutput:
    """Told by its receipt, so that a call that was interrupted comes to what it came to."""
    bare = ToolOutput(False, {"transaction": done.transaction, "reason": str(done)})
    if not (path := agent.receipt_of(done.run)):
        return bare
    try:
        receipt = load_receipt(Path(path))
    except (ZkagentError, OSError):  # moved away since
        return bare
    run = next((run for run in receipt.runs if run.transaction.hash == done.transaction), None)
    if run is None:
        return bare
    notes = receipt.informational.runs[receipt.runs.index(run)]
    seen = [step.observation for step in run.iterations if step.observation is not None]
    return ToolOutput(
        True,
        {
            "answer": run.answer,
            "observations": seen,
            "transaction": done.transaction,
            "block": run.transaction.block.number,
            "gas_used": notes.gas_used,
            "receipt": path,
            "before": True,
        },
    )


__all__ = ["AgentOnChain", "proven_agent"]
