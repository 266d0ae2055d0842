"""The process in which a Groth16 circuit is measured, like `worker.py`, without ezkl in memory.

The key is loaded once, as in a process that proves; the clock runs around the witness and the
library, not around files of keys.
"""

import tempfile
import time
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from zkagent.circuits.errors import InputRefused
from zkagent.circuits.groth16.constraints.solver import Solver
from zkagent.circuits.groth16.keys.key_code import KeyCode
from zkagent.circuits.groth16.proving.engine import Key
from zkagent.executor.bench.measuring import serve


class KeyedWorker:
    """One circuit's files and what can be asked about them."""

    def __init__(self, paths: dict[str, str]) -> None:
        self.input_bits = int(paths.pop("input_bits"))
        self.paths = {name: Path(path) for name, path in paths.items()}

    @cached_property
    def _solver(self) -> Solver:
        return Solver.read(self.paths["solver"])

    @cached_property
    def _key(self) -> Key:
        return Key(self.paths["pk"], self._code.key)

    @cached_property
    def _code(self) -> KeyCode:
        return KeyCode.from_bytes(self.paths["vk"].read_bytes())

    def setup(self) -> dict[str, Any]:
        """Make the keys once more, to throw away."""
        from zkagent.circuits.groth16.constraints.compiler import compile_program
        from zkagent.circuits.groth16.keys.development import write_files
        from zkagent.circuits.program.reader import read_program

        compiled = compile_program(
            read_program(self.paths["circuit"].read_bytes(), self.input_bits)
        )
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            write_files(compiled, Path(folder, "solver"), Path(folder, "key"))
            return {"setup_s": time.perf_counter() - started}

    def prove(self, inputs: list[int]) -> dict[str, Any]:
        """Witness, proof and verdict of each row, timed together."""
        count, code, key = self._solver.inputs, self._code, self._key
        rows = [inputs[at : at + count] for at in range(0, len(inputs), count)]
        times = [time.perf_counter()]
        witnesses = [self._solver.witness(x, code.digest) for x in rows]
        elements = [witness.elements() for witness in witnesses]
        times.append(time.perf_counter())
        proofs = [key.prove(each) for each in elements]
        times.append(time.perf_counter())
        outputs = [self._solver.outputs_of(witness) for witness in witnesses]
        words = [code.public_words(x, y) for x, y in zip(rows, outputs, strict=True)]
        holds = all(key.verify(proof, each) for proof, each in zip(proofs, words, strict=True))
        times.append(time.perf_counter())
        return {
            "outputs": [value for y in outputs for value in y],
            "proof": b"".join(proofs).hex(),
            "instances": [word for each in words for word in each],
            "holds": holds,
            "witness_s": times[1] - times[0],
            "prove_s": times[2] - times[1],
            "verify_s": times[3] - times[2],
        }

    def evaluate(self, samples: str) -> dict[str, Any]:
        """The outputs for each sample of an .npy file; null for one that has no witness."""
        found: list[list[int] | None] = []
        for sample in np.load(samples, allow_pickle=False):
            x = [int(value) for value in sample.reshape(-1)]
            try:
                witness = self._solver.witness(x, self._code.digest)
            except InputRefused:
                found.append(None)
            else:
                found.append(self._solver.outputs_of(witness))
        return {"outputs": found}


if __name__ == "__main__":
    serve(KeyedWorker)
