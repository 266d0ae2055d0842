"""Numbers in public words: many to a word, as slices of the bytes that the chain holds.

A number is written big-endian in two's complement with its sign bit turned, which is v plus half of
the width's range; a word is as many numbers one behind the other as stay below the field's order,
and the last one may have fewer. The bytes of a row of int16 or int64, xored with the sign bits, are
these words. Every word has one meaning, and every row of numbers one row of words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from zkagent.circuits.groth16.constraints.sums import Sum, combined, constant, plus

T = TypeVar("T")
WORD_BITS = 253  # numbers of so many bits are all below the field's order


@dataclass(frozen=True)
class Form:
    """How numbers of `bits` bits are packed."""

    bits: int

    @property
    def per_word(self) -> int:
        return WORD_BITS // self.bits

    @property
    def half(self) -> int:
        return 1 << (self.bits - 1)

    def words(self, count: int) -> int:
        """How many words so many numbers take."""
        return -(-count // self.per_word)

    def pack(self, numbers: Sequence[int]) -> list[int]:
        """Raises ValueError for a number beyond the width."""
        if any(not -self.half <= number < self.half for number in numbers):
            raise ValueError(f"a number has more than {self.bits} bits")
        return [
            sum((number + self.half) << shift for number, shift in self._placed(part))
            for part in self._cut(numbers)
        ]

    def unpack(self, words: Sequence[int], count: int) -> list[int]:
        """What `pack` made these words of. Raises ValueError for words that it never makes."""
        numbers = []
        for word, part in zip(words, self._cut(range(count)), strict=True):
            shifts = [shift for _, shift in self._placed(part)]
            if not 0 <= word < 1 << (self.bits * len(shifts)):
                raise ValueError("a word is larger than what its numbers can make up")
            numbers += [(word >> shift) % (1 << self.bits) - self.half for shift in shifts]
        return numbers

    def sums(self, numbers: Sequence[Sum]) -> list[Sum]:
        """The words of numbers in a circuit, where other constraints say that they fit."""
        lifted = [plus(number, constant(self.half)) for number in numbers]
        return [
            combined((1 << shift, number) for number, shift in self._placed(part))
            for part in self._cut(lifted)
        ]

    def _cut(self, numbers: Sequence[T]) -> list[Sequence[T]]:
        size = self.per_word
        return [numbers[at : at + size] for at in range(0, len(numbers), size)]

    def _placed(self, part: Sequence[T]) -> list[tuple[T, int]]:
        """Each number with its lowest bit's place: the first one is the highest."""
        shifts = reversed(range(0, self.bits * len(part), self.bits))
        return list(zip(part, shifts, strict=True))


FEATURES, OUTPUTS = Form(16), Form(64)

__all__ = ["FEATURES", "OUTPUTS", "Form"]
