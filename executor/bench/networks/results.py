"""What became of each network of a folder, as lines of JSON and as tables in Markdown."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Self

from zkagent.errors import in_line
from zkagent.models.strict_json import load_json

PROVEN, REFUSED, FAILED, TIMED_OUT = "proven", "refused", "failed", "timed out"


@dataclass(frozen=True)
class Made:
    """A circuit of one side and its proofs. seconds: of everything up to the keys and the verifier.
    prove_s: medians. gas: of the verifier's execution, None where it was not asked for. deviation:
    the largest distance of a number from onnxruntime's, as a part of the largest one of its output;
    None without samples."""

    rows: int
    logrows: int
    seconds: float
    prove_s: float
    verify_s: float
    key_bytes: int
    peak_bytes: int
    gas: int | None = None
    deviation: float | None = None


@dataclass(frozen=True)
class Outcome:
    """One network. reason: why it was refused, or what failed. seconds: until that, or in all."""

    name: str
    verdict: str
    seconds: float
    reason: str = ""
    made: Made | None = None
    agreement: float | None = None
    kinds: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    ezkl: Made | None = None
    ezkl_reason: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        made, ezkl = (Made(**fields[side]) if fields[side] else None for side in ("made", "ezkl"))
        lists = {name: tuple(fields[name]) for name in ("kinds", "changes")}
        return cls(**{**fields, "made": made, "ezkl": ezkl, **lists})


@dataclass
class Outcomes:
    """All of a folder, by name, and their form in a file: a line each."""

    found: dict[str, Outcome] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Self:
        """What an earlier run has kept; nothing where there was none."""
        lines = path.read_text().splitlines() if path.is_file() else []
        outcomes = (Outcome.from_json(load_json(line)) for line in lines)
        return cls({each.name: each for each in outcomes})

    def add(self, outcome: Outcome) -> None:
        self.found[outcome.name] = outcome

    @property
    def text(self) -> str:
        """What `load` reads."""
        return "".join(json.dumps(each.to_json()) + "\n" for each in self.found.values())


def is_ours(path: Path) -> bool:
    """Whether a file holds outcomes, which may be added to."""
    try:
        Outcomes.load(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    return path.is_file()


def table(outcomes: Iterable[Outcome]) -> str:
    """In Markdown: what became of each network, and why."""
    rows = [
        ["network", "verdict", "rows", "k", "seconds", "proof", "memory", "deviation", "reason"],
        ["---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---"],
        *(_row(each) for each in sorted(outcomes, key=lambda each: each.name)),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(outcome: Outcome) -> list[str]:
    made = outcome.made
    figures = ["", "", f"{outcome.seconds:.1f}", "", "", ""]
    if made:
        figures = [
            f"{made.rows:,}",
            str(made.logrows),
            f"{outcome.seconds:.1f}",
            f"{made.prove_s:.2f} s",
            f"{made.peak_bytes / 1e6:,.0f} MB",
            "" if made.deviation is None else f"{made.deviation:.2%}",
        ]
    return [_cell(outcome.name), outcome.verdict, *figures, _cell(outcome.reason)]


def _cell(text: str) -> str:
    return in_line(text).replace("|", "\\|")


def summary(outcomes: Sequence[Outcome]) -> str:
    """One line: how many of how many, and of the rest what."""
    counts = {
        verdict: sum(each.verdict == verdict for each in outcomes)
        for verdict in (PROVEN, REFUSED, FAILED, TIMED_OUT)
    }
    rest = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return f"of {len(outcomes)} networks {rest}"


def comparison(outcomes: Iterable[Outcome]) -> str:
    """In Markdown: those that both sides proved, ours beside ezkl's, and the medians of ratios."""
    both = [each for each in outcomes if each.made and each.ezkl]
    rows = [
        ["network", "proof", "ezkl", "times", "key", "ezkl", "gas", "ezkl", "less", "off", "ezkl"],
        ["---", *["---:"] * 10],
        *(_compared(each) for each in sorted(both, key=lambda each: each.name)),
    ]
    text = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return text + "\n" + medians(both) + "\n"


def _compared(outcome: Outcome) -> list[str]:
    ours, theirs = outcome.made, outcome.ezkl
    assert ours
    assert theirs
    return [
        _cell(outcome.name),
        f"{ours.prove_s:.2f} s",
        f"{theirs.prove_s:.2f} s",
        f"{theirs.prove_s / ours.prove_s:.1f}",
        f"{ours.key_bytes / 1e6:.1f} MB",
        f"{theirs.key_bytes / 1e6:.1f} MB",
        "" if ours.gas is None else f"{ours.gas:,}",
        "" if theirs.gas is None else f"{theirs.gas:,}",
        _less(ours.gas, theirs.gas),
        "" if ours.deviation is None else f"{ours.deviation:.2%}",
        "" if theirs.deviation is None else f"{theirs.deviation:.2%}",
    ]


def _less(ours: int | None, theirs: int | None) -> str:
    return "" if ours is None or theirs is None else f"{1 - ours / theirs:.0%}"


def medians(both: Sequence[Outcome]) -> str:
    """Of the ratios, in a sentence; and which outputs are further off than ezkl's."""
    pairs = [(each.made, each.ezkl) for each in both if each.made and each.ezkl]
    if not pairs:
        return "No network was proven by both."
    times = median(theirs.prove_s / ours.prove_s for ours, theirs in pairs)
    keys = median(theirs.key_bytes / ours.key_bytes for ours, theirs in pairs)
    gas = [1 - ours.gas / theirs.gas for ours, theirs in pairs if ours.gas and theirs.gas]
    further = [
        each.name for each in both if each.made and each.ezkl and _off(each.made) > _off(each.ezkl)
    ]
    less = f", {median(gas):.0%} less gas" if gas else ""
    off = (
        f"further from onnxruntime than ezkl's: {', '.join(further)}"
        if further
        else ("none further from onnxruntime than ezkl's")
    )
    return (
        f"Medians of {len(pairs)}: {times:.1f} times as fast, keys {keys:.1f} times as "
        f"small{less}; {off}."
    )


def _off(made: Made) -> float:
    return math.inf if made.deviation is None else made.deviation


__all__ = ["FAILED", "PROVEN", "REFUSED", "TIMED_OUT", "Made", "Outcome", "Outcomes"]
__all__ += ["comparison", "is_ours", "medians", "summary", "table"]
