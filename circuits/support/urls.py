"""Addresses of nodes and services as users write them, looked at before anybody is called.

Called by whoever connects: clients of chains and of the proof service, commands, config files.
"""

from urllib.parse import urlsplit

EXPECTED = "expected an address that begins with http:// or https:// and names a host"


def url_problem(text: str) -> str:
    """Why nobody can be called at this address, with the remedy; empty when somebody might."""
    try:
        parts = urlsplit(text)
        if parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0:
            return "" if text.isprintable() and " " not in text else EXPECTED
    except ValueError as exc:
        return f"{exc}: {EXPECTED}"
    return EXPECTED + _meant(text)


def _meant(text: str) -> str:
    """``: http://localhost:8642?`` for an address that lacks nothing else."""
    full = f"http://{text}"
    close = ":" in text and "/" not in text and not url_problem(full)
    return f": did you mean {full}?" if close else ""


__all__ = ["EXPECTED", "url_problem"]
