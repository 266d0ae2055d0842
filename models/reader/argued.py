"""How well a reader finds arguments, given the right tool: part of `zkagent model evaluate reader`.

Every parameter is read as text, which has the most candidates. Of an argument that is labelled, the
very bytes have to be found. A parameter with a list of values is asked about only if it is
labelled: what it means otherwise, nobody wrote down.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from zkagent.models.errors import RefusedText
from zkagent.models.reader.asking import opened_of
from zkagent.models.reader.assigning import assigned
from zkagent.models.reader.candidates import NO_NAMES, Candidate, candidates
from zkagent.models.reader.deciding import CallableTool, Described
from zkagent.models.reader.files import Reader
from zkagent.models.reader.kinds import Kind, ParamType
from zkagent.models.reader.labelled import Asked, Tool
from zkagent.models.reader.pairs import MOST_PARAMETERS

NAMES, NUMBERS, DATES, TIMES, OTHER, NOTHING = "names", "numbers", "dates", "times", "other", "none"
#: What counts for `spans_exact`.
COUNTED = (NAMES, NUMBERS, DATES, TIMES)
_KINDS = {Kind.NAME: NAMES, Kind.NUMBER: NUMBERS, Kind.DATE: DATES, Kind.TIME: TIMES}


class Came(StrEnum):
    EXACT = "exact"
    ASKED = "asked"
    WRONG = "wrong"


@dataclass(frozen=True)
class Argued:
    """Of one parameter. kind: of the true argument, `none` where there is none."""

    asked: Asked
    parameter: str
    kind: str
    came: Came
    chosen: str

    @property
    def wrong(self) -> bool:
        """Whatever is not exact, or filled for nothing."""
        return self.came is not (Came.ASKED if self.kind == NOTHING else Came.EXACT)

    def to_json(self) -> dict[str, Any]:
        span = self.asked.arguments.get(self.parameter)
        return {
            "prompt": self.asked.prompt,
            "question": f"{self.parameter} of {'.'.join(self.asked.key)}",
            "expected": self.asked.prompt[slice(*span)] if span else None,
            "chosen": self.chosen or None,
            "kind": self.kind,
            "came": self.came.value,
        }


def argued(reader: Reader, tools: Sequence[Tool], asked: Iterable[Asked]) -> list[Argued]:
    """Of every parameter whose argument is known."""
    by_key = {tool.key: tool for tool in tools}
    return [
        each
        for row in asked
        if row.tool is not None
        for each in _of_row(reader, by_key[row.key], row)
    ]


def _of_row(reader: Reader, tool: Tool, row: Asked) -> list[Argued]:
    prompt = row.prompt.encode()
    filled = _filled(reader, tool, prompt)
    kinds = _kinds(prompt) if row.arguments else {}
    found = []
    for parameter, candidate in zip(tool.parameters, filled, strict=True):
        span = row.arguments.get(parameter.name)
        if span is None and parameter.values:
            continue
        chosen = (candidate.start, candidate.end) if candidate else None
        kind = NOTHING if span is None else kinds.get(span, OTHER)
        came = Came.ASKED if chosen is None else Came.EXACT if chosen == span else Came.WRONG
        text = row.prompt[slice(*chosen)] if chosen else ""
        found.append(Argued(row, parameter.name, kind, came, text))
    return found


def _filled(reader: Reader, tool: Tool, prompt: bytes) -> list[Candidate | None]:
    """All that a tool of more parameters than can be filled has is asked for."""
    callable_tool = CallableTool(
        tool.name.encode(),
        tuple(
            Described(ParamType.STRING, each.name.encode(), each.description.encode())
            for each in tool.parameters
        ),
    )
    count = len(callable_tool.parameters)
    if count > MOST_PARAMETERS:
        return [None] * count
    try:
        opened = opened_of(reader, prompt, callable_tool, NO_NAMES)
    except RefusedText:
        return [None] * count
    found = [each.candidates for each in opened]
    scores = reader.scores(prompt, opened)
    types = [each.param_type for each in opened]
    return assigned(types, found, scores, reader.manifest.margins.fills)


def _kinds(prompt: bytes) -> dict[tuple[int, int], str]:
    """What each span is that the rules find in a prompt."""
    try:
        found = candidates(prompt, ParamType.STRING)
    except RefusedText:
        return {}
    return {(each.start, each.end): _KINDS.get(each.kind, OTHER) for each in found}


def argued_figures(found: Sequence[Argued]) -> dict[str, Any]:
    """Shares of names, numbers, dates and times, of what is filled though nothing is meant, and
    counts by kind and by what came of it."""
    counts = Counter((each.kind, each.came) for each in found)
    meant = [each.came for each in found if each.kind in COUNTED]
    unmeant = [each.came for each in found if each.kind == NOTHING]
    return {
        "spans_exact": _share(meant, Came.EXACT),
        "spans_wrong": _share(meant, Came.WRONG),
        "spans_unmeant": _share(unmeant, Came.WRONG),
        "arguments": {
            kind: {came.value: counts[kind, came] for came in Came}
            for kind in (*COUNTED, OTHER, NOTHING)
        },
    }


def _share(came: Sequence[Came], which: Came) -> float | None:
    return round(came.count(which) / len(came), 4) if came else None


__all__ = ["COUNTED", "Argued", "Came", "argued", "argued_figures"]
