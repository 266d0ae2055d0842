"""From a network to circuits and proofs, each step in a process of its own."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import TuningFailed, TuningMissing
from zkagent.circuits.halo2.build import fidelity_of
from zkagent.circuits.halo2.build_process import build_isolated
from zkagent.circuits.halo2.calibration import Data
from zkagent.circuits.halo2.scales import quantise
from zkagent.circuits.halo2.tuning import record
from zkagent.circuits.halo2.tuning.objectives import Objective
from zkagent.circuits.halo2.tuning.record import Tuning
from zkagent.circuits.halo2.tuning.tuner import Wish
from zkagent.circuits.halo2.tuning.tuner_process import tune_isolated
from zkagent.circuits.networks.batch import batch_file
from zkagent.circuits.networks.inputs import flattened
from zkagent.circuits.store import annotate
from zkagent.circuits.support.cache import file_digest
from zkagent.circuits.support.progress import Told, silent
from zkagent.circuits.systems import HALO2, PROVING, ProofSystem
from zkagent.circuits.visibility import CHOICES, FIXED, OPEN, PUBLIC, Visibility
from zkagent.executor.api.arguments import (
    AnyPath,
    any_model_of,
    check_number,
    check_time,
    path_of,
    setup_file,
)
from zkagent.executor.errors import ArgumentRefused
from zkagent.executor.runs.provers import open_prover
from zkagent.models.catalogue import AnyModel
from zkagent.prover.local import LocalProver

Array = npt.NDArray[Any]
#: A model, its name or folder, or an ONNX file.
Source = AnyModel | AnyPath
#: Inputs of a network, [n, *input shape]: an array, or an .npz file that holds one.
Samples = Array | AnyPath


def build_circuit(
    model: Source,
    *,
    srs: AnyPath | None = None,
    data: Samples | None = None,
    tolerance: float | None = None,
    decisions: bool = False,
    dims: Mapping[str, int] | None = None,
    fraction_bits: int | None = None,
    batch: int = 1,
    tuned: bool | None = None,
    inputs: str = PUBLIC,
    outputs: str = PUBLIC,
    weights: str = FIXED,
    proof_system: str = "ezkl",
    max_memory: int | None = None,
    progress: Told = silent,
) -> Circuit:
    """Build the circuit of a model or an ONNX file, or look it up when it was built before.

        >>> circuit = zkagent.build_circuit("wallet")
        >>> circuit.input_count, circuit.output_count, circuit.facts.exact
        (137, 28, True)

    srs: a public ceremony's set-up file; without one, a development set-up that is good on local
    chains only. data: samples that scale and ranges are fitted to, and on which the circuit is
    compared with onnxruntime: its note "fidelity". Each output counts as equal by what it is:
    labels when they are the same, numbers within 1 % of the largest, probabilities by both; with
    tolerance when every number is within it, with decisions when each row's largest is the same.
    dims: sizes of open axes by name, 1 where not given. fraction_bits: the scale. batch: decisions
    in one proof. tuned: use what `tune` found; by default for ONNX files only, because
    agents and receipts go by the standard circuit of a model. inputs: what proofs show of them,
    "public", "hashed" or "private"; outputs: "public" or "hashed"; weights: "fixed", bound by the
    key, "hashed" or "private"; agents take the first of each only. proof_system: "groth16" for
    networks over integers, which has no samples, no scales and no set-up file. max_memory: bytes
    that keys and a proof may take, where less than all that are free; a network that needs more
    gets a smaller layout, or is refused. Raises ArgumentRefused, ModelError, CircuitError.
    """
    _check_wishes(
        data,
        tolerance=tolerance,
        decisions=decisions,
        fraction_bits=fraction_bits,
        batch=batch,
        tuned=tuned,
    )
    seen = _visibility(inputs, outputs, weights)
    if (system := _system(proof_system)) is not HALO2:
        hidden = None if seen.open else seen.words
        wishes = {"data": data, "tuned": tuned, "srs": srs, "dims": dims, "visibility": hidden}
        for name, value in {**wishes, "max_memory": max_memory}.items():
            if value:
                raise ArgumentRefused(name, value, f"None for {proof_system}")
        with batch_file(onnx_of(model), batch) as onnx:
            return system.build(onnx, progress=progress)
    setup = setup_file(srs)
    with batch_file(onnx_of(model), batch) as onnx, _samples_file(data) as samples:
        found = None if fraction_bits or dims else tuning_of(model, onnx, tuned, seen)
        return build_isolated(
            onnx,
            srs=setup,
            arguments=found.winner.arguments if found else None,
            data=Data(samples, tolerance, fraction_bits, decisions) if samples else None,
            dims=dims,
            visibility=seen,
            max_memory=max_memory,
            progress=progress,
        )


def prove(
    circuit: Circuit,
    x: Sequence[float] | Array | Mapping[str, Sequence[float] | Array],
    *,
    timeout_s: float = 300.0,
) -> Proof:
    """Prove y = f(x), and verify the proof.

        >>> proof = zkagent.prove(circuit, zkagent.encode(wallet, "withdraw 5 USDC"))
        >>> len(proof.outputs), len(proof.proof)
        (28, 1856)

    x: the network's own numbers, flat or in its shape; of several inputs one after the other, or
    by name. For many proofs keep a
    `zkagent.prover.local.LocalProver` of the circuit open: starting one takes most of the time of
    a small proof. Raises ArgumentRefused, InputRefused, ProverError.
    """
    check_time("timeout_s", timeout_s)
    values: list[Any] = quantise(circuit, flattened(circuit, _numbers(x)))
    opener = partial(LocalProver, timeout_s=timeout_s)
    with open_prover(circuit, opener) as prover:
        return prover.prove(values)


def tune(
    model: Source,
    data: Samples | None = None,
    *,
    objective: str = "balanced",
    min_agreement: float = 0.999,
    tolerance: float | None = None,
    decisions: bool = False,
    measure_for_s: float = 180.0,
    inputs: str = PUBLIC,
    outputs: str = PUBLIC,
    weights: str = FIXED,
    max_memory: int | None = None,
    srs: AnyPath | None = None,
    progress: Told = silent,
) -> Circuit:
    """The circuit of the cheapest sound settings; later builds of the same ONNX file use them, too.

        >>> circuit = zkagent.tune("mlp.onnx", "mlp.npz", objective="latency")
        >>> circuit.notes["tuning"]["chosen"]
        's8-c2-k12-2x1449'

    data: samples to compare with onnxruntime on; needed for a network that rounds. objective: make
    "latency", "gas", "memory" small, or all three alike, "balanced". min_agreement: the share of
    the samples that must count as equal to onnxruntime's, as `build_circuit` has it.
    measure_for_s: seconds to make circuits and to prove with each. inputs, outputs, weights: what
    proofs show, as `build_circuit` has it. max_memory: bytes that a circuit may take. Everything
    that was measured is in the note "tuning". Raises ArgumentRefused, ModelError, CircuitError.
    """
    wish = Wish(
        _objective(objective),
        min_agreement,
        tolerance,
        measure_for_s,
        decisions,
        _visibility(inputs, outputs, weights),
        max_memory,
    )
    check_number("min_agreement", min_agreement, 0, 1)
    check_number("tolerance", tolerance, 0)
    check_number("measure_for_s", measure_for_s, 0)
    onnx, setup = onnx_of(model), setup_file(srs)
    with _samples_file(data) as samples:
        tuning = tune_isolated(onnx, wish, data=samples, report=progress)
        fitted = Data(samples, tolerance, decisions=decisions) if samples else None
        return build_tuned(onnx, tuning, setup, fitted)


def build_tuned(
    onnx: Path, tuning: Tuning, srs: Path | None, data: Data | None, progress: Told = silent
) -> Circuit:
    """Build the winner, note the tuning in its manifest, and keep it for later builds.

    In this order, so that an interruption leaves either nothing or a tuning that is complete.
    Raises TuningFailed when the circuit, now that it is built, agrees too rarely with the network.
    """
    winner = tuning.winner.arguments
    circuit = build_isolated(onnx, srs=srs, arguments=winner, data=data, progress=progress)
    fidelity = fidelity_of(circuit) if data else None
    if fidelity and fidelity.agreement < tuning.min_agreement:
        raise TuningFailed(onnx, f"the winner agrees on {fidelity.agreement:.4%} of the samples")
    circuit = annotate(circuit, "tuning", tuning.to_json())
    record.keep(tuning)
    return circuit


def onnx_of(model: Source) -> Path:
    """The ONNX file behind what a user named. Raises ModelError."""
    if is_file(model):
        return Path(model)
    return any_model_of(model).onnx_path


def is_file(model: Source) -> TypeGuard[AnyPath]:
    """Whether it names an ONNX file and no model."""
    return isinstance(model, str | os.PathLike) and os.fspath(model).endswith(".onnx")


def tuning_of(
    model: Source, onnx: Path, tuned: bool | None, visibility: Visibility = OPEN
) -> Tuning | None:
    """What was found for this very file and what proofs show; None for the standard settings.

    tuned: None means for ONNX files only, because the standard circuit of a model is the same on
    every machine. Raises TuningMissing when True and there is none.
    """
    if tuned is False or (tuned is None and not is_file(model)) or not onnx.is_file():
        return None
    found = record.find(file_digest(onnx), visibility=visibility)
    if found is None and tuned:
        raise TuningMissing(onnx)
    return found


def _check_wishes(
    data: Samples | None,
    *,
    tolerance: float | None,
    decisions: bool,
    fraction_bits: int | None,
    batch: int,
    tuned: bool | None,
) -> None:
    """What does not go together. Raises ArgumentRefused."""
    check_number("tolerance", tolerance, 0)
    wishes = {
        "tolerance": tolerance,
        "decisions": decisions or None,
        "fraction_bits": fraction_bits,
    }
    for name, value in wishes.items():
        if value is not None and data is None:
            raise ArgumentRefused(name, value, "None without samples: give data")
    if decisions and tolerance is not None:
        raise ArgumentRefused("decisions", decisions, "False with a tolerance")
    if data is not None and batch != 1:
        raise ArgumentRefused("batch", batch, "1 with samples")
    if fraction_bits and tuned:
        raise ArgumentRefused("fraction_bits", fraction_bits, "None: tuned settings have a scale")


def _system(name: str) -> ProofSystem:
    if name not in PROVING:
        raise ArgumentRefused("proof_system", name, f"one of {', '.join(PROVING)}")
    return PROVING[name]


def _visibility(inputs: str, outputs: str, weights: str) -> Visibility:
    given = {"inputs": inputs, "outputs": outputs, "weights": weights}
    for name, value in given.items():
        if value not in (choices := CHOICES[name]):
            raise ArgumentRefused(name, value, f"one of {', '.join(choices)}")
    return Visibility(**given)


def _objective(name: str) -> Objective:
    try:
        return Objective(name)
    except ValueError:
        raise ArgumentRefused("objective", name, f"one of {', '.join(Objective)}") from None


@contextmanager
def _samples_file(data: Samples | None) -> Iterator[Path | None]:
    """The samples as a file that exists inside the block."""
    if not isinstance(data, np.ndarray):
        yield path_of(data)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "samples.npz")
        np.savez(path, x=data)
        yield path


def _numbers(x: object) -> object:
    """Lists in Python's own types."""
    if isinstance(x, Mapping):
        return {name: _numbers(each) for name, each in x.items()}
    if isinstance(x, np.ndarray | np.generic):
        return x.tolist()
    if isinstance(x, str | bytes) or not isinstance(x, Sequence):
        return x
    return [_numbers(each) for each in x]


__all__ = [
    "build_circuit",
    "build_tuned",
    "is_file",
    "onnx_of",
    "prove",
    "tune",
    "tuning_of",
]
