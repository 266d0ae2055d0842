"""The only importer of groth16py: a key that was loaded once, which proves and verifies.

Its licence is GPL-3, unlike this project's, and it is no part of a plain installation. It is run in
processes of its own (prover.py), which one proof keeps busy: it uses a single thread. Everything it
raises becomes EngineError here.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from zkagent.circuits.bn254.multiples import PointG1, PointG2
from zkagent.circuits.errors import EngineError, EngineMissing
from zkagent.circuits.groth16.constraints.r1cs import witness_file
from zkagent.circuits.groth16.keys.zkey import VerifyingKey
from zkagent.circuits.groth16.proving.long_sums import without_long_sums

NAME, EXTRA = "groth16py", "groth16"


class Key:
    """A .zkey file, and the key that its proofs are verified by, which is not taken from that file.
    Raises EngineError, EngineMissing."""

    def __init__(self, zkey: Path, verifying: VerifyingKey) -> None:
        self._library = _library()
        with _translated("load the key"), without_long_sums(zkey) as (file, self._sums):
            self._proving, _ = self._library.import_zkey(str(file))
            key = self._library.VerifyingKey.from_snarkjs(json.dumps(_snarkjs(verifying)))
            self._verifier = self._library.Verifier(key)

    def prove(self, elements: Sequence[int]) -> bytes:
        """The 256 bytes of a proof for a witness. Raises EngineError."""
        with tempfile.NamedTemporaryFile(suffix=".wtns") as file, _translated("prove"):
            file.write(witness_file([*elements, *self._sums.of(elements)]))
            file.flush()
            return bytes(self._library.prove_wtns(self._proving, file.name))

    def verify(self, proof: bytes, words: Sequence[int]) -> bool:
        """Whether a proof holds for the public words; malformed ones do not."""
        malformed = self._library.EncodingError, self._library.VerificationError
        try:
            return bool(self._verifier.verify(proof, list(words)))
        except (*malformed, OverflowError):
            return False


def _snarkjs(key: VerifyingKey) -> dict[str, Any]:
    """As the library reads it: projective points of decimal numbers."""

    def g1(point: PointG1) -> list[str]:
        return [*map(str, point), "1"]

    def g2(point: PointG2) -> list[list[str]]:
        return [*(list(map(str, pair)) for pair in point), ["1", "0"]]

    return {
        "protocol": "groth16",
        "curve": "bn128",
        "nPublic": len(key.ic) - 1,
        "vk_alpha_1": g1(key.alpha),
        "vk_beta_2": g2(key.beta),
        "vk_gamma_2": g2(key.gamma),
        "vk_delta_2": g2(key.delta),
        "IC": [g1(point) for point in key.ic],
    }


def require() -> None:
    """Raises EngineMissing."""
    _library()


def look() -> None:
    """Without loading it, for processes that shall not. Raises EngineMissing."""
    try:
        found = find_spec(NAME)
    except ValueError:  # somebody said that it shall not be there
        found = None
    if found is None:
        raise EngineMissing(NAME, EXTRA)


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


__all__ = ["EXTRA", "NAME", "Key", "look", "require"]
