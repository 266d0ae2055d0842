"""The only importer of groth16py: a key that was loaded once, which proves and verifies.

Its licence is GPL-3, unlike this project's, and it is no part of a plain installation. It is run in
processes of its own (prover.py), which one proof keeps busy: it uses a single thread. Everything it
raises becomes EngineError here.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from zkagent.circuits.errors import EngineError, EngineMissing
from zkagent.circuits.groth16.r1cs import witness_file

NAME, EXTRA = "groth16py", "groth16"


class Key:
    """A .zkey file. Raises EngineError, EngineMissing."""

    def __init__(self, zkey: Path) -> None:
        self._library = _library()
        with _translated("load the key"):
            self._proving, verifying = self._library.import_zkey(str(zkey))
            self._verifier = self._library.Verifier(verifying)

    def prove(self, elements: Sequence[int]) -> bytes:
        """The 256 bytes of a proof for a witness. Raises EngineError."""
        with tempfile.NamedTemporaryFile(suffix=".wtns") as file, _translated("prove"):
            file.write(witness_file(elements))
            file.flush()
            return bytes(self._library.prove_wtns(self._proving, file.name))

    def verify(self, proof: bytes, words: Sequence[int]) -> bool:
        """Whether a proof holds for the public words; malformed ones do not."""
        malformed = self._library.EncodingError, self._library.VerificationError
        try:
            return bool(self._verifier.verify(proof, list(words)))
        except (*malformed, OverflowError):
            return False


def require() -> None:
    """Raises EngineMissing."""
    _library()


def _library() -> Any:
    try:
        import groth16py
    except ImportError as exc:
        raise EngineMissing(NAME, EXTRA) from exc
    return groth16py


@contextmanager
def _translated(stage: str) -> Iterator[None]:
    """Its errors share no root, and a panic is no Exception."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as exc:
        raise EngineError(stage, " ".join(str(exc).split()), NAME) from exc


__all__ = ["EXTRA", "NAME", "Key", "require"]
