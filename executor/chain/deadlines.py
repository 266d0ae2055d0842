"""Until when a signed run can do anything: its contract refuses it in every later block, whatever a
node says of it."""

from datetime import UTC, datetime

from zkagent.executor.chain.calls import run_of


def deadline_of(raw: bytes) -> int:
    """The last block time, in seconds since 1970. Raises ValueError when it is no run."""
    return run_of(raw).terms.deadline


def utc(seconds: int) -> str:
    """``2026-11-22 12:00:00 UTC``."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


__all__ = ["deadline_of", "utc"]
