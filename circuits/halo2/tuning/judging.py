"""Whether a precision decides as the network does: on a few samples first, then on all.

Its ranges come from a few samples; where others fall outside, they are widened.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from zkagent.circuits.errors import EngineError
from zkagent.circuits.halo2.fidelity import Fidelity, measure_fidelity
from zkagent.circuits.halo2.tuning.candidates import Draft
from zkagent.circuits.halo2.tuning.choosing import ranked
from zkagent.circuits.halo2.tuning.objectives import Objective
from zkagent.circuits.halo2.tuning.precision import Precision, Probe
from zkagent.circuits.networks.judging import Criterion
from zkagent.circuits.networks.network import Network
from zkagent.circuits.networks.samples import Samples

SCREENED_SAMPLES = 16
WIDENINGS = 3  # each doubles the ranges
ROUNDING = 1e-9
Report = Callable[[str], None]


class Judge:
    """Agreement of precisions with onnxruntime on the samples, measured once each."""

    def __init__(
        self,
        network: Network,
        samples: Samples | None,
        probe: Probe,
        criterion: Criterion,
        report: Report,
    ) -> None:
        self._network, self._samples, self._probe = network, samples, probe
        self._criterion, self._report = criterion, report
        self._known: dict[tuple[Precision, int], Fidelity] = {}

    def choose(
        self, drafts: Sequence[Draft], objective: Objective, agreement: float
    ) -> Precision | None:
        """The one of the cheapest draft that agrees on all samples, or else often enough."""
        precisions = list(dict.fromkeys(draft.precision for draft in ranked(drafts, objective)))
        for needed in dict.fromkeys((1.0, agreement)):
            for precision in precisions:
                if found := self.sufficient(precision, needed):
                    return found
        return None

    def sufficient(self, precision: Precision, agreement: float) -> Precision | None:
        """`precision`, or else with wider ranges, if this share of all samples is decided alike."""
        if self._samples is None:
            return precision  # exact by construction
        for widenings in range(1 + WIDENINGS):
            try:
                found = self._judged(precision, agreement)
            except EngineError:
                if not widenings:
                    raise
                return None  # ezkl panics at some ranges
            if found.samples == len(self._samples) and found.agreement >= agreement:
                return precision
            if not found.outside:
                return None
            precision = widened(precision)
        return None

    def _judged(self, precision: Precision, agreement: float) -> Fidelity:
        """On a few samples if more of them are missed than may be among all; else on all."""
        assert self._samples
        few = self.fidelity(precision, min(SCREENED_SAMPLES, len(self._samples)))
        missed = (1 - few.agreement) * few.samples
        if missed > (1 - agreement) * len(self._samples) + ROUNDING:
            return few
        return self.fidelity(precision)

    def fidelity(self, precision: Precision, count: int | None = None) -> Fidelity:
        """On the first `count` samples, or on all. Raises CircuitError."""
        assert self._samples
        key = (precision, count or len(self._samples))
        if key not in self._known:
            self._known[key] = self._measure(precision, self._samples.first(key[1]))
        return self._known[key]

    def _measure(self, precision: Precision, samples: Samples) -> Fidelity:
        settings = self._probe.compile(precision.arguments())
        return measure_fidelity(
            self._probe.compiled,
            settings,
            self._network,
            samples,
            criterion=self._criterion,
            progress=lambda done, total: self._report(
                f"comparing {precision} with onnxruntime: {done} of {total}"
            ),
        )


def widened(precision: Precision) -> Precision:
    """With twice the ranges."""
    bits, table = precision.range_bits, precision.table
    return replace(
        precision,
        range_bits=None if bits is None else bits + 1,
        table=None if table is None else (2 * table[0], 2 * table[1]),
    )


__all__ = ["Judge", "Report", "widened"]
