"""One file of an operator's journal: a request, and what was signed to answer it.

What a file says is believed as far as its transactions bear it out, which carry a signature.
"""

import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from eth_utils.crypto import keccak

from zkagent.executor.chain.desk import RESUME
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.operating.errors import AnswerRecordDamaged
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.chain.forms import BEYOND_COUNTING
from zkagent.verifier_contracts.chain.signing import Fees

FORMAT = "zkagent-answer-1"
#: sent: the last of its transactions is on its way. idle: nothing is, and it may be tried again.
#: included: in a block that is not settled. waiting: in a settled one, and the run waits since.
OPEN = ("sent", "idle", "included", "waiting")
#: answered: by us. lost: answered by another, refunded, failed, or gone with its block.
ENDED = ("answered", "lost")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an operator works, and as whom. genesis: hash of the first block of local chains, ""
    elsewhere. Addresses are lower case."""

    chain_id: int
    genesis: str
    desk: str
    account: str

    @property
    def key(self) -> str:
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """request: hash of what was posted, 64 hex digits; fee: in wei. signed: raw transactions, hex
    with 0x, the newest last. begins: the newest one was planned to leave the run waiting.
    transaction, block: of the one that is in a block, the last of them."""

    place: Place
    number: int
    request: str
    fee: int
    signed: tuple[str, ...]
    state: str = "sent"
    transaction: str = ""
    block: int = 0
    begins: bool = False

    @property
    def open(self) -> bool:
        return self.state in OPEN

    @property
    def name(self) -> str:
        return f"{self.number}-{self.request[:16]}.json"

    @property
    def last(self) -> bytes:
        return bytes.fromhex(self.signed[-1][2:])

    @property
    def hashes(self) -> tuple[str, ...]:
        return tuple(hash_of(raw) for raw in self.signed)

    @property
    def resumes(self) -> bool:
        """Whether the transaction that was signed last goes on with a run that waited."""
        return bool(fields_of(self.signed[-1])["data"][:4] == RESUME.selector)

    @property
    def nonces(self) -> tuple[int, ...]:
        """Of each transaction."""
        return tuple(int(fields_of(raw)["nonce"]) for raw in self.signed)

    @property
    def nonce(self) -> int:
        """Of the transaction that was signed last."""
        return self.nonces[-1]

    @property
    def gas_limit(self) -> int:
        return int(fields_of(self.signed[-1])["gas"])

    @property
    def fees(self) -> Fees:
        """Of the same; the base fee of its time is not in it."""
        fields = fields_of(self.signed[-1])
        return Fees(0, fields["maxFeePerGas"], fields["maxPriorityFeePerGas"])

    def offers(self, nonce: int) -> tuple[tuple[str, Fees], ...]:
        """Hash and fees of each of its transactions of this nonce."""
        most, priority = "maxFeePerGas", "maxPriorityFeePerGas"
        return tuple(
            (hash_of(raw), Fees(0, fields[most], fields[priority]))
            for raw, fields in ((raw, fields_of(raw)) for raw in self.signed)
            if fields["nonce"] == nonce
        )

    def with_signed(self, raw: bytes) -> "AnswerRecord":
        new = "0x" + raw.hex()
        signed = (*(each for each in self.signed if each != new), new)
        return replace(self, signed=signed, state="sent", transaction="", block=0)


@lru_cache(maxsize=1024)
def hash_of(raw: str) -> str:
    return "0x" + keccak(bytes.fromhex(raw[2:])).hex()


@lru_cache(maxsize=1024)
def fields_of(raw: str) -> dict[str, Any]:
    """Of a signed transaction, with its sender as "from". Raises ValueError."""
    read = read_transaction(bytes.fromhex(raw.removeprefix("0x")))
    if read is None or not raw.startswith("0x"):
        raise ValueError("a transaction in it is damaged")
    return read[1] | {"from": read[0]}


def written(record: AnswerRecord) -> bytes:
    return (json.dumps({"format": FORMAT, **asdict(record)}, indent=1) + "\n").encode()


def read(path: Path) -> AnswerRecord:
    """Raises AnswerRecordDamaged unless everything in the file fits together."""
    try:
        content = load_json(read_limited(path))
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        record = _parsed(content)
        _check(record)
    except (OSError, ValueError, TypeError, KeyError) as exc:
        raise AnswerRecordDamaged(path, str(exc) or type(exc).__name__) from exc
    if path.name != record.name:
        raise AnswerRecordDamaged(path, f"it is the record {record.name}")
    return record


def _parsed(content: dict[str, Any]) -> AnswerRecord:
    place = Place(**content.pop("place"))
    record = AnswerRecord(place=place, **{**content, "signed": tuple(content["signed"])})
    texts = (place.genesis, place.desk, place.account, record.request, record.state)
    for text in (*texts, record.transaction, *record.signed):
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is no text")
    for number in (place.chain_id, record.number, record.block):
        if type(number) is not int or not 0 <= number < BEYOND_COUNTING:
            raise TypeError(f"{number!r} is no number that is counted on a chain")
    if type(record.begins) is not bool:
        raise TypeError(f"{record.begins!r} is neither true nor false")
    if type(record.fee) is not int or record.fee < 0:
        raise TypeError(f"{record.fee!r} is no fee")
    return record


def _check(record: AnswerRecord) -> None:
    """Raises ValueError for what contradicts itself."""
    if record.state not in (*OPEN, *ENDED):
        raise ValueError(f"there is no state {record.state!r}")
    if not record.signed:
        raise ValueError("it holds no transaction")
    for raw in record.signed:
        fields, place = fields_of(raw), record.place
        theirs = fields["from"], fields["chainId"], fields["to"]
        if theirs != (place.account, place.chain_id, place.desk):
            raise ValueError("a transaction in it is of another account, chain or desk")
    if record.transaction and record.transaction not in record.hashes:
        raise ValueError("the transaction that was mined is none of its own")
    if record.state in {"included", "waiting", "answered"} and not record.transaction:
        raise ValueError(f"it is {record.state}, and no transaction was")


__all__ = ["AnswerRecord", "Place", "fields_of", "hash_of"]
