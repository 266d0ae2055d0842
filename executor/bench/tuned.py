"""The form that the tuner chooses."""

from functools import partial
from pathlib import Path

from zkagent.circuits.networks.batch import batch_file
from zkagent.executor.bench.forms import Form, Prepared, fitting_samples, of_circuit
from zkagent.executor.bench.subjects import Say, Subject

TUNING_S = 15.0  # for the tuner's own measuring; the benchmark measures the winner again


def tuned(objective: str, subject: Subject, batch: int, folder: Path, say: Say) -> Prepared:
    """What `zkagent circuit tune` chooses without losing a decision. Raises CircuitError.

    Nothing is kept that would change later builds.
    """
    from zkagent.circuits.halo2.build_process import build_isolated
    from zkagent.circuits.halo2.tuning.objectives import Objective
    from zkagent.circuits.halo2.tuning.tuner import Wish
    from zkagent.circuits.halo2.tuning.tuner_process import tune_isolated

    wish = Wish(Objective(objective), min_agreement=1.0, measuring_s=TUNING_S, decisions=True)
    data = None if subject.network.integer else fitting_samples(subject, folder)
    with batch_file(subject.onnx, batch) as onnx:
        tuning = tune_isolated(onnx, wish, data=data, report=say)
        say("building the winner")
        return of_circuit(build_isolated(onnx, arguments=tuning.winner.arguments))


TUNED: dict[str, Form] = {
    f"tuned-{name}": partial(tuned, name) for name in ("latency", "gas", "balanced")
}

__all__ = ["TUNED", "tuned"]
