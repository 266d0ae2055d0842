"""Calls of any contract, each signed once for a key, however often it is asked for.

What is signed is on disk, under its key, before it leaves this process; whoever comes again with
the key, after a crash or a time-out, finds it, and at most sends the same transaction again. What
was signed happens: a later call sends it first, since its own nonce is behind it. All calls of an
account wait for each other while they get their nonces. Files end in .json, and in .json.settled
once their transaction is in a settled block; whoever reads or renames one holds the account's lock.
Nonces that others use for the account at the same time are not known here: give it an account of
its own.
"""

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak
from web3 import Web3

from zkagent.executor.chain.agent import ContractCall
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.chain.web3_sender import POLL_S, Mined, Web3Sender
from zkagent.executor.errors import CallRecordDamaged, CallTaken, CallUnsettled
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json
from zkagent.models.whole import write_file
from zkagent.verifier_contracts.errors import ChainError

FORMAT = "zkagent-call-1"
KEY = re.compile(r"[0-9a-f]{16,128}", re.ASCII)
GAS_MARGIN_PERCENT = 20
#: How long a nonce is looked at that is used by nobody knows whom: nodes behind one address do not
#: all know the latest block, and a transaction of ours is mined between two questions.
TAKEN_S = 5.0


@dataclass(frozen=True)
class CallRecord:
    """One file: a call of a key, and the transaction that was signed for it (hex with 0x)."""

    key: str
    chain_id: int
    account: str
    contract: str
    data: str
    value_wei: int
    raw: str

    @property
    def transaction(self) -> bytes:
        return bytes.fromhex(self.raw[2:])

    @property
    def hash(self) -> str:
        return "0x" + keccak(self.transaction).hex()

    @property
    def nonce(self) -> int:
        return int(self._read[1]["nonce"])

    @property
    def _read(self) -> tuple[str, Mapping[str, Any]]:
        """Signer and fields. Raises ValueError."""
        read = read_transaction(self.transaction)
        if read is None:
            raise ValueError("it holds no signed transaction")
        return read

    def check(self) -> None:
        """Raises ValueError unless the transaction is what the record says."""
        signer, fields = self._read
        said: dict[str, Any] = {"to": self.contract, "data": bytes.fromhex(self.data[2:])}
        said |= {"value": self.value_wei, "chainId": self.chain_id}
        if signer != self.account or any(fields.get(k) != v for k, v in said.items()):
            raise ValueError("its transaction is not what it says")


class ContractCalls:
    """Of one account, to one contract. folder: made if it is not there, for this account's calls
    of all contracts. confirmations: blocks, the call's own included."""

    def __init__(
        self,
        web3: Web3,
        contract: str,
        signer: LocalAccount,
        folder: Path,
        *,
        confirmations: int = 1,
    ) -> None:
        self.sender = Web3Sender(web3, contract, signer)
        self.contract = str(self.sender.entry).lower()
        self.folder, self.confirmations = folder, confirmations

    def send_once(self, key: str, call: ContractCall, timeout_s: float) -> Mined:
        """The transaction in a block, whether it succeeded or not.

        Raises RevertError, InsufficientFunds, FeeRefused and other ChainErrors when nothing was
        signed; CallUnsettled when it is not in a block in time, or the node fails meanwhile: come
        again with the key; CallTaken when the node keeps saying that something else used its nonce,
        and never showed it in a settled block; CallRecordDamaged.
        """
        with self._lock():
            record = self._record(key, call) or self._signed(key, call)
            with _unsettled(record, timeout_s):
                self._hand_in(record)
        with _unsettled(record, timeout_s):
            return self._wait(record, timeout_s)

    def _hand_in(self, record: CallRecord) -> None:
        if self._mined(record) or self._used(self.sender.height(), record):
            return
        for each in self._up_to(record):
            try:
                self.sender.broadcast(each.transaction)
            except ChainError as exc:
                if "nonce too low" not in str(exc).lower():  # mined since, or looked into later
                    raise

    def _signed(self, key: str, call: ContractCall) -> CallRecord:
        gas = self.sender.gas_limit(self.sender.estimate_gas(call), GAS_MARGIN_PERCENT)
        fees, nonce = self.sender.fees(), self._nonce()
        raw = self.sender.sign(call, gas=gas, fees=fees, nonce=nonce)
        record = CallRecord(
            key,
            self.sender.chain_id,
            self.sender.account,
            self.contract,
            "0x" + call.data.hex(),
            call.value_wei,
            "0x" + raw.hex(),
        )
        self._write(record)
        return record

    def _nonce(self) -> int:
        """The first that neither the node has a transaction for, nor we."""
        pending, held = self.sender.next_nonce(), {each.nonce for each in self._waiting()}
        return next(nonce for nonce in count(pending) if nonce not in held)

    def _up_to(self, record: CallRecord) -> list[CallRecord]:
        """It, behind what it waits for."""
        found = [each for each in self._waiting() if each.nonce < record.nonce]
        return [*sorted(found, key=lambda each: each.nonce), record]

    def _waiting(self) -> list[CallRecord]:
        """What was signed for the account and whose nonce is free, as the node says."""
        used = self.sender.transactions_by(self.sender.height())
        wallet = (self.sender.account, self.sender.chain_id)
        found = map(self._read, sorted(self.folder.glob("*.json")))
        return [r for r in found if (r.account, r.chain_id) == wallet and r.nonce >= used]

    def _used(self, block: int, record: CallRecord) -> bool:
        """Whether its nonce is, by something that was mined up to this block."""
        return self.sender.transactions_by(block) > record.nonce

    def _wait(self, record: CallRecord, timeout_s: float) -> Mined:
        until = time.monotonic() + timeout_s
        taken_since: float | None = None
        while True:
            found, settled = self._mined(record), self.sender.height() - self.confirmations + 1
            if found and settled >= found.block:
                self._settle(record)
                return found
            now = time.monotonic()
            if found or not self._used(settled, record):
                taken_since = None
            elif taken_since is None:
                taken_since = now
            elif now - taken_since > TAKEN_S and not _settled(self._path(record.key)).exists():
                raise CallTaken(record.hash, record.nonce)
            if now > until:
                raise CallUnsettled(record.hash, timeout_s)
            time.sleep(POLL_S)

    def _mined(self, record: CallRecord) -> Mined | None:
        return self.sender.mined(record.hash)

    def _settle(self, record: CallRecord) -> None:
        path = self._path(record.key)
        with self._lock(), suppress(FileNotFoundError):  # somebody else's doing, of the same call
            path.replace(_settled(path))

    def _record(self, key: str, call: ContractCall) -> CallRecord | None:
        """Raises CallRecordDamaged, also for a key that stood for another call."""
        path = self._path(key)
        if not path.exists() and not (path := _settled(path)).exists():
            return None
        record = self._read(path)
        here = (self.sender.chain_id, self.sender.account, self.contract)
        here_call = ("0x" + call.data.hex(), call.value_wei)
        if (record.chain_id, record.account, record.contract) != here or (
            record.data,
            record.value_wei,
        ) != here_call:
            raise CallRecordDamaged(path, "the key stands for another call")
        return record

    def _read(self, path: Path) -> CallRecord:
        try:
            found = load_json(read_limited(path))
            if not isinstance(found, dict) or found.pop("format", None) != FORMAT:
                raise ValueError(f"it is no {FORMAT}")
            record = CallRecord(**found)
            record.check()
        except (ValueError, TypeError, OSError) as exc:
            raise CallRecordDamaged(path, str(exc)) from exc
        return record

    def _write(self, record: CallRecord) -> None:
        text = json.dumps({"format": FORMAT, **asdict(record)})
        write_file(self._path(record.key), text.encode(), private=True)
        number = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(number)  # its name, too, is on the disk before anything is sent
        finally:
            os.close(number)

    def _path(self, key: str) -> Path:
        if not KEY.fullmatch(key):
            raise ValueError(f"{key!r:.80} is no key: 16 to 128 digits of hex")
        return self.folder / f"{key}.json"

    @contextmanager
    def _lock(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        wallet = sha256(f"{self.sender.chain_id}:{self.sender.account}".encode()).hexdigest()[:16]
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        number = os.open(self.folder / f"{wallet}.lock", flags, 0o600)
        try:
            fcntl.flock(number, fcntl.LOCK_EX)
            yield
        finally:
            os.close(number)


@contextmanager
def _unsettled(record: CallRecord, timeout_s: float) -> Iterator[None]:
    """What was signed may happen, whatever else a node says."""
    try:
        yield
    except ChainError as exc:
        raise CallUnsettled(record.hash, timeout_s, str(exc)) from exc


def _settled(path: Path) -> Path:
    return path.with_name(f"{path.name}.settled")


__all__ = ["CallRecord", "ContractCalls"]
