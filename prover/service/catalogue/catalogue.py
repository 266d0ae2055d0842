"""What the service can prove: circuits by digest, models by name, and who proves them.

`zkagent.prover.service.catalogue.built` is the real one, over this machine's circuit cache;
`zkagent.prover.service.fakes.catalogue` is for tests that need no proof system.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from zkagent.circuits.artifacts import Proof
from zkagent.prover.local import Measurement
from zkagent.prover.verification import Verdict, count_objections

if TYPE_CHECKING:
    from zkagent.models.catalogue import Model


class Artifact(StrEnum):
    """A circuit's public files. The proving key is not among them, ever."""

    VERIFYING_KEY = "verifying-key"
    SOLIDITY = "verifier.sol"
    ABI = "verifier.abi.json"
    SETTINGS = "settings.json"


@dataclass(frozen=True)
class BatchForm:
    """A circuit that proves `capacity` inputs at once, laid out as by `networks.batch.fill`."""

    circuit: str
    capacity: int


@dataclass(frozen=True)
class Card:
    """What requesters see of a circuit. batches: the forms that several requests share."""

    digest: str
    models: tuple[str, ...]
    input_count: int
    output_count: int
    exact: bool
    input_scale_bits: int
    development_srs: bool
    proof_bytes: int
    batches: tuple[BatchForm, ...] = ()

    def objection(self, inputs: Sequence[int], outputs: Sequence[int]) -> str:
        """Why no proof of the circuit has so many; nothing where one may."""
        return next(count_objections(inputs, outputs, self), "")


class Prover(Protocol):
    """Proves for one circuit in a child process; `local.LocalProver` is the real one."""

    last: Measurement | None

    @property
    def pid(self) -> int | None: ...

    def prove(self, x: Sequence[int]) -> Proof: ...

    def close(self) -> None: ...


class Catalogue(Protocol):
    """Circuits and what can be done with them."""

    def offered(self) -> frozenset[str]:
        """Digests of what a worker here can prove, as far as one sees without reading keys."""

    def cards(self) -> list[Card]: ...

    def card(self, digest: str) -> Card:
        """Raises CircuitUnknown."""

    def circuit_of(self, model: str) -> str:
        """The digest of a model's circuit. Raises CircuitUnknown."""

    def model(self, name: str) -> "Model":
        """For encoding a context. Raises CircuitUnknown."""

    def prover(self, digest: str, timeout_s: float, threads: int | None) -> Prover:
        """A prover, its child not necessarily started. Raises CircuitUnknown, CircuitError."""

    def verify(self, proof: Proof) -> Verdict:
        """In bounded time. Raises CircuitUnknown, or ProverError when it cannot be decided."""

    def artifact(self, digest: str, name: Artifact) -> bytes:
        """A public file of a circuit, as it was built. Raises CircuitUnknown, ArtifactUnknown,
        CircuitError."""

    def troubles(self) -> list[str]:
        """What was found lately to be wrong with files of circuits here, a line for each."""

    def close(self) -> None: ...


__all__ = ["Artifact", "BatchForm", "Card", "Catalogue", "Prover"]
