"""A model's tables and manifest as contract code, and what reads them: `TextEncoder` and
`ToolDecoder`, or `InstructionEncoder` and `InstructionDecoder` for models of whole instructions.

Called by deployment, the registry tooling and tests. Pure: it says what has to be deployed and with
which constructor arguments; deployer.py deploys. The layout is described in docs/encoding.md.
`code_of` is the one place that asks of which kind an agent's model is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from zkagent.models.catalogue import (
    CreditModel,
    InstructionModel,
    LabelModel,
    LoanModel,
    Model,
    NumericModel,
    ReaderModel,
    StepModel,
)
from zkagent.models.encoding.encoder import Table, Tables
from zkagent.models.encoding.manifest import SLOTS, Action, Manifest
from zkagent.models.instructions.codetable import CodeTable
from zkagent.models.instructions.manifest import InstructionManifest
from zkagent.verifier_contracts.chain.code import MAX_CODE_BYTES
from zkagent.verifier_contracts.deployment.code_parts import (
    ROWS_PER_CHUNK,
    ModelCode,
    numbered,
    table_bytes,
)
from zkagent.verifier_contracts.deployment.label_code import label_code
from zkagent.verifier_contracts.deployment.loan_code import credit_code, loan_code
from zkagent.verifier_contracts.deployment.numeric_code import numeric_code
from zkagent.verifier_contracts.deployment.reader_code import reader_code
from zkagent.verifier_contracts.errors import ModelCodeError

MAX_CHUNKS = 8
#: Places for the contracts that have second buckets of a vocabulary of instructions.
SECONDS = 8
# As `ModelData` has them.
LOCAL_ROW_BYTES, VOCABULARY_BYTES, HEADER_BYTES = 16, 4096, 4
#: Codes of `IERCAgentTool.ParamType`.
PARAM_TYPES = {"address": 1, "uint": 4}


@dataclass(frozen=True)
class StepCode(ModelCode):
    """Of a model that decides step by step. data: local table, vocabulary, manifest's part."""

    encoder = "TextEncoder"
    decoder = "ToolDecoder"
    instructed = False

    text_rows: int
    local_rows: int

    @property
    def names(self) -> tuple[str, ...]:
        return (*numbered("text", self.text_chunks), "local, words, manifest")

    @property
    def vocabulary_at(self) -> int:
        """Where the vocabulary begins in data."""
        return 1 + LOCAL_ROW_BYTES * self.local_rows

    @property
    def manifest_at(self) -> int:
        """Where the manifest's part begins in data."""
        return self.vocabulary_at + VOCABULARY_BYTES

    @property
    def header(self) -> bytes:
        """Of that part: number of actions, index of the balance action, length of the prefixes."""
        return self.data[self.manifest_at : self.manifest_at + HEADER_BYTES]

    def encoder_arguments(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> tuple[list[str], int, str, int]:
        self._check_chunks(chunk_addresses)
        return list(chunk_addresses), self.text_rows, data_address, self.local_rows

    def decoder_arguments(self, data_address: str) -> tuple[str, int]:
        return data_address, self.local_rows

    def encoder_immutables(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> dict[str, int]:
        header = self.header
        return {
            **_chunk_immutables(chunk_addresses),
            "_data": int(data_address, 16),
            "_textMask": self.text_rows - 1,
            "_localMask": self.local_rows - 1,
            "_vocabulary": self.vocabulary_at,
            "_prefixes": self.manifest_at + len(header),
            "_prefixBytes": int.from_bytes(header[2:], "big"),
            "_actions": header[0],
            "_balanceAction": header[1],
        }

    def decoder_immutables(self, data_address: str) -> dict[str, int]:
        return {
            "_data": int(data_address, 16),
            "_offset": self.manifest_at,
            "_length": len(self.data) - self.manifest_at,
            "_actions": self.header[0],
        }


@dataclass(frozen=True)
class InstructionCode(ModelCode):
    """Of a model that reads whole instructions. data: the manifest's part alone. kinds: codes of
    tokens by their kind, three words. margin_unit: of the network's margin, a log-odd.
    usual_caution: of agents that tell none, in hundredths of it."""

    encoder = "InstructionEncoder"
    decoder = "InstructionDecoder"
    instructed = True

    kinds: tuple[int, ...]
    margin_unit: int
    usual_caution: int

    @property
    def names(self) -> tuple[str, ...]:
        return (*numbered("words", self.text_chunks), "manifest")

    def encoder_arguments(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> tuple[list[str], list[int]]:
        self._check_chunks(chunk_addresses)
        return list(chunk_addresses), list(self.kinds)

    def decoder_arguments(self, data_address: str) -> tuple[str, int, int]:
        return data_address, self.margin_unit, self.usual_caution

    def encoder_immutables(
        self, chunk_addresses: Sequence[str], data_address: str
    ) -> dict[str, int]:
        first, *others = [int(address, 16) for address in chunk_addresses] or [0]
        others = others or [first]
        seconds = {f"_second{i}": others[i % len(others)] for i in range(SECONDS)}
        kinds = {f"_kinds{i}": word for i, word in enumerate(self.kinds)}
        return {"_first": first} | seconds | kinds

    def decoder_immutables(self, data_address: str) -> dict[str, int]:
        return {
            "_data": int(data_address, 16),
            "_length": len(self.data) - 1,
            "_marginUnit": self.margin_unit,
            "_usualCaution": self.usual_caution,
        }


def code_of(model: Model) -> ModelCode:
    """Of an agent's model, of whichever kind. Raises ModelCodeError for what the contracts cannot
    hold."""
    match model:
        case InstructionModel():
            found: ModelCode = build_instruction_code(model.manifest, model.table)
        case LoanModel():
            found = loan_code(model)
        case CreditModel():
            found = credit_code(model)
        case LabelModel():
            found = label_code(model.classifier)
        case NumericModel():
            found = numeric_code(model)
        case ReaderModel():
            found = reader_code(model)
        case _:
            assert isinstance(model, StepModel)
            found = build_model_code(model.manifest, model.tables)
    return found


def build_instruction_code(manifest: InstructionManifest, table: CodeTable) -> InstructionCode:
    """Raises ModelCodeError."""
    data = b"\0" + manifest_bytes(manifest)
    if len(data) > MAX_CODE_BYTES:
        raise ModelCodeError(
            f"the manifest takes {len(data)} bytes, a contract holds {MAX_CODE_BYTES}: shorten "
            "thoughts and answers"
        )
    chunks = tuple(b"\0" + chunk for chunk in table.chunks)
    return InstructionCode(chunks, data, table.kinds_words, manifest.margin_unit, manifest.caution)


def build_model_code(manifest: Manifest, tables: Tables) -> StepCode:
    """The code for a model with `tables`: text [rows, 32], local [rows, 16], vocabulary.

    Raises ModelCodeError for what the contracts cannot hold.
    """
    sizes, text = manifest.encoder, tables.text
    _check_table("text", text, (sizes.text_rows, sizes.text_dimensions))
    _check_table("local", tables.local, (sizes.local_rows, sizes.local_dimensions))
    rows = [text[i : i + ROWS_PER_CHUNK] for i in range(0, len(text), ROWS_PER_CHUNK)]
    if len(rows) > MAX_CHUNKS:
        raise ModelCodeError(
            f"a text table of {len(text)} rows needs {len(rows)} contracts, the encoder reads at "
            f"most {MAX_CHUNKS}: train with at most 4096 rows"
        )
    chunks = tuple(b"\0" + table_bytes(part) for part in rows)
    data = b"\0" + table_bytes(tables.local) + tables.vocabulary.fingerprints
    data += manifest_bytes(manifest)
    if len(data) > MAX_CODE_BYTES:
        raise ModelCodeError(
            f"local table, vocabulary and manifest take {len(data)} bytes, a contract holds "
            f"{MAX_CODE_BYTES}: train with at most 1024 local rows, or shorten thoughts and answers"
        )
    return StepCode(chunks, data, len(text), len(tables.local))


def _chunk_immutables(addresses: Sequence[str]) -> dict[str, int]:
    none = dict.fromkeys((f"_chunk{i}" for i in range(MAX_CHUNKS)), 0)
    return none | {f"_chunk{i}": int(chunk, 16) for i, chunk in enumerate(addresses)}


def manifest_bytes(manifest: Manifest | InstructionManifest) -> bytes:
    """The manifest's part of the data contract, as `ModelData.sol` describes it."""
    return _manifest_bytes(manifest, _further_answers(manifest))


def _further_answers(manifest: Manifest | InstructionManifest) -> list[bytes]:
    """Those behind the actions, as `instructions/Answers.sol` counts them."""
    if isinstance(manifest, Manifest):
        return []
    answers = manifest.answers
    return [text.encode() for text in (answers.help, answers.short, answers.doubtful, answers.done)]


def _manifest_bytes(manifest: Manifest | InstructionManifest, further: Sequence[bytes]) -> bytes:
    answers = manifest.answers
    prefixes = [_text(prefix) for prefix in manifest.prefixes]
    header = bytes([len(prefixes), manifest.balance_index]) + _uint16(len(b"".join(prefixes)))
    places = list(accumulate(map(len, prefixes), initial=len(header)))
    fixed = (answers.nothing, answers.ask, answers.decline, answers.zero, answers.unreadable)
    bodies = [_text(answer.encode()) for answer in fixed]
    bodies += [
        _uint16(place) + _record(action, manifest)
        for place, action in zip(places, manifest.actions, strict=False)
    ]
    bodies += map(_text, further)
    offsets = accumulate(map(len, bodies), initial=places[-1] + 2 * len(bodies))
    directory = [_uint16(offset) for offset, _ in zip(offsets, bodies, strict=False)]
    return header + b"".join([*prefixes, *directory, *bodies])


def _record(action: Action, manifest: Manifest | InstructionManifest) -> bytes:
    no_tool = manifest.answers.no_tool.replace("{name}", action.name)
    return b"".join(
        [
            _text(action.name.encode()),
            _text(no_tool.encode()),
            bytes([len(action.parameters)]),
            *_parameters(action, manifest),
        ]
    )


def _parameters(action: Action, manifest: Manifest | InstructionManifest) -> Iterator[bytes]:
    for place, parameter in enumerate(action.parameters):
        opening = ('","' if place else '{"') + parameter.name + '":"'
        missing = manifest.answers.missing.replace("{name}", parameter.name)
        yield bytes([PARAM_TYPES[parameter.type], SLOTS.index(parameter.slot)])
        yield _text(opening.encode()) + _text(missing.encode())


def _text(text: bytes) -> bytes:
    return _uint16(len(text)) + text


def _uint16(number: int) -> bytes:
    return number.to_bytes(2, "big")


def _check_table(name: str, table: Table, shape: tuple[int, int]) -> None:
    if table.dtype != np.int8 or table.shape != shape:
        raise ModelCodeError(
            f"the {name} table is {table.dtype} {table.shape}, the manifest says int8 {shape}"
        )


__all__ = ["InstructionCode", "ModelCode", "StepCode", "build_instruction_code"]
__all__ += ["build_model_code", "code_of", "manifest_bytes", "table_bytes"]
