"""Where callbacks may go: to allowed hosts, at public addresses, never inwards."""

import ipaddress
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from zkagent.errors import in_line
from zkagent.prover.service.errors import CallbackFailed, CallbackRefused

DEFAULT_PORTS = {"http": 80, "https": 443}
LONGEST_URL = 2000
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


@dataclass(frozen=True)
class CallbackRules:
    """Where callbacks may go. hosts: `hooks.example.org` and `*.example.org` mean https on its
    usual port, `http://name:8000` exactly that. private: also to private addresses."""

    hosts: tuple[str, ...] = ()
    private: bool = False

    def check(self, url: str) -> None:
        """Without looking anything up. Raises CallbackRefused."""
        if len(url) > LONGEST_URL:
            raise CallbackRefused(url, f"it is longer than {LONGEST_URL} characters")
        if not url.isascii() or not url.isprintable() or " " in url:
            shown = url.encode("ascii", "backslashreplace").decode()
            shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in shown)
            raise CallbackRefused(shown, "expected printable ASCII without spaces: escape the rest")
        parts, port = split_url(url)
        if not any(_matches(allowed, parts, port) for allowed in self.hosts):
            allowed = ", ".join(self.hosts) or "none: see zkagent serve --allow-callback"
            raise CallbackRefused(url, f"its host is not among the allowed ones ({allowed})")

    def resolve(self, url: str) -> str:
        """The address to connect to. Raises CallbackRefused, or CallbackFailed without one."""
        self.check(url)
        parts, port = split_url(url)
        assert parts.hostname
        try:
            found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as exc:
            raise CallbackFailed(url, f"its name cannot be resolved ({exc})") from exc
        addresses = [ipaddress.ip_address(entry[4][0]) for entry in found]
        if not self.private and (inner := [a for a in addresses if not is_public(a)]):
            raise CallbackRefused(url, f"it leads to {inner[0]}, which is not a public address")
        return str(addresses[0])


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


def split_url(url: str) -> tuple[SplitResult, int]:
    """Its parts and port. Raises CallbackRefused."""
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError as exc:
        raise CallbackRefused(url, str(exc)) from exc
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise CallbackRefused(url, "expected https://host/path")
    if parts.username is not None or parts.password is not None:
        raise CallbackRefused(url, "it carries a user name or password")
    return parts, port


def check_rule(allowed: str) -> str:
    """What `CallbackRules.hosts` takes, as it came. Raises ValueError for what no URL matches."""
    try:
        rule, _ = _rule(allowed)
    except ValueError as exc:
        raise ValueError(f"{in_line(allowed)} is no host ({exc})") from exc
    name = (rule.hostname or "").removeprefix("*.")
    if rule.scheme not in DEFAULT_PORTS or not name.strip(".") or "*" in name:
        raise ValueError(f"{in_line(allowed)} is no host: name, *.name, or http://name:port")
    if rule.path.strip("/") or rule.query or rule.fragment or rule.username is not None:
        raise ValueError(f"{in_line(allowed)} is more than a host: name it alone")
    return allowed


def _rule(allowed: str) -> tuple[SplitResult, int]:
    rule = urlsplit(allowed if "://" in allowed else f"https://{allowed}")
    return rule, rule.port or DEFAULT_PORTS.get(rule.scheme, 0)


def _matches(allowed: str, parts: SplitResult, port: int) -> bool:
    rule, rule_port = _rule(allowed)
    name, host = (rule.hostname or "").rstrip("."), (parts.hostname or "").rstrip(".")
    fits = host.endswith(name[1:]) if name.startswith("*.") else host == name
    return bool(name) and fits and (rule.scheme, rule_port) == (parts.scheme, port)


__all__ = ["CallbackRules", "check_rule", "is_public", "split_url"]
