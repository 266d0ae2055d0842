"""How accurate a classifier's circuit is: every text of a test set through ezkl's witness.

`zkagent model evaluate-classifier` and the benchmarks call this. The witness is what a proof would
be about, so this is the accuracy that a contract sees, not that of the file the circuit came from.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.halo2.build_process import build_isolated
from zkagent.models.classifier.dataset import LabelledTexts
from zkagent.models.classifier.files import TextClassifier
from zkagent.models.errors import RefusedText

Progress = Callable[[str], None]
STEP = 500


@dataclass(frozen=True)
class CircuitAccuracy:
    """`hits` of `texts` are classified rightly; `read` of them the tokenizer does not refuse, and
    for `same_scores` of those the circuit's scores equal onnxruntime's, all of them."""

    circuit: str
    rows: int
    logrows: int
    instances: int
    texts: int
    read: int
    hits: int
    same_scores: int

    @property
    def accuracy(self) -> float:
        return self.hits / self.texts

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "accuracy": self.accuracy}


def evaluate_circuit(
    classifier: TextClassifier, data: LabelledTexts, srs: Path | None, progress: Progress
) -> CircuitAccuracy:
    """Build (or look up) the circuit and evaluate it on each text. Raises CircuitError."""
    circuit = build_isolated(
        classifier.onnx_path, srs=srs, progress=lambda stage: progress(f"circuit: {stage}")
    )
    hits = same = read = 0
    for number, (text, intent) in enumerate(zip(data.texts, data.intents, strict=True), start=1):
        scores = _scores(classifier, circuit, text)
        if scores is not None:
            read += 1
            same += scores[0] == scores[1]
            hits += classifier.best(scores[0]) == intent
        if number % STEP == 0:
            progress(f"{number} of {len(data)} texts, {hits} right")
    return CircuitAccuracy(
        circuit.digest,
        circuit.rows,
        circuit.logrows,
        circuit.input_count + circuit.output_count,
        len(data),
        read,
        hits,
        same,
    )


def _scores(
    classifier: TextClassifier, circuit: Circuit, text: str
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The circuit's scores and onnxruntime's; None for a text that the tokenizer refuses."""
    from zkagent.circuits.halo2.ezkl_engine import witness

    try:
        x = classifier.features(text)
    except RefusedText:
        return None
    return witness(circuit, x), classifier.infer(x)
