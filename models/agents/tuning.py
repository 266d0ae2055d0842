"""Fits a reader to one agent: which of its author's prompts its tools say, and how sure it must be.

The table of words and the network are shared by all agents. What is an agent's own are the
examples that its tools say, up to eight each, and its caution: both are chosen here, by prompts of
tools.yaml.
What is reported is of prompts that the choice did not see: they are left out fold by fold, and the
choice is made anew without them.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.agents.reader import ReaderModel
from zkagent.models.agents.trial import called_by, context_of
from zkagent.models.reader.agent_tools import AgentTools
from zkagent.models.reader.labelled import MOST_EXAMPLES
from zkagent.models.reader.rows import SIZE, Vector
from zkagent.models.reader.vectors import FINE, LENGTH, of_parts, of_text, texts_of

Floats = npt.NDArray[np.float64]
FOLDS = 5
#: Hundredths of a log-odd; 0 stands for the model's own margins, which are never undercut.
CAUTIONS = (0, 100, 150, 200, 250, 300, 400, 500, 700)
#: Of held-out prompts that mean nothing, and of those that mean a tool.
MOST_WRONG = 0.02
NOTHING = -1
#: Under which every choice stands that could be called at all.
LEAST_CAUTION = 1
FEWEST = 10  # prompts that mean nothing, below which their share says little


@dataclass(frozen=True)
class Prompt:
    """means: the tool's place, or NOTHING."""

    text: str
    means: int


@dataclass(frozen=True)
class Judged:
    """What the reader made of one prompt. ahead, fits: in log-odds. filled: whether the tool would
    have its arguments, so that it is called where the reader is sure enough."""

    means: int
    chosen: int
    ahead: float
    fits: float
    filled: bool

    @property
    def right(self) -> bool:
        return self.chosen == self.means


@dataclass(frozen=True)
class Figures:
    """Shares from 0 to 1 of prompts that were held out, None of nothing. wrong_acts: of those that
    mean a tool, how many another one is called for; nothing_acted: of those that mean none, how
    many any is called for; worst: the tool whose first choice is right least often."""

    prompts: int
    accuracy: float | None
    acts_right: float | None
    wrong_acts: float | None
    nothing: int
    nothing_acted: float | None
    worst: str
    worst_accuracy: float | None


@dataclass(frozen=True)
class Tuning:
    """examples: for each tool. caution: in hundredths of a log-odd, 0 for the model's own margins.
    before: without examples; after: with those chosen, at this caution."""

    examples: tuple[tuple[str, ...], ...]
    caution: int
    before: Figures
    after: Figures


def tune(model: ReaderModel, said: AgentTools, seed: int = 1) -> Tuning:
    """The same for the same seed."""
    judge = _Judge(model, said)
    rows = [Prompt(text, place) for place, tool in enumerate(said.tools) for text in tool.means]
    rows += [Prompt(text, NOTHING) for text in said.nothing]
    silent = [judge.of(row, [()] * len(said.tools)) for row in rows]
    held_out: list[Judged] = []
    for kept, left in folds(rows, seed):
        examples = judge.chosen(kept)
        held_out += [judge.of(row, examples) for row in left]
    caution = judge.caution(held_out)
    names = [tool.tool for tool in said.tools]
    return Tuning(
        examples=judge.chosen(rows),
        caution=caution,
        before=figures(silent, names, judge.margins(0)),
        after=figures(held_out, names, judge.margins(caution)),
    )


def figures(
    judged: Sequence[Judged], names: Sequence[str], margins: tuple[float, float]
) -> Figures:
    """margins: of ahead and fits, in log-odds."""

    def acts(each: Judged) -> bool:
        return each.filled and each.ahead >= margins[0] and each.fits >= margins[1]

    meant = [each for each in judged if each.means != NOTHING]
    nothing = [each for each in judged if each.means == NOTHING]
    by_tool = [
        (_share([each.right for each in meant if each.means == place]) or 0.0, name)
        for place, name in enumerate(names)
        if any(each.means == place for each in meant)
    ]
    worst = min(by_tool, default=(None, ""))
    return Figures(
        prompts=len(meant),
        accuracy=_share([each.right for each in meant]),
        acts_right=_share([each.right and acts(each) for each in meant]),
        wrong_acts=_share([not each.right and acts(each) for each in meant]),
        nothing=len(nothing),
        nothing_acted=_share([acts(each) for each in nothing]),
        worst=worst[1],
        worst_accuracy=worst[0],
    )


class _Judge:
    """A reader with one agent's tools."""

    def __init__(self, model: ReaderModel, said: AgentTools) -> None:
        self._model, self._reader, self._said = model, model.reader, said
        reader = model.reader
        texts = [text for tool in said.tools for text in tool.means]
        self._directions = {text: of_text(reader.rows, text) for text in texts}
        self._prompts = {text: reader.prompt(text) for text in (*texts, *said.nothing)}
        silent = [reader.tool(tool.as_tool(())) for tool in said.tools]
        self._least = {text: self._none(p, silent) for text, p in self._prompts.items()}

    def of(self, row: Prompt, examples: Sequence[Sequence[str]]) -> Judged:
        """By the integers that a proof is of."""
        prompt = self._prompts[row.text]
        tools = [self._vector(place, each) for place, each in enumerate(examples)]
        choice, unit = self._reader.choose(prompt, tools), self._reader.manifest.margins.unit
        context = context_of(self._said, examples, LEAST_CAUTION, row.text)
        filled = called_by(self._model, context) is not None
        return Judged(row.means, choice.tool, choice.ahead / unit, choice.fits / unit, filled)

    def margins(self, caution: int) -> tuple[float, float]:
        own = self._reader.manifest.margins
        if caution:
            return caution / 100, caution / 100
        return own.ahead / own.unit, own.fits / own.unit

    def caution(self, held_out: Sequence[Judged]) -> int:
        """The least at which wrong acts are few; the most where they never are. Where too little is
        known the model's own margins stay."""
        names = [tool.tool for tool in self._said.tools]
        if len(self._said.nothing) < FEWEST:
            return 0
        for caution in CAUTIONS:
            own, asked = self.margins(0), self.margins(caution)
            if caution and any(a < o for a, o in zip(asked, own, strict=True)):
                continue
            found = figures(held_out, names, asked)
            if max(found.nothing_acted or 0, found.wrong_acts or 0) <= MOST_WRONG:
                return caution
        return CAUTIONS[-1]

    def chosen(self, rows: Sequence[Prompt]) -> tuple[tuple[str, ...], ...]:
        """Examples of each tool among `rows`: all, where there are eight at most; else greedily the
        one that helps the other prompts most, then the next."""
        count = len(self._said.tools)
        of_tool = [[row.text for row in rows if row.means == place] for place in range(count)]
        found = [texts if len(texts) <= MOST_EXAMPLES else [] for texts in of_tool]
        search = _Search(self, rows, [list(each) for each in found])
        for _ in range(MOST_EXAMPLES):
            for place, texts in enumerate(of_tool):
                if len(texts) > MOST_EXAMPLES:
                    search.add_best(place, texts)
        return tuple(tuple(each) for each in search.examples)

    def _vector(self, place: int, examples: Sequence[str]) -> Vector:
        return self._reader.tool(self._said.tools[place].as_tool(examples))

    def _none(self, prompt: Vector, tools: Sequence[Vector]) -> float:
        """What a tool must score for the prompt to be about any, in log-odds."""
        choice = self._reader.choose(prompt, tools)
        return self.score(prompt, tools[choice.tool]) - choice.fits / self.unit

    def score(self, prompt: Vector, tool: Vector) -> float:
        return float(prompt @ tool) / self.per_odd

    @property
    def unit(self) -> int:
        return self._reader.manifest.margins.unit

    @property
    def per_odd(self) -> float:
        """The inner product of one of log-odds: scores are 256 times as much."""
        return self.unit / 256


class _Search:
    """Examples as they are chosen, by the loss of prompts [N] in floats."""

    def __init__(self, judge: _Judge, rows: Sequence[Prompt], examples: list[list[str]]) -> None:
        self._judge, self.examples = judge, examples
        self._texts = [row.text for row in rows]
        found = [judge._prompts[text] for text in self._texts]
        self._prompts = np.array(found, dtype=np.float64).reshape(-1, SIZE)
        self._none = np.array([judge._least[text] for text in self._texts])
        count = len(examples)
        self._means = np.array([count if r.means == NOTHING else r.means for r in rows], dtype=int)
        sizes = np.bincount(self._means, minlength=count + 1)
        self._weights = 1.0 / sizes[self._means]
        # What a tool says but for its examples, in the length that the sum of its parts has.
        reader = judge._reader
        self._share = reader.manifest.shares[-1] * FINE
        self._bare = [
            of_parts(reader.rows, texts_of(tool.as_tool(())), reader.manifest.shares).astype(float)
            for tool in judge._said.tools
        ]
        self._scores = np.stack([self._scored(p, each) for p, each in enumerate(examples)], 1)

    def add_best(self, place: int, texts: Sequence[str]) -> None:
        """Adds to a tool's examples the text that helps the other prompts most, if any does."""
        before = self._losses(self._scores)
        best: tuple[float, str, Floats] | None = None
        for text in texts:
            if text in self.examples[place]:
                continue
            scores = self._scores.copy()
            scores[:, place] = self._scored(place, [*self.examples[place], text])
            gain = before - self._losses(scores)
            gain[self._texts.index(text)] = 0
            if best is None or gain.sum() > best[0]:
                best = (float(gain.sum()), text, scores)
        if best is not None and best[0] > 0:
            self.examples[place].append(best[1])
            self._scores = best[2]

    def _scored(self, place: int, examples: Sequence[str]) -> Floats:
        total = self._bare[place]
        if examples:
            found = np.sum([self._judge._directions[text] for text in examples], axis=0)
            total = total + self._share * _unit(found.astype(np.float64))
        return np.asarray(self._prompts @ _unit(total) * LENGTH / self._judge.per_odd)

    def _losses(self, scores: Floats) -> Floats:
        """Of which tool, or none, each prompt means [N]."""
        logits = np.concatenate([scores, self._none[:, None]], 1)
        most = logits.max(1)
        whole = most + np.log(np.exp(logits - most[:, None]).sum(1))
        rights = logits[np.arange(len(logits)), self._means]
        return np.asarray(self._weights * (whole - rights))


def _unit(vector: Floats) -> Floats:
    size = float(np.linalg.norm(vector))
    return vector / size if size else np.zeros(SIZE)


def folds(rows: Sequence[Prompt], seed: int) -> Iterator[tuple[list[Prompt], list[Prompt]]]:
    """Each prompt is left out once, of each meaning about as many in each fold."""
    chance, fold_of = random.Random(seed), {}
    for means in sorted({row.means for row in rows}):
        texts = [row.text for row in rows if row.means == means]
        chance.shuffle(texts)
        fold_of.update({text: at % FOLDS for at, text in enumerate(texts)})
    for fold in range(FOLDS):
        left = [row for row in rows if fold_of[row.text] == fold]
        if left:
            yield [row for row in rows if fold_of[row.text] != fold], left


def _share(truths: Sequence[bool]) -> float | None:
    return round(sum(truths) / len(truths), 4) if truths else None


__all__ = ["NOTHING", "Figures", "Judged", "Prompt", "Tuning", "figures", "folds", "tune"]
