"""From an ONNX file to a circuit that has proven something once.

Called by the `zkagent circuit` command and by everything that needs a circuit: building the same
thing twice is a look-up. A build happens in a folder of its own and is moved into place when done,
under a lock, so that neither a crash nor a second process leaves half a circuit behind.
"""

import hashlib
import logging
import math
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from filelock import FileLock

from zkagent.circuits import artifacts
from zkagent.circuits.artifacts import PREPARED, Circuit, Faces, Facts, Origin
from zkagent.circuits.bn254.srs_file import read_logrows
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitNotFound,
    EngineError,
    MemoryTooSmall,
    NetworkRefused,
    ProductsTooLarge,
)
from zkagent.circuits.halo2 import named_values
from zkagent.circuits.halo2.cached import NAME, load_circuit, versions
from zkagent.circuits.halo2.calibration import Data, Step, calibrate
from zkagent.circuits.halo2.fidelity import Fidelity, quantised
from zkagent.circuits.halo2.footprint import check_memory
from zkagent.circuits.halo2.forecast import Foretold, Making, Means
from zkagent.circuits.halo2.hidden import tied
from zkagent.circuits.halo2.keyless import KeylessCircuit, check_least_memory, check_read
from zkagent.circuits.halo2.layouts import choose_layout
from zkagent.circuits.halo2.products import check_products, largest_product
from zkagent.circuits.halo2.settings import (
    RunArguments,
    Settings,
    default_arguments,
    instance_count,
    to_bytes,
)
from zkagent.circuits.halo2.srs import Srs, find_srs, has_development_srs
from zkagent.circuits.halo2.verifier_patch import Verifier, patch_verifier
from zkagent.circuits.hashes import written
from zkagent.circuits.networks import reference
from zkagent.circuits.networks.network import Network, read_network
from zkagent.circuits.networks.samples import load_samples
from zkagent.circuits.store import (
    Stored,
    annotate,
    circuits_folder,
    is_built,
    write_manifest,
)
from zkagent.circuits.support.cache import file_digest
from zkagent.circuits.support.memory import Budget, memory_budget
from zkagent.circuits.support.unlisted import unlisted_file
from zkagent.circuits.visibility import HASHED, OPEN, PRIVATE, PUBLIC, Visibility

log = logging.getLogger(__name__)

FIDELITY = "fidelity"  # the note on how a circuit compares with onnxruntime
CHANGES = "preparation"  # the note on what was changed in the user's file


class Stage(StrEnum):
    """What a build is doing, in this order; a look-up ends after the set-up.

    Ranges and comparison are for builds with samples only.
    """

    NETWORK = "reading the network"
    RANGES = Step.RANGES.value
    COMPARISON = Step.COMPARISON.value
    ROWS = "counting rows"
    SETUP = "finding the set-up"
    COMPILE = "compiling the circuit"
    KEYS = "making the keys"
    VERIFIER = "writing the verifier"
    CHECK = "checking a first proof"


Progress = Callable[[Stage], None]


@dataclass(frozen=True)
class Plan:
    """A network and the canonical settings of a sound circuit of it.

    inputs: the circuit's inputs for a first proof, where not any small numbers will do.
    """

    network: Network
    settings: Settings
    inputs: tuple[int, ...] | None = None

    @property
    def settings_bytes(self) -> bytes:
        return to_bytes(self.settings)

    @property
    def logrows(self) -> int:
        return int(self.settings["run_args"]["logrows"])


def silent(told: object) -> None:
    """Progress for nobody."""


def build_circuit(
    onnx: Path,
    *,
    srs: Path | None = None,
    cache: Path | None = None,
    arguments: RunArguments | None = None,
    data: Data | None = None,
    dims: Mapping[str, int] | None = None,
    visibility: Visibility | None = None,
    max_memory: int | None = None,
    progress: Progress = silent,
    foretold: Foretold = silent,
) -> Circuit:
    """Build the network's circuit, or look it up when it was built before.

    srs: a set-up file; without one, a development set-up of this machine. arguments: for those who
    want other columns or scales; unsound ones are refused. dims: sizes of open axes by name, 1
    where not given. visibility: what proofs show; by default what the arguments say, or else all
    but the weights. data: samples to fit scale and ranges to (unless arguments are given); how the
    circuit decides on them becomes its note "fidelity". max_memory: bytes that it may take, where
    less than all that are free. foretold: told what it will take, before keys are made; the
    circuit's note "making" keeps it beside what it took. A damaged circuit in the cache is built
    again. Raises NetworkRefused, SettingsRefused, InputRefused, MemoryTooSmall, SrsError,
    VerifierChanged, EngineError.
    """
    progress(Stage.NETWORK)
    wanted = visibility or (arguments.visibility if arguments else OPEN)
    network = tied(read_network(onnx, dims=dims), wanted)
    check_read(network)
    means = Means(memory_budget(max_memory), foretold)
    _require_products(network, means.budget, cache)
    sized = partial(_planned, network, budget=means.budget, srs=srs, cache=cache, progress=progress)
    if data is None:
        plan = sized(arguments or default_arguments(network.integer, wanted))
        return _find_or_build(plan, srs, cache, progress, means)
    samples = load_samples(data.samples, network)
    if arguments is None:
        check_least_memory(network, means.budget)
    fitted = calibrate(
        network,
        samples,
        criterion=data.criterion,
        fraction_bits=data.fraction_bits,
        arguments=arguments,
        progress=_once(progress),
    )
    if network.integer and fitted.fidelity.largest_deviation not in (0.0, math.inf):
        raise NetworkRefused(onnx, "ezkl computes other integers than onnxruntime on the samples")
    plan = sized(fitted.arguments)
    if not fitted.fidelity.outside:
        first = quantised(next(iter(samples)), plan.settings["model_input_scales"])
        plan = replace(plan, inputs=tuple(value for each in first for value in each))
    circuit = _find_or_build(plan, srs, cache, progress, means)
    note = {**fitted.fidelity.to_json(), "samples_sha256": samples.sha256}
    return annotate(circuit, FIDELITY, note)


def _require_products(network: Network, budget: Budget, cache: Path | None) -> None:
    """For a build; a look-up needs no memory. Raises ProductsTooLarge."""
    try:
        check_products(network, budget)
    except ProductsTooLarge:
        if not is_built(network.sha256, None, cache):
            raise


def fidelity_of(circuit: Circuit) -> Fidelity | None:
    """How a circuit decided on the samples that it was last built with, if any."""
    note = circuit.notes.get(FIDELITY)
    if note is None:
        return None
    return Fidelity.from_json({k: v for k, v in note.items() if k != "samples_sha256"})


def changes_of(circuit: Circuit) -> tuple[str, ...]:
    """What was changed in the user's file to make the circuit, a line each."""
    return tuple(circuit.notes.get(CHANGES, {}).get("lines", ()))


def _once(progress: Progress) -> Callable[[Step], None]:
    """Several scales are tried; a stage is told when it first begins."""
    seen: set[Step] = set()

    def tell(step: Step) -> None:
        if step not in seen:
            seen.add(step)
            progress(Stage(step.value))

    return tell


def _planned(
    network: Network,
    arguments: RunArguments,
    *,
    budget: Budget,
    srs: Path | None,
    cache: Path | None,
    progress: Progress,
) -> Plan:
    progress(Stage.ROWS)
    logrows = read_logrows(srs) if srs else None
    return make_plan(network, arguments, budget, setup_logrows=logrows, cache=cache)


def _find_or_build(
    plan: Plan, srs: Path | None, cache: Path | None, progress: Progress, means: Means
) -> Circuit:
    _require_memory(plan, cache, means.budget)
    progress(Stage.SETUP)
    has_setup = srs is not None or has_development_srs(plan.logrows, cache)
    making = Making(plan.settings, means, has_setup=has_setup)
    if not has_setup:  # so nothing can be built with it
        making.foretell()
    setup = find_srs(srs, plan.logrows, cache)
    origin = _origin(plan, setup)
    with FileLock(circuits_folder(cache) / f".{origin.digest}.lock"):
        try:
            return load_circuit(origin.digest, cache)
        except CircuitNotFound:
            log.info("building circuit %s", origin.digest)
        except ArtifactCorrupted as exc:
            log.warning("%s; building it again", exc)
        making.foretell()
        _build(plan, setup, circuits_folder(cache) / origin.digest, progress, making)
        return load_circuit(origin.digest, cache)


def _require_memory(plan: Plan, cache: Path | None, budget: Budget) -> None:
    """For a build; a look-up needs none. Raises MemoryTooSmall."""
    try:
        check_memory(plan.settings, budget)
    except MemoryTooSmall as exc:
        if not is_built(plan.network.sha256, _settings_digest(plan.settings), cache):
            raise exc.naming(largest_product(plan.network)) from None


def make_plan(
    network: Network,
    arguments: RunArguments,
    budget: Budget | None = None,
    *,
    setup_logrows: int | None = None,
    cache: Path | None = None,
) -> Plan:
    """Settings for the least k whose rows are enough, or, where they are too large, of another
    layout (zkagent.circuits.halo2.layouts). setup_logrows: of the set-up file to be used. cache:
    where the circuit may be built already. Raises SettingsRefused, EngineError."""
    with tempfile.TemporaryDirectory() as folder:
        settings = choose_layout(
            KeylessCircuit(network, Path(folder)).settings,
            arguments,
            budget or memory_budget(),
            setup_logrows=setup_logrows,
            is_built=lambda made: is_built(network.sha256, _settings_digest(made), cache),
        )
    return Plan(network, settings)


def _origin(plan: Plan, setup: Srs) -> Origin:
    settings = _settings_digest(plan.settings)
    network = plan.network
    made_by = versions()
    if network.content != network.source:
        made_by = *made_by, (PREPARED, network.prepared_sha256)
    return Origin(NAME, network.sha256, settings, setup.sha256, tuple(sorted(made_by)))


def _settings_digest(settings: Settings) -> str:
    return hashlib.sha256(to_bytes(settings)).hexdigest()


def _build(plan: Plan, setup: Srs, directory: Path, progress: Progress, making: Making) -> None:
    """Build beside `directory` and move there. Called under the circuit's lock."""
    fresh = directory.with_name(f".{directory.name}.building")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    try:
        verifier = _write_files(plan, setup, fresh, progress, making)
        files = {path.name: file_digest(path) for path in sorted(fresh.iterdir())}
        facts = _facts(plan, verifier, _weights_hash(plan, fresh / artifacts.COMPILED))
        changes = list(plan.network.changes)
        notes = {CHANGES: {"lines": changes}} if changes else {}
        stored = Stored(fresh, _origin(plan, setup), facts, files, notes, _faces(plan))
        circuit = stored.circuit(setup.path, development=setup.development)
        progress(Stage.CHECK)
        _check(plan, circuit, making)
        write_manifest(replace(circuit, notes={**notes, making.TOPIC: making.to_json()}))
        shutil.rmtree(directory, ignore_errors=True)
        fresh.rename(directory)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _write_files(
    plan: Plan, setup: Srs, folder: Path, progress: Progress, making: Making
) -> Verifier:
    from zkagent.circuits.halo2 import ezkl_engine

    onnx, settings = folder / artifacts.NETWORK, folder / artifacts.SETTINGS
    compiled = folder / artifacts.COMPILED
    vk, pk = folder / artifacts.VERIFYING_KEY, folder / artifacts.PROVING_KEY
    onnx.write_bytes(plan.network.source)
    settings.write_bytes(plan.settings_bytes)
    progress(Stage.COMPILE)
    ready = _prepared_file(plan.network, folder) or onnx
    ezkl_engine.compile_network(ready, settings, compiled)
    progress(Stage.KEYS)
    with making.timing("keys"):
        ezkl_engine.make_keys(compiled, setup.path, vk, pk)
    progress(Stage.VERIFIER)
    generated = ezkl_engine.make_verifier(vk, settings, setup.path)
    verifier = patch_verifier(generated, development=setup.development)
    (folder / artifacts.VERIFIER).write_text(verifier.source)
    if plan.network.visibility.open:
        (folder / named_values.FILE).write_text(_named_values(plan))
    return verifier


def _named_values(plan: Plan) -> str:
    """Solidity for who has several inputs and outputs, beside the verifier."""
    faces, settings = _faces(plan), plan.settings
    inputs = zip(faces.inputs, settings["model_input_scales"], strict=True)
    outputs = zip(faces.outputs, settings["model_output_scales"], strict=True)
    return named_values.library(list(inputs), list(outputs))


def _prepared_file(network: Network, folder: Path) -> Path | None:
    """What the circuit is made of, where that is not the user's own file."""
    if network.content == network.source:
        return None
    (path := folder / artifacts.PREPARED_NETWORK).write_bytes(network.content)
    return path


def _faces(plan: Plan) -> Faces:
    """What the circuit takes and gives, by the network's names."""
    return Faces(plan.network.inputs, plan.network.outputs)


def _facts(plan: Plan, verifier: Verifier, weights_hash: str) -> Facts:
    network, settings = plan.network, plan.settings
    expected = _public_count(network)
    if not verifier.instance_count == expected == instance_count(settings):
        raise NetworkRefused(
            network.path,
            f"its circuit has {verifier.instance_count} public values, expected {expected}",
        )
    return Facts(
        input_count=network.input_count,
        output_count=network.output_count,
        input_scale_bits=max(settings["model_input_scales"]),
        exact=network.integer,
        rows=settings["num_rows"],
        logrows=plan.logrows,
        proof_bytes=verifier.proof_bytes,
        input_visibility=network.visibility.inputs,
        output_visibility=network.visibility.outputs,
        weight_visibility=network.visibility.weights,
        weights_hash=weights_hash,
    )


def _public_count(network: Network) -> int:
    """How many values a proof shows: numbers, or a hash of each tensor, and one of the weights."""
    shown = network.visibility
    sides = ((network.inputs, shown.inputs), (network.outputs, shown.outputs))
    counts = (
        {PUBLIC: tensor.size, HASHED: 1, PRIVATE: 0}[how]
        for tensors, how in sides
        for tensor in tensors
    )
    return sum(counts) + (shown.weights == HASHED)


def _weights_hash(plan: Plan, compiled: Path) -> str:
    """The hash of the weights, which is the same in every proof; empty where they have none."""
    from zkagent.circuits.halo2 import ezkl_engine

    if plan.network.visibility.weights != HASHED:
        return ""
    *_, last = _samples(plan.network)
    inputs = [list(part) for part in _faces(plan).split_inputs(plan.inputs or last)]
    with unlisted_file() as data, unlisted_file() as witness:
        ezkl_engine.evaluate(compiled, inputs, witness, data=data)
        found = ezkl_engine.read_hashes(witness).weights
    assert found is not None
    return written(found)


def _check(plan: Plan, circuit: Circuit, making: Making) -> None:
    """The circuit computes what onnxruntime does, and its keys prove it."""
    from zkagent.circuits.halo2 import ezkl_engine

    network, samples = plan.network, list(_samples(plan.network))
    for sample in samples if network.integer else ():
        ours, theirs = ezkl_engine.witness(circuit, sample), reference.infer(network, sample)
        if ours != theirs:
            raise NetworkRefused(
                network.path, f"ezkl computes {ours} where onnxruntime computes {theirs}"
            )
    with making.timing("proof"):
        proof = ezkl_engine.prove(circuit, plan.inputs or samples[-1])
    if len(proof.proof) != circuit.facts.proof_bytes or not ezkl_engine.verify(circuit, proof):
        raise EngineError("prove", "the first proof is false: is the set-up file damaged?")


def _samples(network: Network) -> Iterator[list[int]]:
    """Small numbers of both signs, the same for the same network."""
    count = network.input_count
    yield [0] * count
    yield [1 - 2 * (index % 2) for index in range(count)]
    generator = random.Random(network.sha256)
    for _ in range(3):
        yield [generator.randint(-100, 100) for _ in range(count)]


__all__ = ["Plan", "Progress", "Stage", "build_circuit", "load_circuit", "make_plan", "silent"]
