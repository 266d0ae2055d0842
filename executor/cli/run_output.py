"""How `run` and `verify-run` show what happened: as one JSON object or as lines for people."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from zkagent.errors import in_line
from zkagent.executor.api.agents import Run
from zkagent.executor.chain.agent import Inclusion, RunResult, TokenTransfer
from zkagent.executor.chain.deadlines import utc
from zkagent.executor.cli import output
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.story import story, told
from zkagent.executor.receipts.verdicts import Report
from zkagent.executor.runs.amounts import amount_of, moved
from zkagent.executor.runs.derivation import observation_in, text
from zkagent.executor.runs.paper import OnPaper, any_of
from zkagent.executor.runs.plan import PlannedDecision
from zkagent.executor.runs.preview import Preview
from zkagent.executor.runs.runner import ProvenRun
from zkagent.models.encoding.decoder import words
from zkagent.verifier_contracts.chain.signing import GWEI

Shown = dict[str, Any]
#: What is said of a run, and of a call.
ON_PAPER: dict[OnPaper, str] = {
    True: (
        "on paper: a guard in paper mode had calls of this run made and rolled back; what is said "
        "of them did not happen"
    ),
    None: (
        "on paper or not: neither is shown for all calls of this run, so that what is said of them "
        "may not have happened"
    ),
    False: "",
}
PAPER_AHEAD: dict[OnPaper, str] = {
    True: (
        "on paper: a guard in paper mode has calls of this run made and rolled back; what is said "
        "of them will not happen"
    ),
    None: "on paper or not: this node does not tell what the guards do",
    False: "",
}
ON_PAPER_STEP: dict[OnPaper, str] = {
    True: "on paper: made and rolled back",
    None: "on paper or not: cannot be told",
    False: "",
}


def planned_json(proven: ProvenRun, transfers: Sequence[TokenTransfer]) -> Shown:
    """The plan's decisions as written in the text, what they led to, and the seconds to prove."""
    plan = proven.plan
    real, steps = moved(plan.decisions, transfers), plan.steps[plan.after :]
    return {
        "prompt": text(plan.prompt),
        "iterations": [
            _step(planned, proven, index, steps[index : index + 1], moves=real[index])
            for index, planned in enumerate(plan.decisions)
        ],
        "answer": None if plan.waits else text(plan.answer),
    }


def preview_json(shown: Preview) -> Shown:
    """The same with the state that it was planned on, gas, fees and effects."""
    facts = {
        "block": shown.block,
        "gas": shown.gas,
        "fee_wei": shown.likely_cost_wei,
        "most_fee_wei": shown.most_wei,
        "max_fee_per_gas_wei": shown.fees.max_fee_wei,
        "max_priority_fee_per_gas_wei": shown.fees.priority_wei,
        "deadline": shown.deadline,
        "tolerance": float(shown.tolerance) if shown.observes else None,
        "effects": shown.effects,
    }
    planned = planned_json(shown.proven, shown.transfers or ())
    return _with_paper(planned, shown.proven, shown.calls_on_paper) | facts


def _with_paper(shown: Shown, proven: ProvenRun, on_paper: Sequence[OnPaper]) -> Shown:
    """Of each call, and of the whole."""
    for index, planned in enumerate(proven.plan.decisions):
        if planned.called:
            shown["iterations"][index]["on_paper"] = on_paper[index]
    return shown | {"on_paper": any_of(on_paper)}


def completed_json(run: Run) -> Shown:
    """The same of what really happened, with the transaction and where the receipt is."""
    completed = run.completed
    result, proven = completed.inclusion.result, completed.proven
    shown = planned_json(_as_it_happened(proven, result), result.transfers)
    return _with_paper(shown, proven, run.calls_on_paper) | {
        "transaction": completed.inclusion.hash,
        "block": result.block.number,
        "gas_used": result.gas_used,
        "plans": completed.plans,
        "receipt": str(run.path),
    }


def rest_json(rest: Inclusion, on_paper: OnPaper) -> Shown:
    """Of a run that waited, and came to its end by a transaction of its own. on_paper: as of its
    calls that are in that."""
    return {
        "on_paper": on_paper,
        "answer": text(rest.result.answer),
        "steps": [text(step) for step in rest.result.steps],
        "transaction": rest.hash,
        "block": rest.result.block.number,
        "gas_used": rest.result.gas_used,
        "receipt": None,
    }


def print_rest(shown: Shown) -> None:
    for step in shown["steps"]:
        output.show(in_line(step))
    output.show(f"answer: {in_line(shown['answer'])}")
    _print_on_paper(shown["on_paper"])
    output.show(
        f"transaction {shown['transaction']}, block {shown['block']}, {shown['gas_used']:,} gas"
    )
    output.show("no receipt: there is none of a run that waited")


def _as_it_happened(proven: ProvenRun, result: RunResult) -> ProvenRun:
    plan = replace(proven.plan, steps=result.steps, answer=result.answer)
    return replace(proven, plan=plan)


def _step(
    planned: PlannedDecision,
    proven: ProvenRun,
    index: int,
    entry: tuple[bytes, ...],
    *,
    moves: bool,
) -> Shown:
    """prove_seconds: of the proof that covers this iteration and those in proven_together, None
    where an earlier command made it. moves: whether events show that the amount which the call
    names was transferred."""
    proof = proven.proof_of(index)
    step = planned.decision.to_json() | {
        "prove_seconds": round(proven.seconds[proof], 3) if proven.seconds[proof] else None,
        "proven_together": [number + 1 for number in proven.groups[proof]],
    }
    if amount := amount_of(planned):
        step |= {"names": amount} | ({"moves": amount} if moves else {})
    if entry:
        observed = observation_in(entry[0], planned.decision)
        step["observation"] = None if observed is None else text(observed)
    return step


def show(shown: Shown, as_json: bool, pretty: Callable[[Shown], None]) -> None:
    if as_json:
        output.show(json.dumps(shown))
    else:
        pretty(shown)


def _others(together: Sequence[int]) -> str:
    """Which iterations one proof covers, if there are several."""
    if not together[1:]:
        return ""
    in_a_row = list(together) == list(range(together[0], together[-1] + 1))
    span = f"{together[0]} to {together[-1]}"
    return f" with all of {span if in_a_row else ', '.join(map(str, together))}"


def _print_steps(shown: Shown, *, err: bool = False) -> None:
    for number, step in enumerate(shown["iterations"], start=1):
        call = in_line(words(step["action"], step["arguments"])) or "answer"
        others = _others(step["proven_together"])
        seconds = step["prove_seconds"]
        took = " before" if seconds is None else f" in {seconds:.2f} s"
        output.show(f"{number}  {call}  [proven{others}{took}]", err=err)
        if note := step.get("note"):
            output.show(f"   {in_line(note)}", err=err)
        if amount := step.get("names"):
            verb = "moves" if "moves" in step else "names"
            output.show(f"   {verb} {in_line(amount)}", err=err)
        if line := ON_PAPER_STEP[step.get("on_paper", False)]:
            output.show(f"   {line}", err=err)
        if step.get("observation") is not None:
            output.show(f"   {in_line(step['observation'])}", err=err)
    if shown["answer"] is None:
        output.show("no answer yet: this call waits for its owner or for its tool", err=err)
        return
    output.show(f"answer: {in_line(shown['answer'])}", err=err)


def _print_on_paper(on_paper: OnPaper) -> None:
    if line := ON_PAPER[on_paper]:
        output.show(line)


def print_run(shown: Shown) -> None:
    _print_steps(shown)
    _print_on_paper(shown["on_paper"])
    output.show(
        f"transaction {shown['transaction']}, block {shown['block']}, {shown['gas_used']:,} gas"
    )
    output.show(f"receipt {shown['receipt']}")


def answer_json(prompt: str, answer: str) -> Shown:
    """Of a run that was not sent, since its answer calls no tool."""
    return {"prompt": prompt, "answer": answer, "transaction": None}


def print_answer(shown: Shown) -> None:
    output.show(f"answer: {in_line(shown['answer'])}")
    output.show("nothing to do on chain, and nothing was sent; --record-answer has it recorded")


def print_dry_run(shown: Shown) -> None:
    print_preview(shown)
    output.show("dry run: nothing was sent")


def print_preview(shown: Shown, *, err: bool = False) -> None:
    _print_steps(shown, err=err)
    if line := PAPER_AHEAD[shown["on_paper"]]:
        output.show(line, err=err)
    for line in (*_effects(shown["effects"]), *_costs(shown)):
        output.show(line, err=err)


def _effects(effects: Sequence[str] | None) -> Iterator[str]:
    if effects is None:
        yield "token transfers: this node cannot simulate them"
    elif not effects:
        yield "token transfers: none, as the node simulates it"
    for effect in effects or ():
        yield f"token transfer, as the node simulates it: {in_line(effect)}"


def _costs(shown: Shown) -> Iterator[str]:
    gwei = f"{shown['max_fee_per_gas_wei'] / GWEI:.9g} gwei"
    tip = f"{shown['max_priority_fee_per_gas_wei'] / GWEI:.9g}"
    yield f"gas: about {shown['gas']:,} (state of block {shown['block']})"
    yield (
        f"fee: about {_ether(shown['fee_wei'])} ETH, at most {_ether(shown['most_fee_wei'])} ETH "
        f"({gwei} for a unit of gas, {tip} of them to the proposer); without a rollup's L1 data fee"
    )
    yield f"good until {utc(shown['deadline'])}"
    if shown["tolerance"] is not None:
        share = f"{100 * shown['tolerance']:.9g} %"
        yield f"amounts that tools told may differ by {share} when it happens"


def _ether(wei: int) -> str:
    return f"{wei / 10**18:.9f}".rstrip("0").rstrip(".")


def report_json(report: Report, receipt: Receipt) -> Shown:
    return {
        "accepted": report.accepted,
        "verdict": report.verdict,
        "problems": [str(check) for check in report.problems],
        "development_srs": report.development_srs,
        "left_out": report.left_out,
        "notes": [str(check) for check in report.notes],
        "runs": told(receipt),
    }


def _help(report: Report) -> str:
    """What there is to do about what is unknown."""
    left = [check for check in report.problems if not check.vouchable]
    told = "; ".join(in_line(f"{check.subject}: {check.claim}") for check in left)
    return f"no --trust settles {told}" if left else "see --trust"


def print_report(report: Report, receipt: Receipt, *, online: bool) -> None:
    output.show("the receipt says:")
    for line in story(receipt):
        output.show(f"  {line}")
    for check in report.problems:
        output.show(f"{'unknown' if check.unknown else 'broken'}: {check}")
    if report.left_out:
        output.show(f"left out, because of what is broken: {report.left_out}")
    held = sum(check.held for check in report.checks)
    output.show(f"{held} of {len(report.checks)} checks hold")
    if report.development_srs:
        output.show("development set-up: whoever made it could have forged these proofs")
    for noted in report.notes:
        output.show(f"note: {noted}")
    if report.verdict == "unknown":
        output.show(f"unknown: nothing is wrong, and not everything can be told; {_help(report)}")
    elif not report.accepted:
        output.show("rejected")
    elif online:
        output.show("accepted, and the chain agrees")
    else:
        output.show("accepted offline; --rpc URL compares it with the chain")
