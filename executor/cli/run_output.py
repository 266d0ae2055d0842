"""How `run` and `verify-run` show what happened: as one JSON object or as lines for people."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from zkagent.executor.api.agents import DryRun, Run
from zkagent.executor.chain.agent import RunResult
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.story import plain, story, told
from zkagent.executor.receipts.verdicts import Report
from zkagent.executor.runs.derivation import observation_in, text
from zkagent.executor.runs.plan import PlannedDecision
from zkagent.executor.runs.runner import ProvenRun
from zkagent.models.encoding.decoder import words

Shown = dict[str, Any]


def planned_json(proven: ProvenRun) -> Shown:
    """The plan's decisions as written in the text, what they led to, and the seconds to prove."""
    plan = proven.plan
    return {
        "prompt": text(plan.prompt),
        "iterations": [
            _step(planned, proven, index, plan.steps[index : index + 1])
            for index, planned in enumerate(plan.decisions)
        ],
        "answer": text(plan.answer),
    }


def dry_run_json(shown: DryRun) -> Shown:
    """The same with the state that it was planned on, gas and effects."""
    facts = {"block": shown.block, "gas": shown.gas, "effects": shown.effects}
    return planned_json(shown.proven) | facts


def completed_json(run: Run) -> Shown:
    """The same of what really happened, with the transaction and where the receipt is."""
    completed = run.completed
    result, proven = completed.inclusion.result, completed.proven
    return planned_json(_as_it_happened(proven, result)) | {
        "transaction": completed.inclusion.hash,
        "block": result.block.number,
        "gas_used": result.gas_used,
        "plans": completed.plans,
        "receipt": str(run.path),
    }


def _as_it_happened(proven: ProvenRun, result: RunResult) -> ProvenRun:
    plan = replace(proven.plan, steps=result.steps, answer=result.answer)
    return replace(proven, plan=plan)


def _step(
    planned: PlannedDecision, proven: ProvenRun, index: int, entry: tuple[bytes, ...]
) -> Shown:
    """prove_seconds: of the proof that covers this iteration and those in proven_together."""
    proof = proven.proof_of(index)
    step = planned.decision.to_json() | {
        "prove_seconds": round(proven.seconds[proof], 3),
        "proven_together": [number + 1 for number in proven.groups[proof]],
    }
    if entry:
        observed = observation_in(entry[0], planned.decision)
        step["observation"] = None if observed is None else text(observed)
    return step


def show(shown: Shown, as_json: bool, pretty: Callable[[Shown], None]) -> None:
    if as_json:
        click.echo(json.dumps(shown))
    else:
        pretty(shown)


def _print_steps(shown: Shown) -> None:
    for number, step in enumerate(shown["iterations"], start=1):
        call = words(step["action"], step["arguments"]) or "answer"
        together = step["proven_together"]
        others = f" with all of {together[0]} to {together[-1]}" if together[1:] else ""
        click.echo(f"{number}  {call}  [proven{others} in {step['prove_seconds']:.2f} s]")
        if step.get("observation") is not None:
            click.echo(f"   {plain(step['observation'])}")
    click.echo(f"answer: {plain(shown['answer'])}")


def print_run(shown: Shown) -> None:
    _print_steps(shown)
    click.echo(
        f"transaction {shown['transaction']}, block {shown['block']}, {shown['gas_used']:,} gas"
    )
    click.echo(f"receipt {shown['receipt']}")


def print_dry_run(shown: Shown) -> None:
    _print_steps(shown)
    click.echo(f"gas: about {shown['gas']:,} (state of block {shown['block']})")
    if shown["effects"] is None:
        click.echo("token transfers: this node cannot simulate them")
    elif not shown["effects"]:
        click.echo("token transfers: none")
    for effect in shown["effects"] or ():
        click.echo(f"token transfer: {effect}")
    click.echo("dry run: nothing was sent")


def report_json(report: Report, receipt: Receipt) -> Shown:
    return {
        "accepted": report.accepted,
        "verdict": report.verdict,
        "problems": [str(check) for check in report.problems],
        "development_srs": report.development_srs,
        "runs": told(receipt),
    }


def print_report(report: Report, receipt: Receipt, *, online: bool) -> None:
    click.echo("the receipt says:")
    for line in story(receipt):
        click.echo(f"  {line}")
    for check in report.problems:
        click.echo(f"{'unknown' if check.unknown else 'broken'}: {check}")
    held = sum(check.held for check in report.checks)
    click.echo(f"{held} of {len(report.checks)} checks hold")
    if report.development_srs:
        click.echo("development set-up: whoever made it could have forged these proofs")
    for noted in report.notes:
        click.echo(f"note: {noted}")
    if report.verdict == "unknown":
        click.echo("unknown: nothing is wrong, and not everything can be told; see --trust")
    elif not report.accepted:
        click.echo("rejected")
    elif online:
        click.echo("accepted, and the chain agrees")
    else:
        click.echo("accepted offline; --rpc URL compares it with the chain")
