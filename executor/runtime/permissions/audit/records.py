"""A record of the audit log, and what a line of the file must be.

A line is the canonical JSON of a record; its hash is SHA-256 over all of it but the hash. Record 0
names the log by 16 random bytes, which anchors are for as well.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.core.json_values import JsonObject, canonical
from zkagent.models.strict_json import load_json

FIELDS = {"number", "time", "previous", "what", "hash"}
NOTHING = "0" * 64  # what comes before record 0
MOST_LINE = 1 << 16
LOG_BYTES = 16


@dataclass(frozen=True, slots=True)
class Record:
    """time: ISO 8601, by the writer's clock; previous: the hash of the record before, in hex."""

    number: int
    time: str
    previous: str
    what: JsonObject = field(default_factory=dict)

    @property
    def hash(self) -> str:
        return hashlib.sha256(canonical(self._content()).encode()).hexdigest()

    def line(self) -> bytes:
        """Without the end of the line. Raises AuditBroken: too long to be read again."""
        text = canonical({**self._content(), "hash": self.hash}).encode()
        if len(text) > MOST_LINE:
            raise AuditBroken(f"a record of {len(text):,} bytes; {MOST_LINE:,} at most are read")
        return text

    def _content(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("number", "time", "previous", "what")}


def read_line(line: bytes) -> Record:
    """Raises ValueError: it is no record, has another hash than its own, or is written otherwise
    than records are."""
    found = load_json(line, most_bytes=MOST_LINE)
    if not isinstance(found, dict) or set(found) != FIELDS:
        raise ValueError("it is no record")
    record = Record(found["number"], found["time"], found["previous"], found["what"])
    kinds = (record.number, int), (record.time, str), (record.previous, str), (record.what, dict)
    if isinstance(record.number, bool) or not all(isinstance(*each) for each in kinds):
        raise ValueError("a field of it is of another type")
    if record.line() != line:
        raise ValueError("its hash is not that of its content")
    return record


def log_id(first: Record) -> str:
    """32 hex digits. Raises ValueError: it is not the first record of a log."""
    name = first.what.get("log")
    if first.number != 0 or first.previous != NOTHING or not isinstance(name, str):
        raise ValueError("it does not begin with a record 0 that names the log")
    if len(bytes.fromhex(name)) != LOG_BYTES:
        raise ValueError("the name of the log is of another length")
    return name


__all__ = ["LOG_BYTES", "MOST_LINE", "NOTHING", "Record", "log_id", "read_line"]
