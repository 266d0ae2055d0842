"""Proofs by keyed hash: the service's in-memory stand-in for a proof system.

Whoever has this file can forge them, so they prove nothing; but they are made in a real child
process, cost real processor time, and can be told to misbehave. Used by tests and measurements
through `zkagent serve --fake FILE`.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zkagent.circuits.artifacts import Circuit, Facts, Origin, Proof
from zkagent.circuits.support.child_process import ChildProcess
from zkagent.models.whole import write_file
from zkagent.prover.local import LocalProver
from zkagent.prover.service.catalogue.catalogue import Artifact, BatchForm, Card, Prover
from zkagent.prover.service.errors import CircuitUnknown
from zkagent.prover.verification import Verdict

if TYPE_CHECKING:
    from zkagent.models.catalogue import Model

KEY = b"everybody knows this key"
INPUTS, OUTPUTS = 4, 2
TROUBLE = "trouble"  # a file in the catalogue's folder; while it is there, provers fail as it says
RELEASED = "released"  # a file in that folder; until it is there, proofs that are held go on


class Order(IntEnum):
    """A first input that the fake prover obeys instead of proving."""

    CRASH = -1_000_001
    CRASH_ONCE = -1_000_002
    KILL_WORKER = -1_000_003
    REFUSE = -1_000_004
    SLOW = -1_000_005
    HELD = -1_000_006


def fake_digest(name: str, rows: int = 1) -> str:
    """A circuit's name; its first byte is the number of rows that it proves at once."""
    return f"{rows:02x}{hashlib.sha256(f'{name} {rows}'.encode()).hexdigest()[2:]}"


def row_count(digest: str) -> int:
    return int(digest[:2], 16)


def fake_outputs(circuit: str, inputs: Sequence[int]) -> tuple[int, ...]:
    """(sum, sum of squares) mod 2^31 of each row of four."""
    rows = [inputs[start : start + INPUTS] for start in range(0, len(inputs), INPUTS)]
    pairs = ((sum(row) % (1 << 31), sum(v * v for v in row) % (1 << 31)) for row in rows)
    return tuple(value for pair in pairs for value in pair)


def fake_proof(circuit: str, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
    text = json.dumps([circuit, list(inputs), list(outputs)])
    return hmac.digest(KEY, text.encode(), "sha256")


@dataclass(frozen=True)
class FakeCatalogue:
    """Circuits of four inputs and two outputs, with batch forms of the given capacities.

    seconds: processor time per proof, batch or not. folder: for orders that count.
    """

    folder: Path
    seconds: dict[str, float]
    capacities: tuple[int, ...] = ()
    made: list[Prover] = field(default_factory=list, repr=False)

    @classmethod
    def read(cls, path: Path) -> "FakeCatalogue":
        """From a file that `write` made."""
        fields: dict[str, Any] = json.loads(path.read_text())
        return cls(path.parent, fields["seconds"], tuple(fields["capacities"]))

    def write(self, path: Path) -> None:
        """Whoever reads it meanwhile gets it whole."""
        offered = {"seconds": self.seconds, "capacities": self.capacities}
        write_file(path, json.dumps(offered).encode())

    def offered(self) -> frozenset[str]:
        rows = (1, *self.capacities)
        return frozenset(fake_digest(name, count) for name in self.seconds for count in rows)

    def cards(self) -> list[Card]:
        return [self._card(name, 1) for name in sorted(self.seconds)]

    def card(self, digest: str) -> Card:
        return self._card(*self._named(digest))

    def circuit_of(self, model: str) -> str:
        if model not in self.seconds:
            raise CircuitUnknown(model, sorted(self.seconds))
        return fake_digest(model)

    def model(self, name: str) -> "Model":
        raise CircuitUnknown(name, [])

    def prover(self, digest: str, timeout_s: float, threads: int | None) -> Prover:
        name, rows = self._named(digest)
        return FakeProver(_circuit(digest, rows), self.seconds[name], self.folder, timeout_s)

    def verify(self, proof: Proof) -> Verdict:
        self._named(proof.circuit)
        expected = fake_proof(proof.circuit, proof.inputs, proof.outputs)
        honest = proof.outputs == fake_outputs(proof.circuit, proof.inputs)
        if honest and hmac.compare_digest(proof.proof, expected):
            return Verdict(True)
        return Verdict(False, "the hash is another one")

    def artifact(self, digest: str, name: Artifact) -> bytes:
        self._named(digest)
        return f"{name} of {digest}\n".encode()

    def troubles(self) -> list[str]:
        return []

    def close(self) -> None:
        pass

    def _named(self, digest: str) -> tuple[str, int]:
        for name in self.seconds:
            for rows in (1, *self.capacities):
                if fake_digest(name, rows) == digest:
                    return name, rows
        raise CircuitUnknown(digest, sorted(self.seconds))

    def _card(self, name: str, rows: int) -> Card:
        batches = tuple(
            BatchForm(fake_digest(name, capacity), capacity)
            for capacity in (self.capacities if rows == 1 else ())
        )
        names = (name,) if rows == 1 else ()
        return Card(
            fake_digest(name, rows),
            names,
            rows * INPUTS,
            rows * OUTPUTS,
            True,
            0,
            True,
            32,
            batches,
        )


class FakeProver(LocalProver):
    """LocalProver with another child."""

    def __init__(self, circuit: Circuit, seconds: float, folder: Path, timeout_s: float) -> None:
        super().__init__(circuit, timeout_s=timeout_s)
        self._arguments = [str(seconds), str(folder)]

    def _started(self) -> ChildProcess:
        if self._child is None:
            self._child = _FakeChild(self.circuit.digest, self._arguments)
        return self._child


class _FakeChild(ChildProcess):
    """Tells the child its circuit with each request."""

    def __init__(self, digest: str, arguments: Sequence[str]) -> None:
        super().__init__("zkagent.prover.service.fakes.child", arguments)
        self._digest = digest

    def send(self, message: Mapping[str, Any], timeout_s: float | None = None) -> None:
        super().send({**message, "circuit": self._digest}, timeout_s)


def _circuit(digest: str, rows: int) -> Circuit:
    facts = Facts(rows * INPUTS, rows * OUTPUTS, 0, True, 1, 1, 32)
    origin = Origin("fake", "", "", "", ())
    return Circuit(digest, Path(), Path(), Path(), True, origin, facts, {})


__all__ = [
    "TROUBLE",
    "FakeCatalogue",
    "Order",
    "fake_digest",
    "fake_outputs",
    "fake_proof",
    "row_count",
]
