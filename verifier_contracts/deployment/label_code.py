"""A text classifier's table, known words and labels as contract code, and what reads them: see
`model_code.py`, which hands these out."""

from collections.abc import Sequence
from dataclasses import dataclass

from zkagent.models.classifier.files import TextClassifier
from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
from zkagent.verifier_contracts.deployment.code_parts import ModelCode, numbered, table_bytes
from zkagent.verifier_contracts.errors import ModelCodeError

# As `labels/LabelTable.sol` has them.
LABEL_FEATURES, LABEL_ROWS_PER_CHUNK, MAX_LABEL_CHUNKS = 64, 383, 22
SIZES = "S or M"  # of `models/classifier/shape.py`, whose tables fit
MAX_LABEL_BYTES = (1 << 16) - 1


@dataclass(frozen=True)
class LabelCode(ModelCode):
    """Of a text classifier. data: known words and labels."""

    encoder = "LabelEncoder"
    decoder = "LabelDecoder"
    instructed = False

    rows: int
    labels: int

    @property
    def names(self) -> tuple[str, ...]:
        return (*numbered("text", self.text_chunks), "words, labels")

    def encoder_arguments(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> tuple[list[str], int, str]:
        self._check_chunks(chunk_addresses)
        return list(chunk_addresses), self.rows, data_address

    def decoder_arguments(self, data_address: str) -> tuple[str]:
        return (data_address,)

    def encoder_immutables(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> dict[str, int]:
        none = dict.fromkeys((f"_chunk{i}" for i in range(MAX_LABEL_CHUNKS)), 0)
        chunks = {f"_chunk{i}": int(chunk, 16) for i, chunk in enumerate(chunk_addresses)}
        return {**none, **chunks, "_rowMask": self.rows - 1, "_data": int(data_address, 16)}

    def decoder_immutables(self, data_address: str) -> dict[str, int]:
        return {"_data": int(data_address, 16), "_count": self.labels}


def label_code(classifier: TextClassifier) -> LabelCode:
    """Raises ModelCodeError for what the contracts cannot hold."""
    table, size = classifier.table, classifier.manifest.size
    rows, features = table.shape
    chunks = [table[i : i + LABEL_ROWS_PER_CHUNK] for i in range(0, rows, LABEL_ROWS_PER_CHUNK)]
    fits = features == LABEL_FEATURES and len(chunks) <= MAX_LABEL_CHUNKS and not rows & (rows - 1)
    if not fits:
        raise ModelCodeError(
            f"a classifier of size {size} has a table of {rows} x {features}, and the contracts "
            f"read up to 8192 rows, a power of two, of {LABEL_FEATURES}: train one of size {SIZES}"
        )
    data = b"\0" + classifier.words.fingerprints + label_bytes(classifier.labels)
    if len(data) > MAX_CODE_BYTES:
        raise ModelCodeError(
            f"known words and labels take {len(data)} bytes, a contract holds {MAX_CODE_BYTES}: "
            "shorten the labels"
        )
    laid = tuple(b"\0" + table_bytes(part) for part in chunks)
    return LabelCode(laid, data, rows, len(classifier.labels))


def label_bytes(labels: Sequence[str]) -> bytes:
    """As `labels/LabelData.sol` describes them. Raises ModelCodeError."""
    try:
        texts = [label.encode() for label in labels]
    except UnicodeEncodeError as exc:
        raise ModelCodeError(f"the label {exc.object!r} is no text: rename it") from exc
    if longest := next((text for text in texts if len(text) > MAX_LABEL_BYTES), None):
        raise ModelCodeError(
            f"a label has {len(longest)} bytes, at most {MAX_LABEL_BYTES}: shorten it"
        )
    return _uint16(len(texts)) + b"".join(_uint16(len(text)) + text for text in texts)


def _uint16(number: int) -> bytes:
    return number.to_bytes(2, "big")


__all__ = ["LabelCode", "label_bytes", "label_code"]
