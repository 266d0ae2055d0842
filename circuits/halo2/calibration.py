"""Fits a circuit's scale and ranges to a user's samples, so that none of them falls out of range.

ezkl's own calibration is not used: it also chooses rows and look-ups by its own goals, and picked
eight times the rows that a small network needs. Here, as there, ranges are found by the witness of
real samples and then at least doubled. What is sound does not change: scales and ranges decide
which inputs can be proven and how much is rounded, never which proofs verify.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from zkagent.circuits.errors import EngineError, OutsideRange, SettingsRefused
from zkagent.circuits.halo2.fidelity import Fidelity, measure_fidelity
from zkagent.circuits.halo2.keyless import KeylessCircuit
from zkagent.circuits.halo2.settings import MOST_FRACTION_BITS, RunArguments, default_arguments
from zkagent.circuits.networks.judging import RELATIVE_TOLERANCE, USUAL, Criterion
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.samples import Samples

FRACTION_BITS = (7, 10, 13)  # from cheap to fine; ezkl's own default is 7
FINER_BITS = (7, 10, 12, 13, 14, 15, 16, 18)  # for who wants numbers to be nearer than usual
BASE = 128
HALF_BASE = 64  # what must be enough of BASE, so that each leg has a bit to spare
MOST_LEGS = 8  # 128^8 = 2^56
PROBED_SAMPLES = 16  # for the ranges


class Step(StrEnum):
    """What a calibration is doing."""

    RANGES = "fitting the ranges to the samples"
    COMPARISON = "comparing with onnxruntime"


@dataclass(frozen=True)
class Data:
    """A user's samples file and what to do with it.

    tolerance, decisions, share: how outputs are compared, as `Criterion` has it. fraction_bits: use
    this scale, not the coarsest one that agrees.
    """

    samples: Path
    tolerance: float | None = None
    fraction_bits: int | None = None
    decisions: bool = False
    share: float = RELATIVE_TOLERANCE

    @property
    def criterion(self) -> Criterion:
        return Criterion(self.tolerance, self.decisions, self.share)


@dataclass(frozen=True)
class Calibrated:
    """Arguments that represent every sample, and how the circuit decides on them."""

    arguments: RunArguments
    fidelity: Fidelity


def calibrate(
    network: Network,
    samples: Samples,
    *,
    criterion: Criterion = USUAL,
    fraction_bits: int | None = None,
    arguments: RunArguments | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> Calibrated:
    """The coarsest scale that decides like onnxruntime on every sample, or else the best one.

    fraction_bits: take this scale. arguments: take these and only compare. Raises OutsideRange when
    no ranges hold a sample, EngineError, InputRefused, NetworkRefused, SettingsRefused.
    """
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(network, samples, criterion, Path(folder), progress)
        return (
            trial.compared(arguments)
            if arguments
            else trial.choose(_scales(network, fraction_bits, criterion))
        )


def _scales(network: Network, wanted: int | None, criterion: Criterion) -> tuple[int, ...]:
    if network.integer:
        if wanted:
            raise SettingsRefused("fraction_bits", wanted, "0 for a network of integers")
        return (0,)
    if wanted is None:
        return FINER_BITS if criterion.share < RELATIVE_TOLERANCE else FRACTION_BITS
    if not 1 <= wanted <= MOST_FRACTION_BITS:
        raise SettingsRefused("fraction_bits", wanted, f"from 1 to {MOST_FRACTION_BITS}")
    return (wanted,)


def _is_nearer(found: Fidelity, best: Fidelity) -> bool:
    if found.agreement != best.agreement:
        return found.agreement > best.agreement
    return found.largest_deviation < best.largest_deviation


class Trial(KeylessCircuit):
    """Tries scales and ranges, one circuit after the other in `folder`."""

    def __init__(
        self,
        network: Network,
        samples: Samples,
        criterion: Criterion,
        folder: Path,
        progress: Callable[[Step], None],
    ) -> None:
        super().__init__(network, folder)
        self._samples = samples
        self._criterion, self._progress = criterion, progress

    def choose(self, choices: tuple[int, ...]) -> Calibrated:
        """Of scales in bits, the first that agrees on every sample, or else the best, which is
        nearest where several agree on as many."""
        best: Calibrated | None = None
        failure: EngineError | OutsideRange | None = None
        for bits in choices:
            try:
                found = self._fitted(bits)
            except (EngineError, OutsideRange) as exc:
                failure = failure or exc
                continue
            if best is None or _is_nearer(found.fidelity, best.fidelity):
                best = found
            if best.fidelity.agreement == 1.0:
                break
        if best is None:
            assert failure
            raise failure
        return best

    def compared(self, arguments: RunArguments) -> Calibrated:
        """The circuit with these arguments, on every sample."""
        settings = self.compile(arguments)
        self._progress(Step.COMPARISON)
        fidelity = measure_fidelity(
            self.compiled, settings, self._network, self._samples, criterion=self._criterion
        )
        return Calibrated(arguments, fidelity)

    def _fitted(self, bits: int) -> Calibrated:
        """Ranges from a few samples, and from all of them when that was not enough."""
        found = self.compared(self._ranged(bits, self._samples.first(PROBED_SAMPLES)))
        if found.fidelity.outside:
            found = self.compared(self._ranged(bits, self._samples))
        return found

    def _ranged(self, bits: int, samples: Samples) -> RunArguments:
        """Least legs and table that hold the samples, with room to spare. Raises OutsideRange."""
        self._progress(Step.RANGES)
        start = replace(
            default_arguments(self._network.integer, self._network.visibility),
            input_scale_bits=bits,
            parameter_scale_bits=bits,
        )
        legs = self._legs(start, samples)
        arguments = replace(start, decomposition_base=BASE, decomposition_legs=legs)
        table = self._table(arguments, samples)
        return replace(arguments, lookup_range=table) if table else arguments

    def _legs(self, start: RunArguments, samples: Samples) -> int:
        for legs in range(2, MOST_LEGS + 1):
            arguments = replace(start, decomposition_base=HALF_BASE, decomposition_legs=legs)
            settings = self.compile(arguments)
            if not settings["required_range_checks"]:
                return start.decomposition_legs
            if self.holds(settings, samples):
                return legs
        raise OutsideRange(f"a sample leads to numbers beyond {HALF_BASE}^{MOST_LEGS}")

    def _table(self, arguments: RunArguments, samples: Samples) -> tuple[int, int] | None:
        """Twice what the samples look up; None without tables."""
        found = self.looked_up(self.compile(arguments), samples)
        return (2 * found[0] - 2, 2 * found[1] + 2) if found else None


__all__ = ["Calibrated", "Data", "Step", "calibrate"]
