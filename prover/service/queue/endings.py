"""What a key is told of a proof that it waits for no more: how it was when that ended, whatever
others do with it afterwards. Written where handles are closed, read where they are shown.
"""

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

TOLD = ("generation", "version", "queued_at", "started_at", "finished_at", "failure", "reason")


def ending(proof: sa.Row[Any], **now: object) -> str:
    """Of a locked proof. now: what is otherwise than its row says."""
    told = {name: getattr(proof, name) for name in TOLD}
    return json.dumps(told | now)


def as_it_ended(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A proof's columns as a handle shows them, whose `ended` is among them."""
    return {**row, **(json.loads(row["ended"]) if row["ended"] else {})}


__all__ = ["as_it_ended", "ending"]
