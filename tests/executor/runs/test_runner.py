"""Carrying runs out against the agent in memory."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from tests.executor.drain import PROMPT, drain_prover
from tests.support.fakes.memory_agent import MemoryAgent, revert
from tests.support.fakes.memory_prover import MemoryProver
from zkagent.circuits.artifacts import Proof
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.runs.errors import RunReverted, StateKeepsChanging
from zkagent.executor.runs.events import Event, Included, Planned, Proved, Proving, StateChanged
from zkagent.executor.runs.runner import AgentRunner, CompletedRun
from zkagent.models.catalogue import Model
from zkagent.prover.errors import ProverCrashed


class Restless(MemoryAgent):
    """Its state moves just before each of the given attempts."""

    moves: list[Callable[[MemoryAgent], None]]

    def estimate_gas(self, call: RunCall) -> int:
        if self.moves:
            self.moves.pop(0)(self)
        return super().estimate_gas(call)


def restless(
    agent: MemoryAgent, model: Model, told: list[Event], *moves: Callable[[MemoryAgent], None]
) -> AgentRunner:
    moving = Restless(**vars(agent))
    moving.moves = list(moves)
    return AgentRunner(moving, moving, model, drain_prover(model), told.append)


def list_symbol(agent: MemoryAgent) -> None:
    """The owner lists or unlists a symbol that the prompt does not name."""
    book = agent.reads_now.book
    listing = replace(book[0], symbol="wbtc", token="0x" + "cc" * 20)
    changed = book[:-1] if book[-1] == listing else (*book, listing)
    agent.reads_now = replace(agent.reads_now, book=changed)


def relist_a_word_of_the_prompt(agent: MemoryAgent) -> None:
    first, *others = agent.reads_now.book
    book = (replace(first, token="0x" + "cc" * 20), *others)
    agent.reads_now = replace(agent.reads_now, book=book)


def mumble(agent: MemoryAgent) -> None:
    """The balance is told so that nothing can be read from it: other features."""
    agent.tools = {**agent.tools, "ViewBalance": lambda state, values: "some"}


def test_a_run_happens_as_planned(agent: MemoryAgent, completed: CompletedRun) -> None:
    assert agent.state == {"pool": 0, "wallet": 150_500_000}
    assert completed.inclusion.result.answer == b"Successfully withdrawn"
    assert completed.plans == 1


def test_progress_is_told_in_order(completed: CompletedRun, told: list[Event]) -> None:
    kinds = [type(event) for event in told]
    assert kinds.count(Planned) == kinds.count(Proving) == kinds.count(Proved) == 3
    assert kinds[-1] is Included


def test_a_balance_that_moves_does_not_outdate_a_plan(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    def earn(moving: MemoryAgent) -> None:
        moving.state["pool"] += 1

    completed = restless(agent, drain, told, earn).run(PROMPT)
    assert completed.plans == 1
    assert completed.inclusion.result.steps[0].count(b"120.500001 USDC") == 1


@pytest.mark.parametrize(
    ("move", "reason"), [(list_symbol, "FactChanged"), (mumble, "ClaimForOtherFeatures")]
)
def test_a_state_that_changed_leads_to_a_new_plan(
    agent: MemoryAgent,
    drain: Model,
    told: list[Event],
    move: Callable[[MemoryAgent], None],
    reason: str,
) -> None:
    completed = restless(agent, drain, told, move).run(PROMPT)
    assert completed.plans == 2
    changed = next(event for event in told if isinstance(event, StateChanged))
    assert changed.reason.startswith(reason)


def test_a_list_by_which_the_words_mean_something_else_leads_to_none(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    runner = restless(agent, drain, told, relist_a_word_of_the_prompt)
    with pytest.raises(RunReverted, match="FactChanged"):
        runner.run(PROMPT)
    assert agent.state == {"pool": 120_500_000, "wallet": 30_000_000}


def test_proofs_of_an_outdated_plan_are_used_again(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    restless(agent, drain, told, list_symbol, mumble).run(PROMPT)
    proved = sum(isinstance(event, Proving) for event in told)
    assert proved == 3 + 1  # the third plan differs in its last decision alone


def test_a_state_that_keeps_changing_is_an_error(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    with pytest.raises(StateKeepsChanging, match="after each of 3 plans"):
        restless(agent, drain, told, *[list_symbol] * 3).run(PROMPT)


def test_a_tool_that_reverts_shows_its_error(agent: MemoryAgent, runner: AgentRunner) -> None:
    def broken(state: dict[str, int], values: tuple[int, ...]) -> str:
        raise revert("PoolIsClosed", until=7)

    agent.tools = {**agent.tools, "Withdraw": broken}
    with pytest.raises(RunReverted, match=r"nothing of it happened: PoolIsClosed\(until=7\)"):
        runner.run(PROMPT)
    assert agent.state == {"pool": 120_500_000, "wallet": 30_000_000}


def test_a_failure_that_the_state_does_not_explain_is_not_tried_again(
    agent: MemoryAgent, runner: AgentRunner, told: list[Event]
) -> None:
    agent.checks = lambda x, y, proof: False
    with pytest.raises(RunReverted, match="ProofRejected") as caught:
        runner.run(PROMPT)
    assert caught.value.name == "ProofRejected"
    assert not any(isinstance(event, StateChanged) for event in told)


def test_the_iteration_limit_is_the_agents_error(agent: MemoryAgent, runner: AgentRunner) -> None:
    agent.max_iterations = 2
    with pytest.raises(RunReverted, match="IterationLimitReached"):
        runner.run(PROMPT)


def test_a_prover_that_crashes_once_is_asked_again(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    class Shaky(MemoryProver):
        crashes = 1

        def prove(self, x: Sequence[int]) -> Proof:
            if self.crashes:
                self.crashes -= 1
                error = ProverCrashed("signal 9", "")
                error.delay_s = 0
                raise error
            return super().prove(x)

    runner = AgentRunner(agent, agent, drain, Shaky(drain.infer, "c1" * 32), told.append)
    assert runner.run(PROMPT).plans == 1
