"""What was signed for each run, on disk before it leaves this process.

A file for each time that an instruction is carried out, in $ZKAGENT_HOME/runs (or the platform's
cache folder): `KEY-NUMBER.json`, where the key is a hash of chain, agent, account and prompt. All
transactions of one file have the same nonce, so at most one of them can ever be mined. A file is
replaced as a whole, and is on the disk before its transaction is sent. What cannot be read is
refused by name, since it may be the trace of a transaction.

Called by `carrier.py`; `zkagent runs` shows the files.
"""

import fcntl
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from eth_utils.crypto import keccak

from zkagent.circuits.support.cache import cache_root
from zkagent.executor.chain.deadlines import deadline_of
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.errors import RunInHand, RunRecordDamaged, UnknownRun
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json

FORMAT = "zkagent-run-1"
NAME = re.compile(r"([0-9a-f]{16})-([1-9][0-9]*)\.json", re.ASCII)
UNFINISHED = ("signed", "sent", "included")
#: done: what was asked for happened. failed: it was mined and reverted. superseded: another
#: transaction has the nonce. forgotten: by the user.
FINISHED = ("done", "failed", "superseded", "forgotten")


@dataclass(frozen=True, slots=True)
class Intent:
    """What is to be done once: an instruction, by an account, with an agent, on a chain.

    genesis: hash of the first block where chains of one id come and go, "" elsewhere. Addresses are
    lower case.
    """

    chain_id: int
    genesis: str
    agent: str
    account: str
    prompt: str

    @property
    def key(self) -> str:
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Signed:
    """A transaction that may have been sent. raw, hash: hex with 0x."""

    raw: str
    hash: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One file. created: seconds since 1970. transaction, block: of what was mined. receipt: its
    file. note: what else there is to say."""

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

    @property
    def unfinished(self) -> bool:
        return self.state in UNFINISHED

    @property
    def hash(self) -> str:
        """Of the transaction that was mined, or that was signed last."""
        return self.transaction or self.signed[-1].hash

    @property
    def deadline(self) -> int:
        """The last block time at which any of its transactions can do anything."""
        return max(deadline_of(bytes.fromhex(each.raw[2:])) for each in self.signed)

    @property
    def age_s(self) -> float:
        return max(0.0, time.time() - self.created)


class Journal:
    """The records in a folder. All methods raise RunRecordDamaged."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or runs_folder()

    def records(self) -> tuple[RunRecord, ...]:
        """All of them, the newest last."""
        found, damaged = self.look()
        if damaged:
            raise damaged[0]
        return found

    def look(self) -> tuple[tuple[RunRecord, ...], tuple[RunRecordDamaged, ...]]:
        """All that can be read, the newest last, and why the others cannot. Raises nothing."""
        found, damaged = list[RunRecord](), list[RunRecordDamaged]()
        for path in sorted(self.folder.glob("*.json")):
            try:
                found.append(_read(path))
            except RunRecordDamaged as reason:
                damaged.append(reason)
        return tuple(sorted(found, key=lambda r: (r.created, r.id))), tuple(damaged)

    def last(self, intent: Intent) -> RunRecord | None:
        """The newest record of an intent."""
        mine = [record for record in self.records() if record.intent == intent]
        return max(mine, key=_number, default=None)

    def find(self, beginning: str) -> RunRecord:
        """By its id or the beginning of it. Raises UnknownRun."""
        found = [r for r in self.records() if r.id.startswith(beginning)] if beginning else []
        if len(found) != 1:
            raise UnknownRun(beginning, [record.id for record in found])
        return found[0]

    def add(self, intent: Intent, nonce: int, signed: Signed) -> RunRecord:
        """A new record, on the disk when this returns."""
        last = self.last(intent)
        name = f"{intent.key}-{_number(last) + 1 if last else 1}"
        record = RunRecord(name, intent, nonce, (signed,), created=int(time.time()))
        self.write(record)
        return record

    def write(self, record: RunRecord) -> None:
        """Replace the file, or make it: on the disk when this returns. Raises OSError."""
        self._make_folder()
        text = json.dumps({"format": FORMAT, **asdict(record)}, indent=1) + "\n"
        number, temporary = tempfile.mkstemp(dir=self.folder, prefix=".", suffix=".new")
        try:
            with os.fdopen(number, "w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self._path(record))
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _sync(self.folder)

    def next_nonce(self, intent: Intent) -> int:
        """After all that is on its way from the intent's account on its chain; 0 for none."""
        on_its_way = [
            record.nonce + 1
            for record in self.records()
            if record.unfinished and _wallet(record.intent) == _wallet(intent)
        ]
        return max(on_its_way, default=0)

    @contextmanager
    def held(self, intent: Intent) -> Iterator[None]:
        """The intent is ours within the block. Raises RunInHand when it is another process's."""
        with self._lock(intent.key, wait=False):
            yield

    @contextmanager
    def choosing_nonce(self, intent: Intent) -> Iterator[None]:
        """No other process chooses a nonce for the account meanwhile."""
        wallet = sha256(repr(_wallet(intent)).encode()).hexdigest()[:16]
        with self._lock(f"account-{wallet}", wait=True):
            yield

    @contextmanager
    def _lock(self, name: str, *, wait: bool) -> Iterator[None]:
        self._make_folder()
        number = os.open(self.folder / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            yield
        except BlockingIOError as exc:
            raise RunInHand(name) from exc
        finally:
            os.close(number)

    def _path(self, record: RunRecord) -> Path:
        return self.folder / f"{record.id}.json"

    def _make_folder(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)


def runs_folder() -> Path:
    return cache_root() / "runs"


def signed(raw: bytes) -> Signed:
    return Signed("0x" + raw.hex(), "0x" + keccak(raw).hex())


def _read(path: Path) -> RunRecord:
    """Raises RunRecordDamaged unless everything in the file fits together."""
    try:
        content = load_json(read_limited(path))
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise RunRecordDamaged(path, f"its format is not {FORMAT}")
        record = _parsed(content)
    except (ValueError, TypeError, KeyError) as exc:
        raise RunRecordDamaged(path, str(exc) or type(exc).__name__) from exc
    except OSError as exc:
        raise RunRecordDamaged(path, exc.strerror or str(exc)) from exc
    if path.name != f"{record.id}.json":
        raise RunRecordDamaged(path, f"it is the record {record.id}")
    if wrong := _wrong(record):
        raise RunRecordDamaged(path, wrong)
    return record


def _parsed(content: dict[str, Any]) -> RunRecord:
    fields = {key: value for key, value in content.items() if key != "format"}
    record = RunRecord(**fields)
    made = tuple(Signed(**each) for each in fields["signed"])
    record = replace(record, intent=Intent(**fields["intent"]), signed=made)
    for value, kind in _typed(record):
        if type(value) is not kind:
            raise TypeError(f"{value!r} is no {kind.__name__}")
    return record


def _typed(record: RunRecord) -> Iterator[tuple[object, type]]:
    intent = record.intent
    texts = [record.id, record.state, record.transaction, record.receipt, record.note]
    texts += [intent.genesis, intent.agent, intent.account, intent.prompt]
    texts += [text for each in record.signed for text in (each.raw, each.hash)]
    yield from ((text, str) for text in texts)
    numbers = (record.nonce, record.created, record.block, intent.chain_id)
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
    if record.transaction and record.transaction not in [each.hash for each in record.signed]:
        return "the transaction that was mined is none of its own"
    return ""


def _foreign(record: RunRecord, each: Signed) -> str:
    raw, intent = bytes.fromhex(each.raw.removeprefix("0x")), record.intent
    read = read_transaction(raw)
    if read is None or each.hash != "0x" + keccak(raw).hex():
        return "a transaction in it is damaged"
    sender, fields = read
    theirs = (sender, fields["chainId"], fields["to"], fields["nonce"])
    if theirs != (intent.account, intent.chain_id, intent.agent, record.nonce):
        return "a transaction in it is of another account, chain, agent or nonce"
    return ""


def _number(record: RunRecord) -> int:
    return int(record.id.rpartition("-")[2])


def _wallet(intent: Intent) -> tuple[int, str, str]:
    return intent.chain_id, intent.genesis, intent.account


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


__all__ = ["FINISHED", "UNFINISHED", "Intent", "Journal", "RunRecord", "Signed", "signed"]
