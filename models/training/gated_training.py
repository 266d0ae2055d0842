"""Training of a gated network and of its codebook, on texts with a verdict and tags."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.utils import deterministic

from zkagent.models.instructions.calls import MOST_CALLS, Tag, slot_of
from zkagent.models.instructions.codes import (
    FILLERS,
    FILLING,
    FILLING_WORDS,
    PRESENT,
    Codebook,
    parts_of,
    word_of,
)
from zkagent.models.instructions.packing import TOKENS, Verdict
from zkagent.models.instructions.reader import BY_TEXT, Kind, Token
from zkagent.models.networks.gated import GatedWeights
from zkagent.models.training.gated import GatedReader, GatedSizes, Texts, Vocabulary
from zkagent.models.training.memory import keep_freed_memory

Array = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
BUCKET = 8  # batches among which texts are ordered by length
#: Which add up sums: in another order, and to another network, if they are more or fewer.
THREADS = 2
MOST_KEYS = 4150  # with the grammar's, what two contracts of `codetable` hold


@dataclass(frozen=True)
class Example:
    """A text as it is read, and what is right. tags: one for each token."""

    text: bytes
    tokens: tuple[Token, ...]
    verdict: Verdict
    tags: tuple[Tag, ...]


@dataclass(frozen=True)
class Aside:
    """A clause that changes nothing, before or behind a text. tokens: none that fills a slot."""

    text: bytes
    tokens: tuple[Token, ...]
    before: bool


#: What may stand between two instructions.
JOINTS = tuple(
    tuple(joint.encode().split())
    for joint in (
        "and", "and then", ", then", ".", ";", ",", "then", ". then", ". also", "and also",
        "after that", ". next",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Recipe:
    """How to train. rounded_from: the share of all epochs behind which weights are those of the
    integers. hidden: how often a word is read as unknown. margin: how much acting must fall short
    of what is right. joined: how often two instructions are joined into one text, with
    some words of `joints` between them. besides: how often a text gets an aside."""

    epochs: int = 40
    batch: int = 256
    learning_rate: float = 0.003
    word_decay: float = 0.02
    weight_decay: float = 0.01
    rounded_from: float = 0.6
    hidden: float = 0.15
    margin: float = 1.0
    joined: float = 0.15
    besides: float = 0.12
    joints: tuple[tuple[bytes, ...], ...] = JOINTS
    longest_joined: int = 14


@dataclass(frozen=True)
class Words:
    """What has vectors of its own, by number, from 1 on. keys: how many at most, of which words
    take what is left. starts, ends: shared by so many different words at least."""

    words: Mapping[bytes, int]
    starts: Mapping[bytes, int]
    ends: Mapping[bytes, int]
    kinds: Mapping[Kind, int]  # among the numbers of words

    @classmethod
    def of(
        cls, examples: Sequence[Example], keys: int = MOST_KEYS, starts: int = 6, ends: int = 12
    ) -> "Words":
        counted = Counter(
            word_of(each.text, token)
            for each in examples
            for token in each.tokens
            if token.kind in BY_TEXT
        )
        parts = [parts_of(word) for word in counted]
        first = _shared((first for first, _ in parts), starts)
        last = _shared((last for _, last in parts), ends)
        left = max(0, keys - len(first) - len(last))
        often = sorted(counted, key=lambda word: (-counted[word], word))[:left]
        kinds = [kind for kind in Kind if kind not in BY_TEXT]
        return cls(
            _numbered(often),
            first,
            last,
            {kind: number for number, kind in enumerate(kinds, 1 + len(often))},
        )

    @property
    def sizes(self) -> Vocabulary:
        words = 1 + len(self.words) + len(self.kinds)
        return Vocabulary(words, 1 + len(self.starts), 1 + len(self.ends))


def _numbered(keys: Sequence[bytes]) -> dict[bytes, int]:
    return {key: number for number, key in enumerate(keys, 1)}


def _shared(parts: Iterator[bytes], least: int) -> dict[bytes, int]:
    counted = Counter(parts)
    return _numbered(sorted(part for part, count in counted.items() if part and count >= least))


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
    words, generator = Words.of(kept), torch.Generator().manual_seed(seed)
    model = GatedReader(sizes, words.sizes, generator)
    _Trainer(kept, words, recipe, model, seed, asides=asides).run(progress)
    return Trained(model.integers(), codebook_of(model, words), model.score_unit())


@dataclass(frozen=True)
class _Arrays:
    """Of N texts at L places; beyond a text's end all is 0."""

    words: Array
    starts: Array
    ends: Array
    present: Flags
    tags: Array
    fills: Flags
    verdict: Array

    @classmethod
    def of(cls, examples: Sequence[Example], words: Words) -> "_Arrays":
        shape = len(examples), TOKENS
        numbers, starts, ends, tags = (np.zeros(shape, np.int64) for _ in range(4))
        present, fills = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        for row, each in enumerate(examples):
            count = len(each.tokens)
            read = [_numbers(words, token, word_of(each.text, token)) for token in each.tokens]
            numbers[row, :count], starts[row, :count], ends[row, :count] = zip(*read, strict=True)
            present[row, :count], tags[row, :count] = True, each.tags
            fills[row, :count] = [slot_of(token) is not None for token in each.tokens]
        verdict = np.array([each.verdict for each in examples])
        return cls(numbers, starts, ends, present, tags, fills, verdict)

    def picked(self, rows: Array) -> "_Arrays":
        return _Arrays(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def cut(self) -> "_Arrays":
        """As long as the longest of them."""
        length = int(self.present.sum(1).max())
        named = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return _Arrays(**{n: a[:, :length] if a.ndim > 1 else a for n, a in named.items()})


#: Fields of `_Arrays` with something for each token.
TEXTS = ("words", "starts", "ends", "present", "tags", "fills")


def _example(aside: Aside) -> Example:
    return Example(aside.text, aside.tokens, Verdict.HELP, (Tag.NONE,) * len(aside.tokens))


def _numbers(words: Words, token: Token, word: bytes) -> tuple[int, int, int]:
    if token.kind not in BY_TEXT:
        return words.kinds[token.kind], 0, 0
    start, end = parts_of(word)
    return words.words.get(word, 0), words.starts.get(start, 0), words.ends.get(end, 0)


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
        self.data = _Arrays.of(examples, words)
        self.lengths = self.data.present.sum(1)
        self.calls = (self.data.tags > Tag.ARGUMENT).sum(1)
        known = [[words.words.get(word, 0) for word in joint] for joint in recipe.joints]
        self.joints = [np.array(joint) for joint in known if all(joint)]
        short = (self.lengths <= recipe.longest_joined) & (self.calls <= MOST_CALLS // 2)
        self.joinable = np.flatnonzero((self.data.verdict == Verdict.ACT) & short)
        self.before = np.array([aside.before for aside in asides])
        self.asides = _Arrays.of([_example(aside) for aside in asides], words)
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

    def batches(self) -> Iterator[_Arrays]:
        """All texts, as they are drawn, those of about the same length together, in any order."""
        order, size, found = self.rng.permutation(len(self.lengths)), self.recipe.batch, []
        for at in range(0, len(order), BUCKET * size):
            drawn = self.drawn(order[at : at + BUCKET * size])
            by_length = np.argsort(drawn.present.sum(1), kind="stable")
            parts = (by_length[i : i + size] for i in range(0, len(by_length), size))
            found += [drawn.picked(part).cut() for part in parts]
        return (found[number] for number in self.rng.permutation(len(found)))

    def drawn(self, rows: Array) -> _Arrays:
        """Texts, some of them joined, some with asides."""
        picked = self.data.picked(rows)
        for row in np.flatnonzero(self.rng.random(len(rows)) < self.recipe.joined):
            self.join(picked, int(row))
        if len(self.before):
            for row in np.flatnonzero(self.rng.random(len(rows)) < self.recipe.besides):
                self.add_aside(picked, int(row))
        return picked

    def join(self, into: _Arrays, row: int) -> None:
        """Two instructions with a joint between them, in the place of a text; nothing where they
        are too long together."""
        if not self.joints or not len(self.joinable):
            return
        first, second = self.rng.choice(self.joinable, 2)
        joint = self.joints[self.rng.integers(len(self.joints))]
        begin, ahead = self.lengths[first] + len(joint), self.lengths[first]
        end = begin + self.lengths[second]
        if end > TOKENS or self.calls[first] + self.calls[second] > MOST_CALLS:
            return
        for name in TEXTS:
            target, source = getattr(into, name)[row], getattr(self.data, name)
            target[:] = 0
            target[:ahead], target[begin:end] = source[first, :ahead], source[second, : end - begin]
        into.words[row, ahead:begin], into.present[row, ahead:begin] = joint, True
        into.verdict[row] = Verdict.ACT

    def add_aside(self, into: _Arrays, row: int) -> None:
        """Nothing where the text is too long for it."""
        which = self.rng.integers(len(self.before))
        there, more = int(into.present[row].sum()), int(self.asides.present[which].sum())
        if there + more > TOKENS:
            return
        aside, text = (0, more) if self.before[which] else (there, 0)
        for name in TEXTS:
            target, source = getattr(into, name)[row], getattr(self.asides, name)[which]
            target[text : text + there] = target[:there].copy()
            target[aside : aside + more] = source[:more]

    def step(self, batch: _Arrays) -> tuple[float, int]:
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

    def loss(self, scores: Tensor, tags: Tensor, batch: _Arrays) -> Tensor:
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


__all__ = ["Aside", "Example", "Recipe", "Trained", "Words", "codebook_of", "train_gated"]
