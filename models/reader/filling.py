"""From prompts with labelled arguments to the network that chooses them: part of `zkagent model
train reader`.

Learned from Schema-Guided Dialogue, whose parameters are read as text, those that only ever were
numbers as text and as numbers, and from the lines of `corpus/arguments.txt`.
"""

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zkagent.models.errors import RefusedText
from zkagent.models.instructions.pieces import Names
from zkagent.models.networks.filling import BEFORE, BEHIND, DIRECTION, SEATS
from zkagent.models.reader.candidates import MOST_CANDIDATES, NO_NAMES, Candidate, candidates_in
from zkagent.models.reader.kinds import Kind, ParamType
from zkagent.models.reader.labelled import Asked, Parameter, Tool, load_asked, load_tools
from zkagent.models.reader.pairs import LEAST, MOST_NIBBLE, MOST_PARAMETERS, Surroundings
from zkagent.models.reader.rows import SIZE, Rows, Vector
from zkagent.models.reader.vectors import direction
from zkagent.models.reader.view import View
from zkagent.models.reader.words import words_of
from zkagent.models.reader.written import WRITTEN, WRITTEN_NAMES, written
from zkagent.models.training.filling_training import NONE, UNKNOWN, Lessons

#: Of prompts without arguments that stand in them, how many are learned from.
SILENT_SHARE = 0.12
#: How a parameter may be read: of the corpora as text or, if nearly all of its arguments are
#: numbers, as a number (`AS_NUMBER`); of the written lines by its type.
READINGS = (ParamType.STRING, ParamType.UINT, ParamType.ADDRESS, ParamType.BOOL)
NUMERIC_SHARE, NUMERIC_COUNT = 0.9, 5
#: Wordings of a parameter: as it is, and with parts left out.
WORDINGS, LEFT_OUT, ONE_PART = 24, 0.25, 0.2
#: Words of a prompt that are learned from.
MOST_LEARNED = 64


@dataclass(frozen=True)
class Given:
    """A prompt of a tool, its candidates in each reading, and how parameters are read, if that is
    known: by their names."""

    asked: Asked
    tool: Tool
    found: tuple[tuple[Candidate, ...], ...]
    types: Mapping[str, ParamType]


def given_to_fill(folder: Path, seed: int, without: Collection[str] = ()) -> list[Given]:
    """From the corpora in a folder, without services that are held out, and the written lines.
    Raises DatasetError."""
    tools = {tool.key: tool for tool in load_tools(folder / "sgd" / "train.tools.json")}
    rows = load_asked(folder / "sgd" / "train.jsonl.gz")
    chance, found = random.Random(seed), []
    for row in rows:
        kept = bool(row.arguments) or chance.random() < SILENT_SHARE
        if kept and row.service not in without and tools[row.key].parameters:
            found += given_of(row, tools[row.key], {}, NO_NAMES)
    for line in written():
        found += given_of(line.asked, line.tool, line.types, WRITTEN_NAMES)
    return found


def given_of(row: Asked, tool: Tool, types: Mapping[str, ParamType], names: Names) -> list[Given]:
    """None of a prompt that cannot be read."""
    try:
        view = View(row.prompt.encode(), names)
        found = tuple(candidates_in(view, reading) for reading in READINGS)
    except RefusedText:
        return []
    return [Given(row, tool, found, types)]


def lessons_of(given: Sequence[Given], rows: Rows, seed: int) -> Lessons:
    """Arrays to train from."""
    making = _Making(len(given), random.Random(seed), rows, _numeric(given))
    for at, one in enumerate(given):
        making.put(at, one)
    return making.lessons([one.asked.service for one in given])


class _Making:
    def __init__(
        self, count: int, chance: random.Random, rows: Rows, numeric: set[tuple[str, str, str]]
    ) -> None:
        self._chance, self._rows, self._numeric = chance, rows, numeric
        of_pairs = (count, len(READINGS), MOST_CANDIDATES)
        self._words = np.zeros((count, MOST_LEARNED), dtype=np.int64)
        self._inside = np.zeros((*of_pairs, 2), dtype=np.int64)
        self._near = np.zeros((*of_pairs, BEFORE + BEHIND), dtype=np.int64)
        self._kinds, self._pieces = (np.zeros(of_pairs, dtype=np.int64) for _ in range(2))
        self._links = np.zeros((*of_pairs, SEATS), dtype=np.int64)
        self._there = np.zeros(of_pairs, dtype=np.bool_)
        of_parameters = (count, MOST_PARAMETERS)
        self._which = np.full(of_parameters, -1, dtype=np.int64)
        self._reading = np.zeros(of_parameters, dtype=np.int64)
        self._numbers = np.zeros(of_parameters, dtype=np.bool_)
        labels = (count, len(READINGS), MOST_PARAMETERS)
        self._labels = np.full(labels, UNKNOWN, dtype=np.int64)
        self._known: dict[bytes, int] = {}
        self._wordings: dict[Parameter, int] = {}

    def put(self, at: int, one: Given) -> None:
        around = Surroundings(one.asked.prompt.encode())
        for place, word in enumerate(around.words[:MOST_LEARNED]):
            self._words[at, place] = self._known.setdefault(word, 1 + len(self._known))
        for reading, found in enumerate(one.found):
            for place, candidate in enumerate(found):
                self._put_candidate((at, reading, place), candidate, around)
        for place, parameter in enumerate(_learned(one, self._chance)):
            self._put_parameter((at, place), parameter, one)

    def _put_candidate(
        self, spot: tuple[int, int, int], candidate: Candidate, around: Surroundings
    ) -> None:
        seen = around.of(candidate)
        if any(i >= MOST_LEARNED for i in (*seen.inside, *seen.before, *seen.behind)):
            return
        self._there[spot], self._kinds[spot], self._links[spot] = True, seen.kind, seen.links
        self._pieces[spot] = candidate.last - candidate.first
        if seen.inside:
            self._inside[spot] = seen.inside[0], seen.inside[-1] + 1
        for beside, i in enumerate(seen.before):
            self._near[spot][beside] = i + 1
        for beside, i in enumerate(seen.behind):
            self._near[spot][BEFORE + beside] = i + 1

    def _put_parameter(self, spot: tuple[int, int], parameter: Parameter, one: Given) -> None:
        at, place = spot
        self._which[spot] = self._wordings.setdefault(parameter, len(self._wordings))
        self._numbers[spot] = (*one.tool.key, parameter.name) in self._numeric
        read_as = one.types.get(parameter.name, ParamType.STRING)
        self._reading[spot] = READINGS.index(read_as)
        for reading, found in enumerate(one.found):
            self._labels[at, reading, place] = _label(
                one.asked, parameter, found, within=READINGS[reading] is not ParamType.STRING
            )

    def lessons(self, services: Sequence[str]) -> Lessons:
        rows = [np.zeros(SIZE, dtype=np.int64), *map(self._rows.of, self._known)]
        row = dict(zip(self._known, rows[1:], strict=True))
        wanted = [_wordings(each, self._rows, row, self._chance) for each in self._wordings]
        return Lessons(
            rows=np.array(rows).astype(np.int16),
            words=self._words,
            inside=self._inside,
            near=self._near,
            kinds=self._kinds,
            links=self._links,
            pieces=self._pieces,
            there=self._there,
            which=self._which,
            reading=self._reading,
            numbers=self._numbers,
            labels=self._labels,
            wanted=np.array(wanted).astype(np.int16),
            services=np.array(services),
            written=np.array(services) == WRITTEN,
        )


def _learned(one: Given, chance: random.Random) -> list[Parameter]:
    """Six at most, those that are answered before others, in any order."""
    answered = [each for each in one.tool.parameters if each.name in one.asked.arguments]
    others = [each for each in one.tool.parameters if each not in answered]
    chance.shuffle(others)
    found = [*answered, *others][:MOST_PARAMETERS]
    chance.shuffle(found)
    return found


def _label(asked: Asked, parameter: Parameter, found: Sequence[Candidate], *, within: bool) -> int:
    """What a parameter with a list of values means without a span, nobody wrote down. within: a
    candidate that is a part of the argument is it, as 5 is of $5."""
    span = asked.arguments.get(parameter.name)
    if span is None:
        return UNKNOWN if parameter.values else NONE
    start, end = span
    for place, each in enumerate(found):
        is_part = within and start <= each.start and each.end <= end
        if is_part or (each.start, each.end) == (start, end):
            return place
    return NONE


def _numeric(given: Sequence[Given]) -> set[tuple[str, str, str]]:
    """Service, tool and name of parameters that nearly always are numbers."""
    kinds: Counter[tuple[tuple[str, str, str], bool]] = Counter()
    for one in given:
        spans = {(each.start, each.end): each.kind for each in one.found[0]}
        for name, span in one.asked.arguments.items():
            if not one.types:
                kinds[(*one.tool.key, name), spans.get(span) is Kind.NUMBER] += 1
    return {
        key
        for key, is_number in kinds
        if is_number
        and kinds[key, True] >= NUMERIC_COUNT
        and kinds[key, True] >= NUMERIC_SHARE * (kinds[key, True] + kinds[key, False])
    }


def _wordings(
    parameter: Parameter, rows: Rows, row: Mapping[bytes, Vector], chance: random.Random
) -> list[Vector]:
    name, said = (words_of(text.encode()) for text in (parameter.name, parameter.description))
    each = {word: row[word] if word in row else rows.of(word) for word in (*name, *said)}
    found = [_cut([each[word] for word in (*name, *said)])]
    while len(found) < WORDINGS:
        drawn = chance.random()
        part = name if drawn < ONE_PART else said if drawn < 2 * ONE_PART else [*name, *said]
        kept = [word for word in part if chance.random() > LEFT_OUT]
        found.append(_cut([each[word] for word in kept or name]))
    return found


def _cut(rows: Sequence[Vector]) -> Vector:
    total = sum(rows, np.zeros(SIZE, dtype=np.int64))
    return np.asarray(np.clip(direction(total, DIRECTION), LEAST, MOST_NIBBLE))


__all__ = ["Given", "given_of", "given_to_fill", "lessons_of"]
