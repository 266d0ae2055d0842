"""Until when a signed run can do anything, in words: its contract refuses it in every later block,
whatever a node says of it."""

from datetime import UTC, datetime


def utc(seconds: int) -> str:
    """``2026-11-22 12:00:00 UTC``, of seconds since 1970."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


__all__ = ["utc"]
