"""A trained classifier as four files in a folder, and its use without torch.

classifier.json   labels, sizes, digests, accuracy        table.bin   int8 rows of the text table
model.onnx        scores = f(x), exact integers           words.bin   fingerprints of known words
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from zkagent.models.classifier.export import export_classifier
from zkagent.models.classifier.text import rows_of
from zkagent.models.classifier.weights import ClassifierWeights
from zkagent.models.classifier.words import SLOTS, KnownWords
from zkagent.models.encoding.encoder import Table
from zkagent.models.errors import CorruptModel, ManifestError, OutputOutOfRange

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MANIFEST, ONNX, TABLE, WORDS = "classifier.json", "model.onnx", "table.bin", "words.bin"
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Accuracy(_Frozen):
    """Shares of `texts` classified rightly, by the float network and by the integers it became.

    `refused` of them the tokenizer does not read: they count as wrong.
    """

    source: str
    texts: int
    refused: int
    floats: float
    integers: float


class ClassifierManifest(_Frozen):
    """`classifier.json`."""

    format: Literal["zkagent-classifier-1"]
    size: Literal["S", "M", "L"]
    labels: Annotated[tuple[str, ...], Field(min_length=2)]
    table_rows: Annotated[int, Field(ge=2)]
    features: Annotated[int, Field(ge=1)]
    seed: int
    onnx: Sha256
    table: Sha256
    words: Sha256
    training_texts: int
    refused_training_texts: int
    accuracy: Accuracy | None  # None: too few texts to hold any out

    def to_json(self) -> str:
        return json.dumps(self.model_dump(mode="json"), indent=2) + "\n"


@dataclass(frozen=True)
class TextClassifier:
    """A classifier whose files were checked against its manifest."""

    directory: Path
    manifest: ClassifierManifest
    table: Table
    words: KnownWords

    @property
    def onnx_path(self) -> Path:
        return self.directory / ONNX

    @property
    def labels(self) -> tuple[str, ...]:
        return self.manifest.labels

    @cached_property
    def _session(self) -> "InferenceSession":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        return onnxruntime.InferenceSession(
            self.onnx_path, options, providers=["CPUExecutionProvider"]
        )

    def features(self, text: str) -> tuple[int, ...]:
        """x of `text`: the sum of the table rows that its n-grams select. Raises RefusedText."""
        rows = list(rows_of(text, len(self.table), self.words))
        return tuple(self.table[rows].sum(axis=0, dtype=np.int64).tolist())

    def infer(self, x: Sequence[int]) -> tuple[int, ...]:
        """The labels' scores by onnxruntime, exact integers. Raises OutputOutOfRange for a vector
        of another length."""
        if len(x) != self.manifest.features:
            raise OutputOutOfRange(f"expected {self.manifest.features} features, got {len(x)}")
        (y,) = self._session.run(["y"], {"x": np.array([x], dtype=np.int64)})
        return tuple(y[0].tolist())

    def classify(self, text: str) -> str:
        """The intent with the highest score, the first one on ties. Raises RefusedText."""
        return self.labels[best(self.infer(self.features(text)))]


def best(scores: Sequence[int]) -> int:
    """Index of the highest score, the lowest one on ties."""
    return max(range(len(scores)), key=lambda i: (scores[i], -i))


def save_classifier(
    directory: Path, weights: ClassifierWeights, words: KnownWords, facts: dict[str, object]
) -> TextClassifier:
    """Export, write the four files and load them again. `facts`: the manifest's other fields."""
    contents = {
        ONNX: export_classifier(weights),
        TABLE: weights.table.tobytes(),
        WORDS: words.fingerprints,
    }
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    manifest = ClassifierManifest.model_validate(
        {
            "format": "zkagent-classifier-1",
            "table_rows": len(weights.table),
            "features": weights.features,
            "onnx": digests[ONNX],
            "table": digests[TABLE],
            "words": digests[WORDS],
            **facts,
        }
    )
    directory.mkdir(parents=True, exist_ok=True)
    for name, data in contents.items():
        (directory / name).write_bytes(data)
    (directory / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
    return load_classifier(directory)


def load_classifier(directory: Path) -> TextClassifier:
    """The classifier in a folder. Raises ManifestError or CorruptModel."""
    path = directory / MANIFEST
    try:
        manifest = ClassifierManifest.model_validate_json(path.read_bytes())
    except OSError as exc:
        raise ManifestError(
            f"{path} cannot be read ({exc.strerror}): give a folder that "
            "`zkagent model train-classifier` wrote"
        ) from exc
    except ValidationError as exc:
        reason = exc.errors(include_url=False)[0]
        where = ".".join(map(str, reason["loc"])) or "the file"
        raise ManifestError(f"{path}: {where}: {reason['msg']}") from exc
    _checked(directory / ONNX, manifest.onnx)
    table = np.frombuffer(_checked(directory / TABLE, manifest.table), np.int8)
    if table.size != manifest.table_rows * manifest.features:
        raise ManifestError(f"{path}: table.bin has {table.size} entries, other than it says")
    words = _checked(directory / WORDS, manifest.words)
    if len(words) != SLOTS:
        raise ManifestError(f"{path}: words.bin has {len(words)} bytes, expected {SLOTS}")
    table = table.reshape(manifest.table_rows, manifest.features)
    return TextClassifier(directory, manifest, table, KnownWords(words))


def _checked(path: Path, expected: str) -> bytes:
    data = path.read_bytes() if path.is_file() else b""
    digest = hashlib.sha256(data).hexdigest() if path.is_file() else "(missing)"
    if digest != expected:
        raise CorruptModel(str(path), expected, digest)
    return data
