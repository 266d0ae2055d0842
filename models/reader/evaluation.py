"""How well a reader chooses, by its integers: `zkagent model evaluate reader`.

Four questions are asked of each prompt: with its tool among the candidates; with tools of other
services alone, where other versions of its own may be, whose tools do the same; with none of those
either; with its siblings, but without itself. Acting is right in the first case alone. A prompt
that means no tool is asked once, with the tools of its service.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from zkagent.models.errors import RefusedText
from zkagent.models.instructions.pieces import Names
from zkagent.models.reader.argued import Argued, argued, argued_figures
from zkagent.models.reader.baselines import TfIdf
from zkagent.models.reader.deciding import Verdict, choose
from zkagent.models.reader.files import Choice, Reader
from zkagent.models.reader.labelled import Asked, Draw, Drawing, Tool, kind_of
from zkagent.models.reader.mood import Mood, mood_of
from zkagent.models.reader.view import View

WITH_TOOL, SIBLINGS, NONE_MEANT = "with its tool", "siblings", "no tool is meant"
#: In the report, beside `accuracy`.
BASELINE = TfIdf.name
_NOBODY = Names(lambda _: False, lambda _: False, lambda _: False)
WITHOUT_SERVICE, WITHOUT_VERSIONS = "without its service", "without all versions of its service"


@dataclass(frozen=True)
class Answer:
    """Of one prompt to one question. chosen: the tool; acts: whether it would be called. baseline:
    whether the tool that TF-IDF chooses is right."""

    asked: Asked
    question: str
    candidates: tuple[Tool, ...]
    chosen: Tool
    choice: Choice
    right: bool
    acts: bool
    baseline: bool

    @property
    def is_other_version(self) -> bool:
        """Whether a tool of another version of the same service was chosen, as Hotels_1 is of
        Hotels_4: it may do what was asked for, and counts as wrong."""
        own, chosen = self.asked.service, self.chosen.service
        return own != chosen and kind_of(own) == kind_of(chosen)

    @property
    def wrong(self) -> bool:
        return not self.right if self.question == WITH_TOOL else self.acts_wrongly

    @property
    def acts_wrongly(self) -> bool:
        """A tool that does no harm is none that is called wrongly."""
        harmless = self.question == NONE_MEANT and self.chosen.name in self.asked.may
        return self.acts and not self.right and not harmless

    def to_json(self) -> dict[str, Any]:
        return {
            "prompt": self.asked.prompt,
            "question": self.question,
            "expected": ".".join(self.asked.key) if self.question == WITH_TOOL else None,
            "chosen": ".".join(self.chosen.key),
            "ahead": self.choice.ahead,
            "fits": self.choice.fits,
            "acts": self.acts,
            "candidates": [".".join(tool.key) for tool in self.candidates],
        }


@dataclass
class Figures:
    """Shares from 0 to 1; None of nothing."""

    answers: list[Answer] = field(default_factory=list)
    argued: list[Argued] = field(default_factory=list)

    def of(self, question: str) -> list[Answer]:
        return [answer for answer in self.answers if answer.question == question]

    def to_json(self) -> dict[str, Any]:
        given, acted = self.of(WITH_TOOL), [a for a in self.of(WITH_TOOL) if a.acts]
        meant = [*given, *self.of(NONE_MEANT)]
        return {
            "rows": len(meant),
            "accuracy": _share(a.right for a in given),
            BASELINE: _share(a.baseline for a in given),
            "other_version": _share(a.is_other_version for a in given),
            "coverage": _share(a.acts for a in given),
            "precision": _share(a.right for a in acted),
            "wrong_acts": _share(a.acts_wrongly for a in meant),
            "none_acted": _share(a.acts for a in self.of(WITHOUT_SERVICE)),
            "none_acted_no_version": _share(a.acts for a in self.of(WITHOUT_VERSIONS)),
            "siblings_acted": _share(a.acts for a in self.of(SIBLINGS)),
            "none_meant": len(self.of(NONE_MEANT)),
            "none_meant_acted": _share(a.acts_wrongly for a in self.of(NONE_MEANT)),
            **argued_figures(self.argued),
        }


def evaluate(
    reader: Reader,
    tools: Sequence[Tool],
    asked: Sequence[Asked],
    count: int,
    seed: int,
    *,
    caution: int | None = None,
) -> Figures:
    """count: of candidates. caution: in hundredths of log-odds, in place of the reader's margins.
    Raises DatasetError for a prompt whose tool or service is not there."""
    drawing, asking = Drawing(tools, count, seed), _Asking(reader, tools, caution)
    figures = Figures()
    for row in asked:
        for question, draw in _draws(drawing, row).items():
            if draw is not None and draw.tools:
                figures.answers.append(asking.answer(row, question, draw))
    figures.argued += argued(reader, tools, asked)
    return figures


def _draws(drawing: Drawing, row: Asked) -> dict[str, Draw | None]:
    if row.tool is None:
        return {NONE_MEANT: drawing.of_service(row)}
    return {
        WITH_TOOL: drawing.with_tool(row),
        WITHOUT_VERSIONS: drawing.without_service(row),
        SIBLINGS: drawing.with_siblings(row),
        WITHOUT_SERVICE: drawing.of_others(row),
    }


class _Asking:
    """A reader with tools that it has read."""

    def __init__(self, reader: Reader, tools: Sequence[Tool], caution: int | None) -> None:
        self._reader, self._tools, self._caution = reader, tools, caution
        self._vectors = [reader.tool(tool) for tool in tools]
        self._baseline = TfIdf(tools)
        self._prompt, self._mood = lru_cache(1)(reader.prompt), lru_cache(1)(_mood)

    def answer(self, asked: Asked, question: str, draw: Draw) -> Answer:
        vectors = [self._vectors[place] for place in draw.tools]
        choice = self._reader.choose(self._prompt(asked.prompt), vectors)
        candidates = tuple(self._tools[place] for place in draw.tools)
        verdict = choose(choice, self._reader.manifest.margins, self._caution)
        return Answer(
            asked=asked,
            question=question,
            candidates=candidates,
            chosen=candidates[choice.tool],
            choice=choice,
            right=choice.tool == draw.right,
            acts=verdict is Verdict.CALL and self._may(asked, candidates[choice.tool]),
            baseline=self._baseline.choose(asked.prompt, draw.tools) == draw.right,
        )

    def _may(self, asked: Asked, tool: Tool) -> bool:
        if tool.moves is None:
            return True
        return self._mood(asked.prompt) >= (Mood.ACT if tool.moves else Mood.QUESTION)


def _mood(prompt: str) -> Mood:
    """As an agent without books reads it; what cannot be read asks for nothing."""
    try:
        return mood_of(View(prompt.encode(), _NOBODY))
    except RefusedText:
        return Mood.NOTHING


def report(figures: Figures) -> dict[str, Any]:
    """All rows; those of services that training saw and did not see, where there are both; and
    those of each kind, most wrong acts first."""
    found = figures.to_json()
    for name, unseen in (("unseen", True), ("seen", False)):
        part = [answer for answer in figures.answers if answer.asked.unseen is unseen]
        if part and len(part) < len(figures.answers):
            arguments = [each for each in figures.argued if each.asked.unseen is unseen]
            found[name] = Figures(part, arguments).to_json()
    if kinds := {answer.asked.kind for answer in figures.answers} - {""}:
        parts = {
            kind: Figures([each for each in figures.answers if each.asked.kind == kind]).to_json()
            for kind in sorted(kinds)
        }
        found["kinds"] = dict(sorted(parts.items(), key=lambda part: -part[1]["wrong_acts"]))
    return found


def _share(truths: Iterable[bool]) -> float | None:
    found = list(truths)
    return round(sum(found) / len(found), 4) if found else None


__all__ = ["NONE_MEANT", "SIBLINGS", "WITHOUT_SERVICE", "WITHOUT_VERSIONS", "WITH_TOOL", "Answer"]
__all__ += ["Figures", "evaluate", "report"]
