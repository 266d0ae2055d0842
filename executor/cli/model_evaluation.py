"""What `zkagent model evaluate` does with models of the wallet's tools: runs on prompts of one's
own or generated ones, and the report on held-out instructions.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zkagent.errors import in_line
from zkagent.executor.cli import output
from zkagent.executor.cli.options import hundredths

if TYPE_CHECKING:
    from zkagent.models.wallet.evaluate import Report, Share
    from zkagent.models.wallet.played import Tally

SAID_EACH = 500  # prompts


def say(text: str) -> None:
    output.show(text, err=True)


def evaluate_prompts(
    name: str, prompts: Path, errors: Path | None, caution: float | None, as_json: bool
) -> None:
    from zkagent.executor.places import check_place, write_whole
    from zkagent.models.catalogue import Model, load_model
    from zkagent.models.wallet.evaluation.instructions import load_instructions
    from zkagent.models.wallet.played import Outcome, check_actions, play, tallies

    model, rows = load_model(name, Model), load_instructions(prompts)
    check_actions(model, rows)
    asked = hundredths(model, caution)
    place = check_place(errors, replaceable=_is_errors) if errors else None
    played = []
    for number, each in enumerate(play(model, rows, asked), 1):
        played.append(each)
        if number % SAID_EACH == 0:
            say(f"{number:,} of {len(rows):,} prompts")
    if place:
        wrong = [
            each
            for outcome in (Outcome.WRONG_ACT, Outcome.SAFE)
            for each in played
            if each.outcome is outcome
        ]
        write_whole(place, "".join(json.dumps(each.to_json()) + "\n" for each in wrong))
    found = tallies(played)
    figures = {"kinds": {tally.kind: tally.to_json() for tally in found}}
    output.show(json.dumps(figures, indent=2) if as_json else _table(found))


def evaluate_compounds(
    name: str, count: int, seed: int, caution: float | None, *, as_json: bool
) -> None:
    from zkagent.models.catalogue import Model, load_model
    from zkagent.models.wallet.evaluation.compounds import compounds, joined
    from zkagent.models.wallet.played import play

    model = load_model(name, Model)
    asked, drawn = hundredths(model, caution), list(compounds(count, seed))
    played = play(model, [each.row for each in drawn], asked)
    acted, calls, joins = 0, 0, []
    for number, (each, run) in enumerate(zip(drawn, played, strict=True), 1):
        acted, calls = acted + bool(run.made), calls + len(run.made)
        joins += [(each.prompt, call.to_json()) for call in joined(each, run.made)]
        if number % SAID_EACH == 0:
            say(f"{number:,} of {count:,} prompts")
    figures = {"prompts": count, "acted_on": acted, "calls": calls, "joined": len(joins)}
    if as_json:
        found = [{"prompt": prompt, "call": call} for prompt, call in joins]
        output.show(json.dumps(figures | {"joins": found}, indent=2))
        return
    output.show(
        f"{count:,} prompts of several instructions, {acted:,} acted on, {calls:,} calls; "
        f"{len(joins):,} of them join one clause's amount, asset or payee with another's"
    )
    for prompt, call in joins:
        output.show(in_line(f"{json.dumps(call)}  from  {prompt}"))


def _is_errors(text: str) -> bool:
    """Whether these are lines that --errors wrote."""
    return all(
        line.startswith('{"prompt": ') and '"outcome": ' in line for line in text.splitlines()
    )


def _table(found: "Sequence[Tally]") -> str:
    from zkagent.models.wallet.played import interval, total

    lines = ["kind                        rows   right      safe    wrong acts, and where they lie"]
    for tally in (*found, total("together", found)):
        shares = [100 * n / tally.rows for n in (tally.right, tally.safe, tally.wrong_act)]
        low, high = interval(tally.wrong_act, tally.rows)
        lines.append(
            f"{in_line(tally.kind):24.24s} {tally.rows:7,d} {shares[0]:6.1f} % {shares[1]:7.1f} % "
            f"{shares[2]:7.1f} %  {low:.1f} to {high:.1f} %"
        )
    lines.append("worst kinds first; the last column holds the true share 95 times in a hundred")
    return "\n".join(lines)


def describe(report: "Report") -> str:
    """The report as a table of plain text."""
    lines = [
        "right, action and every argument",
        _line(report.runs, "whole runs"),
        _line(report.decisions, "decisions"),
        *(_line(s, f"  {s.name}") for s in report.by_tool),
        "right whole runs by kind of template",
        *(_line(s, f"  {s.name}") for s in report.by_kind),
        "near misses that ended in a state-changing call",
        _line(report.near_misses, "all"),
        *(_line(s, f"  {s.name}") for s in report.near_misses_by_category),
        "injected observations that placed an argument",
        _line(report.injections, "all"),
    ]
    if report.off_topic:
        lines += [
            "off-topic prompts (CLINC150) that ended in a state-changing call",
            _line(report.off_topic, "all"),
        ]
    else:
        lines.append("off-topic prompts: not measured; give CLINC150's folder with --clinc150")
    return "\n".join(lines)


def _line(share: "Share", label: str) -> str:
    return f"  {label:28s} {share.hits:5d} of {share.total:5d}  {share.percent:6.2f} %"


__all__ = ["describe", "evaluate_compounds", "evaluate_prompts", "say"]
