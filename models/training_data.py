"""What training reads: prompts as table rows, and the decisions to be made about them.

`DatasetBuilder` turns prompts into arrays with the encoder itself, so that training and inference
cannot disagree about an input.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from models.book import SymbolBook
from models.context import Context
from models.decoder import SLOT_TYPES
from models.encoder import (
    CANDIDATE_TYPES,
    COUNT_LIMIT,
    MAX_CANDIDATES,
    WINDOW,
    Parse,
    parse_context,
    select_rows,
)
from models.manifest import SLOTS
from models.tokens import Token, TokenType

Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

T = TypeVar("T")

LOCAL_ROWS = 2 * WINDOW + 3
NO_TOKEN = -1


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
    """P prompts of N rows and T tokens in all, D decisions.

    Each row belongs to two tokens (one twice, unless it is a pair), so that training can replace a
    word by noise wherever it counts. A slot of a prompt is active when a tool would ask for it.
    """

    rows: Ints  # [N]
    row_tokens: Ints  # [N, 2]
    offsets: Ints  # [P + 1] into rows
    token_kinds: npt.NDArray[np.int8]  # [T]: 0 typed, 1 word, 2 loose word
    local_rows: Ints  # [P, 6, 11], `local_row_count` for none
    local_tokens: Ints  # [P, 6, 11, 2], NO_TOKEN for none
    slot_active: Flags  # [P, S]
    slot_fits: Flags  # [P, 6, S]
    slot_right: Flags  # [P, 6, S]
    prompt: Ints  # [D]
    counts: npt.NDArray[np.float32]  # [D, actions + 5], clamped, unscaled
    allowed: Flags  # [D, action scores]
    source: Ints  # [D], -1 when it does not matter
    text_row_count: int
    local_row_count: int


class DatasetBuilder:
    """Collects prompts one by one. Prompts that the encoder refuses raise its RefusedText."""

    def __init__(
        self, text_rows: int, local_rows: int, book: SymbolBook, action_scores: int
    ) -> None:
        self.text_rows, self.local_rows, self.book = text_rows, local_rows, book
        self.action_scores = action_scores
        self._rows: list[int] = []
        self._row_tokens: list[tuple[int, int]] = []
        self._offsets = [0]
        self._token_kinds: list[int] = []
        self._local_rows: list[list[list[int]]] = []
        self._local_tokens: list[list[list[tuple[int, int]]]] = []
        self._slots: list[tuple[list[bool], list[list[bool]], list[list[bool]]]] = []
        self._decisions: list[tuple[int, list[int], list[bool], int]] = []

    def parse(self, text: str) -> Parse:
        return parse_context(Context(text.encode(), (), self.book), (), 0)

    def add(
        self,
        text: str,
        parse: Parse,
        loose: frozenset[int],
        slots: Sequence[frozenset[int] | None],
        targets: Sequence[Target],
    ) -> None:
        """Add a prompt. `slots` names the right candidates of each slot, None when no tool asks
        for it."""
        prompt = len(self._offsets) - 1
        self._add_rows(text, parse, loose)
        self._add_slots(parse, slots)
        present = [sum(c.type is kind for c in parse.candidates) for kind in CANDIDATE_TYPES]
        for t in targets:
            history = [*t.taken, sum(t.taken), int(t.readable)]
            counts = [min(n, COUNT_LIMIT) for n in (*history, *present)]
            allowed = [i in t.allowed for i in range(self.action_scores)]
            source = -1 if t.source is None else t.source
            self._decisions.append((prompt, counts, allowed, source))

    def _add_rows(self, text: str, parse: Parse, loose: frozenset[int]) -> None:
        data, tokens, first = text.encode(), parse.tokens, len(self._token_kinds)
        rows = select_rows(data, parse, self.text_rows, self.local_rows)
        owners = [owner for at, t in enumerate(tokens) for owner in _owners(at, t)]
        assert len(owners) == len(rows.text)
        self._rows += rows.text
        self._row_tokens += [(first + a, first + b) for a, b in owners]
        self._offsets.append(len(self._rows))
        self._token_kinds += [(t.type is TokenType.WORD) + (t.start in loose) for t in tokens]
        around = [_surrounding_owners(at, len(tokens)) for at, t in enumerate(tokens)
                  if t.type in CANDIDATE_TYPES]  # fmt: skip
        self._local_rows.append([_padded(list(r), self.local_rows) for r in rows.local])
        self._local_tokens.append(
            [_padded([(_shifted(a, first), _shifted(b, first)) for a, b in o], (NO_TOKEN, NO_TOKEN))
             for o in around]
        )  # fmt: skip

    def _add_slots(self, parse: Parse, slots: Sequence[frozenset[int] | None]) -> None:
        fits = [[c.type in SLOT_TYPES[s] for s in SLOTS] for c in parse.candidates]
        right = [[r is not None and i in r for r in slots] for i in range(len(parse.candidates))]
        self._slots.append(([r is not None for r in slots], fits, right))

    def build(self) -> Dataset:
        prompts = len(self._local_rows)
        local_rows = np.full((prompts, MAX_CANDIDATES, LOCAL_ROWS), self.local_rows, np.int32)
        local_tokens = np.full((prompts, MAX_CANDIDATES, LOCAL_ROWS, 2), NO_TOKEN, np.int32)
        fits = np.zeros((prompts, MAX_CANDIDATES, len(SLOTS)), np.bool_)
        right = np.zeros_like(fits)
        for p, (rows, tokens, slots) in enumerate(
            zip(self._local_rows, self._local_tokens, self._slots, strict=True)
        ):
            if rows:
                local_rows[p, : len(rows)], local_tokens[p, : len(rows)] = rows, tokens
                fits[p, : len(rows)], right[p, : len(rows)] = slots[1], slots[2]
        prompt, counts, allowed, source = zip(*self._decisions, strict=True)
        return Dataset(
            np.array(self._rows, np.int32), np.array(self._row_tokens, np.int32),
            np.array(self._offsets, np.int32), np.array(self._token_kinds, np.int8),
            local_rows, local_tokens, np.array([s[0] for s in self._slots]), fits, right,
            np.array(prompt, np.int32), np.array(counts, np.float32), np.array(allowed),
            np.array(source, np.int32), self.text_rows, self.local_rows,
        )  # fmt: skip


def _owners(at: int, token: Token) -> list[tuple[int, int]]:
    """The tokens behind each row that `select_rows` gives token number `at`: itself, the pair with
    the one before, the affixes."""
    found = [(at, at), (max(at - 1, 0), at)]
    if token.type is TokenType.WORD:
        length = token.end - token.start
        found += [(at, at)] * ((length > 4) + (length > 3))
    return found


def _surrounding_owners(at: int, count: int) -> list[tuple[int, int]]:
    def one(i: int) -> int:
        return i if 0 <= i < count else NO_TOKEN

    found = [(one(at + o), one(at + o)) for o in range(-WINDOW, WINDOW + 1)]
    if at >= 1:
        found.append((one(at - 2), at - 1))
    if at + 2 < count:
        found.append((at + 1, at + 2))
    return found


def _shifted(token: int, by: int) -> int:
    return token if token == NO_TOKEN else token + by


def _padded(values: list[T], filler: T) -> list[T]:
    return values + [filler] * (LOCAL_ROWS - len(values))
