"""A trained classifier as four files in a folder, and its use without torch.

classifier.json   labels, sizes, digests, accuracy        table.bin   int8 rows of the text table
model.onnx        scores = f(x), exact integers           words.bin   fingerprints of known words
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from zkagent.models.classifier.text import plain, rows_of_bytes
from zkagent.models.classifier.weights import ClassifierWeights
from zkagent.models.classifier.words import SEEN_BYTES, SLOTS, KnownWords
from zkagent.models.encoding.decoder import argmax
from zkagent.models.encoding.encoder import Table
from zkagent.models.errors import ManifestError
from zkagent.models.files import (
    ManifestRecord,
    Record,
    Sha256,
    read_checked,
    sha256,
)
from zkagent.models.folders import Folder, write_folder
from zkagent.models.networks.inference import Inference

FILES = MANIFEST, ONNX, TABLE, WORDS = "classifier.json", "model.onnx", "table.bin", "words.bin"


class Accuracy(Record):
    """Shares of `texts` classified rightly, by the float network and by the integers it became.

    `refused` of them the tokenizer does not read: they count as wrong.
    """

    source: str
    texts: int
    refused: int
    floats: float
    integers: float


class ClassifierManifest(ManifestRecord):
    """`classifier.json`."""

    format: Literal["zkagent-classifier-1"]
    size: Literal["S", "M", "L", "XL", "XXL"]
    labels: Annotated[tuple[str, ...], Field(min_length=2)]
    table_rows: Annotated[int, Field(ge=2)]
    word_rows: Literal[0, 16384] = 0  # the last ones of them, of known words; see words.py
    features: Annotated[int, Field(ge=1)]
    seed: int
    onnx: Sha256
    table: Sha256
    words: Sha256
    training_texts: int
    refused_training_texts: int
    accuracy: Accuracy | None  # None: too few texts to hold any out

    @model_serializer(mode="wrap")
    def _without_what_is_not_there(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A classifier without rows for words has the manifest, and so the digest, that it had
        before others had them."""
        fields: dict[str, Any] = handler(self)
        if not self.word_rows:
            del fields["word_rows"]
        return fields


@dataclass(frozen=True, slots=True)
class Judged:
    """A label, and by how much its score is above the next best one, in units of the network: at
    least 0, and 0 where two are best."""

    label: str
    margin: int

    @property
    def words(self) -> str:
        """As `labels/LabelAnswer.sol` writes it."""
        return f"{self.label}, ahead by {self.margin}"


@dataclass(frozen=True)
class TextClassifier:
    """From a text to an intent; its files were checked against its manifest."""

    kind: ClassVar[str] = "a text classifier"

    directory: Path
    manifest: ClassifierManifest
    table: Table
    words: KnownWords

    @property
    def name(self) -> str:
        """The folder's, as the manifest has none."""
        return self.directory.resolve().name

    @property
    def onnx_path(self) -> Path:
        return self.directory / ONNX

    @property
    def digest(self) -> str:
        """SHA-256 hex of the manifest, which names the digests of the other files."""
        return self.manifest.digest

    @property
    def input_count(self) -> int:
        return self.manifest.features

    @property
    def output_count(self) -> int:
        return len(self.labels)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.manifest.labels

    @cached_property
    def _inference(self) -> Inference:
        return Inference(self.onnx_path, self.input_count, self.output_count)

    def features(self, text: str) -> tuple[int, ...]:
        """x of `text`: the sum of the table rows that its n-grams select. Raises RefusedText."""
        return self.features_of(plain(text))

    def features_of(self, text: bytes) -> tuple[int, ...]:
        """The same of a text as it stands, which is what contracts read. Raises RefusedText, for
        what is not printable ASCII, too."""
        hashed_rows = self.manifest.table_rows - self.manifest.word_rows
        rows = list(rows_of_bytes(text, hashed_rows, self.words))
        return tuple(self.table[rows].sum(axis=0, dtype=np.int64).tolist())

    def infer(self, x: Sequence[int]) -> tuple[int, ...]:
        """The labels' scores by onnxruntime, exact integers. Raises OutputOutOfRange for a vector
        of another length."""
        return self._inference(x)

    def classify(self, text: str) -> str:
        """The intent with the highest score, the first one on ties. Raises RefusedText."""
        return self.best(self.scores(text))

    def scores(self, text: str) -> tuple[int, ...]:
        """One for each label. Raises RefusedText."""
        return self.infer(self.features(text))

    def best(self, scores: Sequence[int]) -> str:
        """The intent with the highest score, the first one on ties."""
        return self.judge(scores).label

    def judge(self, scores: Sequence[int]) -> "Judged":
        """What these scores, one for each label, say."""
        place = argmax(scores)
        next_best = max(score for at, score in enumerate(scores) if at != place)
        return Judged(self.labels[place], int(scores[place] - next_best))


def save_classifier(
    directory: Path | Folder,
    weights: ClassifierWeights,
    words: KnownWords,
    facts: dict[str, object],
) -> TextClassifier:
    """Export, write the four files and load them again. `facts`: the manifest's other fields."""
    from zkagent.models.classifier.export import export_classifier

    contents = {
        ONNX: export_classifier(weights),
        TABLE: weights.table.tobytes(),
        WORDS: words.content,
    }
    digests = {name: sha256(data) for name, data in contents.items()}
    manifest = ClassifierManifest.model_validate(
        {
            "format": "zkagent-classifier-1",
            "table_rows": len(weights.table),
            "word_rows": SLOTS * words.apart,
            "features": weights.features,
            "onnx": digests[ONNX],
            "table": digests[TABLE],
            "words": digests[WORDS],
            **facts,
        }
    )
    files = {**contents, MANIFEST: manifest.to_json().encode()}
    return load_classifier(write_folder(directory, files))


def load_classifier(directory: Path) -> TextClassifier:
    """The classifier in a folder. Raises ManifestError or CorruptModel."""
    path = directory / MANIFEST
    manifest = ClassifierManifest.load(path)
    read_checked(directory / ONNX, manifest.onnx)
    table = np.frombuffer(read_checked(directory / TABLE, manifest.table), np.int8)
    if table.size != manifest.table_rows * manifest.features:
        raise ManifestError(f"{path}: table.bin has {table.size} entries, other than it says")
    if manifest.table_rows - manifest.word_rows < 2:
        raise ManifestError(f"{path}: of {manifest.table_rows} rows none is left for hashes")
    words = read_checked(directory / WORDS, manifest.words)
    expected = SLOTS + SEEN_BYTES * (manifest.word_rows > 0)
    if len(words) != expected:
        raise ManifestError(f"{path}: words.bin has {len(words)} bytes, expected {expected}")
    table = table.reshape(manifest.table_rows, manifest.features)
    return TextClassifier(directory, manifest, table, KnownWords.load(words))


__all__ = [
    "FILES",
    "MANIFEST",
    "Accuracy",
    "ClassifierManifest",
    "Judged",
    "TextClassifier",
    "load_classifier",
    "save_classifier",
]
