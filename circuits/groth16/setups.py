"""Which set-ups are this machine's own.

Whoever made a development set-up can forge proofs under it, and nothing in a key tells who that was
or whether it belongs to its network at all. So a build leaves a note with the SHA-256 of the
verifying key that it made; a circuit whose folder was copied from elsewhere has none here.
"""

from pathlib import Path

from zkagent.circuits.errors import SrsUnreadable
from zkagent.circuits.groth16.key_code import HEAD
from zkagent.circuits.support.cache import cache_folder, file_digest
from zkagent.models.files import open_regular
from zkagent.models.whole import write_file


def note_own(verifying_key: str, cache: Path | None = None) -> None:
    """Remember that the verifying key with this SHA-256 was made on this machine."""
    write_file(_note(verifying_key, cache), b"made on this machine\n")


def is_own(verifying_key: str, cache: Path | None = None) -> bool:
    return _note(verifying_key, cache).is_file()


def named_key(srs: Path) -> str | None:
    """SHA-256 of the verifying key in a file; None for a set-up of another system. Raises
    SrsUnreadable."""
    try:
        with open_regular(srs) as file:
            is_key = file.read(len(HEAD)) == HEAD
        return file_digest(srs) if is_key else None
    except OSError as exc:
        raise SrsUnreadable(srs, str(exc.strerror)) from exc


def _note(verifying_key: str, cache: Path | None) -> Path:
    return cache_folder("groth16", cache=cache) / f"{verifying_key}.own"


__all__ = ["is_own", "named_key", "note_own"]
