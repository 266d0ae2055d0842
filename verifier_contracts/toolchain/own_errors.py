"""The custom errors of contracts that were compiled on this machine from sources of one's own.

`zkagent agent build` and `deploy` leave them in the cache, by selector, so that a revert of such a
contract is shown by name in every command. Only names and types: a wrong one could mislead a reader
and nothing else.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eth_utils.abi import collapse_if_tuple
from eth_utils.crypto import keccak

from zkagent.circuits.support.cache import cache_folder, cache_root
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json
from zkagent.models.whole import write_file

FOLDER = "errors"
AbiEntry = Mapping[str, Any]


def remember_errors(entries: Iterable[AbiEntry]) -> None:
    """Of an ABI, whatever else it has. Raises HomeRefused."""
    for entry in entries:
        if entry["type"] == "error":
            path = cache_folder(FOLDER) / f"{_selector(entry)}.json"
            write_file(path, json.dumps(entry).encode())


def remembered_error(data: bytes) -> tuple[AbiEntry, ...]:
    """The error whose selector revert data begin with; () for one that nobody compiled here."""
    path: Path = cache_root() / FOLDER / f"{data[:4].hex()}.json"
    try:
        entry = load_json(read_limited(path))
        return (entry,) if _selector(entry) == data[:4].hex() else ()
    except (OSError, ValueError, TypeError, KeyError):
        return ()


def _selector(entry: AbiEntry) -> str:
    types = ",".join(collapse_if_tuple(dict(parameter)) for parameter in entry["inputs"])
    return keccak(text=f"{entry['name']}({types})")[:4].hex()


__all__ = ["remember_errors", "remembered_error"]
