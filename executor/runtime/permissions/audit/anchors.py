"""Heads of an audit log, where whoever changes the log cannot change them: signed, or on a chain.

A signed head is a statement (EIP-191) by the log's owner. Kept beside the log it shows every change
by whoever has not the key, but not that log and head were both put back to an earlier state: for
that keep copies elsewhere, or send transactions.
"""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain.signatures import sign_statement, statement_signer
from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.core.json_values import canonical
from zkagent.executor.runtime.permissions.audit.records import LOG_BYTES, Record, log_id
from zkagent.models.strict_json import load_json
from zkagent.models.whole import write_file

#: What the data of a transaction begin with; then the log, the number in 8 bytes, and the hash.
PREFIX = b"zkagent audit v1\0"
HASH_BYTES, NUMBER_BYTES = 32, 8
SIGNATURE_BYTES = 65
MOST_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Head:
    """The last record of a log at some time: log and hash in hex."""

    log: str
    number: int
    hash: str

    @classmethod
    def of(cls, first: Record, last: Record) -> "Head":
        return cls(log_id(first), last.number, last.hash)

    def text(self) -> str:
        """What is signed."""
        content = canonical(asdict(self)).encode()
        return f"zkagent audit {hashlib.sha256(content).hexdigest()}"

    def data(self) -> bytes:
        """What a transaction carries."""
        number = self.number.to_bytes(NUMBER_BYTES, "big")
        return PREFIX + bytes.fromhex(self.log) + number + bytes.fromhex(self.hash)

    @classmethod
    def from_data(cls, data: bytes) -> "Head":
        """Raises ValueError."""
        if len(data) != len(PREFIX) + LOG_BYTES + NUMBER_BYTES + HASH_BYTES:
            raise ValueError("it carries no head of an audit log")
        if not data.startswith(PREFIX):
            raise ValueError("it carries no head of an audit log")
        rest = data[len(PREFIX) :]
        log, number, of = rest[:LOG_BYTES], rest[LOG_BYTES:-HASH_BYTES], rest[-HASH_BYTES:]
        return cls(log.hex(), int.from_bytes(number, "big"), of.hex())

    @classmethod
    def from_json(cls, found: Any) -> "Head":
        """Raises ValueError."""
        if not isinstance(found, dict) or set(found) != {"log", "number", "hash"}:
            raise ValueError("it is no head of an audit log")
        number = found["number"]
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << 63:
            raise ValueError("the head's number is none")
        return cls(_hex(found["log"], LOG_BYTES), number, _hex(found["hash"], HASH_BYTES))


@dataclass(frozen=True, slots=True)
class SignedHead:
    head: Head
    signature: str

    @property
    def signer(self) -> str | None:
        """In lower case; None if nobody signed this."""
        return statement_signer(self.signature, self.head.text())

    def text(self) -> str:
        return canonical({"head": asdict(self.head), "signature": self.signature}) + "\n"

    @classmethod
    def read(cls, text: str | bytes) -> "SignedHead":
        """Raises ValueError."""
        found = load_json(text, most_bytes=MOST_BYTES)
        if not isinstance(found, dict) or set(found) != {"head", "signature"}:
            raise ValueError("it is no signed head")
        head, signature = Head.from_json(found["head"]), found["signature"]
        if not isinstance(signature, str) or not signature.startswith("0x"):
            raise ValueError("the head's signature is none")
        return cls(head, "0x" + _hex(signature[2:], SIGNATURE_BYTES))


def _hex(text: Any, length: int) -> str:
    if not isinstance(text, str) or len(text) != 2 * length or text != text.lower():
        raise ValueError(f"{length} bytes in hex are missing")
    bytes.fromhex(text)
    return text


def sign_head(account: LocalAccount, head: Head) -> SignedHead:
    return SignedHead(head, sign_statement(account, head.text()))


class HeadFile:
    """For AuditLog: keeps the newest head in a file, signed; and says which one that is, so that
    nothing is appended to a log that has it no more."""

    def __init__(self, path: Path, account: LocalAccount) -> None:
        self.path, self._account = path, account
        self._known: tuple[bytes, Head] | None = None  # what was written or checked last

    def __call__(self, head: Head) -> None:
        """Raises AuditBroken."""
        content = sign_head(self._account, head).text().encode()
        try:
            write_file(self.path, content, private=True)
        except OSError as exc:
            raise AuditBroken(f"{self.path}: the signed head cannot be written: {exc}") from exc
        self._known = content, head

    def last(self) -> Head | None:
        """None: the file is not there. Raises AuditBroken: it has no head that this account
        signed."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as exc:
            raise AuditBroken(f"{self.path}: the signed head of the audit log: {exc}") from exc
        if self._known is None or self._known[0] != content:
            self._known = content, self._checked(content)
        return self._known[1]

    def _checked(self, content: bytes) -> Head:
        try:
            found = SignedHead.read(content)
        except ValueError as exc:
            raise AuditBroken(f"{self.path}: the signed head of the audit log: {exc}") from exc
        if found.signer != self._account.address.lower():
            raise AuditBroken(
                f"{self.path}: the head of the audit log was signed by {found.signer or 'nobody'}, "
                f"not by {self._account.address}: keep log and head aside and begin others"
            )
        return found.head


def head_file(path: Path, account: LocalAccount) -> HeadFile:
    """For AuditLog: keeps the newest head in this file, signed."""
    return HeadFile(path, account)


def read_head(path: Path) -> SignedHead:
    """Raises AuditBroken."""
    try:
        return SignedHead.read(path.read_bytes())
    except (OSError, ValueError) as exc:
        raise AuditBroken(f"{path}: the signed head of the audit log: {exc}") from exc


__all__ = ["PREFIX", "Head", "HeadFile", "SignedHead", "head_file", "read_head", "sign_head"]
