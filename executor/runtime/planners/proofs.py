"""Where the proofs of a planner's decisions come from: this machine, or a prover service.

A step names its proof before there is one, so that a run that goes on, or is replayed, comes to the
same step: by the attachment's name, or by the id that the service gives the same request always.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol, Self

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.cache import file_digest
from zkagent.circuits.systems import PROVING
from zkagent.executor.runs.provers import OpenProver, ProverOpener, open_prover
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ProofFault
from zkagent.executor.runtime.core.steps import ProofOfStep, StepVerdict
from zkagent.models.catalogue import Model
from zkagent.prover.client import ServiceClient, Wanted, proof_alone
from zkagent.prover.errors import ProverError
from zkagent.prover.local import LocalProver
from zkagent.prover.service.queue.jobs import content_id
from zkagent.prover.service.wire.exchange import PATIENCE_S
from zkagent.prover.verification import verify


@dataclass(frozen=True)
class Made:
    """proof: None of one that a service has in work; seconds: of proving, here."""

    proof: Proof | None
    seconds: float = 0.0


class StepProofs(Protocol):
    """All of it may take long, and is called in threads."""

    def named(self, model: Model, x: Sequence[int], about: str) -> ProofOfStep:
        """By what a step refers to the proof that y = f(x). about: a name of all that x follows
        from, the same for the same. Raises ProofFault."""

    def make(self, model: Model, x: Sequence[int], named: ProofOfStep) -> Made:
        """Raises ProofFault."""

    def check(
        self, model: Model, x: Sequence[int], named: ProofOfStep, proof: Proof | None
    ) -> tuple[StepVerdict, Proof | None]:
        """Whether the proof holds for x, and the proof itself. Raises ProofFault where that cannot
        be decided: a service that does not answer, say."""

    def close(self) -> None: ...


class _OfModel:
    """Circuits, each of its model, built or looked up when it is first needed."""

    def __init__(self, circuit: Circuit | None, proof_system: str | None) -> None:
        self._given, self._system = circuit, proof_system
        self._circuits: dict[str, Circuit] = {}  # by the model's digest
        self._lock = threading.Lock()

    def circuit(self, model: Model) -> Circuit:
        """Raises AgentConfigRefused: the given one is of another model."""
        with self._lock:
            if model.digest not in self._circuits:
                self._circuits[model.digest] = self._found(model)
            return self._circuits[model.digest]

    def _found(self, model: Model) -> Circuit:
        if self._given is None:
            return _built(model, self._system)
        if self._given.origin.onnx != file_digest(model.onnx_path):
            raise AgentConfigRefused(
                f"circuit {self._given.digest[:16]} is not of {model.name}: give the model's own, "
                "or none"
            )
        return self._given

    def _verdict(
        self, model: Model, x: Sequence[int], named: ProofOfStep, proof: Proof
    ) -> tuple[StepVerdict, Proof]:
        circuit = self.circuit(model)
        if named.digest != circuit.digest:
            made, expected = named.digest[:16], circuit.digest[:16]
            reason = f"the step names circuit {made}, expected {expected} of {model.name}"
            return StepVerdict(False, reason), proof
        if tuple(proof.inputs) != tuple(x):
            return StepVerdict(False, "the proof is of another context: its inputs differ"), proof
        try:
            found = verify(proof, circuit)
        except (CircuitError, ProverError) as exc:
            raise ProofFault(f"a proof of {model.name} cannot be checked: {exc}") from exc
        return StepVerdict(found.valid, found.reason), proof


class LocalProofs(_OfModel):
    """Made here, in a process for each circuit that stays warm until `close`.

    circuit: of the one model that it proves for, instead of the usual one, which is built if needed
    and is each model's own; proof_system: "ezkl" or
    "groth16", by default the model's usual one; opener: another prover.
    """

    def __init__(
        self,
        *,
        circuit: Circuit | None = None,
        proof_system: str | None = None,
        opener: ProverOpener = LocalProver,
    ) -> None:
        super().__init__(circuit, proof_system)
        self._opener = opener
        self._provers: dict[str, OpenProver] = {}  # by the circuit's digest
        self._proving = threading.Lock()

    def named(self, model: Model, x: Sequence[int], about: str) -> ProofOfStep:
        return ProofOfStep(model.name, self.circuit(model).digest, receipt=f"{about}.json")

    def make(self, model: Model, x: Sequence[int], named: ProofOfStep) -> Made:
        circuit = self.circuit(model)
        with self._proving:
            began = perf_counter()
            try:
                if circuit.digest not in self._provers:
                    self._provers[circuit.digest] = open_prover(circuit, self._opener)
                proof = self._provers[circuit.digest].prove(x)
            except (CircuitError, ProverError) as exc:
                raise ProofFault(f"a decision of {model.name} was not proven: {exc}") from exc
            return Made(proof, perf_counter() - began)

    def check(
        self, model: Model, x: Sequence[int], named: ProofOfStep, proof: Proof | None
    ) -> tuple[StepVerdict, Proof | None]:
        if proof is None:
            return StepVerdict(False, f"there is no proof in {named.receipt}"), None
        return self._verdict(model, x, named, proof)

    def close(self) -> None:
        with self._proving:
            while self._provers:
                self._provers.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class ServiceProofs(_OfModel):
    """Asked of a prover service, and not waited for: steps carry the id of a pending proof.

    key: by default from $ZKAGENT_KEY. patience_s: how long to go on while it is down; wait_s: how
    long to wait for a proof that is to be checked.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        circuit: Circuit | None = None,
        proof_system: str | None = None,
        patience_s: float = PATIENCE_S,
        wait_s: float = 600.0,
    ) -> None:
        super().__init__(circuit, proof_system)
        self._client = ServiceClient(url, key=key, patience_s=patience_s)
        self._wait_s = wait_s

    def named(self, model: Model, x: Sequence[int], about: str) -> ProofOfStep:
        digest = self.circuit(model).digest
        return ProofOfStep(model.name, digest, proof_id=content_id(digest, x, alone=True))

    def make(self, model: Model, x: Sequence[int], named: ProofOfStep) -> Made:
        wanted = Wanted.of_features(named.digest, x, batch="never")
        try:
            view = self._client.submit(wanted)
        except ProverError as exc:
            raise ProofFault(f"no proof of {model.name} was asked for: {exc}") from exc
        if view.id != named.proof_id:
            raise ProofFault(
                f"{self._client.url} calls the proof {view.id:.80}, expected {named.proof_id}: its "
                "zkagent is another version"
            )
        return Made(None)

    def check(
        self, model: Model, x: Sequence[int], named: ProofOfStep, proof: Proof | None
    ) -> tuple[StepVerdict, Proof | None]:
        if named.proof_id != content_id(named.digest, x, alone=True):
            return StepVerdict(False, f"proof {named.proof_id} is of another context"), None
        try:
            view = self._client.wait(str(named.proof_id), timeout_s=self._wait_s)
            found = proof_alone(view, x, named.digest, self._client.url)
        except ProverError as exc:
            raise ProofFault(f"proof {named.proof_id} is not to be had: {exc}") from exc
        return self._verdict(model, x, named, found)

    def close(self) -> None:
        self._client.close()


def _built(model: Model, system: str | None) -> Circuit:
    name = system or model.proof_systems[0]
    if name not in model.proof_systems:
        raise AgentConfigRefused(
            f"{model.name} is proven by {' or '.join(model.proof_systems)}, not by {name!r:.40}"
        )
    try:
        return PROVING[name].build(model.onnx_path)
    except CircuitError as exc:
        raise ProofFault(f"there is no circuit of {model.name}: {exc}") from exc


__all__ = ["LocalProofs", "Made", "ServiceProofs", "StepProofs"]
