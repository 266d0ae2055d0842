"""What was signed for a deployment, on disk before it is broadcast.

A text file with a JSON value on each line: first what the deployment is, then one line for each
signed transaction. Lines are only ever added, each is on the disk (fsync) before its transaction
may leave this process, and a last line that was cut off stands for nothing that was sent. One
process at a time holds the file, by a lock that ends with the process.
"""

import errno
import fcntl
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Self

from eth_account import Account
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_utils.crypto import keccak
from hexbytes import HexBytes

from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.errors import JournalDamaged, JournalInUse, JournalRefused

FORMAT = "zkagent-deployment-journal-1"
SUFFIX = ".part"
#: What a deployment is, in words: whose, where, of what.
Subject = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Signed:
    """A transaction that may have been sent. content: SHA-256 of what it carries, addressee
    included; hash, raw: hex with 0x."""

    step: str
    content: str
    nonce: int
    hash: str
    raw: str


class Journal:
    """The journal at `path`, new or found there, of a deployment that is `subject`. Close it, or
    use it in a `with` block; `finish` when there is nothing left to resume.

    Raises JournalInUse, JournalDamaged, and JournalRefused for that of another deployment, by the
    first thing of the subject that differs.
    """

    def __init__(self, path: Path, subject: Subject) -> None:
        self.path, self._file, self._empty = path, _locked(path), False
        try:
            self._signed = self._read(subject)
            self._empty = not self._signed
        except BaseException:
            self.close()
            raise

    def of(self, step: str) -> list[Signed]:
        """What was signed for a step, in this order."""
        return [signed for signed in self._signed if signed.step == step]

    @property
    def steps(self) -> set[str]:
        """The names of all steps that something was signed for."""
        return {signed.step for signed in self._signed}

    def counting(self, step: str) -> list[list[Signed]]:
        """What was signed for a step and may count, by nonce; the one that was chosen last is last.
        Once a later step is signed, which has in it what this one made, no other nonce counts."""
        behind = self._behind(step)
        mine = [each for each in self._signed if each.step in {step, *behind}]
        before = list(takewhile(lambda each: each.step == step, mine))
        nonces = list(dict.fromkeys(each.nonce for each in reversed(before)))[::-1]
        kept = nonces[-1:] if behind else nonces
        return [[each for each in self.of(step) if each.nonce == nonce] for nonce in kept]

    def is_followed(self, step: str) -> bool:
        """Whether later steps are signed: then this one had taken effect."""
        return bool(self._behind(step))

    def _behind(self, step: str) -> set[str]:
        order = list(dict.fromkeys(each.step for each in self._signed))
        return set(order[order.index(step) + 1 :]) if step in order else set()

    @property
    def next_nonce(self) -> int:
        """After all that was signed and may count."""
        tries = [each for step in self.steps for each in self.counting(step)]
        return max((each[-1].nonce + 1 for each in tries), default=0)

    def add(self, signed: Signed) -> None:
        """Returns when the line is on the disk. Raises OSError, and then no line was added."""
        self._empty = False
        self._append(asdict(signed))
        self._signed.append(signed)

    def finish(self) -> None:
        """The deployment is complete: remove the file. Raises OSError where it cannot be."""
        self._empty = False
        self.path.unlink(missing_ok=True)
        self._signed.clear()
        self.close()

    def close(self) -> None:
        """Let others have it. Without a step there is nothing to resume, and the file goes, or is
        emptied where it cannot, as when it is mounted by itself."""
        if self._file >= 0:
            if self._empty:
                try:
                    self.path.unlink(missing_ok=True)
                except OSError:
                    os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1

    def _read(self, subject: Subject) -> list[Signed]:
        """Nothing in the file changes before it is known to be a journal."""
        content = os.pread(self._file, os.fstat(self._file).st_size, 0)
        whole = content[: content.rfind(b"\n") + 1]
        head = {"format": FORMAT, **subject}
        if not whole:
            if not _line(head).startswith(content):
                raise JournalDamaged(self.path, "it has no whole line")
            os.ftruncate(self._file, 0)
            self._append(head)
            _sync_folder(self.path)
            return []
        try:
            header, *lines = [load_json(line) for line in whole.splitlines()]
            signed = [Signed(**line) for line in lines]
            sound = header.pop("format") == FORMAT and all(map(_is_hashed, signed))
        except (ValueError, TypeError, KeyError, AttributeError) as exc:
            raise JournalDamaged(self.path, str(exc)) from exc
        if not sound:
            raise JournalDamaged(self.path, "a hash is not its transaction's, or another format")
        for each in signed:
            if why := _unsound(each):
                raise JournalDamaged(self.path, f"what was signed for step {each.step!r} {why}")
        self._check(header, subject, signed)
        os.ftruncate(self._file, len(whole))
        return signed

    def _check(self, header: dict[str, Any], subject: Subject, signed: list[Signed]) -> None:
        for name, value in subject.items():
            if header.get(name) != value:
                raise JournalRefused(self.path, name, header.get(name), value)
        for each in signed:
            if (chain := chain_of(each.raw)) != subject["chain"]:
                raise JournalRefused(self.path, "chain", chain, subject["chain"])
            account = Account.recover_transaction(each.raw)
            if account != subject["account"]:
                raise JournalRefused(self.path, "account", account, subject["account"])

    def _append(self, value: Mapping[str, Any]) -> None:
        line = _line(value)
        end = os.fstat(self._file).st_size
        try:
            written = os.pwrite(self._file, line, end)
            if written != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file)
        except OSError as exc:
            os.ftruncate(self._file, end)
            raise OSError(exc.errno, exc.strerror, str(self.path)) from exc

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def journal_path(out: Path) -> Path:
    """Where the journal of the deployment lies whose record will be `out`."""
    return out.with_name(out.name + SUFFIX)


def _locked(path: Path) -> int:
    """The file, ours alone; made when there is none."""
    while True:
        file = _opened(path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(file), path.stat()):
                return file
        except BlockingIOError as exc:
            os.close(file)
            raise JournalInUse(path) from exc
        os.close(file)  # removed by whoever finished it just now


def _opened(path: Path) -> int:
    """Raises JournalDamaged for what is no file of its own: who made the folder may have had it
    lead to another file of ours."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise JournalDamaged(path, "it is a link, a folder or a pipe") from exc
        raise
    found = os.fstat(file)
    if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
        return file
    os.close(file)
    raise JournalDamaged(path, "it is no file of its own")


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _is_hashed(signed: Signed) -> bool:
    return "0x" + keccak(hexstr=signed.raw).hex() == signed.hash


def _unsound(signed: Signed) -> str:
    """Why a line is none that was ever written; empty if it may be. Whoever put the file there may
    have taken another transaction of the account's for a step of ours, which everybody may read,
    and whatever a step is called, its nonce is counted on."""
    try:
        carried = carried_by(signed.raw)
        Account.recover_transaction(signed.raw)
    except Exception:  # whatever a decoder raises on foreign bytes
        return "is no transaction"
    kinds = (type(signed.step), type(signed.nonce))
    if kinds != (str, int) or (signed.content, signed.nonce) != carried:
        return "is something else than it says"
    return ""


def carried_by(raw: str) -> tuple[str, int]:
    """Digest of what a signed transaction carries, and its nonce. Raises whatever a decoder does
    on bytes that are none."""
    read = TypedTransaction.from_bytes(HexBytes(raw)).as_dict()
    to, data = bytes(read["to"]).hex(), bytes(read["data"]).hex()
    return digest({"data": f"0x{data}"} | ({"to": f"0x{to}"} if to else {})), int(read["nonce"])


def chain_of(raw: str) -> int:
    """The chain that a signed transaction is for."""
    return int(TypedTransaction.from_bytes(HexBytes(raw)).as_dict()["chainId"])


def digest(fields: Mapping[str, Any]) -> str:
    """Of what a transaction carries: data, and to unless it creates a contract."""
    text = f"{fields.get('to', '')} {fields['data']}".lower()
    return hashlib.sha256(text.encode()).hexdigest()


def _sync_folder(path: Path) -> None:
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


__all__ = ["Journal", "Signed", "Subject", "journal_path"]
