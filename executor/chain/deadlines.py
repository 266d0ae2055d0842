"""Until when a signed run can do anything, in words: its contract refuses it in every later block,
whatever a node says of it."""

from datetime import UTC, datetime

#: How long a run may be good after it is proven; four months.
MOST_LIFETIME_S = 10_000_000


def utc(seconds: int) -> str:
    """``2026-11-22 12:00:00 UTC``, of seconds since 1970; those that no calendar has, by number."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"second {seconds} since 1970"


__all__ = ["MOST_LIFETIME_S", "utc"]
