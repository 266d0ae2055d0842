"""Which addresses count as one peer's."""

import pytest

from zkagent.prover.service.api.addresses import one_peer


@pytest.mark.parametrize(
    ("address", "peer"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002::/64"),
        ("2001:DB8:1:2::", "2001:0db8:0001:0002::/64"),
        ("fe80::1%eth0", "fe80:0000:0000:0000::/64"),
        ("", ""),
        ("no:address", "no:address"),
    ],
)
def test_of_ipv6_a_network_of_64_bits_is_one_peer(address: str, peer: str) -> None:
    assert one_peer(address) == peer
