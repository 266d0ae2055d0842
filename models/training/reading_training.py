"""Trains the reader: prompts beside the tools that they mean, among others that they do not.

Two questions are asked at once: which of all the tools of its source a prompt means, and which of
eight, or none, where its own may be absent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from zkagent.models.training.reading import SPECIAL, Floats, ReadingNet, ToolBatch

Words = npt.NDArray[np.int64]
CANDIDATES = 8
#: Texts that are compared with each other; by what cosines are multiplied for log-odds.
TAUGHT_BATCH, TEACHER_SCALE, LEARNER_SCALE = 192, 15.0, 10.0
OUT = -1e4  # of log-odds: of what is no candidate


@dataclass(frozen=True)
class Source:
    """Prompts [N, L] as words, the tool that each means [N], and what M tools say [M, L]. pool:
    for each tool, words of prompts that may be its examples. group [M]: the service; tools of one
    name [M] are no rivals of each other. reworded: of each tool, other names and descriptions."""

    prompts: Words
    means: Words
    name: Words
    description: Words
    parameters: Words
    pool: Sequence[Words]
    group: Words
    alike: Words
    weight: float
    reworded: Sequence[Sequence[tuple[Words, Words]]]


@dataclass(frozen=True)
class Taught:
    """Texts [N, L] as words, and what a teacher makes of them [N, k], in length 1."""

    words: Words
    vectors: Floats


@dataclass(frozen=True)
class Plan:
    """steps of `batch` prompts. hidden: how often a word is hidden. absent: how often a prompt's
    own tool is no candidate. examples: how often a tool has any. reworded: how often it has another
    name and description. own: of how many of the most frequent words more is learned than what they
    count for; kept: what that costs. addresses: how often a prompt has an account among its words.
    """

    steps: int = 1200
    batch: int = 256
    rate: float = 3e-3
    hidden: float = 0.1
    silent: float = 0.15
    examples: float = 0.4
    absent: float = 0.25
    size: int = 64
    taught: float = 1.0
    reworded: float = 0.3
    own: int = 600
    kept: float = 0.003
    addresses: float = 0.06
    seed: int = 1


def train(
    net: ReadingNet,
    sources: Sequence[Source],
    taught: Taught,
    plan: Plan,
    say: Callable[[str], None],
) -> ReadingNet:
    """In place; the same on the same machine for the same seed."""
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(plan.seed)
    fast = [net.weight]
    slow = [net.project]
    rest = [p for n, p in net.named_parameters() if n not in ("weight", "project")]
    rates = [plan.rate * 3, plan.rate * 0.3, plan.rate]
    groups = [{"params": g, "lr": r} for g, r in zip((fast, slow, rest), rates, strict=True)]
    optimizer = torch.optim.Adam(groups)
    batches = [_Batches(source, plan, generator) for source in sources]
    shares = torch.tensor([source.weight for source in sources])
    for step in range(plan.steps):
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * min(1.0, step / 50) * (1 - step / plan.steps)
        which = int(torch.multinomial(shares, 1, generator=generator))
        loss = batches[which].loss(net)
        loss = loss + plan.kept * (net.own**2).sum()
        if len(taught.words):
            loss = loss + plan.taught * _teacher_loss(net, taught, plan, generator)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if step % 100 == 0:
            say(f"step {step} of {plan.steps}: loss {loss.item():.3f}")
    return net


class _Batches:
    def __init__(self, source: Source, plan: Plan, generator: torch.Generator) -> None:
        self.plan, self.generator, self.source = plan, generator, source
        self.prompts, self.means = map(torch.from_numpy, (source.prompts, source.means))
        texts = (source.name, source.description, source.parameters)
        self.texts = [torch.from_numpy(text) for text in texts]
        counts = torch.bincount(self.means, minlength=len(source.name)).float()
        self.chances = counts[self.means] ** -0.5
        alike = torch.from_numpy(source.alike)
        self.rivals = (alike[:, None] != alike[None]) | torch.eye(len(alike), dtype=torch.bool)
        group = torch.from_numpy(source.group)
        self.siblings = group[:, None] == group[None]

    def loss(self, net: ReadingNet) -> Tensor:
        count = min(self.plan.batch, len(self.chances))
        drawn = torch.multinomial(self.chances, count, generator=self.generator)
        prompts, means = self._hidden(self.prompts[drawn]), self.means[drawn]
        tools = self._tools()
        rows, place = _rows(net, [prompts, *tools.parts()])
        batch = ToolBatch(*(place[part] for part in tools.parts()))
        read = net.prompts(rows, place[prompts])
        scores = net.scores(read, net.tools(rows, batch))
        scores = scores.masked_fill(~self.rivals[means], OUT)
        fitting = net.fitting(read)
        whole = functional.cross_entropy(scores, means)
        return whole + functional.cross_entropy(*self._among_few(scores, means, fitting))

    def _among_few(self, scores: Tensor, means: Tensor, fitting: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of eight candidates and of none, and the place of what is right."""
        count, tools = scores.shape
        chance = torch.rand(scores.shape, generator=self.generator) + self.siblings[means].float()
        right = torch.arange(count), means
        chance[right] = 3.0
        least = chance.topk(min(CANDIDATES, tools), dim=1).values[:, -1:]
        kept = chance >= least
        absent = torch.rand(count, generator=self.generator) < self.plan.absent
        alone = torch.rand(count, generator=self.generator) < 0.5
        gone = self.siblings[means] & alone[:, None]
        gone[right] = True
        kept &= ~(gone & absent[:, None])
        few = torch.cat([scores.masked_fill(~kept, OUT), fitting[:, None]], 1)
        return few, torch.where(absent, tools, means)

    def _tools(self) -> ToolBatch:
        """Each with a part left out at times, as authors do."""
        count, plan = len(self.source.name), self.plan
        examples = self._examples()
        has = (examples > 0).flatten(1).any(1)
        silent = torch.rand(3, count, generator=self.generator) < plan.silent
        silent[1] &= ~silent[0] | has
        texts = self._reworded()
        parts = [
            torch.where(silent[i, :, None], 0, self._hidden(text)) for i, text in enumerate(texts)
        ]
        empty = ~(torch.stack([(p > 0).any(1) for p in parts]).any(0) | has)
        parts[0] = torch.where(empty[:, None], self.texts[0], parts[0])
        name, description, parameters = parts
        return ToolBatch(name, description, parameters, examples)

    def _reworded(self) -> list[Tensor]:
        """Names and descriptions, some in other words."""
        name, description, parameters = (text.clone() for text in self.texts)
        for tool, others in enumerate(self.source.reworded):
            if others and torch.rand(1, generator=self.generator) < self.plan.reworded:
                which = int(torch.randint(len(others), (1,), generator=self.generator))
                for text, other in zip((name, description), others[which], strict=True):
                    cut = min(len(other), text.shape[1])
                    text[tool] = 0
                    text[tool, :cut] = torch.from_numpy(other)[:cut]
        return [name, description, parameters]

    def _examples(self) -> Tensor:
        """[M, 8, L]: of some tools, up to eight."""
        pool = self.source.pool
        length = max((each.shape[1] for each in pool), default=1)
        found = torch.zeros(len(pool), CANDIDATES, length, dtype=torch.int64)
        given = torch.rand(len(pool), generator=self.generator) < self.plan.examples
        for tool, texts in enumerate(pool):
            if given[tool] and len(texts):
                count = int(torch.randint(1, CANDIDATES + 1, (1,), generator=self.generator))
                order = torch.randperm(len(texts), generator=self.generator)[:count]
                found[tool, : len(order), : texts.shape[1]] = torch.from_numpy(texts)[order]
        return found

    def _hidden(self, words: Tensor) -> Tensor:
        hidden = torch.rand(words.shape, generator=self.generator) < self.plan.hidden
        return torch.where(hidden, 0, words)


def _teacher_loss(
    net: ReadingNet, taught: Taught, plan: Plan, generator: torch.Generator
) -> Tensor:
    """Cross entropy of which of a batch's other texts each is like: as the teacher says (Fang et
    al. 2021, of similarities in a batch)."""
    drawn = torch.randint(len(taught.words), (TAUGHT_BATCH,), generator=generator)
    words, vectors = (torch.from_numpy(each)[drawn] for each in (taught.words, taught.vectors))
    hidden = torch.rand(words.shape, generator=generator) < plan.hidden
    words = torch.where(hidden, 0, words)
    rows, place = _rows(net, [words])
    read = net.prompts(rows, place[words])
    own = torch.eye(TAUGHT_BATCH) * OUT
    expected = torch.softmax(TEACHER_SCALE * vectors @ vectors.T + own, 1)
    return -(expected * torch.log_softmax(LEARNER_SCALE * read @ read.T + own, 1)).sum(1).mean()


def _rows(net: ReadingNet, texts: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Rows of the words that occur alone, and the place of each word's among them."""
    special = torch.arange(SPECIAL)
    words = torch.unique(torch.cat([special, *(text.ravel() for text in texts)]))
    place = torch.zeros(len(net.vectors) + SPECIAL, dtype=torch.int64)
    place[words] = torch.arange(len(words))
    return net.rows(words), place


def padded(texts: Sequence[Sequence[int]], length: int) -> Words:
    """[N, the longest, but `length` at most], zeros behind."""
    longest = max([1, *(min(len(text), length) for text in texts)])
    found = np.zeros((len(texts), longest), dtype=np.int64)
    for row, text in enumerate(texts):
        cut = text[:length]
        found[row, : len(cut)] = cut
    return found


__all__ = ["Floats", "Plan", "Source", "Taught", "Words", "padded", "train"]
