"""Verdicts on proofs of a model's circuit, which is found in the cache or built again.

A circuit is not taken because it has the recorded name: it must be what this model's ONNX file
gives with our settings and the same set-up, so that a permissive circuit in the cache convinces
nobody.
"""

from collections.abc import Sequence
from pathlib import Path

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import CircuitElsewhere
from zkagent.circuits.networks.batch import batch_file
from zkagent.circuits.support.cache import file_digest
from zkagent.circuits.support.progress import Told, silent
from zkagent.circuits.systems import (
    ProofSystem,
    cached_circuit,
    check_repeatable,
    check_setup,
    find_system,
)
from zkagent.executor.chain.limits import MOST_BATCH
from zkagent.executor.errors import CannotVerify
from zkagent.executor.receipts.verdicts import CannotTell
from zkagent.executor.runs.provers import ProofCheck
from zkagent.models.catalogue import Model


class LocalCircuits:
    """A CircuitSource. srs: the set-up file of its circuits, and to build with; without one those
    in the cache are taken as they are."""

    def __init__(self, srs: Path | None = None) -> None:
        self.srs = srs
        self._known: dict[tuple[str, str, int, bytes], Circuit] = {}

    @property
    def development(self) -> bool:
        """Whether a circuit used so far has a set-up whose maker could forge proofs."""
        return any(circuit.development_srs for circuit in self._known.values())

    def __call__(self, model: Model, digest: str, size: int, system: bytes) -> ProofCheck:
        """For proofs of `size` decisions, of the proof system with this id.

        Raises ValueError when the circuit is not the model's, CannotTell when it is for more than
        MOST_BATCH decisions, CannotVerify, CircuitError.
        """
        circuit = self.circuit(model, digest, size, system)

        def verdict(x: Sequence[int], y: Sequence[int], proof: bytes) -> bool:
            from zkagent.prover.verification import verify

            return bool(verify(Proof(digest, tuple(x), tuple(y), proof), circuit))

        return verdict

    def circuit(self, model: Model, digest: str, size: int, system: bytes) -> Circuit:
        """Raises like a call."""
        if size > MOST_BATCH:
            raise CannotTell(
                f"a proof for {size} decisions: circuits for more than {MOST_BATCH} are not built"
            )
        key = (model.manifest.files.onnx, digest, size, system)
        if key not in self._known:
            self._known[key] = find_circuit(model, digest, find_system(system), self.srs, size)
        return self._known[key]


def find_circuit(
    model: Model,
    digest: str,
    system: ProofSystem,
    srs: Path | None = None,
    size: int = 1,
    *,
    progress: Told = silent,
) -> Circuit:
    """The circuit of this name, as built from the model for `size` decisions in a proof. Raises
    like LocalCircuits."""
    if (cached := cached_circuit(digest)) is None:
        try:
            check_repeatable(system, digest)
        except CircuitElsewhere as exc:
            raise CannotVerify(str(exc)) from exc
    else:
        cached.require_open("a receipt")
        _check_system(cached, system)
        check_setup(cached, srs)
        _check_ceremony(cached)
    with batch_file(model.onnx_path, size) as onnx:
        expected = model.manifest.files.onnx if size == 1 else file_digest(onnx)
        if cached is not None and cached.origin.onnx != expected:
            raise ValueError(f"circuit {digest[:16]} was built from another ONNX file")
        if cached is not None and not system.repeatable:
            return cached  # its set-up was made for it: no other circuit is it
        setup = cached.srs if cached else srs
        built = system.build(onnx, srs=setup, progress=progress)
    if built.digest == digest:
        return built
    if cached is not None:
        raise ValueError(
            f"circuit {digest[:16]} was built with other settings than this version's: "
            f"{built.digest[:16]} is the model's"
        )
    if not built.origin.srs:
        raise ValueError(f"circuit {digest[:16]} is not the model's, which is {built.digest[:16]}")
    raise CannotVerify(
        f"circuit {digest[:16]} is not in the cache, and building it from {model.name} gives "
        f"{built.digest[:16]}: give the set-up file that it was made with (--srs); a development "
        "set-up exists on the machine that made it only"
    )


def _check_system(cached: Circuit, system: ProofSystem) -> None:
    """A registry or a receipt may name any circuit under any system. Raises ValueError."""
    if cached.origin.system != system.name:
        raise ValueError(
            f"circuit {cached.digest[:16]} is of {cached.origin.system}, expected {system.name}"
        )


def _check_ceremony(cached: Circuit) -> None:
    """Nobody's word is taken for one. Raises CannotVerify."""
    if cached.claims_ceremony:
        raise CannotVerify(
            f"circuit {cached.digest[:16]} is said to have a ceremony's set-up, and nothing on "
            "this machine shows that it has: verify the ceremony with "
            "`zkagent ceremony verify --for-audits`"
        )
