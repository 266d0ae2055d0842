"""How well a reader chooses, by its integers: `zkagent model evaluate reader`.

Three questions are asked of each prompt: with its tool among the candidates; with tools of other
services alone; with its siblings, but without itself. Acting is right in the first case alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from zkagent.models.reader.files import Choice, Reader
from zkagent.models.reader.labelled import Asked, Draw, Drawing, Tool, kind_of
from zkagent.models.reader.rows import Vector

WITH_TOOL, WITHOUT_SERVICE, SIBLINGS = "with its tool", "without its service", "siblings"


@dataclass(frozen=True)
class Answer:
    """Of one prompt to one question. chosen: the tool; acts: whether it would be called."""

    asked: Asked
    question: str
    candidates: tuple[Tool, ...]
    chosen: Tool
    choice: Choice
    right: bool
    acts: bool

    @property
    def is_other_version(self) -> bool:
        """Whether a tool of another version of the same service was chosen, as Hotels_1 is of
        Hotels_4: it may do what was asked for, and counts as wrong."""
        own, chosen = self.asked.service, self.chosen.service
        return own != chosen and kind_of(own) == kind_of(chosen)

    @property
    def wrong(self) -> bool:
        return not self.right if self.question == WITH_TOOL else self.acts

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

    def of(self, question: str) -> list[Answer]:
        return [answer for answer in self.answers if answer.question == question]

    def to_json(self) -> dict[str, Any]:
        given, acted = self.of(WITH_TOOL), [a for a in self.of(WITH_TOOL) if a.acts]
        return {
            "rows": len(given),
            "accuracy": _share(a.right for a in given),
            "other_version": _share(a.is_other_version for a in given),
            "coverage": _share(a.acts for a in given),
            "precision": _share(a.right for a in acted),
            "none_acted": _share(a.acts for a in self.of(WITHOUT_SERVICE)),
            "siblings_acted": _share(a.acts for a in self.of(SIBLINGS)),
            "spans_exact": None,
        }


def evaluate(
    reader: Reader, tools: Sequence[Tool], asked: Sequence[Asked], count: int, seed: int
) -> Figures:
    """count: of candidates. Raises DatasetError for a prompt whose tool is not there."""
    drawing, asking = Drawing(tools, count, seed), _Asking(reader, tools)
    figures = Figures()
    for row in asked:
        prompt = reader.prompt(row.prompt)
        draws = {
            WITH_TOOL: drawing.with_tool(row),
            WITHOUT_SERVICE: drawing.without_service(row),
            SIBLINGS: drawing.with_siblings(row),
        }
        for question, draw in draws.items():
            if draw is not None and draw.tools:
                figures.answers.append(asking.answer(row, question, prompt, draw))
    return figures


class _Asking:
    """A reader with tools that it has read."""

    def __init__(self, reader: Reader, tools: Sequence[Tool]) -> None:
        self._reader, self._tools = reader, tools
        self._vectors = [reader.tool(tool) for tool in tools]

    def answer(self, asked: Asked, question: str, prompt: Vector, draw: Draw) -> Answer:
        choice = self._reader.choose(prompt, [self._vectors[place] for place in draw.tools])
        candidates = tuple(self._tools[place] for place in draw.tools)
        return Answer(
            asked=asked,
            question=question,
            candidates=candidates,
            chosen=candidates[choice.tool],
            choice=choice,
            right=choice.tool == draw.right,
            acts=self._reader.calls(choice),
        )


def report(figures: Figures) -> dict[str, Any]:
    """All rows, and those of services that training saw and did not see, where there are both."""
    found = figures.to_json()
    for name, unseen in (("unseen", True), ("seen", False)):
        part = [answer for answer in figures.answers if answer.asked.unseen is unseen]
        if part and len(part) < len(figures.answers):
            found[name] = Figures(part).to_json()
    return found


def _share(truths: Iterable[bool]) -> float | None:
    found = list(truths)
    return round(sum(found) / len(found), 4) if found else None


__all__ = ["SIBLINGS", "WITHOUT_SERVICE", "WITH_TOOL", "Answer", "Figures", "evaluate", "report"]
