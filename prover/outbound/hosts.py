"""Which hosts may be called, and at which addresses: allowed ones, never inwards unless agreed."""

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from zkagent.errors import in_line
from zkagent.prover.errors import AddressRefused, AddressUnresolved
from zkagent.prover.outbound.addresses import is_never, is_public

DEFAULT_PORTS = {"http": 80, "https": 443}
LONGEST_URL = 2000


@dataclass(frozen=True)
class HostRules:
    """hosts: `hooks.example.org` and `*.example.org` mean https on its usual port,
    `http://name:8000` exactly that. private: also at private addresses. remedy: said where there
    are none."""

    hosts: tuple[str, ...] = ()
    private: bool = False
    remedy: str = "allow some"

    def check(self, url: str) -> None:
        """Without looking anything up. Raises AddressRefused."""
        if len(url) > LONGEST_URL:
            raise AddressRefused(url, f"it is longer than {LONGEST_URL} characters")
        if not url.isascii() or not url.isprintable() or " " in url:
            shown = url.encode("ascii", "backslashreplace").decode()
            shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in shown)
            raise AddressRefused(shown, "expected printable ASCII without spaces: escape the rest")
        parts, port = split_url(url)
        if not any(_matches(allowed, parts, port) for allowed in self.hosts):
            allowed = ", ".join(self.hosts) or f"none: {self.remedy}"
            raise AddressRefused(url, f"its host is not among the allowed ones ({allowed})")

    def resolve(self, url: str) -> tuple[str, ...]:
        """The addresses to connect to, the first one first. Raises AddressRefused, or
        AddressUnresolved without one."""
        self.check(url)
        parts, port = split_url(url)
        assert parts.hostname
        try:
            found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as exc:
            raise AddressUnresolved(url, f"its name cannot be resolved ({exc})") from exc
        addresses = [ipaddress.ip_address(str(entry[4][0])) for entry in found]
        if not self.private and (inner := [a for a in addresses if not is_public(a)]):
            raise AddressRefused(url, f"it leads to {inner[0]}, which is not a public address")
        if never := [a for a in addresses if is_never(a)]:
            raise AddressRefused(url, f"it leads to {never[0]}, which nobody may be sent to")
        return tuple(dict.fromkeys(map(str, addresses)))


def split_url(url: str) -> tuple[SplitResult, int]:
    """Its parts and port. Raises AddressRefused."""
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError as exc:
        raise AddressRefused(url, str(exc)) from exc
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise AddressRefused(url, "expected https://host/path")
    if parts.username is not None or parts.password is not None:
        raise AddressRefused(url, "it carries a user name or password")
    return parts, port


def check_rule(allowed: str) -> str:
    """What `HostRules.hosts` takes, as it came. Raises ValueError for what no URL matches."""
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


__all__ = ["HostRules", "check_rule", "split_url"]
