"""From an ONNX file to a circuit with a development set-up that has proven something once.

`build_isolated` is what others call; `python -m` on this module is its other half. A set-up is
random and made for one network, so building the same network again looks up what was built before:
there is no other way to the same circuit. A build happens in a folder of its own and is moved into
place when done, under a lock, so that neither a crash nor a second process leaves half a circuit.
"""

import logging
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from filelock import FileLock

from zkagent.circuits.artifacts import NETWORK, VERIFYING_KEY, Circuit, Facts, Origin
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitNotFound,
    CircuitOutdated,
    EngineError,
    NetworkRefused,
    ProgramRefused,
    SrsUnreadable,
)
from zkagent.circuits.groth16.cached import (
    NAME,
    PROVING_KEY,
    SOLVER,
    input_bits_of,
    is_development,
    open_stored,
    versions,
)
from zkagent.circuits.groth16.constraints.comparison import compare
from zkagent.circuits.groth16.constraints.compiler import Compiled, compile_program
from zkagent.circuits.groth16.keys.development import make_keys
from zkagent.circuits.groth16.keys.key_code import MOST_NUMBERS, KeyCode
from zkagent.circuits.groth16.keys.setups import (
    Own,
    named_key,
    note_own,
    own_circuits,
    readable_own,
    unrepeatable,
)
from zkagent.circuits.groth16.keys.zkey import VerifyingKey, zkey_file
from zkagent.circuits.groth16.proving.points import PROOF_BYTES
from zkagent.circuits.groth16.proving.provers import Prover, load_key, require
from zkagent.circuits.groth16.proving.verdicts import holds
from zkagent.circuits.networks.network import Network, read_network
from zkagent.circuits.program.program import MOST_INPUT_BITS
from zkagent.circuits.program.reader import read_program
from zkagent.circuits.store import (
    Stored,
    circuits_folder,
    list_circuits,
    read_stored,
    write_manifest,
)
from zkagent.circuits.support.cache import file_digest
from zkagent.circuits.support.isolation import Report, answer_call, call_module
from zkagent.circuits.support.progress import Told, silent
from zkagent.models.whole import write_file

log = logging.getLogger(__name__)

LOST = (
    "the folder of circuit %s, which was made here for the same network, is gone: where it is not "
    "meant to be, copy it again from where it is whole; until then another circuit stands for "
    "the network"
)
UNNOTED = (
    "another circuit is made than %s, which is of the same network and has no note that it was "
    "made here: where it was, put its note back into groth16/, and it stands for the network again"
)


class Stage(StrEnum):
    """What a build is doing, in this order; a look-up ends after the first."""

    NETWORK = "reading the network"
    COMPILE = "compiling the circuit"
    KEYS = "making the keys"
    CHECK = "checking a first proof"


@dataclass(frozen=True)
class Setup:
    """Where a circuit's proving key comes from. transcript: SHA-256 of its ceremony's, empty for a
    development set-up. notes: that its manifest keeps."""

    key: VerifyingKey
    transcript: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)


#: Puts a circuit's proving key into its folder.
MakeKeys = Callable[[Path], Setup]


def build_isolated(
    onnx: Path,
    *,
    srs: Path | None = None,
    cache: Path | None = None,
    progress: Told = silent,
    input_bits: int = MOST_INPUT_BITS,
    prover: str = Prover.GROTH16PY,
) -> Circuit:
    """Like `build_circuit`, in a process of its own; raises the same errors, and EngineCrashed when
    that dies."""
    paths = {"onnx": onnx, "srs": srs, "cache": cache}
    request: dict[str, Any] = {name: str(path) if path else None for name, path in paths.items()}
    request |= {"input_bits": input_bits, "prover": prover}
    digest = call_module(
        "zkagent.circuits.groth16.build", request, progress, engine="the Groth16 build"
    )
    return open_stored(read_stored(digest, cache))


def build_circuit(
    onnx: Path,
    *,
    srs: Path | None = None,
    cache: Path | None = None,
    progress: Told = silent,
    input_bits: int = MOST_INPUT_BITS,
    prover: Prover = Prover.GROTH16PY,
) -> Circuit:
    """The network's circuit, looked up or built with a set-up of this process.

    srs: the verifying key of a circuit in the cache, which is then the one to be found; there is no
    other set-up to begin with. Without it, one of this machine's own; of several, one from a
    ceremony comes first. input_bits: that hold each x, with its sign; others are refused. prover:
    makes a first proof. Raises NetworkRefused, SrsUnreadable, EngineMissing, PackagesMissing,
    EngineError.
    """
    progress(Stage.NETWORK)
    network = read_network(onnx, any_integers=True)
    with FileLock(circuits_folder(cache) / f".{network.sha256}.lock"):
        if found := _find(network.sha256, input_bits, srs, cache):
            return found
        require(prover)
        for each in _built(network.sha256, input_bits, cache):
            if each.unknown_maker:
                log.warning(UNNOTED, each.digest)
        compiled = compile_network(network, input_bits)
        progress(Stage.COMPILE)
        log.info("building a Groth16 circuit of %s", network.sha256)

        def keys(folder: Path) -> Setup:
            progress(Stage.KEYS)
            made = make_keys(compiled)
            write_file(folder / PROVING_KEY, zkey_file(made))
            return Setup(made.verifying)

        return build_with(keys, network, compiled, prover=prover, cache=cache, progress=progress)


def _find(onnx: str, bits: int, srs: Path | None, cache: Path | None) -> Circuit | None:
    """One of this machine's own, or the one with the key `srs`. Raises SrsUnreadable where a
    circuit with a key is wanted and not there, KeysDamaged."""
    if srs is None:
        return _find_own(onnx, bits, cache)
    if (wanted := named_key(srs)) is not None:
        if found := _find_own(onnx, bits, cache, wanted):
            return found
        built = [each for each in _built(onnx, bits, cache) if each.origin.srs == wanted]
        if known := [each for each in built if not each.unknown_maker] or built:
            _check_only(known, srs)
            return known[0]
    raise SrsUnreadable(
        srs,
        "a Groth16 set-up is for one network, and no circuit of this one was built here with "
        "this verifying key: leave out --srs",
    )


def _check_only(found: Sequence[Circuit], srs: Path) -> None:
    """Anybody can append two contributions to a ceremony that cancel: another circuit of the same
    key. Raises SrsUnreadable."""
    if len(found) > 1:
        names = ", ".join(sorted(each.digest[:16] for each in found))
        raise SrsUnreadable(
            srs,
            f"it is the verifying key of several circuits here, {names}, and none of them was "
            "chosen: name one by its digest, or choose one with `zkagent ceremony finalize` on its "
            "last key",
        )


def _find_own(onnx: str, bits: int, cache: Path | None, key: str = "") -> Circuit | None:
    """The first one that is there, of those with this key's SHA-256 if it is given: one whose files
    are not well is no reason to take another. Raises KeysDamaged."""
    for origin in chosen_circuits(onnx, bits, cache):
        if key and origin.srs != key:
            continue
        try:
            with unrepeatable():
                return open_stored(read_stored(origin.digest, cache))
        except CircuitOutdated:
            continue
        except CircuitNotFound:
            log.warning(LOST, origin.digest)
    return None


def chosen_circuits(
    onnx: str, bits: int = MOST_INPUT_BITS, cache: Path | None = None
) -> list[Origin]:
    """What stands for the ONNX file with this SHA-256: the ceremony's that was chosen last, those
    before it, and then what was made first, since that is not to change by itself. Raises
    KeysDamaged."""

    def order(own: Own) -> tuple[bool, int]:
        development = is_development(own.origin)
        return development, own.made if development else -own.chosen

    found = [own for own in own_circuits(onnx, cache) if own.chosen]
    return [own.origin for own in sorted(found, key=order) if input_bits_of(own.origin) == bits]


def lost_circuits(circuit: Circuit, cache: Path | None = None) -> list[str]:
    """Digests of those that would stand for the network before this one, which does: their folders
    are gone. Raises NoteDamaged."""
    chosen = chosen_circuits(circuit.origin.onnx, input_bits_of(circuit.origin), cache)
    names, folder = [origin.digest for origin in chosen], circuits_folder(cache)
    before = names[: names.index(circuit.digest)] if circuit.digest in names else []
    return [digest for digest in before if not (folder / digest).exists()]


def _built(onnx: str, bits: int, cache: Path | None) -> Iterator[Circuit]:
    """Circuits of the ONNX file with this SHA-256, all files well."""
    for digest in list_circuits(cache):
        try:
            stored = read_stored(digest, cache)
        except (CircuitNotFound, ArtifactCorrupted):
            continue  # just removed, or perhaps of another system
        if (stored.origin.system, stored.origin.onnx) != (NAME, onnx):
            continue
        try:
            circuit = open_stored(stored)
            if input_bits_of(circuit.origin) == bits:
                yield circuit
        except CircuitOutdated:
            continue
        except ArtifactCorrupted as exc:
            log.warning("%s", exc)


def compile_network(network: Network, input_bits: int = MOST_INPUT_BITS) -> Compiled:
    """Raises NetworkRefused."""
    if not network.integer:
        raise NetworkRefused(
            network.path, "Groth16 circuits are made of networks over integers only"
        )
    try:
        program = read_program(network.content, input_bits)
        for name, count in (("inputs", program.inputs), ("outputs", program.outputs.size)):
            if count > MOST_NUMBERS:
                raise NetworkRefused(
                    network.path, f"it has {count} {name}, a key says up to {MOST_NUMBERS}"
                )
        return compile_program(program)
    except ProgramRefused as exc:
        raise NetworkRefused(network.path, str(exc)) from exc


def build_with(
    keys: MakeKeys,
    network: Network,
    compiled: Compiled,
    *,
    prover: Prover,
    cache: Path | None,
    progress: Told,
    chosen: bool = True,
) -> Circuit:
    """A circuit whose proving key `keys` makes; the one that was there, where it is the same.
    chosen: to stand for the network. Called under the network's lock. Raises as `build_circuit`
    and `keys`."""
    fresh = circuits_folder(cache) / f".{network.sha256}.building"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    try:
        setup = keys(fresh)
        code = _write_files(network, compiled, fresh, setup)
        files = {path.name: file_digest(path) for path in sorted(fresh.iterdir())}
        origin = Origin(
            NAME,
            network.sha256,
            "",
            files[VERIFYING_KEY],
            versions(compiled.input_bits, transcript=setup.transcript),
        )
        facts = Facts(
            input_count=code.inputs,
            output_count=code.outputs,
            input_scale_bits=0,
            exact=True,
            rows=compiled.rows,
            logrows=compiled.domain.bit_length() - 1,
            proof_bytes=PROOF_BYTES,
        )
        stored = Stored(fresh, origin, facts, files, dict(setup.notes))
        progress(Stage.CHECK)
        _check(network, compiled, fresh, code, prover)
        write_manifest(stored.circuit(fresh / VERIFYING_KEY, development=code.development))
        there = _well(origin.digest, cache, chosen=chosen)
        note_own(origin, there.files if there else files, cache, chosen=chosen)
        return there or _placed(replace(stored, directory=fresh.with_name(origin.digest)), fresh)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _well(digest: str, cache: Path | None, *, chosen: bool) -> Circuit | None:
    """The circuit of this name that is there, if it is of this machine and all files are well;
    those of another may differ from it in what no name covers, such as contributors' names. chosen:
    likewise, if it was chosen before, too: what was only verified may be a stranger's."""
    own = readable_own(digest, cache)
    if own is None or (chosen and not own.chosen):
        return None
    try:
        return open_stored(read_stored(digest, cache))
    except (ArtifactCorrupted, CircuitNotFound, CircuitOutdated) as exc:
        log.debug("%s", exc)
        return None


def _placed(stored: Stored, fresh: Path) -> Circuit:
    """In its place."""
    if stored.directory.exists():
        log.warning("the folder of circuit %s is replaced", stored.directory.name[:16])
        stored.directory.rename(fresh.with_name(f".{uuid.uuid4().hex}.going"))
    fresh.rename(stored.directory)
    return open_stored(stored)


def _write_files(network: Network, compiled: Compiled, folder: Path, setup: Setup) -> KeyCode:
    write_file(folder / NETWORK, network.content)
    write_file(folder / SOLVER, compiled.solver.to_bytes())
    code = KeyCode(
        compiled.inputs,
        compiled.output_count,
        not setup.transcript,
        setup.key,
        compiled.input_bits,
    )
    write_file(folder / VERIFYING_KEY, code.to_bytes())
    return code


def _check(
    network: Network, compiled: Compiled, folder: Path, code: KeyCode, prover: Prover
) -> None:
    """The constraints compute what onnxruntime does, and the keys prove it."""
    x = compare(network, compiled)
    witness = compiled.witness(x, code.digest)
    proof = load_key(folder / PROVING_KEY, code.key, prover).prove(witness.elements())
    if not holds(code.key, proof, code.public_words(x, compiled.outputs_of(witness))):
        raise EngineError("prove", "the first proof is false", prover)


def _answer(request: dict[str, Any], report: Report) -> str:
    """The digest of what was asked for."""
    onnx, srs, cache = (
        Path(request[name]) if request[name] else None for name in ("onnx", "srs", "cache")
    )
    assert onnx
    bits, prover = int(request["input_bits"]), Prover(request["prover"])
    return build_circuit(
        onnx, srs=srs, cache=cache, progress=report, input_bits=bits, prover=prover
    ).digest


if __name__ == "__main__":
    answer_call(_answer)


__all__ = ["Setup", "Stage", "build_circuit", "build_isolated", "build_with", "chosen_circuits"]
__all__ += ["compile_network", "lost_circuits"]
