"""The encrypted file of memories, with faults of the runtime (prover/durable/encrypted.py)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.prover.durable import encrypted
from zkagent.prover.durable.errors import FileLocked

VARIABLE = "ZKAGENT_MEMORY_KEY"


def read_key(file: Path | None = None) -> str:
    """Of a file, or else of the environment. Raises MemoryFault, which never quotes it."""
    with _translated():
        return encrypted.read_key(file, VARIABLE)


def new_key(file: Path) -> None:
    """A random one in a file that only its owner reads. Raises MemoryFault where one is."""
    with _translated():
        encrypted.new_key(file)


def encrypted_engine(path: Path, key: str) -> sa.Engine:
    """Of a file that is there, or is made, readable by its owner alone. Raises MemoryFault for a
    wrong key, without touching the file."""
    with _translated():
        return encrypted.encrypted_engine(path, key, _refused)


def rekey(path: Path, old: str, new: str) -> None:
    """Encrypt a file with another key, while nobody has it open. Raises MemoryFault."""
    with _translated():
        encrypted.rekey(path, old, new)


def _refused(exc: FileLocked) -> MemoryFault:
    return MemoryFault(str(exc))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except FileLocked as exc:
        raise _refused(exc) from exc


__all__ = ["VARIABLE", "encrypted_engine", "new_key", "read_key", "rekey"]
