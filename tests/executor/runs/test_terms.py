"""What a sender agrees to: exactly the plan, observed amounts within a tolerance, for a while."""

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import pytest

from tests.executor.drain import AGENT, DAI, PROMPT, USDC, drain_prover
from tests.support.fakes.memory_agent import MemoryAgent
from zkagent.executor.chain.abi import NO_TOOL, call_hash, is_agreed, parameters
from zkagent.executor.chain.agent import AgreedCall, Range, RunCall, RunTerms
from zkagent.executor.chain.deadlines import MOST_LIFETIME_S, utc
from zkagent.executor.cli.run import run_command
from zkagent.executor.errors import ArgumentRefused, ClocksDisagree
from zkagent.executor.runs import terms as terms_module
from zkagent.executor.runs.errors import RunReverted
from zkagent.executor.runs.events import Event, StateChanged
from zkagent.executor.runs.plan import Plan
from zkagent.executor.runs.runner import AgentRunner
from zkagent.executor.runs.terms import (
    DEFAULT_LIFETIME_S,
    DEFAULT_TOLERANCE,
    LARGEST,
    MOST_AHEAD_S,
    RunLimits,
    terms_of,
)
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.errors import RevertError

POOLED = 120_500_000
HALF_A_PERCENT = 602_500
Change = Callable[[RunTerms], RunTerms]


@pytest.fixture
def plan(runner: AgentRunner) -> Plan:
    return runner.plan(PROMPT)


def tool(agent: MemoryAgent, name: bytes) -> str:
    return next(t.address for t in agent.reads_now.tools if t.name == name)


def test_terms_are_the_plans_calls(agent: MemoryAgent, plan: Plan) -> None:
    view, withdrawal, answer = terms_of(plan, DEFAULT_TOLERANCE, 7).calls
    usdc = int(USDC, 16)
    assert view == AgreedCall(call_hash(AGENT, tool(agent, b"ViewBalance"), parameters([usdc])), ())
    masked = call_hash(AGENT, tool(agent, b"Withdraw"), parameters([usdc, 0]))
    bounds = Range(1, POOLED - HALF_A_PERCENT, POOLED + HALF_A_PERCENT)
    assert withdrawal == AgreedCall(masked, (bounds,))
    assert answer == AgreedCall(call_hash(AGENT, NO_TOOL, b""), ())


def test_what_the_prompt_says_is_exact(plan: Plan) -> None:
    said = replace(
        plan.decisions[1].decision,
        arguments=tuple(replace(a, source="prompt") for a in plan.decisions[1].decision.arguments),
    )
    decisions = (plan.decisions[0], replace(plan.decisions[1], decision=said), plan.decisions[2])
    agreed = terms_of(replace(plan, decisions=decisions), Fraction(1), 7).calls[1]
    assert agreed.ranges == ()


@pytest.mark.parametrize("slot", ["asset", "recipient"])
def test_only_amounts_have_a_range(plan: Plan, slot: Literal["asset", "recipient"]) -> None:
    """Whatever an observation says of an address, one beside it is another call."""
    step = plan.decisions[1]
    asset, amount = step.decision.arguments
    observed = replace(step.decision, arguments=(asset, replace(amount, slot=slot)))
    decisions = (plan.decisions[0], replace(step, decision=observed), plan.decisions[2])
    agreed = terms_of(replace(plan, decisions=decisions), Fraction(1), 7).calls[1]
    called = next(t.address for t in step.context.reads.tools if t.name == b"Withdraw")
    token, value = step.decision.values
    assert agreed.ranges == ()
    assert is_agreed(agreed, AGENT, called, parameters([token, value]))
    assert not is_agreed(agreed, AGENT, called, parameters([token, value + 1]))
    assert not is_agreed(agreed, AGENT, called, parameters([token, value - 1]))


@pytest.mark.parametrize(
    ("planned", "tolerance", "least", "most"),
    [
        (1000, Fraction(0), 1000, 1000),
        (199, Fraction(1, 200), 199, 199),
        (200, Fraction(1, 200), 199, 201),
        (5, Fraction(1), 0, 10),
        (LARGEST, Fraction(1), 0, LARGEST),
        (LARGEST, Fraction(1, 200), LARGEST - LARGEST // 200, LARGEST),
    ],
)
def test_a_range_is_never_negative_and_fits_a_word(
    plan: Plan, planned: int, tolerance: Fraction, least: int, most: int
) -> None:
    step = plan.decisions[1]
    decision = replace(step.decision, values=(step.decision.values[0], planned))
    decisions = (plan.decisions[0], replace(step, decision=decision), plan.decisions[2])
    (found,) = terms_of(replace(plan, decisions=decisions), tolerance, 7).calls[1].ranges
    assert found == Range(1, least, most)


def test_a_call_is_agreed_to_word_by_word() -> None:
    agreed = AgreedCall(call_hash(AGENT, USDC, parameters([5, 0, 7])), (Range(1, 10, 12),))
    for amount in (9, 10, 12, 13):
        assert is_agreed(agreed, AGENT, USDC, parameters([5, amount, 7])) == (10 <= amount <= 12)
    for other in ([6, 11, 7], [5, 11, 8], [5, 11], [5, 11, 7, 0]):
        assert not is_agreed(agreed, AGENT, USDC, parameters(other))
    assert not is_agreed(agreed, AGENT, DAI, parameters([5, 11, 7]))
    assert not is_agreed(agreed, USDC, USDC, parameters([5, 11, 7]))
    short = AgreedCall(call_hash(AGENT, USDC, b""), (Range(0, 0, LARGEST),))
    assert not is_agreed(short, AGENT, USDC, b"")


@pytest.mark.parametrize(
    "limits",
    [
        {"tolerance": Fraction(-1)},
        {"tolerance": 2},
        {"lifetime_s": 0},
        {"lifetime_s": MOST_LIFETIME_S + 1},
        {"lifetime_s": 10**12},
        {"lifetime_s": 1 << 64},
        {"lifetime_s": 1.5},
        {"lifetime_s": float("inf")},
    ],
)
def test_limits_that_mean_nothing_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(ArgumentRefused, match="expected"):
        RunLimits(**limits)


def test_the_longest_life_is_what_the_command_takes() -> None:
    assert RunLimits(lifetime_s=MOST_LIFETIME_S).lifetime_s == 10_000_000
    (option,) = (each for each in run_command.params if each.name == "deadline")
    assert (option.type.min, option.type.max) == (1, MOST_LIFETIME_S)  # type: ignore[attr-defined]


def test_any_deadline_can_be_shown() -> None:
    """Of what was signed before there was a longest one, too."""
    assert utc(0) == "1970-01-01 00:00:00 UTC"
    assert utc(253_402_300_799) == "9999-12-31 23:59:59 UTC"
    for seconds in (253_402_300_800, 10**12, 1 << 63, (1 << 64) - 1, 1 << 256):
        assert utc(seconds) == f"second {seconds} since 1970"


def test_a_deadline_is_counted_from_the_later_clock(
    agent: MemoryAgent, runner: AgentRunner, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = agent.time(agent.head())
    for ours, later in ((theirs + 500, theirs + 500), (theirs - 500, theirs)):
        monkeypatch.setattr(terms_module.time, "time", lambda ours=ours: float(ours))
        assert runner.terms(plan).deadline == later + DEFAULT_LIFETIME_S


def test_a_chain_far_in_the_future_gets_no_signature(
    agent: MemoryAgent, runner: AgentRunner, plan: Plan
) -> None:
    agent.clock_lead_s = int(time.time()) + MOST_AHEAD_S + 60 - agent.time(agent.head())
    with pytest.raises(ClocksDisagree, match="set the clock, or ask another node"):
        runner.prove(plan)


class Moving(MemoryAgent):
    """Changes just before the first attempt to send."""

    change: Callable[["Moving"], None] | None = None

    def estimate_gas(self, call: RunCall) -> int:
        change, self.change = self.change, None
        if change:
            change(self)
        return super().estimate_gas(call)


def moving(
    agent: MemoryAgent, model: Model, told: list[Event], change: Callable[[Moving], None]
) -> AgentRunner:
    chain = Moving(**vars(agent))
    chain.change = change
    return AgentRunner(chain, chain, model, drain_prover(model), told.append)


def test_a_token_that_was_relisted_is_not_moved(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    """Nor is the run planned anew for the other token: nobody agreed to that."""

    def relist(chain: Moving) -> None:
        usdc, dai = chain.reads_now.book
        book = (replace(dai, symbol="usdc", decimals=6), replace(usdc, symbol="dai"))
        chain.reads_now = replace(chain.reads_now, book=book)

    runner = moving(agent, drain, told, relist)
    with pytest.raises(RunReverted, match="FactChanged") as caught:
        runner.run(PROMPT)
    assert caught.value.name == "FactChanged"
    assert agent.state["pool"] == POOLED
    assert not any(isinstance(event, StateChanged) for event in told)


def test_a_balance_that_left_its_range_is_planned_anew(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    def earn(chain: Moving) -> None:
        chain.state["pool"] *= 2

    runner = moving(agent, drain, told, earn)
    assert runner.run(PROMPT).plans == 2
    assert runner.sender.state["pool"] == 0  # type: ignore[attr-defined]


def test_a_run_that_waited_too_long_is_planned_anew_with_a_deadline_of_then(
    agent: MemoryAgent, drain: Model, told: list[Event]
) -> None:
    def wait(chain: Moving) -> None:
        late = int(time.time()) + DEFAULT_LIFETIME_S + 60
        chain.clock_lead_s += late - chain.time(chain.head())

    assert moving(agent, drain, told, wait).run(PROMPT).plans == 2
    changed = next(event for event in told if isinstance(event, StateChanged))
    assert changed.reason.startswith("RunExpired")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda terms: replace(terms, calls=terms.calls[:-1]), "CallCountMismatch"),
        (lambda terms: replace(terms, calls=terms.calls[::-1]), "CallNotAgreed"),
        (lambda terms: replace(terms, deadline=0), "RunExpired"),
        (
            lambda terms: replace(terms, facts=(replace(terms.facts[0], expected=b""),)),
            "FactChanged",
        ),
    ],
)
def test_other_terms_than_the_plans_are_refused(
    runner: AgentRunner, plan: Plan, change: Change, name: str
) -> None:
    call = runner.prove(plan).call
    with pytest.raises(RevertError) as caught:
        runner.sender.estimate_gas(replace(call, terms=change(call.terms)))
    assert caught.value.name == name
