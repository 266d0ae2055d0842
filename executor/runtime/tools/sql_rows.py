"""What a statement gave, as JSON and no more of it than anybody wants."""

import base64
import contextlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from zkagent.executor.runtime.core.errors import ToolFault

BATCH = 20  # rows that are read before their size is looked at


@dataclass(frozen=True, slots=True)
class SqlLimits:
    """rows: more are left out, which is said. output_bytes: of them all, as JSON; more is a
    fault. seconds: of one statement, by the database's own clock."""

    rows: int = 200
    output_bytes: int = 1 << 20
    seconds: float = 5.0


@dataclass(frozen=True, slots=True)
class Rows:
    """more: whether there were others. changed: how many rows a statement changed; None where it
    is a query."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool = False
    changed: int | None = None

    def to_json(self) -> dict[str, Any]:
        shown = {} if self.changed is None else {"changed": self.changed}
        return {"columns": self.columns, "rows": self.rows, "more": self.more, **shown}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Rows":
        return cls(**found)


def rows_of(result: sa.CursorResult[Any], limits: SqlLimits) -> Rows:
    """Raises ToolFault: too much. The result is closed."""
    with contextlib.closing(result):
        return _read(result, limits)


def _read(result: sa.CursorResult[Any], limits: SqlLimits) -> Rows:
    if not result.returns_rows:
        return Rows([], [], changed=max(result.rowcount, 0))
    columns, rows, size = list(result.keys()), list[list[Any]](), 0
    # Asked for 0 rows, sqlite3 gives all.
    while (left := limits.rows + 1 - len(rows)) > 0 and (
        batch := result.fetchmany(min(BATCH, left))
    ):
        found = [[_json(value) for value in row] for row in batch]
        size += len(json.dumps(found).encode())
        if size > limits.output_bytes:
            raise ToolFault(f"its rows have more than {limits.output_bytes:,} bytes: ask for less")
        rows += found
    return Rows(columns, rows[: limits.rows], len(rows) > limits.rows)


def _json(value: Any) -> Any:
    """Bytes as {"base64": ...}; numbers that JSON has not, and all else, as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes | memoryview):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _json(each) for key, each in value.items()}
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


__all__ = ["Rows", "SqlLimits", "rows_of"]
