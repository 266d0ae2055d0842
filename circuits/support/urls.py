"""Addresses of nodes and services as users write them, looked at before anybody is called.

Called by whoever connects: clients of chains and of the proof service, commands, config files.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

EXPECTED = "expected an address that begins with http:// or https:// and names a host"
#: What an address begins with, of any scheme: from where a word begins alone, so that none takes
#: long.
SCHEME = re.compile(r"(?<![a-z0-9+.-])[a-z0-9+.-]++://", re.IGNORECASE)
#: Its end, behind any password: without the comma or question mark behind it, which are no part.
REST = re.compile(r"(?:[^\s'\"<>|)]*[^\s'\"<>|),;:?])?")
#: Behind the host, or without one, it has the name of a database, which is no key.
DATABASE = re.compile(r"sqlite:///[^?#]*|postgresql://[^?#@\\]*")


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
    return f": did you mean {shown_url(full)}?" if close else ""


def shown_url(url: str) -> str:
    """An address as it may be printed: scheme, host and port. Names, passwords, paths and queries
    hold keys of nodes and services; ``/...`` stands for them."""
    scheme, mark, rest = url.rpartition("://") if url.count("://") == 1 else ("", "", url)
    authority, *tail = re.split(r"[/?#\\]", rest, maxsplit=1)
    if any("@" in part or "://" in part for part in tail):
        return f"{scheme}{mark}..."  # a password with a slash in it, perhaps
    host = authority.rpartition("@")[2]
    return f"{scheme}{mark}{host}" + ("/..." if any(part.strip("/") for part in tail) else "")


def without_keys(text: str) -> str:
    """A traceback or error, say, with each address in it as `shown_url` has it; that of a database
    that has no password or query, as it is."""
    text = re.sub(r"(?<=with url: )\S+", "/...", text)  # how requests and urllib3 name a path
    return re.sub(r"\S+", lambda found: "".join(_parts(found[0])), text)


def _parts(word: str) -> Iterator[str]:
    """What stands between blanks, with each address in it as it may be shown. A password may have
    any sign in it, so that one ends at the last at sign."""
    at, done = word.rfind("@"), 0
    while found := SCHEME.search(word, done):
        rest = REST.match(word, max(found.end(), at + 1))
        end = rest.end() if rest else len(word)
        yield word[done : found.start()]
        yield _shown_in_text(word[found.start() : end])
        done = end
    yield word[done:]


def _shown_in_text(url: str) -> str:
    alone = url.count("://") == 1
    return url if alone and DATABASE.fullmatch(url) else shown_url(url)


__all__ = ["EXPECTED", "shown_url", "url_problem", "without_keys"]
