"""The receipt: runs with everything that anyone needs to verify them again. `docs/receipt.md` lists
every field.

A receipt is strict JSON: unknown fields, other spellings of the same value and repeated keys are
refused. Bytes are 0x and lower-case hex, texts that are not UTF-8 carry their odd bytes as lone
surrogates (PEP 383), the requester signs all of it but `informational`.

Every list and text has a maximum, which no run of ours comes near: whoever verifies a stranger's
receipt must be done in seconds.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    SerializerFunctionWrapHandler,
    Strict,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

from zkagent.executor.chain.limits import MOST_BATCH, MOST_COMPONENTS, MOST_DECISIONS, MOST_TOOLS
from zkagent.executor.errors import MalformedReceipt
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json

FORMAT = "zkagent-receipt-2"
#: Formats that this version does not verify, and the one that does. Their transactions agree to no
#: calls, so that there is less to verify.
EARLIER = {"zkagent-receipt-1": "0.1.0, commit e6e970d of the repository"}
UNSIGNED = frozenset({"informational", "signature"})

#: Of a file: 64 decisions in front of a full symbol book take seven million bytes.
MOST_BYTES = 1 << 24
MOST_RUNS = 16  # `demo` writes the largest receipts, of four
MOST_TEXT = 1 << 20  # characters; writing more into an event costs more gas than a block has
MOST_HEX = 2 + 2 * MOST_TEXT
SURROGATES = "surrogateescape"  # PEP 383
MOST_SYMBOL = 32  # a word of the EVM
MOST_LISTINGS = 1024  # a book is the code of one contract, which holds 767
MOST_PARTS = 64  # parameters of a tool, arguments of a call, tokens that a prompt names
MOST_WORDS = 512  # of a call's arguments: 64 pieces of a prompt make no more


def _text(value: object) -> str:
    """A plain str check: pydantic's own refuses lone surrogates."""
    if not isinstance(value, str):
        raise ValueError("expected a text")
    if len(value) > MOST_TEXT:
        raise ValueError(f"the text has {len(value):,} characters, at most {MOST_TEXT:,}")
    if not _is_of_bytes(value):
        raise ValueError("the text is not what any bytes are written as")
    return value


def _is_of_bytes(value: str) -> bool:
    try:
        return value.encode("utf-8", SURROGATES).decode("utf-8", SURROGATES) == value
    except UnicodeEncodeError:
        return False


Text = Annotated[
    str, PlainValidator(_text), WithJsonSchema({"maxLength": MOST_TEXT, "type": "string"})
]
Symbol = Annotated[str, StringConstraints(max_length=MOST_SYMBOL, pattern=r"^[\x00-\x7f]*$")]
Bytes = Annotated[str, StringConstraints(max_length=MOST_HEX, pattern=r"^0x([0-9a-f]{2})*$")]
Bytes4 = Annotated[str, StringConstraints(pattern=r"^0x[0-9a-f]{8}$")]
Bytes32 = Annotated[str, StringConstraints(pattern=r"^0x[0-9a-f]{64}$")]
Signature = Annotated[str, StringConstraints(pattern=r"^0x[0-9a-f]{130}$")]
Address = Annotated[str, StringConstraints(pattern=r"^0x[0-9a-f]{40}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Strict(), Field(ge=0, lt=1 << 63)]
Decimals = Annotated[int, Strict(), Field(ge=0, lt=256)]
Seconds = Annotated[float, Strict(), Field(ge=0)]

PerDecision = Field(max_length=MOST_DECISIONS)
Parts = Field(max_length=MOST_PARTS)
Words = Field(max_length=MOST_WORDS)


def _without(shown: dict[str, Any], absent: Mapping[str, object]) -> dict[str, Any]:
    """A record without the fields that say nothing: earlier versions did not have them."""
    return {name: value for name, value in shown.items() if not _is_absent(name, value, absent)}


def _is_absent(name: str, value: object, absent: Mapping[str, object]) -> bool:
    return name in absent and value == absent[name]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BlockRecord(Record):
    number: Count
    hash: Bytes32


class ParameterRecord(Record):
    type: Text
    name: Text
    description: Text


class ToolRecord(Record):
    """metadata_hash is what the agent pinned when it was made."""

    address: Address
    name: Text
    description: Text
    parameters: Annotated[tuple[ParameterRecord, ...], Parts]
    metadata_hash: Bytes32


class ListingRecord(Record):
    symbol: Symbol
    token: Address
    decimals: Decimals


class DecimalsRecord(Record):
    token: Address
    decimals: Decimals


class ContactRecord(Record):
    name: Symbol
    account: Address


class InstructedRecord(Record):
    """What an agent tells whose model reads whole instructions, None of these two where it tells
    none. contacts: what the code of
    `contact_data` says, to which `contact_book` points, both zero of an agent without."""

    owner: Address | None
    caution: Count | None
    contact_book: Address
    contact_data: Address
    contacts: Annotated[tuple[ContactRecord, ...], Field(max_length=MOST_LISTINGS)]

    @model_validator(mode="after")
    def _contacts_are_a_books(self) -> "InstructedRecord":
        """Without a book no fact says what is listed."""
        if int(self.contact_book, 16) == 0 and (self.contacts or int(self.contact_data, 16)):
            raise ValueError("there are contacts, and no contact book")
        return self


class AnswerRecord(Record):
    """What a contract answered to a static call of the encoder's: its result as it is."""

    target: Address
    call: Bytes
    answer: Bytes


class ContextRecord(Record):
    """Every chain read behind the features and the decision, made at `block`, and the history.
    symbol_book: what the code of `book_data` says, to which `book_contract` points. instructed: of
    agents that tell it, and left out of others' records. answers: where the encoder asks other
    contracts, and left out of others' records."""

    block: BlockRecord
    agent: Address
    base_prompt: Text
    tools: Annotated[tuple[ToolRecord, ...], Field(max_length=MOST_TOOLS)]
    book_contract: Address
    book_data: Address
    symbol_book: Annotated[tuple[ListingRecord, ...], Field(max_length=MOST_LISTINGS)]
    token_decimals: Annotated[tuple[DecimalsRecord, ...], Parts]
    reasoning: Annotated[tuple[Text, ...], PerDecision]
    prompt: Text
    instructed: InstructedRecord | None = None
    answers: Annotated[tuple[AnswerRecord, ...], Parts] = ()

    @model_serializer(mode="wrap")
    def _told(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without(handler(self), {"instructed": None, "answers": ()})


class ArgumentRecord(Record):
    slot: Text
    text: Text
    source: Text


class DecisionRecord(Record):
    """values: the 32-byte words of a tool call's arguments, encoded together: one for each, but for
    what takes more."""

    kind: Text
    action: Text
    tool: Address | None
    arguments: Annotated[tuple[ArgumentRecord, ...], Parts]
    values: Annotated[tuple[Bytes32, ...], Words]
    reasoning: Text
    answer: Text


class IterationRecord(Record):
    """x: int16, y: int64, big-endian. observation: as the agent wrote it, None after an answer."""

    context: ContextRecord
    x: Bytes
    features_hash: Bytes32
    y: Bytes
    decision: DecisionRecord
    observation: Text | None


class ContractRecord(Record):
    address: Address
    code_hash: Bytes32


class BatchRecord(Record):
    """A registered verifier for up to `size` decisions in one proof."""

    size: Count
    circuit_digest: Digest
    verifier: ContractRecord


class ModelRecord(Record):
    """The model that decided: files, circuit, commitment (ERC-7992), binding, batch verifiers."""

    name: Text
    id: Count
    manifest_digest: Digest
    onnx_digest: Digest
    circuit_digest: Digest
    inputs: Count
    outputs: Count
    verifier: ContractRecord
    encoder: ContractRecord
    decoder: ContractRecord
    components: Annotated[tuple[ContractRecord, ...], Field(max_length=MOST_COMPONENTS)]
    batches: Annotated[tuple[BatchRecord, ...], Field(max_length=MOST_BATCH)]
    model_hash: Bytes32
    circuit_hash: Bytes32
    vk_hash: Bytes32
    proof_system_id: Bytes4
    uri: Text
    commitment_hash: Bytes32


class TransactionRecord(Record):
    raw: Bytes
    hash: Bytes32
    block: BlockRecord


class ProofRecord(Record):
    """A proof and the iterations whose outputs it covers, counted from 1."""

    iterations: Annotated[tuple[Count, ...], Field(min_length=1, max_length=MOST_DECISIONS)]
    proof: Bytes


class NestedRecord(Record):
    """A run of an agent that was used as a tool, inside another's. parent: the iteration whose call
    it happened in; iterations: its own. Both count the whole run's from 1."""

    agent: Address
    prompt: Text
    answer: Text
    model: ModelRecord
    parent: Count
    iterations: Annotated[tuple[Count, ...], Field(min_length=1, max_length=MOST_DECISIONS)]


class RunRecord(Record):
    """iterations: in the order in which decisions were made, those of `nested` runs among them.
    entry: the contract that the transaction was sent to, which passed the run on to the agent.
    plain: the agent knows only the ERC, pins nothing, and writes observations as tools give them.
    nested, entry and plain are left out where there are none."""

    agent: Address
    executor: Address
    registry: Address
    prompt: Text
    answer: Text
    model: ModelRecord
    transaction: TransactionRecord
    iterations: Annotated[
        tuple[IterationRecord, ...], Field(min_length=1, max_length=MOST_DECISIONS)
    ]
    proofs: Annotated[tuple[ProofRecord, ...], PerDecision]
    nested: Annotated[tuple[NestedRecord, ...], PerDecision] = ()
    entry: Address | None = None
    plain: Literal[True] | None = None

    @model_validator(mode="after")
    def _has_a_runner(self) -> "RunRecord":
        if self.plain and self.entry is None:
            raise ValueError("an agent that knows only the ERC is run by a contract, named entry")
        return self

    @model_serializer(mode="wrap")
    def _told(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without(handler(self), {"nested": (), "entry": None, "plain": None})


class RunNotes(Record):
    """Informational, for one run."""

    gas_used: Count
    prove_seconds: Annotated[tuple[Seconds, ...], PerDecision]
    plans: Count


class Notes(Record):
    """What is nice to know and proves nothing: not signed, not verified."""

    created: Text
    zkagent: Text
    runs: Annotated[tuple[RunNotes, ...], Field(max_length=MOST_RUNS)]


class Receipt(Record):
    format: Literal["zkagent-receipt-2"]
    chain_id: Count
    requester: Address
    runs: Annotated[tuple[RunRecord, ...], Field(min_length=1, max_length=MOST_RUNS)]
    informational: Notes
    signature: Signature

    @property
    def document(self) -> dict[str, Any]:
        return self.model_dump()

    def to_json(self) -> str:
        return json.dumps(self.document, indent=1) + "\n"


def schema_text() -> str:
    """What `receipt.schema.json` beside this file holds. It says of a receipt's form what JSON
    schemas can say; `parse_receipt` is stricter."""
    named = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{FORMAT.replace('-', ':')}",
    }
    return json.dumps(named | Receipt.model_json_schema(), indent=2) + "\n"


def signed_text(document: dict[str, Any]) -> str:
    """What the requester signs: everything in one canonical form."""
    signed = {key: value for key, value in document.items() if key not in UNSIGNED}
    return _canonical(signed)


def load_receipt(path: Path) -> Receipt:
    """Read `path`. Raises MalformedReceipt."""
    try:
        content = read_limited(path, MOST_BYTES)
    except OSError as exc:
        reason = f"it cannot be read ({exc.strerror})"
        raise MalformedReceipt(str(path), "document", reason) from exc
    return parse_receipt(content, str(path))


def parse_receipt(content: str | bytes, source: str = "the text") -> Receipt:
    """Raises MalformedReceipt, which names `source`, for anything but the one spelling of a
    receipt's values."""
    try:
        document = load_json(content, most_bytes=MOST_BYTES)
        _check_format(document, source)
        receipt = Receipt.model_validate(document)
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "document"
        raise MalformedReceipt(source, where, str(first["msg"])) from exc
    except ValueError as exc:
        raise MalformedReceipt(source, "document", str(exc)) from exc
    if (noted := len(receipt.informational.runs)) != len(receipt.runs):
        reason = f"notes of {noted} runs, expected {len(receipt.runs)}"
        raise MalformedReceipt(source, "informational.runs", reason)
    if _canonical(receipt.document) != _canonical(document):
        reason = "a value is not written in its one form"
        raise MalformedReceipt(source, "document", reason)
    return receipt


def _check_format(document: Any, source: str) -> None:
    found = document.get("format") if isinstance(document, dict) else None
    if found in EARLIER:
        reason = f"it is {found}: verify it with zkagent {EARLIER[found]}"
        raise MalformedReceipt(source, "format", reason)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
