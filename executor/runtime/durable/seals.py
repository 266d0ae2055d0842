"""Keyed hashes over what a run left, by which every change of it shows.

Events are chained: each one's hash is over the one before and its own text, so that none can be
changed, moved, put in or taken out. Records are hashed by run and name. The seal of a run is over
its state, its result, how many records and events there are and the newest event's hash, so that
nothing can be cut off. All hashes are HMAC-SHA256 with a key that is derived from the file's: who
may write to a database, such as one on Postgres, can make none. Who puts all of a run back as it
was earlier is not noticed.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from zkagent.executor.runtime.core.json_values import canonical

#: Columns of `runs` that others may not change, whatever its state.
SEALED = "id agent principal session seed task finished steps success code".split()


class Seals:
    """key: 64 hexadecimal digits, as in encrypted.py."""

    def __init__(self, key: str) -> None:
        self._key = hmac.digest(bytes.fromhex(key), b"zkagent: records of runs", "sha256")

    def first(self, run_id: str) -> str:
        """Of a run without events."""
        return self._hash("events", run_id)

    def following(self, head: str, event: str) -> str:
        return self._hash("event", head, event)

    def record(self, run_id: str, name: str, value: str) -> str:
        return self._hash("record", run_id, name, value)

    def run(self, row: Mapping[str, Any]) -> str:
        """What says which of the columns of `runs` may not be changed by others."""
        kept = [row[name] for name in SEALED]
        ended = row["state"] == "finished"
        result = hashlib.sha256((row["result"] or "").encode()).hexdigest()
        return self._hash(
            "run", canonical([*kept, ended, result, row["records"], row["events"]]), row["head"]
        )

    def _hash(self, *parts: str) -> str:
        """Of the parts as such: none can take from another."""
        content = canonical(parts).encode()
        return hmac.new(self._key, content, "sha256").hexdigest()


def same(one: str, other: str) -> bool:
    return hmac.compare_digest(one, other)


def chained(seals: Seals, run_id: str, events: Sequence[tuple[int, str, str]]) -> str | None:
    """The newest hash of (number, text, hash) in order; None where one does not follow."""
    head = seals.first(run_id)
    for expected, (number, text, found) in enumerate(events):
        head = seals.following(head, text)
        if number != expected or not same(head, found):
            return None
    return head


__all__ = ["Seals", "chained", "same"]
