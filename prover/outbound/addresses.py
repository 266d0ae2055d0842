"""Which addresses are the internet's, whatever they are wrapped in."""

import ipaddress
from collections.abc import Iterator

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

#: Networks whose addresses carry one of IPv4, and how many bits lie behind it.
EMBEDDING = (
    (ipaddress.IPv6Network("::/96"), 0),  # IPv4-compatible
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),  # IPv4-translated
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (ipaddress.IPv6Network("2002::/16"), 80),  # 6to4
)
#: Behind each of these is whoever answers there.
INNER_IPV4 = tuple(map(ipaddress.IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")))
#: Never the internet, whatever tables of special addresses say.
INNER = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "64:ff9b:1::/48",  # NAT64 for local use
            "2001::/32",  # Teredo: leads where its own server says
            "fec0::/10",  # site-local
            "fc00::/7",
            "fe80::/10",
            "100::/64",
            "5f00::/16",  # segment routing
            "2001:db8::/32",  # for documentation
            "3fff::/20",
        ),
    )
)
ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # in the middle of an interface's identifier
#: Where clouds tell their machines' secrets, and neighbours on the same wire: never to be called.
NEVER = tuple(
    map(
        ipaddress.ip_network,
        (
            "169.254.0.0/16",
            "100.100.100.200/32",
            "192.0.0.192/32",
            "168.63.129.16/32",
            "fe80::/10",
            "fd00:ec2::254/128",
            "fd20:ce::254/128",
            "0.0.0.0/8",
            "224.0.0.0/3",
            "::/128",
            "ff00::/8",
        ),
    )
)


def is_public(address: Address) -> bool:
    """Whether an address is one of the internet's, whatever it is wrapped in."""
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in network for network in INNER):
            return False
        for network, behind in EMBEDDING:
            if address in network:
                return is_public(_ipv4(int(address) >> behind))
        if not all(map(is_public, _carried(address))):
            return False
    elif any(address in network for network in INNER_IPV4):
        return False
    return address.is_global and not address.is_multicast


def _carried(address: ipaddress.IPv6Address) -> Iterator[ipaddress.IPv4Address]:
    """What an interface's identifier says that it leads to."""
    if int(address) >> 32 & 0xFFFF_FFFF in ISATAP:
        yield _ipv4(int(address))


def _ipv4(bits: int) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(bits & 0xFFFF_FFFF)


def is_never(address: Address) -> bool:
    """Whether it is none that anybody means, private ones included."""
    if isinstance(address, ipaddress.IPv6Address):
        for network, behind in EMBEDDING:
            if address in network and int(address) > 1:  # ::1 is this machine
                return is_never(_ipv4(int(address) >> behind))
        if any(map(is_never, _carried(address))):
            return True
    return any(address.version == network.version and address in network for network in NEVER)


__all__ = ["Address", "is_never", "is_public"]
