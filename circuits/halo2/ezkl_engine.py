"""The only importer of ezkl: its file-based functions as functions over paths and values.

ezkl raises RuntimeError for everything, and its Rust panics surface as PanicException, which is a
BaseException; both become EngineError here and nowhere else. Callers hand in checked files and
checked numbers, so that a failure of `verify` inside halo2 is a verdict on the proof.

The interpreter lock is held through each of these calls: use processes, spawned ones (a fork after
a proof hangs).
"""

import asyncio
import json
import logging
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import ezkl

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.bn254.field import fits_int64, from_hex, to_field, to_hex
from zkagent.circuits.errors import EngineError, InputRefused, OutsideRange
from zkagent.circuits.halo2.scales import scale_of
from zkagent.circuits.halo2.settings import RunArguments, Settings, lookup_table
from zkagent.circuits.hashes import Hashes
from zkagent.circuits.support.unlisted import unlisted_file
from zkagent.circuits.visibility import OPEN, PRIVATE, PUBLIC, Visibility

# It warns of scales below 8 bits, which exact integers have on purpose, and logs the errors that it
# then raises: calibration meets many values that are too large.
logging.getLogger("ezkl").setLevel(logging.CRITICAL)

PANIC = "PanicException"  # pyo3_runtime's, which cannot be imported
# Where ezkl's create_evm_verifier fails after the Solidity is complete: it wants a compiler's ABI.
COMPILER_DOWNLOAD = "svm error"
NODE = re.compile(r"\((\d+), \d+\)")  # in ezkl's table of nodes: an input's node, and which output
NOWHERE = "http://127.0.0.1:0"
# Of its run arguments, those that decide how a network is laid out.
LAID_OUT_BY = (
    "input_scale param_scale scale_rebase_multiplier num_inner_cols logrows decomp_base "
    "decomp_legs ignore_range_check_inputs_outputs disable_freivalds"
).split()
# What remains of ezkl's "integer ... is too large to be represented" in its exception.
DECOMPOSITION = "General synthesis error"
# What halo2 says of a false proof; other failures of `verify` are no verdict.
FALSE_PROOF = (
    "The constraint system is not satisfied",
    "Multi-opening proof was invalid",
    "Transcript error",
    "Provided instances do not match the circuit",
)


def make_settings(onnx: Path, arguments: RunArguments, logrows: int) -> Settings:
    """ezkl's settings for the network at 2^logrows rows. Raises EngineError."""
    run_args = _run_args(arguments, logrows)
    with tempfile.TemporaryDirectory() as folder, _translated("read the network"):
        written = Path(folder, "settings.json")
        ezkl.gen_settings(str(onnx), str(written), py_run_args=run_args)
        settings: Settings = json.loads(written.read_text())
        return settings


def layout_log(onnx: Path, settings: Settings, visibility: Visibility = OPEN) -> list[str]:
    """What ezkl says while it lays the network out as in a circuit's settings, message by message.
    visibility: what those settings say of it.

    For a process in which ezkl has done nothing before: it keeps in mind that nobody listened.
    Raises EngineError, also when it says nothing.
    """
    run_args, heard = _same_run_args(settings["run_args"], visibility), _Heard()
    logger = logging.getLogger("ezkl")
    level, passed_on = logger.level, logger.propagate
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(heard)
    try:
        with tempfile.TemporaryDirectory() as folder, _translated("read the network"):
            ezkl.gen_settings(str(onnx), str(Path(folder, "settings.json")), py_run_args=run_args)
    finally:
        logger.removeHandler(heard)
        logger.propagate = passed_on
        logger.setLevel(level)
    if not heard.messages:
        raise EngineError("count the cells of each node", "it tells nothing in this process")
    return heard.messages


class _Heard(logging.Handler):
    """Keeps what is said."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def compile_network(onnx: Path, settings: Path, compiled: Path) -> None:
    """Write ezkl's form of the network. Raises EngineError."""
    with _translated("compile the network"):
        ezkl.compile_circuit(str(onnx), str(compiled), str(settings))


def make_keys(compiled: Path, srs: Path, vk: Path, pk: Path) -> None:
    """Write the verifying and the proving key. Raises EngineError."""
    with _translated("make the keys"):
        ezkl.setup(str(compiled), str(vk), str(pk), srs_path=str(srs))


def make_srs(path: Path, logrows: int) -> None:
    """Write a development set-up: its secret existed in this process. Raises EngineError."""
    with _translated("make a set-up"):
        ezkl.gen_srs(str(path), logrows)


def make_verifier(vk: Path, settings: Path, srs: Path) -> str:
    """The generated Solidity, as ezkl writes it: unsound until patched. Raises EngineError."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "verifier.sol")
        try:
            with _translated("write the verifier"), _no_downloads():
                asyncio.run(_create_verifier(vk, settings, srs, source))
        except EngineError as exc:
            if COMPILER_DOWNLOAD not in exc.reason:
                raise
        text = source.read_text() if source.is_file() else ""
    if not text.rstrip().endswith("}") or text.count("{") != text.count("}"):
        raise EngineError("write the verifier", "the Solidity file is incomplete")
    return text


async def _create_verifier(vk: Path, settings: Path, srs: Path, source: Path) -> None:
    abi = source.with_suffix(".abi")
    await ezkl.create_evm_verifier(str(vk), str(settings), str(source), str(abi), srs_path=str(srs))


def evaluate(
    compiled: Path,
    inputs: Sequence[Sequence[int]],
    witness: Path,
    table: tuple[int, int] | None = None,
    data: Path | None = None,
) -> tuple[int, ...]:
    """Write the witness for `inputs`, a flat list for each of the network's, and return all the
    circuit's outputs one after the other.

    table: the range of the circuit's look-up tables, if it has any. ezkl writes a witness beyond
    them all the same, and then proves without end. data: where the inputs are put for ezkl, beside
    the witness by default. Raises OutsideRange, EngineError.
    """
    data = data or witness.with_suffix(".input")
    # Field elements pass as they are; numbers would go through float64 and ezkl's rounding.
    given = [[to_hex(value) for value in each] for each in inputs]
    data.write_text(json.dumps({"input_data": given}))
    with _ranged(), _translated("evaluate the circuit"):
        ezkl.gen_witness(str(data), str(compiled), str(witness))
    written = json.loads(witness.read_text())
    if table:
        _check_lookups(table, written["min_lookup_inputs"], written["max_lookup_inputs"])
    return tuple(from_hex(value) for array in written["outputs"] for value in array)


def looked_up(compiled: Path, inputs: Sequence[Sequence[int]], witness: Path) -> tuple[int, int]:
    """The least and the largest value that `inputs` look up in tables, whatever the tables' range.

    (0, 0) without tables. Raises OutsideRange when a decomposition is too small, EngineError.
    """
    evaluate(compiled, inputs, witness)
    written = json.loads(witness.read_text())
    return int(written["min_lookup_inputs"]), int(written["max_lookup_inputs"])


def write_default_settings(onnx: Path, inputs: Sequence[Sequence[float]], settings: Path) -> None:
    """What ezkl chooses by itself, calibrated on `inputs`: unsound, for comparisons only.

    Its defaults use Freivalds' check (see zkagent.circuits.halo2.settings). Raises EngineError.
    """
    data = settings.with_suffix(".data")
    data.write_text(json.dumps({"input_data": [[v for sample in inputs for v in sample]]}))
    calibrate_by_itself(onnx, data, settings)


def calibrate_by_itself(onnx: Path, data: Path, settings: Path) -> None:
    """What ezkl's own tutorials write into `settings`, calibrated on `data`, an input.json:
    unsound, for comparisons only. Raises EngineError."""
    with _translated("calibrate by itself"):
        ezkl.gen_settings(str(onnx), str(settings))
        ezkl.calibrate_settings(str(data), str(onnx), str(settings))


def witness_by_itself(data: Path, compiled: Path, witness: Path) -> list[float]:
    """Write the witness of an input.json as ezkl's own tutorials do; the outputs as it reads its
    integers, as the network's own numbers. Raises EngineError."""
    with _translated("evaluate the circuit"):
        ezkl.gen_witness(str(data), str(compiled), str(witness))
    outputs = json.loads(witness.read_text())["pretty_elements"]["rescaled_outputs"]
    return [_number(value) for array in outputs for value in array]


def _number(text: str) -> float:
    """ezkl writes truth values in words."""
    return float({"true": "1", "false": "0"}.get(text, text))


def prove_witness(compiled: Path, witness: Path, pk: Path, srs: Path) -> tuple[bytes, list[str]]:
    """Proof bytes and instances (ezkl's hex). May be false: verify it. Raises EngineError."""
    with tempfile.TemporaryDirectory() as folder, _translated("prove"):
        written = Path(folder, "proof.json")
        ezkl.prove(str(witness), str(compiled), str(pk), str(written), srs_path=str(srs))
        proof = json.loads(written.read_text())
    return bytes(proof["proof"]), [value for array in proof["instances"] for value in array]


def verify_instances(
    proof: bytes, instances: Sequence[str], settings: Path, vk: Path, srs: Path
) -> bool:
    """Whether the proof holds for the instances (ezkl's hex). Raises EngineError if undecided."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "proof.json")
        path.write_text(json.dumps({"instances": [list(instances)], "proof": list(proof)}))
        try:
            with _translated("verify"):
                verdict = ezkl.verify(str(path), str(settings), str(vk), srs_path=str(srs))
        except EngineError as exc:
            if any(reason in exc.reason for reason in FALSE_PROOF):
                return False
            raise
    return verdict is True


def witness(circuit: Circuit, inputs: Sequence[int]) -> tuple[int, ...]:
    """y = f(x) as the circuit computes it, exactly. Raises EngineError, InputRefused."""
    with _discreet(circuit), unlisted_file() as data, unlisted_file() as path:
        return _evaluated(circuit, inputs, data, path)


def prove(circuit: Circuit, inputs: Sequence[int]) -> Proof:
    """Prove y = f(x), unverified. Raises EngineError, InputRefused."""
    with _discreet(circuit), unlisted_file() as data, unlisted_file() as path:
        outputs = _evaluated(circuit, inputs, data, path)
        proof, _ = prove_witness(circuit.compiled, path, circuit.pk, circuit.srs)
        hashes = read_hashes(path)
    shown = circuit.visibility
    return Proof(
        circuit.digest,
        tuple(inputs) if shown.inputs == PUBLIC else (),
        outputs if shown.outputs == PUBLIC else (),
        proof,
        scale_of(circuit),
        faces=circuit.faces,
        hashes=replace(hashes, private=shown.inputs == PRIVATE),
    )


def _evaluated(
    circuit: Circuit, inputs: Sequence[int], data: Path, witness: Path
) -> tuple[int, ...]:
    parts, table = _parts(circuit, inputs), _table(circuit)
    return _bounded(evaluate(circuit.compiled, parts, witness, table, data))


def read_hashes(witness: Path) -> Hashes:
    """What a witness hashes, by the circuit's visibility. Raises EngineError."""
    written = json.loads(witness.read_text())
    inputs, outputs, weights = (
        tuple(to_field(from_hex(each)) for each in (written[name] or {}).get("poseidon_hash") or ())
        for name in ("processed_inputs", "processed_outputs", "processed_params")
    )
    return Hashes(inputs, outputs, weights[0] if weights else None)


def poseidon_hash(values: Sequence[int]) -> int:
    """Of one tensor's integers, in order. Raises EngineError."""
    with _translated("hash"):
        (found,) = ezkl.poseidon_hash([to_hex(value) for value in values])
    return to_field(from_hex(found))


def constant_uses(onnx: Path, arguments: RunArguments, logrows: int) -> list[int]:
    """Of each constant that ezkl reads from the network, by how many inputs of nodes it is used.

    From the table that it prints for people. Raises EngineError.
    """
    with _translated("read the network"):
        table = ezkl.table(str(onnx), py_run_args=_run_args(arguments, logrows))
    rows = [line.split("│")[1:5] for line in table.splitlines() if line.startswith("│")]
    nodes = [(number.strip(), kind.strip(), inputs) for number, kind, _, inputs in rows]
    if not nodes or nodes[0][:2] != ("idx", "opkind"):
        raise EngineError("read the network", "its table of nodes does not look as expected")
    used = Counter(each for *_, inputs in nodes for each in NODE.findall(inputs))
    return [used[number] for number, kind, _ in nodes if kind.startswith("CONST")]


def verify(circuit: Circuit, proof: Proof) -> bool:
    """Whether the proof holds under the circuit's key for its own inputs and outputs.

    The callers' part is to refuse other lengths and non-canonical numbers, which ezkl accepts or
    stumbles over: zkagent.prover.verification. Raises EngineError when it cannot be decided.
    """
    instances = [to_hex(value) for value in proof.instances]
    return verify_instances(proof.proof, instances, circuit.settings, circuit.vk, circuit.srs)


def to_integer(instance: str) -> int:
    """An instance in ezkl's hex as the field element that a contract is given."""
    return to_field(from_hex(instance))


def _run_args(arguments: RunArguments, logrows: int) -> Any:
    run = ezkl.PyRunArgs()
    run.input_visibility = arguments.input_visibility
    run.output_visibility = arguments.output_visibility
    run.param_visibility = arguments.parameter_visibility
    run.input_scale = arguments.input_scale_bits
    run.param_scale = arguments.parameter_scale_bits
    run.num_inner_cols = arguments.inner_columns
    run.decomp_base = arguments.decomposition_base
    run.decomp_legs = arguments.decomposition_legs
    run.lookup_range = arguments.lookup_range
    run.scale_rebase_multiplier = arguments.scale_rebase_multiplier
    run.ignore_range_check_inputs_outputs = arguments.ignore_range_check_of_inputs_and_outputs
    run.disable_freivalds = arguments.disable_freivalds
    run.logrows = logrows
    return run


def _parts(circuit: Circuit, inputs: Sequence[int]) -> list[list[int]]:
    """A flat list for each of the network's inputs."""
    return [list(part) for part in circuit.faces.split_inputs(inputs)]


def _same_run_args(written: Mapping[str, Any], shown: Visibility) -> Any:
    """What decides a layout, from where settings hold it."""
    run = ezkl.PyRunArgs()
    for name in LAID_OUT_BY:
        setattr(run, name, written[name])
    run.lookup_range = tuple(written["lookup_range"])
    run.input_visibility, run.output_visibility = shown.inputs, shown.outputs
    run.param_visibility = shown.weights
    return run


def _bounded(outputs: tuple[int, ...]) -> tuple[int, ...]:
    if not fits_int64(outputs):
        peak = max(outputs, key=abs)
        raise InputRefused(f"these inputs drive an output to {peak}, which 64 bits cannot hold")
    return outputs


def _table(circuit: Circuit) -> tuple[int, int] | None:
    if circuit.facts.exact:
        return None  # exact circuits have none
    return lookup_table(json.loads(circuit.settings.read_text()))


def _check_lookups(table: tuple[int, int], least: int, most: int) -> None:
    low, high = table
    if least < low or most > high:
        found = least if least < low else most
        raise OutsideRange(f"{found} is looked up in a table from {low} to {high}")


@contextmanager
def _ranged() -> Iterator[None]:
    """A witness fails so when a value is too large to be decomposed."""
    try:
        yield
    except EngineError as exc:
        if DECOMPOSITION not in exc.reason:
            raise
        raise OutsideRange("a value is too large to be decomposed") from exc


@contextmanager
def _discreet(circuit: Circuit) -> Iterator[None]:
    """No error of a circuit that hides inputs or outputs tells one of its numbers."""
    try:
        yield
    except (EngineError, InputRefused) as exc:
        if not circuit.visibility.hides_values:
            raise
        raise _without_numbers(exc) from None


def _without_numbers(exc: EngineError | InputRefused) -> EngineError | InputRefused:
    if isinstance(exc, OutsideRange):
        return OutsideRange("a number, which is hidden, is too large")
    if isinstance(exc, InputRefused):
        return InputRefused("these inputs drive an output beyond 64 bits")
    return EngineError(exc.stage, "its words are left out, because they may tell hidden numbers")


@contextmanager
def _translated(stage: str) -> Iterator[None]:
    try:
        yield
    except RuntimeError as exc:
        raise EngineError(stage, _reason(exc)) from exc
    except BaseException as exc:
        if type(exc).__name__ != PANIC:
            raise
        raise EngineError(stage, f"it panicked: {_reason(exc)}") from exc


@contextmanager
def _no_downloads() -> Iterator[None]:
    """Point https at nothing, for this process: ezkl would fetch a compiler to no use of ours.

    Where packets are dropped rather than refused, it would also wait for minutes.
    """
    changed = {"HTTPS_PROXY": NOWHERE, "https_proxy": NOWHERE, "NO_PROXY": None, "no_proxy": None}
    kept = {name: os.environ.get(name) for name in changed}
    _set_environment(changed)
    try:
        yield
    finally:
        _set_environment(kept)


def _set_environment(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _reason(exc: BaseException) -> str:
    """ezkl's message without the prefix that repeats the stage, on one line."""
    text = " ".join(str(exc).split())
    return text.partition(": ")[2] if text.startswith("Failed to ") else text


__all__ = ["compile_network", "evaluate", "layout_log", "make_keys", "make_settings", "make_srs"]
__all__ += ["calibrate_by_itself", "to_integer", "witness_by_itself"]
__all__ += ["constant_uses", "poseidon_hash", "read_hashes"]
__all__ += ["make_verifier", "prove", "prove_witness", "verify", "verify_instances", "witness"]
