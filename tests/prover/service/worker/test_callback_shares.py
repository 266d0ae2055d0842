"""How many callbacks are under way at once, for whom."""

import pytest

from zkagent.prover.service.queue.keys import LOCAL
from zkagent.prover.service.worker.callback_shares import (
    AT_ONCE,
    AT_ONCE_PER_HOST,
    AT_ONCE_PER_KEY,
    AT_ONCE_PER_WILDCARD,
    Shares,
)

RULES = ("*.tenants.test", "http://*.Other.test.:8000", "hooks.example.org")


def taken(shares: Shares, host: str, key: str) -> int:
    """How many more of these there may be; `#` in a name stands for a number of its own."""
    for count in range(2 * AT_ONCE):
        names = host.replace("#", str(count)), key.replace("#", str(count))
        if not shares.fits(*names):
            return count
        shares.take(*names)
    return 2 * AT_ONCE


@pytest.mark.parametrize(
    ("host", "key", "most", "full"),
    [
        ("a.test:443", "k#", AT_ONCE_PER_HOST, ("host", "a.test:443")),
        ("a.test:443", LOCAL, AT_ONCE_PER_HOST, ("host", "a.test:443")),
        ("h#.test:443", "k", AT_ONCE_PER_KEY, ("key", "k")),
        ("h#.tenants.test:443", "k#", AT_ONCE_PER_WILDCARD, ("wildcard", ".tenants.test")),
        ("h#.a.other.test:8000", LOCAL, AT_ONCE_PER_WILDCARD, ("wildcard", ".other.test")),
        ("h#.test:443", LOCAL, AT_ONCE, None),
    ],
)
def test_nobody_has_more_than_a_share(
    host: str, key: str, most: int, full: tuple[str, str] | None
) -> None:
    shares = Shares(RULES)
    assert taken(shares, host, key) == most == shares.count
    for kind in ("host", "key", "wildcard"):
        assert shares.full(kind) == ([full[1]] if full and full[0] == kind else [])
    assert shares.fits("other.example:443", "other") is (most < AT_ONCE)


def test_what_is_given_back_is_forgotten() -> None:
    shares = Shares(RULES)
    for number in range(1000):
        shares.take(f"h{number}.tenants.test:443", f"k{number}")
        shares.give_back(f"h{number}.tenants.test:443", f"k{number}")
    assert (shares.count, dict(shares._busy)) == (0, {})
