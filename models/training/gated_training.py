"""Training of a gated network and of its codebook, on texts with a verdict and tags."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.utils import deterministic

from zkagent.models.instructions.codes import (
    FILLERS,
    FILLING,
    FILLING_WORDS,
    PRESENT,
    Codebook,
    parts_of,
)
from zkagent.models.instructions.packing import TOKENS, Verdict
from zkagent.models.instructions.reader import Kind
from zkagent.models.networks.gated import GatedWeights
from zkagent.models.training.composed import Composer, Composing
from zkagent.models.training.examples import Aside, Example, TextArrays, Words
from zkagent.models.training.gated import GatedReader, GatedSizes, Texts
from zkagent.models.training.memory import keep_freed_memory

BUCKET = 8  # batches among which texts are ordered by length
#: Which add up sums: in another order, and to another network, if they are more or fewer.
THREADS = 2


@dataclass(frozen=True)
class Recipe:
    """How to train. rounded_from: the share of all epochs behind which weights are those of the
    integers. hidden: how often a word is read as unknown. margin: how much acting must fall short
    of what is right."""

    epochs: int = 40
    batch: int = 256
    learning_rate: float = 0.003
    word_decay: float = 0.02
    weight_decay: float = 0.01
    rounded_from: float = 0.6
    hidden: float = 0.15
    margin: float = 1.0
    composing: Composing = field(default_factory=Composing)


@dataclass(frozen=True)
class Trained:
    """score_unit: what one unit of log-odds is in the network's margin."""

    weights: GatedWeights
    codebook: Codebook
    score_unit: int


def train_gated(
    examples: Sequence[Example],
    sizes: GatedSizes,
    recipe: Recipe,
    seed: int,
    progress: Callable[[str], None],
    *,
    asides: Sequence[Aside] = (),
) -> Trained:
    """Train from `seed`: the same each time on the same machine. One progress line an epoch."""
    torch.use_deterministic_algorithms(True)
    deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # never read
    torch.set_num_threads(THREADS)
    keep_freed_memory()
    kept = [each for each in examples if len(each.tokens) <= TOKENS]
    words, generator = Words.of(kept, asides), torch.Generator().manual_seed(seed)
    model = GatedReader(sizes, words.sizes, generator)
    _Trainer(kept, words, recipe, model, seed, asides=asides).run(progress)
    return Trained(model.integers(), codebook_of(model, words), model.score_unit())


class _Trainer:
    def __init__(
        self,
        examples: Sequence[Example],
        words: Words,
        recipe: Recipe,
        model: GatedReader,
        seed: int,
        *,
        asides: Sequence[Aside],
    ) -> None:
        self.recipe, self.model, self.rng = recipe, model, np.random.default_rng(seed)
        self.texts = Composer(examples, asides, words, recipe.composing, self.rng)
        vectors = {"words", "starts", "ends"}
        named = list(self.model.named_parameters())
        self.optimizer = torch.optim.AdamW(
            [
                {"params": [p for n, p in named if n in vectors],
                 "weight_decay": recipe.word_decay},
                {"params": [p for n, p in named if n not in vectors],
                 "weight_decay": recipe.weight_decay},
            ],
            recipe.learning_rate,
        )  # fmt: skip
        steps = math.ceil(len(examples) / recipe.batch)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, recipe.learning_rate, recipe.epochs * steps, pct_start=0.1
        )

    def run(self, progress: Callable[[str], None]) -> None:
        recipe = self.recipe
        for epoch in range(recipe.epochs):
            self.model.rounded = epoch >= recipe.rounded_from * recipe.epochs
            loss, right, seen = 0.0, 0, 0
            for batch in self.batches():
                count = len(batch.verdict)
                batch_loss, hits = self.step(batch)
                loss, right, seen = loss + batch_loss * count, right + hits, seen + count
            progress(
                f"epoch {epoch + 1} of {recipe.epochs}: loss {loss / seen:.4f}, "
                f"verdicts {right / seen:.4f}"
            )

    def batches(self) -> Iterator[TextArrays]:
        """All texts, as they are drawn, those of about the same length together, in any order."""
        order, size, found = self.rng.permutation(len(self.texts.lengths)), self.recipe.batch, []
        for at in range(0, len(order), BUCKET * size):
            drawn = self.texts.drawn(order[at : at + BUCKET * size])
            by_length = np.argsort(drawn.lengths, kind="stable")
            parts = (by_length[i : i + size] for i in range(0, len(by_length), size))
            found += [drawn.picked(part).cut() for part in parts]
        return (found[number] for number in self.rng.permutation(len(found)))

    def step(self, batch: TextArrays) -> tuple[float, int]:
        hidden = (self.rng.random(batch.words.shape) < self.recipe.hidden) & ~batch.fills
        words = torch.from_numpy(np.where(hidden, 0, batch.words))
        texts = Texts(
            words,
            torch.from_numpy(batch.starts),
            torch.from_numpy(batch.ends),
            torch.from_numpy(batch.present.astype(np.float32)),
            torch.from_numpy(batch.fills.astype(np.float32)),
        )
        scores, tags = self.model(texts)
        loss = self.loss(scores, tags, batch)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.schedule.step()
        right = (scores.argmax(1).numpy() == batch.verdict).sum()
        return loss.item(), int(right)

    def loss(self, scores: Tensor, tags: Tensor, batch: TextArrays) -> Tensor:
        """Of the verdicts, calls with a handicap where nothing is asked for; and of the tags of
        what fills a slot, where there are calls."""
        verdict = torch.from_numpy(batch.verdict)
        handicap = torch.zeros_like(scores)
        calls = verdict >= Verdict.VIEW
        handicap[~calls, Verdict.ACT] = self.recipe.margin
        handicap[~calls, Verdict.VIEW] = self.recipe.margin / 2
        of_verdicts = cross_entropy(scores + handicap, verdict, reduction="sum")
        counted = torch.from_numpy(batch.fills) & calls.unsqueeze(1)
        right = torch.from_numpy(batch.tags)[counted]
        of_tags = cross_entropy(tags[counted], right, reduction="sum")
        return (of_verdicts + of_tags) / len(verdict)


def codebook_of(model: GatedReader, words: Words) -> Codebook:
    """What each word's vectors come to in bits."""
    with torch.no_grad():
        starts, ends = (t.detach().numpy() for t in (model.starts, model.ends))
        own = model.words.detach().numpy()

    def whole(word: bytes) -> int:
        start, end = parts_of(word)
        total = own[words.words[word]] + starts[words.starts.get(start, 0)]
        return _packed(total + ends[words.ends.get(end, 0)], filling=word in FILLING_WORDS)

    book = Codebook(
        {word: whole(word) for word in words.words},
        {start: _packed(starts[number]) for start, number in words.starts.items()},
        {end: _packed(ends[number]) for end, number in words.ends.items()},
        _packed(own[0]),
        {
            kind: _packed(own[number] + starts[0] + ends[0], filling=kind in FILLERS)
            for kind, number in words.kinds.items()
        },
    )
    unseen = {
        word: book.code(Kind.WORD, word) | FILLING
        for word in sorted(FILLING_WORDS - words.words.keys())
    }
    return replace(book, words={**book.words, **unseen})


def _packed(vector: npt.NDArray[np.float32], *, filling: bool = False) -> int:
    """A code by its free bits, the first one the highest."""
    flags = PRESENT | (FILLING if filling else 0)
    return flags | int("".join("1" if value > 0 else "0" for value in vector), 2)


__all__ = ["Recipe", "Trained", "codebook_of", "train_gated"]
