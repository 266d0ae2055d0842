"""Whether a precision decides as the network does: on a few samples first, then on all."""

from collections.abc import Callable, Sequence

from circuits.fidelity import Fidelity, measure_fidelity
from circuits.network import Network
from circuits.samples import Samples
from circuits.tuning.candidates import Draft
from circuits.tuning.choosing import ranked
from circuits.tuning.objectives import Objective
from circuits.tuning.precision import Precision, Probe

SCREENED_SAMPLES = 16
ROUNDING = 1e-9
Report = Callable[[str], None]


class Judge:
    """Agreement of precisions with onnxruntime on the samples, measured once each."""

    def __init__(
        self,
        network: Network,
        samples: Samples | None,
        probe: Probe,
        tolerance: float | None,
        report: Report,
    ) -> None:
        self._network, self._samples, self._probe = network, samples, probe
        self._tolerance, self._report = tolerance, report
        self._known: dict[tuple[Precision, int], Fidelity] = {}

    def choose(
        self, drafts: Sequence[Draft], objective: Objective, agreement: float
    ) -> Precision | None:
        """The one of the cheapest draft that agrees on all samples, or else often enough."""
        precisions = list(dict.fromkeys(draft.precision for draft in ranked(drafts, objective)))
        for needed in dict.fromkeys((1.0, agreement)):
            for precision in precisions:
                if self.accepts(precision, needed):
                    return precision
        return None

    def accepts(self, precision: Precision, agreement: float) -> bool:
        """Whether at least this share of all samples is decided alike."""
        if self._samples is None:
            return True  # exact by construction
        total, few = len(self._samples), min(SCREENED_SAMPLES, len(self._samples))
        missed = (1 - self.fidelity(precision, few).agreement) * few
        if missed > (1 - agreement) * total + ROUNDING:
            return False  # more than may be among all
        return self.fidelity(precision).agreement >= agreement

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
            tolerance=self._tolerance,
            progress=lambda done, total: self._report(
                f"comparing {precision} with onnxruntime: {done} of {total}"
            ),
        )


__all__ = ["Judge", "Report"]
