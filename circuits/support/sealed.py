"""JSON files that guard themselves: an object beside a digest over it, so damage is noticed.

For what the cache must not misread: manifests of circuits and records of tunings.
The digest does not depend on the order of the keys in the file.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from zkagent.circuits.errors import ArtifactCorrupted
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json
from zkagent.models.whole import write_file

Parsed = TypeVar("Parsed")


def write_sealed(path: Path, content: Mapping[str, Any], *, sort_keys: bool = False) -> None:
    """Write `content` with its digest, at once: a reader sees the old file or the new one."""
    sealed = {"content": content, "sha256": _digest(content)}
    write_file(path, (json.dumps(sealed, indent=1, sort_keys=sort_keys) + "\n").encode())


def read_sealed(path: Path, parse: Callable[[dict[str, Any]], Parsed]) -> Parsed:
    """What `parse` makes of the content that was written. Raises ArtifactCorrupted, also where
    `parse` misses something (KeyError, TypeError, ValueError)."""
    try:
        sealed = load_json(read_limited(path))
        content = sealed["content"]
        if sealed["sha256"] == _digest(content):
            return parse(content)
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise ArtifactCorrupted(path, f"it cannot be read: {type(exc).__name__}") from exc
    raise ArtifactCorrupted(path, "its digest does not fit its content")


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


__all__ = ["read_sealed", "write_sealed"]
