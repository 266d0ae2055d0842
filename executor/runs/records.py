"""One file of the journal: an instruction, and what was signed for it under one nonce.

What a file says is believed only as far as it fits together and its transactions, which carry a
signature, bear it out: anybody may have edited it. Called by `journal.py`.
"""

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from eth_utils.crypto import keccak

from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.calls import run_of
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.runs.derivation import raw_bytes, text
from zkagent.executor.runs.errors import RunRecordDamaged, RunRecordUnreadable
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.chain.forms import BEYOND_COUNTING

FORMAT = "zkagent-run-1"
NAME = re.compile(r"([0-9a-f]{16})-([1-9][0-9]*)\.json", re.ASCII)
HASH = re.compile(r"0x[0-9a-f]{64}", re.ASCII)
#: waiting: included, and its run waits for its owner or for a tool.
UNFINISHED = ("signed", "sent", "included", "waiting")
#: The note of what was begun by one transaction and ended by another: no receipt is made of it.
ENDED_LATER = "it waited, and came to its end in a later transaction"
#: Said to be over by a node or the user, which is no certainty before the deadline. failed: mined
#: and reverted. superseded: a transaction that is shown has the nonce. expired: the nonce is used,
#: nobody shows by what, and the deadline has passed. forgotten: by the user.
GIVEN_UP = ("failed", "superseded", "expired", "forgotten")
#: done: what was asked for happened.
FINISHED = ("done", *GIVEN_UP)


@dataclass(frozen=True, slots=True)
class Intent:
    """What is to be done once: an instruction, by an account, with an agent, on a chain.

    genesis: hash of the first block where chains of one id come and go, "" elsewhere. Addresses are
    lower case. resumes, after: of what goes on with a run that waits, the agent's number of it, and
    how many iterations it had made; 0 of what begins one.
    """

    chain_id: int
    genesis: str
    agent: str
    account: str
    prompt: str
    resumes: int = 0
    after: int = 0

    @property
    def key(self) -> str:
        fields = asdict(self)
        if not self.resumes:  # as ever
            del fields["resumes"], fields["after"]
        return sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def wallet(self) -> tuple[int, str, str]:
        """Whose nonces it uses."""
        return self.chain_id, self.genesis, self.account


@dataclass(frozen=True, slots=True)
class Signed:
    """A transaction that may have been sent. raw, hash: hex with 0x."""

    raw: str
    hash: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One file. created: seconds since 1970. transaction, block: of what was mined. receipt: its
    file. note: what else there is to say. taken_by: the transaction that used the nonce instead;
    `block` is then its."""

    id: str
    intent: Intent
    nonce: int
    signed: tuple[Signed, ...]
    state: str = "signed"
    created: int = 0
    transaction: str = ""
    block: int = 0
    receipt: str = ""
    note: str = ""
    taken_by: str = ""

    @property
    def unfinished(self) -> bool:
        return self.state in UNFINISHED

    @property
    def unreceipted(self) -> bool:
        """Whether it happened, and what a node said of it led to no receipt."""
        in_parts = self.intent.resumes or self.note == ENDED_LATER
        return self.state == "done" and not self.receipt and not in_parts

    @property
    def hash(self) -> str:
        """Of the transaction that was mined, or that was signed last."""
        return self.transaction or self.signed[-1].hash

    @property
    def hashes(self) -> tuple[str, ...]:
        return tuple(each.hash for each in self.signed)

    @property
    def number(self) -> int:
        """Of the times that its instruction was begun."""
        return int(self.id.rpartition("-")[2])

    @property
    def age_s(self) -> float:
        return max(0.0, own_clock() - self.created)

    @property
    def deadline(self) -> int:
        """The last block time at which one of its transactions can do anything."""
        return max(_run(each.raw).terms.deadline for each in self.signed)

    def may_happen(self, chain_time: float = float("inf")) -> bool:
        """Whether the deadline is ahead, by the chain's clock or by ours: until both have passed
        it, no node's word makes certain that a signed transaction will not be mined."""
        return min(chain_time, own_clock()) <= self.deadline


def own_clock() -> float:
    return time.time()


def signed(raw: bytes) -> Signed:
    return Signed("0x" + raw.hex(), "0x" + keccak(raw).hex())


def written(record: RunRecord) -> str:
    return json.dumps({"format": FORMAT, **asdict(record)}, indent=1) + "\n"


def read(path: Path) -> RunRecord:
    """Raises RunRecordDamaged unless everything in the file fits together."""
    try:
        content = read_limited(path)
    except OSError as exc:
        raise RunRecordUnreadable(path, exc) from exc
    return understood(content, path)


def understood(found: str | bytes, path: Path) -> RunRecord:
    """What is, or shall be, in the file at `path`. Raises RunRecordDamaged."""
    try:
        content = load_json(found)
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise RunRecordDamaged(path, f"its format is not {FORMAT}")
        record = _parsed(content)
        wrong = _wrong(record)
    except (ValueError, TypeError, KeyError) as exc:
        raise RunRecordDamaged(path, str(exc) or type(exc).__name__) from exc
    if path.name != f"{record.id}.json":
        raise RunRecordDamaged(path, f"it is the record {record.id}")
    if wrong:
        raise RunRecordDamaged(path, wrong)
    return record


def may_be_of(path: Path, intent: Intent) -> bool:
    """Whether a file that cannot be read may be the trace of this instruction: one that its name or
    anything in it tells of. What tells of none may be of any."""
    named = NAME.fullmatch(path.name)
    told = {named[1]} if named else set()
    with suppress(OSError):
        told |= set(_told(read_limited(path).decode(errors="replace"), intent.genesis))
    return not told or intent.key in told


def _told(content: str, genesis: str) -> Iterator[str]:
    """Keys of the instructions that a damaged file tells of. genesis: of the chain asked for."""
    yield from re.findall(r'"([0-9a-f]{16})-[1-9]', content)
    with suppress(ValueError, TypeError, KeyError):
        yield Intent(**load_json(content)["intent"]).key
    for raw in re.findall(r'"0x([0-9a-f]+)"', content):
        with suppress(ValueError):
            if read := read_transaction(bytes.fromhex(raw)):
                sender, fields = read
                prompt = text(run_of(bytes.fromhex(raw)).prompt)
                yield Intent(fields["chainId"], genesis, fields["to"], sender, prompt).key


def _parsed(content: dict[str, Any]) -> RunRecord:
    fields = {key: value for key, value in content.items() if key != "format"}
    record = RunRecord(**fields)
    made = tuple(Signed(**each) for each in fields["signed"])
    record = replace(record, intent=Intent(**fields["intent"]), signed=made)
    for value, kind in _typed(record):
        if type(value) is not kind:
            raise TypeError(f"{value!r} is no {kind.__name__}")
        if isinstance(value, int) and not 0 <= value < BEYOND_COUNTING:
            raise ValueError("there is a number below 0 or beyond 2^63 - 1")
    return record


def _typed(record: RunRecord) -> Iterator[tuple[object, type]]:
    intent = record.intent
    texts = [record.id, record.state, record.transaction, record.receipt, record.note]
    texts += [intent.genesis, intent.agent, intent.account, intent.prompt, record.taken_by]
    texts += [text for each in record.signed for text in (each.raw, each.hash)]
    yield from ((text, str) for text in texts)
    numbers = [record.nonce, record.created, record.block, intent.chain_id]
    numbers += [intent.resumes, intent.after]
    yield from ((number, int) for number in numbers)


def _wrong(record: RunRecord) -> str:
    """What in a record contradicts itself; empty when nothing does."""
    if not NAME.fullmatch(f"{record.id}.json") or record.id[:16] != record.intent.key:
        return "it is named after another instruction"
    if record.state not in UNFINISHED + FINISHED:
        return f"there is no state {record.state!r}"
    if not record.signed:
        return "it holds no transaction"
    for each in record.signed:
        if reason := _foreign(record, each):
            return reason
    return _false_end(record)


def _false_end(record: RunRecord) -> str:
    """The same, of what became of its transactions."""
    if record.transaction and record.transaction not in record.hashes:
        return "the transaction that was mined is none of its own"
    if record.state in {"included", "waiting", "done", "failed"} and not record.transaction:
        return f"it is {record.state}, and no transaction was"
    if record.taken_by in record.hashes or not HASH.fullmatch(record.taken_by or "0x" + 64 * "0"):
        return "its nonce was taken by what is no other transaction"
    return ""


def _foreign(record: RunRecord, each: Signed) -> str:
    raw, intent = bytes.fromhex(each.raw.removeprefix("0x")), record.intent
    read = read_transaction(raw)
    if read is None or each.hash != "0x" + keccak(raw).hex() or each.raw != "0x" + raw.hex():
        return "a transaction in it is damaged"
    sender, fields = read
    theirs = (sender, fields["chainId"], fields["to"], fields["nonce"])
    if theirs != (intent.account, intent.chain_id, intent.agent, record.nonce):
        return "a transaction in it is of another account, chain, agent or nonce"
    run = _run(each.raw)
    if run.resumes != intent.resumes or not (run.resumes or run.prompt == raw_bytes(intent.prompt)):
        return "a transaction in it is of another instruction"
    return ""


@lru_cache(maxsize=256)
def _run(raw: str) -> RunCall:
    """Raises ValueError when it is no run."""
    return run_of(bytes.fromhex(raw[2:]))
