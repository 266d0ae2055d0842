"""What a call names is not what moves: words of moving need an event, or a node's simulation."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.drain import DAI, PROMPT, USDC
from tests.support.fakes.memory_agent import POOL, WALLET
from zkagent.executor.chain.agent import TokenTransfer
from zkagent.executor.cli.run_output import completed_json, preview_json, print_dry_run, print_run
from zkagent.executor.runs.amounts import amount_of, moved
from zkagent.executor.runs.preview import Preview
from zkagent.executor.runs.runner import AgentRunner, CompletedRun
from zkagent.verifier_contracts.chain.signing import Fees

UNITS = 120_500_000
AMOUNT = f"120.5 USDC ({UNITS} units of {USDC})"
REAL = TokenTransfer(USDC, POOL, WALLET, UNITS)
NOT_IT = {
    "nothing": (),
    "another token": (replace(REAL, token=DAI),),
    "one unit less": (replace(REAL, units=UNITS - 1),),
    "to oneself": (replace(REAL, recipient=POOL),),
}


def shown_before(completed: CompletedRun, transfers: tuple[TokenTransfer, ...] | None) -> Any:
    on_paper = (False,) * len(completed.proven.plan.decisions)
    fees, exact = Fees(1, 1, 1), Fraction(0)
    return preview_json(
        Preview(completed.proven, 1, 1, fees, exact, transfers, calls_on_paper=on_paper)
    )


def shown_after(completed: CompletedRun, transfers: tuple[TokenTransfer, ...]) -> Any:
    result = replace(completed.inclusion.result, transfers=transfers)
    happened = replace(completed, inclusion=replace(completed.inclusion, result=result))
    decisions = len(completed.proven.plan.decisions)
    run: Any = SimpleNamespace(
        completed=happened, path="receipt.json", on_paper=False, calls_on_paper=(False,) * decisions
    )
    return completed_json(run)


def words(shown: Any, capsys: pytest.CaptureFixture[str]) -> str:
    (print_run if "transaction" in shown else print_dry_run)(shown)
    return capsys.readouterr().out


@pytest.mark.parametrize("kind", NOT_IT)
def test_a_call_that_moves_nothing_is_not_said_to_move(
    kind: str, completed: CompletedRun, capsys: pytest.CaptureFixture[str]
) -> None:
    for shown in (shown_before(completed, NOT_IT[kind]), shown_after(completed, NOT_IT[kind])):
        assert [step.get("names") for step in shown["iterations"]] == [None, AMOUNT, None]
        assert not [step for step in shown["iterations"] if "moves" in step]
        told = words(shown, capsys)
        assert f"names {AMOUNT}" in told
        assert "moves" not in told


def test_a_call_whose_amount_was_transferred_is(
    completed: CompletedRun, capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed.inclusion.result.transfers == (REAL,)
    for shown in (shown_before(completed, (REAL,)), shown_after(completed, (REAL,))):
        assert [step.get("moves") for step in shown["iterations"]] == [None, AMOUNT, None]
        assert f"moves {AMOUNT}" in words(shown, capsys)


def test_a_node_that_simulates_nothing_shows_no_movement(completed: CompletedRun) -> None:
    shown = shown_before(completed, None)
    assert not [step for step in shown["iterations"] if "moves" in step]


def test_where_two_calls_name_what_moved_once_neither_is_said_to(runner: AgentRunner) -> None:
    view, withdrawal, answer = runner.plan(PROMPT).decisions
    twice = (view, withdrawal, withdrawal, answer)
    assert moved(twice, (REAL,)) == (False, False, False, False)
    assert moved(twice, (REAL, REAL)) == (False, True, True, False)


def test_an_amount_is_shown_with_its_units_and_token(runner: AgentRunner) -> None:
    assert [amount_of(each) for each in runner.plan(PROMPT).decisions] == ["", AMOUNT, ""]


@pytest.mark.parametrize("slot", ["asset", "amount"])
def test_half_of_an_amount_names_nothing(slot: str, runner: AgentRunner) -> None:
    _, withdrawal, _ = runner.plan(PROMPT).decisions
    decision = withdrawal.decision
    pairs = zip(decision.arguments, decision.values, strict=True)
    arguments, values = zip(*(pair for pair in pairs if pair[0].slot == slot), strict=True)
    half = replace(decision, arguments=arguments, values=values)
    assert amount_of(replace(withdrawal, decision=half)) == ""
