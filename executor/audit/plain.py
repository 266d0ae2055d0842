"""What an audit can say of a run by an agent that knows only the ERC: nothing of the agent and of
what its tools do, whose code nobody here compiled; all of its runner and of what decided.
"""

from collections.abc import Iterator

from zkagent.executor.audit.agent import origin_checks
from zkagent.executor.audit.code import Code, Expected, Place
from zkagent.executor.audit.wiring import (
    AGENTS,
    METADATA,
    NOBODY,
    Metadata,
    Wiring,
    executor_place,
    groth16_places,
)
from zkagent.executor.receipts.format import RunRecord
from zkagent.executor.receipts.verdicts import Check

RUNNERS = ("PlainRunner",)


def plain_wiring(run: RunRecord) -> Wiring:
    """Of what the receipt says: who decided by which model. The agent names no more."""
    return Wiring(
        agent=run.agent,
        executor=run.executor,
        registry=run.registry,
        model_id=run.model.id,
        base_prompt=b"",
        max_iterations=0,
        commitment=bytes.fromhex(run.model.commitment_hash[2:]),
        tools=(),
        metadata=Metadata.of((b"",) * len(METADATA)),
        owner=NOBODY,
        wallet=NOBODY,
        book=NOBODY,
    )


def plain_places(run: RunRecord, code: Code) -> Iterator[Place]:
    """Agent and runner, then what decided."""
    wiring = plain_wiring(run)
    yield Place("agent", run.agent, AGENTS)
    yield Place("runner", run.entry or NOBODY, RUNNERS, _runner_values(run), storage=False)
    yield executor_place(wiring)
    yield from groth16_places(wiring, code)
    yield Place("registry", run.registry, ("ModelRegistry",))


def _runner_values(run: RunRecord) -> Expected:
    """It was the sender's, or there would be no run; and whether proofs were verified before
    anything was done is not what a receipt says."""
    return {
        "_executor": int(run.executor, 16),
        "_agent": int(run.agent, 16),
        "_owner": None,
        "_needsProofs": None,
    }


def plain_checks(run: RunRecord, code: Code) -> Iterator[Check]:
    """That the agent is unknown is for the asker to vouch for."""
    for place in plain_places(run, code):
        yield code.check(place)
        if place.storage:
            yield from origin_checks(code, place)


__all__ = ["plain_checks", "plain_wiring"]
