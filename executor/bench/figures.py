"""Numbers as people read them."""

from zkagent.executor.bench.results import Share, Timing

ABSENT = "–"


def seconds(value: float | None) -> str:
    """`0.4 ms` to `3.21 s`, three digits."""
    if value is None:
        return ABSENT
    if value < 1:
        return f"{three(value * 1000)} ms"
    return f"{three(value)} s"


def timed(timing: Timing | None) -> str:
    """The median, and how far half of the values lie from it."""
    if timing is None:
        return ABSENT
    return f"{seconds(timing.median)} ±{100 * timing.spread:.0f} %"


def size(count: float | None) -> str:
    """Bytes, in powers of 1000."""
    if count is None:
        return ABSENT
    for limit, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= limit:
            return f"{three(count / limit)} {unit}"
    return f"{count:.0f} B"


def gas(value: float | None) -> str:
    """`8,123` or `335k` or `2.08M`."""
    if value is None:
        return ABSENT
    if value >= 10**6:
        return f"{value / 10**6:.2f}M"
    return f"{value / 1000:.0f}k" if value >= 10**5 else f"{value:,.0f}"


def percent(share: Share | None) -> str:
    return ABSENT if share is None else f"{100 * share.value:.2f} %"


def whole(value: int | None) -> str:
    return ABSENT if value is None else f"{value:,}"


def three(value: float) -> str:
    """Three digits, more only before the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


__all__ = ["ABSENT", "gas", "percent", "seconds", "size", "three", "timed", "whole"]
