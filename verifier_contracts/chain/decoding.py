"""ABI data that strangers made, decoded in memory and time that their own length bounds.

Offsets may all point at one element, which a decoder then copies once for each: a megabyte becomes
gigabytes. So heads and tails are walked by their types first, and what would come to more than the
data hold is not decoded. Called by whoever reads calldata, reverts, events or return values; a web3
of `connect` has the Codec. `tests/verifier_contracts/chain/test_decoding.py` finds who does not.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, cast

from eth_abi import abi
from eth_abi.codec import ABICodec
from eth_abi.exceptions import DecodingError
from eth_abi.grammar import ABIType, TupleType, parse

WORD = 32
#: Contracts need not write each value once: many empty texts may be one. That makes less than twice
#: the data's own length of them.
SHARED = 2


class DataRefused(DecodingError):
    """ABI data that would grow beyond measure, or that point outside of themselves."""


class Codec(ABICodec):
    """web3's, for data of strangers."""

    def decode(self, types: Iterable[str], data: Any, strict: bool = True) -> tuple[Any, ...]:
        """Raises DecodingError."""
        named = tuple(types)
        check_size(named, bytes(data), SHARED * len(data))
        return tuple(super().decode(named, data, strict))


def decode(types: Iterable[str], data: bytes, *, shared: int = SHARED) -> tuple[Any, ...]:
    """Like eth_abi's. shared: how often its own length the data may come to, 1 for data that hold
    every value once. Raises DecodingError and OverflowError."""
    named = tuple(types)
    check_size(named, data, shared * len(data))
    return tuple(abi.decode(named, data))


def check_size(types: tuple[str, ...], data: bytes, most: int) -> None:
    """Raises DataRefused when decoding would make more than `most` bytes, lengths and offsets
    included."""
    if types:
        _Walk(data, most).value(_parsed(types), 0)


class _Walk:
    """Counts what a decoder would visit; ends as soon as that is too much."""

    def __init__(self, data: bytes, most: int) -> None:
        self.data, self.left = data, most

    def value(self, kind: ABIType, at: int) -> None:
        """A value whose own bytes begin at `at`, with all that it points to."""
        if not kind.is_dynamic:
            self._take(at, _static_size(kind))
        elif kind.is_array:
            item = kind.item_type
            count, start = kind.arrlist[-1][0] if kind.arrlist[-1] else None, at
            if count is None:
                count, start = self._word(at), at + WORD
            if item.is_dynamic:
                self._pointed((item for _ in range(count)), start)
            else:
                self._take(start, count * (_static_size(item) or WORD))
        elif isinstance(kind, TupleType):
            self._pointed(kind.components, at)
        else:  # bytes or string
            length = self._word(at)
            self._take(at + WORD, -(-length // WORD) * WORD, length)

    def _pointed(self, kinds: Iterable[ABIType], start: int) -> None:
        """A head, where dynamic values are offsets from its beginning."""
        at = start
        for kind in kinds:
            if kind.is_dynamic:
                self.value(kind, start + self._word(at))
                at += WORD
            else:
                self.value(kind, at)
                at += _static_size(kind)

    def _word(self, at: int) -> int:
        self._take(at, WORD)
        return int.from_bytes(self.data[at : at + WORD], "big")

    def _take(self, at: int, size: int, needed: int | None = None) -> None:
        if at + (size if needed is None else needed) > len(self.data):
            raise DataRefused("they point beyond their end")
        self.left -= size
        if self.left < 0:
            raise DataRefused(f"{len(self.data)} bytes that come to many times as much")


@lru_cache(maxsize=256)
def _parsed(types: tuple[str, ...]) -> ABIType:
    return cast(ABIType, parse(f"({','.join(types)})"))


def _static_size(kind: ABIType) -> int:
    if kind.is_array:
        return int(kind.arrlist[-1][0]) * _static_size(kind.item_type)
    if isinstance(kind, TupleType):
        return sum(map(_static_size, kind.components))
    return WORD


__all__ = ["Codec", "DataRefused", "check_size", "decode"]
