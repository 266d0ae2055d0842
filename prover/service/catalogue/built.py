"""The real catalogue: this machine's circuit cache, and the models whose circuits are in it."""

import contextlib
import json
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from zkagent.circuits.artifacts import Circuit, Proof, is_digest
from zkagent.circuits.errors import CircuitError, CircuitNotFound
from zkagent.circuits.networks.batch import MOST_ROWS, batch_network
from zkagent.circuits.store import list_circuits, read_stored
from zkagent.circuits.support.cache import cache_root
from zkagent.circuits.systems import find_system, load_circuit, system_id
from zkagent.prover.local import LocalProver
from zkagent.prover.service.catalogue.catalogue import Artifact, BatchForm, Card, Prover
from zkagent.prover.service.catalogue.verifier_process import VerifierProcess
from zkagent.prover.service.errors import CircuitUnknown, StartRefused

if TYPE_CHECKING:
    from zkagent.models.catalogue import Model
    from zkagent.prover.verification import Verdict

# What verifier_patch makes of the generated contract, for callers without a compiler.
VERIFIER_ABI = [
    {
        "type": "function",
        "name": "verify",
        "stateMutability": "view",
        "inputs": [
            {"name": "proof", "type": "bytes", "internalType": "bytes"},
            {"name": "instances", "type": "uint256[]", "internalType": "uint256[]"},
        ],
        "outputs": [],
    }
]


class BuiltCircuits:
    """Every circuit in the cache, by digest; the given models, by name.

    Circuits are checked once per process: reading them means hashing their proving keys.
    """

    def __init__(self, models: Iterable[str] = (), *, cache: Path | None = None) -> None:
        """models: names or folders of agents' models. Raises ModelError for others."""
        from zkagent.models.catalogue import Model, load_model

        self._cache = cache_root(cache)
        loaded = [load_model(name, Model) for name in models]
        self._models = {model.name: model for model in loaded}
        self._model_circuits: dict[str, str] = {}
        self._open: dict[str, Circuit] = {}
        self._batches: dict[str, tuple[BatchForm, ...]] = {}
        self._verifier = VerifierProcess(self._cache)
        self._readable: set[str] = set()
        self._lock = threading.Lock()

    def build_models(self) -> None:
        """Build the models' circuits that are missing; minutes at worst. Raises CircuitError."""
        from zkagent.circuits.halo2.build_process import build_isolated

        for name, model in self._models.items():
            circuit = self._find(model.manifest.files.onnx)
            if circuit is None:
                circuit = build_isolated(model.onnx_path, cache=self._cache)
            self._open[circuit.digest] = circuit
            self._model_circuits[name] = circuit.digest

    def add_batch(self, single: str, batch: str) -> None:
        """Let requests for one circuit share proofs of another: B rows of its inputs, one after
        another, and B of its outputs. Raises CircuitError, StartRefused."""
        one, many = self._circuit(single), self._circuit(batch)
        capacity = many.input_count // one.input_count
        if (
            not 2 <= capacity <= MOST_ROWS
            or batch_network(one.onnx, capacity).sha256 != many.origin.onnx
        ):
            raise StartRefused(
                f"circuit {batch[:12]} ({many.input_count} -> {many.output_count}) is no batch of "
                f"{single[:12]} ({one.input_count} -> {one.output_count}): build one with "
                "`zkagent circuit build MODEL --batch B`"
            )
        form = BatchForm(batch, capacity)
        self._batches[single] = (*self._batches.get(single, ()), form)

    def offered(self) -> frozenset[str]:
        found = frozenset(list_circuits(self._cache))
        self._readable |= {digest for digest in found - self._readable if self._is_readable(digest)}
        return found & self._readable

    def cards(self) -> list[Card]:
        found = []
        for digest in list_circuits(self._cache):
            try:
                found.append(self.card(digest))
            except (CircuitUnknown, CircuitError):  # outdated or damaged: not on offer
                continue
        return found

    def card(self, digest: str) -> Card:
        circuit = self._circuit(digest)
        facts = circuit.facts
        names = tuple(name for name, of in self._model_circuits.items() if of == digest)
        return Card(
            digest=digest,
            models=names,
            input_count=facts.input_count,
            output_count=facts.output_count,
            exact=facts.exact,
            input_scale_bits=facts.input_scale_bits,
            development_srs=circuit.development_srs,
            proof_bytes=facts.proof_bytes,
            batches=self._batches.get(digest, ()),
        )

    def circuit_of(self, model: str) -> str:
        if model not in self._model_circuits:
            raise CircuitUnknown(model, sorted(self._model_circuits))
        return self._model_circuits[model]

    def model(self, name: str) -> "Model":
        if name not in self._models:
            raise CircuitUnknown(name, sorted(self._models))
        return self._models[name]

    def prover(self, digest: str, timeout_s: float, threads: int | None) -> Prover:
        return LocalProver(self._circuit(digest), timeout_s=timeout_s, threads=threads)

    def verify(self, proof: Proof) -> "Verdict":
        self._circuit(proof.circuit)
        return self._verifier.verify(proof)

    def artifact(self, digest: str, name: Artifact) -> bytes:
        circuit = self._circuit(digest)
        if name is Artifact.ABI:
            return json.dumps(VERIFIER_ABI).encode()
        path = {
            Artifact.VERIFYING_KEY: circuit.vk,
            Artifact.SOLIDITY: circuit.verifier_source,
            Artifact.SETTINGS: circuit.settings,
        }[name]
        return path.read_bytes()

    def close(self) -> None:
        self._verifier.close()

    def _is_readable(self, digest: str) -> bool:
        """Whether it is of a proof system that is here, its keys unread."""
        try:
            find_system(system_id(read_stored(digest, self._cache).origin.system))
        except (CircuitError, OSError):
            return False
        return True

    def _find(self, onnx: str) -> Circuit | None:
        """A built circuit of the network with this SHA-256; one of a real ceremony first."""
        found = []
        for digest in list_circuits(self._cache):
            with contextlib.suppress(CircuitUnknown, CircuitError):
                if (circuit := self._circuit(digest)).origin.onnx == onnx:
                    found.append(circuit)
        return min(found, key=lambda circuit: circuit.development_srs, default=None)

    def _circuit(self, digest: str) -> Circuit:
        """Raises CircuitUnknown; CircuitError when it is there but cannot be used."""
        with self._lock:
            if digest not in self._open:
                if not is_digest(digest):
                    raise CircuitUnknown(digest, sorted(self._model_circuits))
                try:
                    self._open[digest] = load_circuit(digest, self._cache)
                except CircuitNotFound as exc:
                    raise CircuitUnknown(digest, sorted(self._model_circuits)) from exc
            return self._open[digest]


__all__ = ["BuiltCircuits"]
