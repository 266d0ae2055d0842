"""Weights as 256-bit words of several lanes.

A word is the plain sum of its lanes' integers, each shifted to its place, modulo 2^256. Multiplied
by an input and added up, lanes stay apart as long as each lane's total fits its width: one MUL and
one ADD then serve every lane. A bias of half a lane, added once, makes all totals positive, so that
shifting and masking takes them apart again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zkagent.circuits.program.program import Layer

WORD_BITS = 256


@dataclass(frozen=True)
class Lanes:
    """How `count` outputs lie in words: `per_word` lanes of `width` bits, lowest first."""

    count: int
    width: int

    @classmethod
    def of(cls, layer: Layer) -> "Lanes":
        """Wide enough for every total of the layer in two's complement."""
        return cls(layer.weights.shape[2], layer.bound.bit_length() + 1)

    @property
    def per_word(self) -> int:
        return WORD_BITS // self.width

    @property
    def words(self) -> int:
        """Words for one number in each lane."""
        return -(-self.count // self.per_word)

    @property
    def half(self) -> int:
        return 1 << (self.width - 1)

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    def lanes_of(self, word: int) -> range:
        """The outputs in the word with this number."""
        return range(word * self.per_word, min(self.count, (word + 1) * self.per_word))

    def pack(self, values: Sequence[int]) -> list[int]:
        """One integer for each output as words."""
        return [
            sum(int(values[j]) << (self.width * i) for i, j in enumerate(self.lanes_of(word)))
            % (1 << WORD_BITS)
            for word in range(self.words)
        ]

    def pack_layer(self, layer: Layer, group: int) -> list[list[int]]:
        """Words of a group's biases, then of each input's weights."""
        bias = [int(b) + self.half for b in layer.bias[group]]
        return [self.pack(bias), *(self.pack(row) for row in np.asarray(layer.weights[group]))]


__all__ = ["WORD_BITS", "Lanes"]
