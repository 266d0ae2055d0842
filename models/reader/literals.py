"""Numbers, accounts, bytes and truth values that a prompt names, by the grammar of instructions.

What could be read in two ways is found as well, in doubt: who chooses it is asked about it, rather
than given another number that happens to stand beside it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from zkagent.models.instructions.quantities import Quantity
from zkagent.models.instructions.reader import AMOUNTS, Token
from zkagent.models.instructions.reader import Kind as TokenKind
from zkagent.models.reader.kinds import Kind
from zkagent.models.reader.lexicon import Class
from zkagent.models.reader.quotes import Quote
from zkagent.models.reader.view import View

#: Words between "not" and what it turns.
REACH = 3
_ACCOUNTS = frozenset({TokenKind.ADDRESS, TokenKind.SYMBOL, TokenKind.CONTACT, TokenKind.OWNER})
_HEX = frozenset(b"0123456789abcdefABCDEF")


class Literal(NamedTuple):
    """Bytes [start, end); pieces [first, last). negative, symbol (the bytes of the one right behind
    it, none if there is none): of numbers. truth: of a TRUTH."""

    kind: Kind
    start: int
    end: int
    first: int
    last: int
    quantity: Quantity | None = None
    negative: bool = False
    truth: bool = False
    symbol: tuple[int, int] = (0, 0)


def numbers(view: View, quoted: list[Quote]) -> Iterator[Literal]:
    """Amounts of all kinds. Raises AddressChecksum."""
    for i, token in enumerate(view.tokens):
        if not _is_counted(view, token) or _is_within(token, quoted):
            continue
        negative = _is_negative(view, token)
        if negative is None:
            yield _literal(view, Kind.DOUBT, token)
            continue
        literal = _literal(view, _counted_kind(token), token)
        behind = view.tokens[i + 1] if i + 1 < len(view.tokens) else None
        named = behind is not None and behind.kind is TokenKind.SYMBOL
        symbol = (behind.start, behind.end) if behind is not None and named else (0, 0)
        yield literal._replace(quantity=token.quantity, negative=negative, symbol=symbol)


def accounts(view: View, quoted: list[Quote]) -> Iterator[Literal]:
    """Addresses and names of the agent's books; 0x with something else behind it in doubt, and
    "to bob's". Raises AddressChecksum."""
    for token in view.tokens:
        if _is_within(token, quoted):
            continue
        if token.kind in _ACCOUNTS:
            yield _literal(view, Kind[token.kind.name], token)
        elif token.kind is TokenKind.DOUBT and not _is_counted(view, token):
            yield _literal(view, Kind.DOUBT, token)


def hex_bytes(view: View, quoted: list[Quote]) -> Iterator[Literal]:
    """Runs of 0x and hex digits, an even number of them, two at least."""
    for at, piece in enumerate(view.pieces):
        text = view.text[piece.start : piece.end]
        token = Token(TokenKind.DOUBT, piece.start, piece.end)
        formed = text.startswith(b"0x") and len(text) >= 4 and len(text) % 2 == 0
        found = view.is_run(at) and formed and _HEX.issuperset(text[2:])
        if found and not _is_within(token, quoted):
            yield _literal(view, Kind.BYTES, token)


def truths(view: View, quoted: list[Quote]) -> Iterator[Literal]:
    """Words for yes and no, each turned by a "not" up to three words before it; a "not" that turns
    none is a no."""
    turning = -1  # the last "not", which has turned nothing yet
    for at, piece in enumerate(view.pieces):
        token = Token(TokenKind.WORD, piece.start, piece.end)
        if _is_within(token, quoted):
            continue
        if view.is_mark(at) or at > turning + REACH:
            if turning >= 0:
                yield _truth(view, turning, turning, truth=False)
            turning = -1
        said = _truth_of(view, at)
        if said is not None:
            first = turning if turning >= 0 else at
            yield _truth(view, first, at, truth=said != (turning >= 0))
            turning = -1
        elif view.has(at, Class.NOT):
            if turning >= 0:
                yield _truth(view, turning, turning, truth=False)
            turning = at
    if turning >= 0:
        yield _truth(view, turning, turning, truth=False)


def _truth(view: View, first: int, last: int, *, truth: bool) -> Literal:
    start, end = view.pieces[first].start, view.pieces[last].end
    return Literal(Kind.TRUTH, start, end, first, last + 1, truth=truth)


def _truth_of(view: View, at: int) -> bool | None:
    """On is a yes at the end, before a mark and behind "turn"."""
    if view.has(at, Class.YES):
        return True
    if view.has(at, Class.NO):
        return False
    ends = at + 1 == len(view) or view.is_mark(at + 1)
    on = view.has(at, Class.ON) and (ends or view.has(at - 1, Class.SWITCH))
    return True if on else None


def _is_counted(view: View, token: Token) -> bool:
    """An amount, or what is in doubt as one: not an address, nor somebody's."""
    if token.kind in AMOUNTS:
        return True
    text = view.text[token.start : token.end]
    account = text.startswith(b"0x") or text.lower().endswith(b"'s")
    return token.kind is TokenKind.DOUBT and not account


def _counted_kind(token: Token) -> Kind:
    if token.quantity is None:
        return Kind.DOUBT
    return Kind.NUMBER if token.quantity.exact else Kind.SHARE


def _is_negative(view: View, token: Token) -> bool | None:
    """By a minus sign or the word; None where a number before it makes a difference of both."""
    first = _first(view, token.start)
    worded = view.has(first - 1, Class.MINUS)
    if worded and (view.is_run(first - 2) or view.is_counted(first - 2)):
        return None
    signed = view.is_negative(token.start)
    return None if worded and signed else worded or signed


def _is_within(token: Token, quoted: list[Quote]) -> bool:
    """Whether it is a part of quoted text, and not all of it."""
    return any(
        quote.start <= token.start < quote.end and (token.start, token.end) != quote[:2]
        for quote in quoted
    )


def _literal(view: View, kind: Kind, token: Token) -> Literal:
    first = _first(view, token.start)
    last = first
    while last < len(view) and view.pieces[last].start < token.end:
        last += 1
    return Literal(kind, token.start, token.end, first, last)


def _first(view: View, start: int) -> int:
    """The piece that has the byte."""
    return sum(piece.end <= start for piece in view.pieces)


__all__ = ["Literal", "accounts", "hex_bytes", "numbers", "truths"]
