"""Makes one circuit and proves with it when told to, as a process of its own.

A process for each circuit, because peak memory is a process's, and so that circuits can take turns:
what else a machine does meanwhile then slows all of them alike. Nothing here enters the cache.
"""

import sys
import time
from pathlib import Path
from typing import Any

from zkagent.circuits.errors import CircuitError, EngineError
from zkagent.circuits.support.child_process import ParentLink, peak_rss_bytes


class Workshop:
    """The files of one circuit in a folder of its own."""

    def __init__(self, folder: Path, srs: Path) -> None:
        self._srs = srs
        self._onnx, self._settings = folder / "network.onnx", folder / "settings.json"
        self._compiled, self._witness = folder / "network.ezkl", folder / "witness.json"
        self._vk, self._pk = folder / "circuit.vk", folder / "circuit.pk"

    def make(self, inputs: list[list[int]]) -> dict[str, Any]:
        """Compile, make keys and a witness; seconds for the keys and the proof's length."""
        from zkagent.circuits.halo2 import ezkl_engine
        from zkagent.circuits.halo2.verifier_patch import patch_verifier

        ezkl_engine.compile_network(self._onnx, self._settings, self._compiled)
        begun = time.perf_counter()
        ezkl_engine.make_keys(self._compiled, self._srs, self._vk, self._pk)
        setup_s = time.perf_counter() - begun
        generated = ezkl_engine.make_verifier(self._vk, self._settings, self._srs)
        verifier = patch_verifier(generated, development=True)
        ezkl_engine.evaluate(self._compiled, inputs, self._witness)
        return {
            "setup_s": setup_s,
            "proof_bytes": verifier.proof_bytes,
            "pk_bytes": self._pk.stat().st_size,
            "peak_bytes": peak_rss_bytes(),
        }

    def prove(self) -> dict[str, Any]:
        """Prove once and verify. Raises EngineError for a false proof."""
        from zkagent.circuits.halo2 import ezkl_engine

        begun, worked = time.perf_counter(), time.process_time()
        proof, instances = ezkl_engine.prove_witness(
            self._compiled, self._witness, self._pk, self._srs
        )
        seconds, processor_s = time.perf_counter() - begun, time.process_time() - worked
        if not ezkl_engine.verify_instances(proof, instances, self._settings, self._vk, self._srs):
            raise EngineError("prove", "a proof of a circuit under trial is false")
        return {"seconds": seconds, "processor_s": processor_s, "peak_bytes": peak_rss_bytes()}


def main() -> None:
    link = ParentLink(int(sys.argv[1]))
    requests = link.requests()
    first = next(requests)
    workshop = Workshop(Path(first["folder"]), Path(first["srs"]))
    try:
        link.send(workshop.make(first["inputs"]))
        for _ in requests:
            link.send(workshop.prove())
    except CircuitError as exc:
        link.send({"error": str(exc)})


if __name__ == "__main__":
    main()
