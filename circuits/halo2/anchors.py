"""Text that must occur exactly once in a generated source, or nobody has read that source.

For the patches of ezkl's Solidity.
"""

import hashlib
import re

from zkagent.circuits.errors import VerifierChanged


def require_once(source: str, text: str) -> None:
    """Raises VerifierChanged."""
    _check_count(repr(text.strip().partition("\n")[0]), source.count(text))


def replace_once(source: str, anchor: str, replacement: str) -> str:
    """Raises VerifierChanged unless `anchor` occurs exactly once."""
    require_once(source, anchor)
    return source.replace(anchor, replacement)


def only_number(source: str, pattern: re.Pattern[str]) -> int:
    """The hexadecimal number in the pattern's one match. Raises VerifierChanged."""
    found = pattern.findall(source)
    _check_count(pattern.pattern, len(found))
    return int(found[0], 16)


def require_read(source: str, begin: str, end: str, sha256: str) -> None:
    """Refuse a source whose part from `begin` up to `end` is not, to the letter, the one read.

    Raises VerifierChanged.
    """
    require_once(source, begin)
    require_once(source, end)
    part = source[source.index(begin) : source.index(end)]
    known = hashlib.sha256(part.encode()).hexdigest() == sha256
    _check_count(f"the known text after {begin.strip()!r}", int(known))


def _check_count(what: str, count: int) -> None:
    if count != 1:
        raise VerifierChanged(what, count)


__all__ = ["only_number", "replace_once", "require_once", "require_read"]
