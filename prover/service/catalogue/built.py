"""The real catalogue: this machine's circuit cache, and the models whose circuits are in it."""

import contextlib
import json
import logging
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from zkagent.circuits.artifacts import (
    SETTINGS,
    VERIFIER,
    VERIFYING_KEY,
    Circuit,
    Proof,
    is_digest,
)
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitError,
    CircuitNotFound,
    EngineMissing,
    HomeRefused,
    KeysDamaged,
    PackagesMissing,
)
from zkagent.circuits.networks.batch import MOST_ROWS, batch_network
from zkagent.circuits.store import check_file, list_circuits, read_file, read_stored
from zkagent.circuits.support.cache import cache_root
from zkagent.circuits.systems import (
    HALO2,
    PROVERS,
    ProofSystem,
    describe_circuit,
    find_system,
    has_setup,
    load_circuit,
    lost_circuits,
    own_prover,
    system_id,
)
from zkagent.prover.errors import ProverTroubled
from zkagent.prover.local import LocalProver
from zkagent.prover.service.catalogue.catalogue import Artifact, BatchForm, Card, Prover
from zkagent.prover.service.catalogue.prover_look import ProverLook
from zkagent.prover.service.catalogue.verifier_process import VerifierProcess
from zkagent.prover.service.errors import ArtifactUnknown, CircuitUnknown, StartRefused

if TYPE_CHECKING:
    from zkagent.models.catalogue import Model
    from zkagent.prover.verification import Verdict

log = logging.getLogger(__name__)

#: Of this machine, and of no request.
TROUBLES = (ArtifactCorrupted, EngineMissing, HomeRefused, PackagesMissing)
SHOWN_S = 600.0  # trouble with a circuit's files, unless they are seen to be well before
FILES = {
    Artifact.VERIFYING_KEY: VERIFYING_KEY,
    Artifact.SOLIDITY: VERIFIER,
    Artifact.SETTINGS: SETTINGS,
}
#: What a circuit has wherever it has the artifact.
NEEDED = {**FILES, Artifact.ABI: VERIFIER}

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

    They are known by their manifests. Their other files are read, and checked, by who works with
    them, so that a file that is huge, damaged, unreadable or on a disk that hangs is nobody else's
    business: proving keys by the children that prove, the rest each time that it is used.
    """

    def __init__(
        self,
        models: Iterable[str] = (),
        *,
        system: ProofSystem = HALO2,
        srs: Path | None = None,
        prover: str | None = None,
        cache: Path | None = None,
    ) -> None:
        """models: names or folders of agents' models, proven by circuits of `system` where they are
        asked for by name. srs: the set-up file of those; without one, a ceremony's or this
        machine's own. prover: one of `systems.PROVERS`, for circuits of its system. Raises
        ModelError for others."""
        from zkagent.models.catalogue import Model, load_model

        chosen = own_prover(system.name, prover)
        self._system = PROVERS[chosen] if chosen else system
        self._srs, self._prover = srs, prover
        self._cache = cache_root(cache)
        loaded = [load_model(name, Model) for name in models]
        self._models = {model.name: model for model in loaded}
        self._model_circuits: dict[str, str] = {}
        self._unusable: dict[str, KeysDamaged] = {}  # by the model's name
        self._open: dict[str, Circuit] = {}
        self._batches: dict[str, tuple[BatchForm, ...]] = {}
        self._verifier = VerifierProcess(self._cache)
        self._readable: set[str] = set()
        self._looks: dict[str, ProverLook] = {}  # by the proof system's name
        self._troubles: dict[tuple[str, str], tuple[str, float]] = {}  # (circuit, of) -> why, when
        self._lock = threading.Lock()

    def build_models(self) -> None:
        """Build the models' circuits that are missing or damaged; minutes at worst. One that can
        be neither used nor built again is left as it is, for those that need it to wait; where not
        even its name can be told, nothing is proven by the model's. Raises CircuitError."""
        for name, model in self._models.items():
            well, damaged = self._find(model.manifest.files.onnx)
            if well is None or not self._system.repeatable:  # which of several, it says itself
                try:
                    well = self._system.build(model.onnx_path, srs=self._srs, cache=self._cache)
                except (CircuitError, OSError) as exc:
                    if damaged is None and isinstance(exc, KeysDamaged):
                        self._unusable[name] = exc
                        log.warning("model %s cannot be proven: %s", name, exc)
                        continue
                    if damaged is None:
                        raise
                    well = None
                    self._note(damaged.digest, "start", str(exc))
                    log.warning("model %s cannot be proven now: %s", name, exc)
            circuit = well or damaged
            assert circuit
            self._open[circuit.digest] = circuit
            self._model_circuits[name] = circuit.digest
            self._note_lost(circuit)

    def add_batch(self, single: str, batch: str) -> None:
        """Let requests for one circuit share proofs of another: B rows of its inputs, one after
        another, and B of its outputs. Where they cannot be read there is no sharing. Raises
        CircuitError, StartRefused."""
        try:
            with self._noted(single, "batches"):
                one, many = self._circuit(single), self._circuit(batch)
                check_file(one.onnx, one.origin.onnx)
        except ArtifactCorrupted as exc:
            log.warning("no batches of circuit %s: %s", single[:12], exc)
            return
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
        try:
            with self._noted("", "folder"):
                found = frozenset(list_circuits(self._cache))
        except CircuitError:
            return frozenset()
        self._readable |= {digest for digest in found - self._readable if self._is_readable(digest)}
        return found & self._readable

    def cards(self) -> list[Card]:
        found = []
        for digest in list_circuits(self._cache):
            with contextlib.suppress(CircuitUnknown, CircuitError):  # not on offer
                found.append(self.card(digest))
        return found

    def card(self, digest: str) -> Card:
        with self._noted(digest, "manifest"):
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
        if model in self._unusable:
            raise self._unusable[model]
        if model not in self._model_circuits:
            raise CircuitUnknown(model, sorted(self._model_circuits))
        return self._model_circuits[model]

    def model(self, name: str) -> "Model":
        if name not in self._models:
            raise CircuitUnknown(name, sorted(self._models))
        return self._models[name]

    def prover(self, digest: str, timeout_s: float, threads: int | None) -> Prover:
        circuit = self._circuit(digest)
        chosen = own_prover(circuit.origin.system, self._prover)
        return LocalProver(circuit, timeout_s=timeout_s, threads=threads, prover=chosen)

    def verify(self, proof: Proof) -> "Verdict":
        with self._noted(proof.circuit, "verifying"):
            self._circuit(proof.circuit)
            return self._verifier.verify(proof)

    def artifact(self, digest: str, name: Artifact) -> bytes:
        with self._noted(digest, name):
            circuit = self._circuit(digest)
            if NEEDED[name] not in circuit.files:
                raise ArtifactUnknown(digest, name, circuit.origin.system)
            if name is Artifact.ABI:
                return json.dumps(VERIFIER_ABI).encode()
            return read_file(circuit.directory / FILES[name], circuit.files[FILES[name]])

    def troubles(self) -> list[str]:
        now = time.monotonic()
        with self._lock:
            found = [
                (name, why) for (name, _), (why, at) in self._troubles.items() if now - at < SHOWN_S
            ]
        models = {f"model {name}: {exc}" for name, exc in self._unusable.items()}
        noted = {f"circuit {name[:12]}: {why}" if name else why for name, why in found}
        return sorted(noted | models)

    def close(self) -> None:
        self._verifier.close()

    def _is_readable(self, digest: str) -> bool:
        """Whether it is of a proof system that can prove here, its keys unread."""
        try:
            with self._noted(digest, "manifest"):
                stored = read_stored(digest, self._cache)
                system = find_system(system_id(stored.origin.system))
            with self._noted(digest, "prover"):
                self._look_of(system).check()
        except CircuitError:
            return False
        return stored.facts.visibility.open

    def _look_of(self, system: ProofSystem) -> ProverLook:
        """One for all circuits of the system."""
        with self._lock:
            if system.name not in self._looks:
                chosen = own_prover(system.name, self._prover)
                check = (PROVERS[chosen] if chosen else system).check_prover
                self._looks[system.name] = ProverLook(check)
            return self._looks[system.name]

    def _find(self, onnx: str) -> tuple[Circuit | None, Circuit | None]:
        """Built circuits of the network with this SHA-256, of the models' proof system: one whose
        files are all well, and one of the others. Those of the set-up that was named; where none
        was, of a ceremony first, then of this machine's own, and of somebody else's, whose proofs
        were verified here once, last."""
        well: list[tuple[int, Circuit]] = []
        damaged: list[tuple[int, Circuit]] = []
        for digest in list_circuits(self._cache):
            with contextlib.suppress(CircuitUnknown, CircuitError):
                origin = (circuit := self._circuit(digest)).origin
                if (origin.onnx, origin.system) != (onnx, self._system.name):
                    continue
                if (rank := self._rank(circuit)) is not None:
                    (well if self._is_well(digest) else damaged).append((rank, circuit))
        first, other = (
            min(found, key=lambda entry: entry[0], default=(0, None))[1]
            for found in (well, damaged)
        )
        return first, other

    def _rank(self, circuit: Circuit) -> int | None:
        """By its set-up; None for what must not stand for a model. Raises SrsError."""
        if has_setup(circuit, self._srs, self._cache):
            return int(circuit.development_srs)
        return 2 if self._srs is None and self._system.repeatable else None

    def _is_well(self, digest: str) -> bool:
        """Whether every file is what was built; reads them all."""
        try:
            load_circuit(digest, self._cache)
        except CircuitError:
            return False
        return True

    def _circuit(self, digest: str) -> Circuit:
        """As its manifest says. Raises CircuitUnknown; CircuitError when it is there but cannot be
        used."""
        if found := self._open.get(digest):
            return found
        if not is_digest(digest):
            raise CircuitUnknown(digest, sorted(self._model_circuits))
        try:
            found = describe_circuit(digest, self._cache)
            found.require_open("a prover service, which keeps what it is asked for,")
            return self._open.setdefault(digest, found)
        except CircuitNotFound as exc:
            raise CircuitUnknown(digest, sorted(self._model_circuits)) from exc

    @contextmanager
    def _noted(self, digest: str, of: str) -> Iterator[None]:
        """Remember what is wrong with the circuit's files, for `troubles`, until the same works."""
        try:
            yield
        except (*TROUBLES, ProverTroubled) as exc:
            self._note(digest, of, exc.detail if isinstance(exc, ProverTroubled) else str(exc))
            raise
        with self._lock:
            self._troubles.pop((digest, of), None)

    def _note_lost(self, circuit: Circuit) -> None:
        """Those whose place it has because their folders are gone."""
        with contextlib.suppress(KeysDamaged):
            for digest in lost_circuits(circuit, self._cache):
                why = f"its folder is gone, and {circuit.digest[:12]} stands in its place"
                self._note(digest, "start", why)

    def _note(self, digest: str, of: str, why: str) -> None:
        with self._lock:
            self._troubles[digest, of] = (why, time.monotonic())


__all__ = ["BuiltCircuits"]
