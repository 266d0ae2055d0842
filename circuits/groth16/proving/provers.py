"""Who proves: groth16py, or snarkjs with the same files. Nobody else asks which it is.

groth16py keeps a key loaded and is many times faster; snarkjs is started for each proof, so that
nothing of it is left afterwards. Whether a proof of either holds is not up to what made it.
"""

import tempfile
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from zkagent.circuits.errors import EngineError
from zkagent.circuits.groth16.constraints.r1cs import witness_file
from zkagent.circuits.groth16.keys.zkey import VerifyingKey
from zkagent.circuits.groth16.proving import engine
from zkagent.circuits.groth16.proving.points import Points
from zkagent.circuits.groth16.proving.verdicts import holds
from zkagent.circuits.snarkjs.install import snarkjs_folder
from zkagent.circuits.snarkjs.process import NAME, Snarkjs
from zkagent.models.whole import write_file


class Prover(StrEnum):
    """As --prover has them."""

    GROTH16PY = "groth16py"
    SNARKJS = "snarkjs"


class Key(Protocol):
    """A .zkey file to prove with."""

    def prove(self, elements: Sequence[int]) -> bytes:
        """The 256 bytes of a proof for a witness. Raises EngineError."""
        ...

    def verify(self, proof: bytes, words: Sequence[int]) -> bool:
        """Whether a proof holds for the public words; malformed ones do not."""
        ...


class SnarkjsKey:
    """A key that snarkjs reads for each proof, and that our own pairing verifies by."""

    def __init__(self, zkey: Path, verifying: VerifyingKey) -> None:
        """Raises PackagesMissing, HomeRefused."""
        snarkjs_folder()
        self._zkey, self._verifying = zkey, verifying

    def prove(self, elements: Sequence[int]) -> bytes:
        """Takes as long as it does: who has a limit ends this process, and snarkjs with it. Raises
        EngineError, ArtifactCorrupted, PackagesMissing."""
        with tempfile.TemporaryDirectory(prefix="zkagent-") as folder, Snarkjs() as snarkjs:
            wtns = Path(folder, "witness.wtns")
            write_file(wtns, witness_file(elements))
            points = snarkjs.call("prove", "prove", zkey=str(self._zkey), wtns=str(wtns))
        try:
            (ax, ay), (bx, by), (cx, cy) = points
            (x0, x1), (y0, y1) = bx, by
            numbers = [int(number) for number in (ax, ay, x0, x1, y0, y1, cx, cy)]
            ax, ay, x0, x1, y0, y1, cx, cy = numbers
            return Points((ax, ay), ((x0, x1), (y0, y1)), (cx, cy)).to_bytes()
        except (TypeError, ValueError, OverflowError) as exc:
            raise EngineError("prove", f"its proof has another form ({exc})", NAME) from exc

    def verify(self, proof: bytes, words: Sequence[int]) -> bool:
        return holds(self._verifying, proof, words)


def require(prover: Prover) -> None:
    """Raises EngineMissing, PackagesMissing, HomeRefused."""
    if prover is Prover.SNARKJS:
        snarkjs_folder()
    else:
        engine.require()


def load_key(zkey: Path, verifying: VerifyingKey, prover: Prover) -> Key:
    """verifying: what its proofs have to hold by, whatever the file says. Raises EngineError,
    EngineMissing, PackagesMissing, HomeRefused."""
    of = SnarkjsKey if prover is Prover.SNARKJS else engine.Key
    return of(zkey, verifying)


__all__ = ["Key", "Prover", "load_key", "require"]
