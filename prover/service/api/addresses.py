"""Who counts as one when addresses are counted."""

import ipaddress


def one_peer(address: str) -> str:
    """The address; of IPv6 its first 64 bits: whoever has one has all of those behind them."""
    if ":" not in address:
        return address
    try:
        parsed = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return f"{parsed.packed[:8].hex(':', 2)}::/64"


__all__ = ["one_peer"]
