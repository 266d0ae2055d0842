"""How a circuit represents a network's numbers, and how little is enough for given samples.

Scales and the rebase multiplier decide how much is rounded away; the range of decompositions (for
ReLU, rescaling, division, maximum) and of look-up tables decides which inputs can be proven at all.
Both are found by ezkl's witness on a few samples and then doubled, as ezkl's calibration does.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from zkagent.circuits.errors import EngineError, OutsideRange
from zkagent.circuits.halo2.keyless import KeylessCircuit
from zkagent.circuits.halo2.layouts import least_base
from zkagent.circuits.halo2.settings import RunArguments, Settings
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.samples import Samples

FRACTION_BITS = (13, 10, 8, 7, 6, 5, 4)  # ezkl's calibration tries 11 to 13
# Rescaled is what exceeds the scale by this factor: 10 is never, but for deep networks.
RESCALED = {1: "at once", 2: "late", 10: "hardly ever"}
SAFETY_BITS = 1  # a range twice what the samples need; ezkl's lookup_safety_margin is 2, too
MOST_BITS = 60
FIRST_BITS = 24
LEGS = (1, 2, 3, 4, 5)  # one leg is a plain look-up of the whole number
PROBED_SAMPLES = 4


@dataclass(frozen=True)
class Precision:
    """What decides a circuit's outputs; the rest of its settings decides its cost.

    range_bits: decompositions hold numbers below 2^bits. table: of look-ups, least to largest.
    Both are None where the network needs none.
    """

    fraction_bits: int
    rebase_multiplier: int
    range_bits: int | None
    table: tuple[int, int] | None

    def arguments(self, legs: int = 2) -> RunArguments:
        """In so many legs; the base is the least that reaches range_bits."""
        arguments = RunArguments(
            input_scale_bits=self.fraction_bits,
            parameter_scale_bits=self.fraction_bits,
            scale_rebase_multiplier=self.rebase_multiplier,
        )
        if self.table:
            arguments = replace(arguments, lookup_range=self.table)
        if self.range_bits is None:
            return arguments
        base = least_base(1 << self.range_bits, legs)
        return replace(arguments, decomposition_base=base, decomposition_legs=legs)

    def rounds_like(self, other: "Precision") -> bool:
        """Whether only the ranges differ."""
        mine = (self.fraction_bits, self.rebase_multiplier)
        return mine == (other.fraction_bits, other.rebase_multiplier)

    def __str__(self) -> str:
        if not self.fraction_bits:
            return "integers"
        return f"{self.fraction_bits} bits of fraction, rescaled {RESCALED[self.rebase_multiplier]}"


def exact_precision(settings: Settings) -> Precision:
    """Of an integer network: its decompositions keep the default's range, whatever their form."""
    run = settings["run_args"]
    bits = math.floor(math.log2(run["decomp_base"] ** run["decomp_legs"]))
    return Precision(0, 1, bits if settings["required_range_checks"] else None, None)


class Probe(KeylessCircuit):
    """Finds the ranges that samples need. Its files lie in `folder`."""

    def __init__(self, network: Network, samples: Samples | None, folder: Path) -> None:
        super().__init__(network, folder)
        self._samples = list(samples.first(PROBED_SAMPLES)) if samples else []

    def precisions(self) -> Iterator[Precision]:
        """From fine to coarse for each multiplier; those that ezkl cannot do are left out."""
        for multiplier in RESCALED:
            guess = FIRST_BITS
            for bits in FRACTION_BITS:
                found = self.ranges(Precision(bits, multiplier, guess, None))
                if found:
                    guess = (found.range_bits or FIRST_BITS) - SAFETY_BITS
                    yield found

    def ranges(self, start: Precision) -> Precision | None:
        """`start` with the ranges that the samples need, doubled; None when none are enough."""
        try:
            settings = self.compile(start.arguments())
            if not settings["required_range_checks"]:
                return replace(start, range_bits=None, table=self._table(settings))
            bits = self._range_bits(start)
        except (EngineError, OutsideRange):
            return None
        settings = self.compile(replace(start, range_bits=bits).arguments())
        return replace(start, range_bits=bits + SAFETY_BITS, table=self._table(settings))

    def _range_bits(self, start: Precision) -> int:
        """The fewest bits that hold every number. Raises OutsideRange when MOST_BITS do not."""
        assert start.range_bits
        bits = start.range_bits
        while self._fits(start, bits):
            bits -= 1
        while not self._fits(start, bits + 1):
            bits += 1
            if bits >= MOST_BITS:
                raise OutsideRange(f"a number needs more than {MOST_BITS} bits")
        return bits + 1

    def _fits(self, start: Precision, bits: int) -> bool:
        if bits < 1:
            return False
        settings = self.compile(replace(start, range_bits=bits).arguments())
        return self.holds(settings, self._samples)

    def _table(self, settings: Settings) -> tuple[int, int] | None:
        """The range of look-ups of the samples, doubled; of what was compiled last."""
        found = self.looked_up(settings, self._samples)
        if found is None:
            return None
        least, most = found
        return min(least << SAFETY_BITS, -1), max(most << SAFETY_BITS, 1)


__all__ = ["LEGS", "Precision", "Probe", "exact_precision"]
