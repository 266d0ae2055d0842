"""Trains a classifier: in floats first, then with every weight rounded.

Most n-grams of a text are left out at random while training, a different choice each time (dropout:
Srivastava et al. 2014), so that no single hash bucket decides. One thread and one seed, so that the
same machine makes the same bytes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from zkagent.models.classifier.network import ClassifierNetwork, Kept, Taught
from zkagent.models.classifier.shape import Shape, wire
from zkagent.models.classifier.vectors import TaughtWords
from zkagent.models.classifier.weights import ClassifierWeights, check_bounds
from zkagent.models.encoding.encoder import UNKNOWN_HASH
from zkagent.models.errors import DatasetError

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Recipe:
    """How to train.

    passes: over the data, within the bounds on steps. dropout: share of n-grams left out.
    vector_dropout: of vectors, where words have some. rounded_steps: steps with rounded weights, as
    a share of those in floats before.
    """

    passes: int = 20
    least_steps: int = 1500
    most_steps: int = 12000
    batch: int = 128
    learning_rate: float = 3e-3
    weight_decay: float = 0.2
    label_smoothing: float = 0.1
    dropout: float = 0.5
    vector_dropout: float = 0.3
    rounded_steps: float = 0.25
    rounded_learning_rate: float = 1e-3

    def steps(self, texts: int) -> int:
        return min(max(self.passes * texts // self.batch, self.least_steps), self.most_steps)


@dataclass(frozen=True)
class Examples:
    """Texts as table rows: text i has rows[starts[i] : starts[i + 1]] and the intent target[i]."""

    rows: Tensor
    starts: Tensor
    target: Tensor

    @classmethod
    def of(cls, rows: Sequence[tuple[int, ...]], target: Sequence[int]) -> "Examples":
        starts = np.cumsum([0, *map(len, rows)])
        flat = np.array([i for r in rows for i in r], dtype=np.int64)
        return cls(
            torch.from_numpy(flat),
            torch.from_numpy(starts),
            torch.tensor(target, dtype=torch.int64),
        )

    def __len__(self) -> int:
        return len(self.target)

    def batch(self, picked: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Rows, offsets and targets of the texts `picked`."""
        starts, lengths = self.starts[picked], self.starts[picked + 1] - self.starts[picked]
        offsets = torch.cumsum(lengths, 0) - lengths
        flat = torch.arange(int(lengths.sum())) + torch.repeat_interleave(starts - offsets, lengths)
        return self.rows[flat], offsets, self.target[picked]


@dataclass(frozen=True)
class Trained:
    """Integer weights, and the float network that they came from: its decisions on `judged`."""

    weights: ClassifierWeights
    float_choices: tuple[int, ...]


def train(
    examples: Examples,
    labels: int,
    shape: Shape,
    seed: int,
    progress: Progress,
    *,
    judged: Examples,
    recipe: Recipe | None = None,
    taught: TaughtWords | None = None,
) -> Trained:
    """Train from `seed`. judged: texts that the float network classifies before it is rounded.
    taught: vectors of known words, where these have rows of their own.

    Raises DatasetError without examples, BoundExceeded.
    """
    if not len(examples):
        raise DatasetError("no text is left to train on: the encoder refuses all of them")
    with _one_thread():
        seeded = torch.Generator().manual_seed(seed)
        vectors = None if taught is None else _taught(taught, shape.table_rows)
        network = ClassifierNetwork(shape, wire(shape, labels, seed), seeded, vectors)
        trainer = _Trainer(examples, network, recipe or Recipe(), seeded)
        trainer.run_in_floats(progress)
        choices = trainer.choices(judged)
        trainer.run_rounded(progress)
        weights = trainer.network.integers()
    check_bounds(weights)
    return Trained(weights, choices)


class _Trainer:
    def __init__(
        self,
        examples: Examples,
        network: ClassifierNetwork,
        recipe: Recipe,
        chance: torch.Generator,
    ) -> None:
        self.examples, self.network, self.recipe, self.generator = examples, network, recipe, chance

    def run_in_floats(self, progress: Progress) -> None:
        steps = self.recipe.steps(len(self.examples))
        self._run(steps, self.recipe.learning_rate, progress, "in floats")

    def run_rounded(self, progress: Progress) -> None:
        self.network.scales = self.network.find_scales()
        steps = int(self.recipe.steps(len(self.examples)) * self.recipe.rounded_steps)
        self._run(steps, self.recipe.rounded_learning_rate, progress, "rounded")

    def choices(self, examples: Examples) -> tuple[int, ...]:
        """The label with the highest logit for each text."""
        with torch.no_grad():
            parts = [
                self.network(*examples.batch(picked)[:2]).argmax(1)
                for picked in torch.split(torch.arange(len(examples)), 1000)
            ]
        return tuple(i for part in parts for i in part.tolist())

    def _run(self, steps: int, rate: float, progress: Progress, kind: str) -> None:
        optimizer = torch.optim.AdamW(
            self.network.parameters(),
            rate,
            weight_decay=self.recipe.weight_decay,
            # A table with a row for each word takes longer to update than all else does.
            fused=self.network.taught is not None,
        )
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, steps, pct_start=0.1)
        for step, picked in zip(range(1, steps + 1), self._batches(), strict=False):
            loss = self._loss(picked)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            if step % max(1, steps // 5) == 0:
                progress(f"training {kind}: step {step} of {steps}, loss {loss.item():.3f}")

    def _loss(self, picked: Tensor) -> Tensor:
        rows, offsets, target = self.examples.batch(picked)
        kept = self._kept(len(rows), self.recipe.dropout)
        taught = self.network.taught is not None
        vectors = self._kept(len(rows), self.recipe.vector_dropout) if taught else None
        logits = self.network(rows, offsets, Kept(kept, vectors))
        return cross_entropy(logits, target, label_smoothing=self.recipe.label_smoothing)

    def _kept(self, rows: int, dropout: float) -> Tensor:
        share = 1 - dropout
        return (torch.rand(rows, generator=self.generator) < share).float() / share

    def _batches(self) -> Iterator[Tensor]:
        """Batches without end; each pass in another order."""
        while True:
            order = torch.randperm(len(self.examples), generator=self.generator)
            yield from torch.split(order, self.recipe.batch)


def _taught(words: TaughtWords, hashed_rows: int) -> Taught:
    seen = torch.from_numpy(words.seen)
    own, unknown = hashed_rows + torch.arange(len(seen)), UNKNOWN_HASH % hashed_rows
    return Taught(torch.from_numpy(words.vectors), torch.where(seen, own, unknown))


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums in one order only, and no time lost on numbers that are practically zero."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(threads)
