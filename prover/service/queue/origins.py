"""Hosts that callbacks go to, each by one name however it is spelled: whoever counts goes by it."""

import ipaddress
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443}


def origin_of(url: str) -> str:
    """Host and port; an address that means nothing stands for itself."""
    try:
        parts = urlsplit(url)
        name, port = (parts.hostname or "").rstrip("."), parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        return url
    return f"{_one_spelling(name)}:{port}"


def _one_spelling(name: str) -> str:
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name


__all__ = ["origin_of"]
