"""What training reads: prompts as table rows, and the decisions to be made about them.

`DatasetBuilder` turns prompts into arrays with the encoder itself, so that training and inference
cannot disagree about an input.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.encoding.book import SymbolBook
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import SLOT_TYPES
from zkagent.models.encoding.encoder import (
    CANDIDATE_TYPES,
    COUNT_LIMIT,
    MAX_CANDIDATES,
    WINDOW,
    Parse,
    hash_tokens,
    parse_context,
    select_rows,
)
from zkagent.models.encoding.manifest import SLOTS
from zkagent.models.encoding.tokens import Token, TokenType
from zkagent.models.encoding.vocabulary import Vocabulary

Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

LOCAL_ROWS = 2 * WINDOW + 3


@dataclass(frozen=True)
class Target:
    """What is right in one state of a run.

    `taken` counts the earlier calls of each action, `readable` says whether the last observation is
    a balance; `allowed` are the right actions (an answer may be as good as another), `source` where
    the amount comes from, None when that does not matter.
    """

    taken: tuple[int, ...]
    readable: bool
    allowed: frozenset[int]
    source: int | None


@dataclass(frozen=True)
class Dataset:
    """P prompts of N rows in all, D decisions. A slot is active when a tool would ask for it."""

    rows: Ints  # [N]
    offsets: Ints  # [P + 1] into rows
    local_rows: Ints  # [P, 6, 11], `local_row_count` for none
    slot_active: Flags  # [P, S]
    slot_fits: Flags  # [P, 6, S]
    slot_right: Flags  # [P, 6, S]
    prompt: Ints  # [D]
    counts: npt.NDArray[np.float32]  # [D, actions + 5], clamped, unscaled
    allowed: Flags  # [D, action scores]
    source: Ints  # [D], -1 when it does not matter
    text_row_count: int
    local_row_count: int


@dataclass(frozen=True)
class Hiding:
    """How often a word is hidden, so that it reads as UNKNOWN: any word, and a loose one, whose
    meaning must not matter."""

    word: float
    loose: float


class DatasetBuilder:
    """Collects prompts one by one. Prompts that the encoder refuses raise its RefusedText."""

    def __init__(
        self, sizes: tuple[int, int], vocabulary: Vocabulary, book: SymbolBook, action_scores: int
    ) -> None:
        self.text_rows, self.local_rows = sizes
        self.vocabulary, self.book, self.action_scores = vocabulary, book, action_scores
        self._rows: list[int] = []
        self._offsets = [0]
        self._local_rows: list[list[list[int]]] = []
        self._slots: list[tuple[list[bool], list[list[bool]], list[list[bool]]]] = []
        self._decisions: list[tuple[int, list[int], list[bool], int]] = []

    def parse(self, text: str) -> Parse:
        return parse_context(Context(text.encode(), (), self.book), (), 0)

    def add(
        self,
        text: str,
        parse: Parse,
        hidden: frozenset[int],
        slots: Sequence[frozenset[int] | None],
        targets: Sequence[Target],
    ) -> None:
        """Add a prompt whose words at the places `hidden` read as UNKNOWN. `slots` names, for each
        slot, the right candidates' indices, or None when no tool asks for it."""
        prompt = len(self._offsets) - 1
        self._add_rows(text, parse, hidden)
        self._add_slots(parse, slots)
        present = [sum(c.type is kind for c in parse.candidates) for kind in CANDIDATE_TYPES]
        for t in targets:
            history = [*t.taken, sum(t.taken), int(t.readable)]
            counts = [min(n, COUNT_LIMIT) for n in (*history, *present)]
            allowed = [i in t.allowed for i in range(self.action_scores)]
            source = -1 if t.source is None else t.source
            self._decisions.append((prompt, counts, allowed, source))

    def _add_rows(self, text: str, parse: Parse, hidden: frozenset[int]) -> None:
        hashes = hash_tokens(text.encode(), parse.tokens, self.vocabulary, hidden)
        rows = select_rows(hashes, parse, self.text_rows, self.local_rows)
        self._rows += rows.text
        self._offsets.append(len(self._rows))
        self._local_rows.append([_padded(list(r), self.local_rows) for r in rows.local])

    def _add_slots(self, parse: Parse, slots: Sequence[frozenset[int] | None]) -> None:
        fits = [[c.type in SLOT_TYPES[s] for s in SLOTS] for c in parse.candidates]
        right = [[r is not None and i in r for r in slots] for i in range(len(parse.candidates))]
        self._slots.append(([r is not None for r in slots], fits, right))

    def build(self) -> Dataset:
        prompts = len(self._local_rows)
        local_rows = np.full((prompts, MAX_CANDIDATES, LOCAL_ROWS), self.local_rows, np.int32)
        fits = np.zeros((prompts, MAX_CANDIDATES, len(SLOTS)), np.bool_)
        right = np.zeros_like(fits)
        for p, (rows, slots) in enumerate(zip(self._local_rows, self._slots, strict=True)):
            if rows:
                local_rows[p, : len(rows)] = rows
                fits[p, : len(rows)], right[p, : len(rows)] = slots[1], slots[2]
        prompt, counts, allowed, source = zip(*self._decisions, strict=True)
        return Dataset(
            np.array(self._rows, np.int32), np.array(self._offsets, np.int32), local_rows,
            np.array([s[0] for s in self._slots]), fits, right, np.array(prompt, np.int32),
            np.array(counts, np.float32), np.array(allowed), np.array(source, np.int32),
            self.text_rows, self.local_rows,
        )  # fmt: skip


def hidden_words(
    tokens: Sequence[Token], loose: frozenset[int], hiding: Hiding, rng: random.Random
) -> frozenset[int]:
    """Places of the words to hide this time; `loose` are the byte offsets of loose words."""
    return frozenset(
        at
        for at, token in enumerate(tokens)
        if token.type is TokenType.WORD
        and rng.random() < (hiding.loose if token.start in loose else hiding.word)
    )


def _padded(values: list[int], filler: int) -> list[int]:
    return values + [filler] * (LOCAL_ROWS - len(values))
