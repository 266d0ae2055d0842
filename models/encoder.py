"""The encoder: from a context to the model's input x, the same integers as `TextEncoder.sol`.

x is the concatenation of
    text        D    sum of the int8 rows of the prompt's n-grams: every token, in-word prefixes
                     and suffixes, every pair of neighbouring tokens (hashed embeddings: Joulin et
                     al. 2017, "Bag of Tricks for Efficient Text Classification")
    history     A+2  how often each action was taken, which iteration this is, whether the last
                     observation is a readable balance; clamped to 7 and times COUNT_UNIT
    candidates  3    how many numbers, symbols, addresses the prompt has; clamped and scaled alike
    local     6 x L  for each candidate: sum of the int8 rows of the tokens around it, each with
                     its offset

No feature depends on the digits of a number or address, or on which symbol is named: those tokens
are hashed by type. Which bits of a token's hash pick the row depends on the feature, so one hash
serves many features.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.balances import Balance, read_balance
from models.context import Context, Entry, read_history
from models.errors import TooManyCandidates
from models.hashing import keccak_int, keccak_pair
from models.tokens import Token, TokenType, tokenize

Table = npt.NDArray[np.int8]

MAX_CANDIDATES = 6
COUNT_UNIT = 32
COUNT_LIMIT = 7
WINDOW = 4  # tokens to either side of a candidate
CANDIDATE_TYPES = (TokenType.NUMBER, TokenType.SYMBOL, TokenType.ADDRESS)

PREFIX_LENGTH, PREFIX_SHIFT = 4, 16
SUFFIX_LENGTH, SUFFIX_SHIFT = 3, 32
OFFSET_SHIFT, OFFSET_BITS = 64, 16
LEFT_PAIR_SHIFT, RIGHT_PAIR_SHIFT = 208, 224

START_HASH = keccak_int(bytes([TokenType.START]))
END_HASH = keccak_int(bytes([TokenType.END]))


@dataclass(frozen=True, slots=True)
class Parse:
    """What the encoder found in a context and the decoder needs again."""

    tokens: tuple[Token, ...]
    candidates: tuple[Token, ...]  # at most 6, in prompt order
    history: tuple[Entry, ...]
    balance: Balance | None  # the last observation, when it is a readable balance


@dataclass(frozen=True, slots=True)
class Rows:
    """Table rows that a prompt selects: of the text table, and of the local table for each
    candidate."""

    text: tuple[int, ...]
    local: tuple[tuple[int, ...], ...]


def parse_context(context: Context, prefixes: tuple[bytes, ...], balance_action: int) -> Parse:
    """Tokens, candidates and history of `context`. Raises the RefusedText errors of `tokenize`."""
    tokens = tokenize(context.prompt, context.book.lists)
    candidates = tuple(t for t in tokens if t.type in CANDIDATE_TYPES)
    if len(candidates) > MAX_CANDIDATES:
        raise TooManyCandidates(MAX_CANDIDATES)
    history = tuple(read_history(context, prefixes))
    last = history[-1] if history else None
    readable = last is not None and last.action == balance_action and last.observation is not None
    balance = read_balance(last.observation) if readable and last and last.observation else None
    return Parse(tuple(tokens), candidates, history, balance)


def select_rows(prompt: bytes, parse: Parse, text_rows: int, local_rows: int) -> Rows:
    """Row numbers for the prompt's n-grams and for the surroundings of each candidate."""
    hashes = [token_hash(prompt, t) for t in parse.tokens]
    pairs = [keccak_pair(a, b) for a, b in zip([START_HASH, *hashes], hashes, strict=False)]
    text: list[int] = []
    for token, own, pair in zip(parse.tokens, hashes, pairs, strict=True):
        text += [own % text_rows, pair % text_rows]
        if token.type is TokenType.WORD:
            text += [i % text_rows for i in _affixes(prompt[token.start : token.end].lower())]
    around = tuple(
        tuple(i % local_rows for i in _surroundings(at, hashes, pairs))
        for at, token in enumerate(parse.tokens)
        if token.type in CANDIDATE_TYPES
    )
    return Rows(tuple(text), around)


def encode(
    context: Context,
    parse: Parse,
    tables: tuple[Table, Table],
    action_count: int,
) -> tuple[int, ...]:
    """The features x of `context`: one signed integer each, within int16.

    `tables` are the text table (rows x D) and the local table (rows x L), int8.
    """
    text_table, local_table = tables
    rows = select_rows(context.prompt, parse, len(text_table), len(local_table))
    text = text_table[list(rows.text)].sum(axis=0, dtype=np.int64)
    local = np.zeros((MAX_CANDIDATES, local_table.shape[1]), dtype=np.int64)
    for i, around in enumerate(rows.local):
        local[i] = local_table[list(around)].sum(axis=0, dtype=np.int64)
    counts = [COUNT_UNIT * min(n, COUNT_LIMIT) for n in counted(parse, action_count)]
    return tuple(int(v) for v in [*text, *counts, *local.flatten()])


def counted(parse: Parse, action_count: int) -> list[int]:
    """The counts behind the history and candidate segments, before clamping and scaling."""
    taken = [sum(e.action == a for e in parse.history) for a in range(action_count)]
    present = [sum(c.type is kind for c in parse.candidates) for kind in CANDIDATE_TYPES]
    return [*taken, len(parse.history), int(parse.balance is not None), *present]


def token_hash(prompt: bytes, token: Token) -> int:
    """A word hashes by its lower-cased text, every other token by its type."""
    if token.type is TokenType.WORD:
        return keccak_int(prompt[token.start : token.end].lower())
    return keccak_int(bytes([token.type]))


def _affixes(word: bytes) -> list[int]:
    found = []
    if len(word) > PREFIX_LENGTH:
        found.append(keccak_int(word[:PREFIX_LENGTH]) >> PREFIX_SHIFT)
    if len(word) > SUFFIX_LENGTH:
        found.append(keccak_int(word[-SUFFIX_LENGTH:]) >> SUFFIX_SHIFT)
    return found


def _surroundings(at: int, hashes: list[int], pairs: list[int]) -> list[int]:
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
