"""Which project files the user has read and accepted, each by the digest of its content.

Whoever clones a repository gets its zkagent.toml as well. It could lead a run, signed by the user's
own key, to a stranger's node, agent or prover service. So nothing of it is used before the user has
said `zkagent config trust`, and again after every change.
"""

import json
from pathlib import Path

from zkagent.executor.config.files import ConfigFile, Owner, user_path
from zkagent.executor.places import write_whole
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json

RECORD = "trusted.json"  # beside the user's file: absolute path -> SHA-256


def is_trusted(file: ConfigFile) -> bool:
    """The user's own file always is."""
    return file.owner is Owner.USER or _record().get(_key(file)) == file.sha256


def trust(file: ConfigFile) -> None:
    """Accept what `file` held when it was read, and nothing else."""
    _write({**_record(), _key(file): file.sha256})


def distrust(file: ConfigFile) -> None:
    _write({path: sha256 for path, sha256 in _record().items() if path != _key(file)})


def _key(file: ConfigFile) -> str:
    return str(file.path.resolve())


def _place() -> Path:
    return user_path().with_name(RECORD)


def _record() -> dict[str, str]:
    """A record that is missing or damaged trusts nobody."""
    try:
        content = load_json(read_limited(_place()))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(record: dict[str, str]) -> None:
    place = _place()
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, json.dumps(record, indent=1, sort_keys=True) + "\n")


__all__ = ["distrust", "is_trusted", "trust"]
