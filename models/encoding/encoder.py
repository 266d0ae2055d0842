"""The encoder: from a context to the model's input x, the same integers as `TextEncoder.sol`.

x is the concatenation of
    text        D    sum of the int8 rows of the prompt's n-grams: every token, the suffix of
                     every word, every pair of neighbouring tokens and every pair with one token
                     between (hashed embeddings: Joulin et al. 2017, "Bag of Tricks for Efficient
                     Text Classification")
    history     A+2  how often each action was taken, which iteration this is, whether the last
                     observation is a readable balance; clamped to 7 and times COUNT_UNIT
    candidates  3    how many numbers, symbols, addresses the prompt has; clamped and scaled alike
    local     6 x L  for each candidate: sum of the int8 rows of the tokens around it, each with
                     its offset

A word outside the model's vocabulary is hashed as one type (see `vocabulary`); its suffix, which
tells past from imperative, still counts.

No feature depends on the digits of a number or address, or on which symbol is named: those tokens
are hashed by type. Which bits of a token's hash pick the row depends on the feature, so one hash
serves many features.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zkagent.models.encoding.balances import Balance, read_balance
from zkagent.models.encoding.context import Context, Entry, read_history
from zkagent.models.encoding.hashing import keccak_int, keccak_pair
from zkagent.models.encoding.languages import Said, doubted
from zkagent.models.encoding.tokens import Token, TokenType, tokenize
from zkagent.models.encoding.vocabulary import Vocabulary
from zkagent.models.errors import TooManyCandidates

Table = npt.NDArray[np.int8]

MAX_CANDIDATES = 6
COUNT_UNIT = 32
COUNT_LIMIT = 7
WINDOW = 4  # tokens to either side of a candidate
CANDIDATE_TYPES = (TokenType.NUMBER, TokenType.SYMBOL, TokenType.ADDRESS)

SUFFIX_LENGTH, SUFFIX_SHIFT = 3, 32
SKIP_PAIR_SHIFT = 48
OFFSET_SHIFT, OFFSET_BITS = 64, 16
LEFT_PAIR_SHIFT, RIGHT_PAIR_SHIFT = 208, 224

START_HASH = keccak_int(bytes([TokenType.START]))
END_HASH = keccak_int(bytes([TokenType.END]))
UNKNOWN_HASH = keccak_int(bytes([TokenType.UNKNOWN]))


@dataclass(frozen=True)
class Tables:
    """What the encoder needs of a model: text table [rows, 32] and local table [rows, 16], int8,
    both with a power of two of rows, and the vocabulary."""

    text: Table
    local: Table
    vocabulary: Vocabulary


@dataclass(frozen=True, slots=True)
class Parse:
    """What the encoder found in a context and the decoder needs again."""

    tokens: tuple[Token, ...]
    candidates: tuple[Token, ...]  # at most 6, in prompt order
    history: tuple[Entry, ...]
    balance: Balance | None  # the last observation, when it is a readable balance
    is_foreign: bool = False  # in another language than the model knows; see `languages`


@dataclass(frozen=True, slots=True)
class Rows:
    """Table rows that a prompt selects: of the text table, and of the local table for each
    candidate."""

    text: tuple[int, ...]
    local: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Hashes:
    """Of each token: its hash, that of it and its predecessor, that of its suffix (None: short)."""

    tokens: tuple[int, ...]
    pairs: tuple[int, ...]
    suffixes: tuple[int | None, ...]


def parse_context(
    context: Context,
    prefixes: tuple[bytes, ...],
    balance_action: int,
    vocabulary: Vocabulary | None = None,
) -> Parse:
    """Tokens, candidates and history of `context`. vocabulary: without it no prompt is in another
    language. Raises the RefusedText errors of `tokenize`."""
    tokens = tokenize(context.prompt, context.book.lists)
    candidates = tuple(t for t in tokens if t.type in CANDIDATE_TYPES)
    if len(candidates) > MAX_CANDIDATES:
        raise TooManyCandidates(MAX_CANDIDATES)
    history = tuple(read_history(context, prefixes))
    last = history[-1] if history else None
    readable = last is not None and last.action == balance_action and last.observation is not None
    balance = None
    if readable and last and last.observation:
        balance = read_balance(last.observation, last.given)
    foreign = vocabulary is not None and _is_foreign(context.prompt, tokens, vocabulary)
    return Parse(tuple(tokens), candidates, history, balance, foreign)


def _is_foreign(prompt: bytes, tokens: Sequence[Token], vocabulary: Vocabulary) -> bool:
    return doubted([_said(prompt, token, vocabulary) for token in tokens]) is not None


def _said(prompt: bytes, token: Token, vocabulary: Vocabulary) -> Said | bytes:
    if token.type in (TokenType.BREAK, TokenType.QUESTION, TokenType.STRING):
        return Said.END
    if token.type is not TokenType.WORD:
        return Said.ARGUMENT
    word = prompt[token.start : token.end].lower()
    return Said.KNOWN if vocabulary.knows(keccak_int(word)) else word


def select_rows(hashes: Hashes, parse: Parse, text_rows: int, local_rows: int) -> Rows:
    """Row numbers for the prompt's n-grams and for the surroundings of each candidate."""
    around = tuple(
        tuple(i % local_rows for i in _surroundings(at, hashes.tokens, hashes.pairs))
        for at, token in enumerate(parse.tokens)
        if token.type in CANDIDATE_TYPES
    )
    return Rows(tuple(i % text_rows for i in _ngrams(hashes)), around)


def hash_tokens(
    prompt: bytes,
    tokens: Sequence[Token],
    vocabulary: Vocabulary,
    hidden: Container[int] = (),
) -> Hashes:
    """The hashes that select rows. A word outside the vocabulary has the hash of UNKNOWN, as have
    the words at the places `hidden`, which training uses."""
    own = tuple(
        UNKNOWN_HASH if at in hidden else token_hash(prompt, t, vocabulary)
        for at, t in enumerate(tokens)
    )
    pairs = tuple(keccak_pair(a, b) for a, b in zip((START_HASH, *own), own, strict=False))
    return Hashes(own, pairs, tuple(_suffix_hash(prompt, t) for t in tokens))


def encode(context: Context, parse: Parse, tables: Tables, action_count: int) -> tuple[int, ...]:
    """The features x of `context`: one signed integer each, within int16."""
    hashes = hash_tokens(context.prompt, parse.tokens, tables.vocabulary)
    rows = select_rows(hashes, parse, len(tables.text), len(tables.local))
    text = tables.text[list(rows.text)].sum(axis=0, dtype=np.int64)
    local = np.zeros((MAX_CANDIDATES, tables.local.shape[1]), dtype=np.int64)
    for i, around in enumerate(rows.local):
        local[i] = tables.local[list(around)].sum(axis=0, dtype=np.int64)
    counts = [COUNT_UNIT * min(n, COUNT_LIMIT) for n in counted(parse, action_count)]
    return tuple(int(v) for v in [*text, *counts, *local.flatten()])


def counted(parse: Parse, action_count: int) -> list[int]:
    """The counts behind the history and candidate segments, before clamping and scaling."""
    taken = [sum(e.action == a for e in parse.history) for a in range(action_count)]
    present = [sum(c.type is kind for c in parse.candidates) for kind in CANDIDATE_TYPES]
    return [*taken, len(parse.history), int(parse.balance is not None), *present]


def token_hash(prompt: bytes, token: Token, vocabulary: Vocabulary) -> int:
    """A known word hashes by its lower-cased text, every other token by its type."""
    if token.type is not TokenType.WORD:
        return keccak_int(bytes([token.type]))
    h = keccak_int(prompt[token.start : token.end].lower())
    return h if vocabulary.knows(h) else UNKNOWN_HASH


def _suffix_hash(prompt: bytes, token: Token) -> int | None:
    word = prompt[token.start : token.end].lower() if token.type is TokenType.WORD else b""
    return keccak_int(word[-SUFFIX_LENGTH:]) if len(word) > SUFFIX_LENGTH else None


def _ngrams(hashes: Hashes) -> list[int]:
    """Token by token: own hash, pair with the predecessor, pair with the one before that (from the
    second token on), suffix. Which bits count depends on the kind."""
    before = (START_HASH, *hashes.tokens)
    found: list[int] = []
    for at, (own, suffix) in enumerate(zip(hashes.tokens, hashes.suffixes, strict=True)):
        found += [own, hashes.pairs[at]]
        if at > 0:
            found.append(keccak_pair(before[at - 1], own) >> SKIP_PAIR_SHIFT)
        if suffix is not None:
            found.append(suffix >> SUFFIX_SHIFT)
    return found


def _surroundings(at: int, hashes: Sequence[int], pairs: Sequence[int]) -> list[int]:
    def hash_at(i: int) -> int:
        return START_HASH if i < 0 else END_HASH if i >= len(hashes) else hashes[i]

    found = [
        hash_at(at + offset) >> (OFFSET_SHIFT + OFFSET_BITS * (offset + WINDOW))
        for offset in range(-WINDOW, WINDOW + 1)
    ]
    if at >= 1:
        found.append(pairs[at - 1] >> LEFT_PAIR_SHIFT)
    if at + 2 < len(pairs):
        found.append(pairs[at + 2] >> RIGHT_PAIR_SHIFT)
    return found
