"""What `zkagent ceremony` does: begin, contribute, verify, finish. Files go in and come out; what
decides is checked on copies of our own.

A key is taken, and contributed to, if our own check of its transcript passes and all of its points
are what the network's constraints and the powers of tau give: by a first key that is made again,
compared here (first_key.py) and by snarkjs. Whoever verifies compiles the network himself, so the
constraints of others count for nothing.
"""

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from filelock import FileLock

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import CeremonyRefused, EngineError, PtauRefused
from zkagent.circuits.groth16.build import Setup, build_with, compile_network
from zkagent.circuits.groth16.build import Stage as BuildStage
from zkagent.circuits.groth16.cached import PROVING_KEY, open_stored
from zkagent.circuits.groth16.ceremony.first_key import check_follows
from zkagent.circuits.groth16.ceremony.key_points import check_points
from zkagent.circuits.groth16.ceremony.ptau import Powers, read_powers
from zkagent.circuits.groth16.ceremony.transcript import (
    AGAIN,
    Beacon,
    Contribution,
    Transcript,
    described,
    read_transcript,
)
from zkagent.circuits.groth16.constraints.compiler import Compiled
from zkagent.circuits.groth16.constraints.r1cs import r1cs_file
from zkagent.circuits.groth16.proving.provers import Prover, require
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.snarkjs.process import NAME, Snarkjs
from zkagent.circuits.store import circuits_folder, read_stored
from zkagent.circuits.support.isolation import Report, answer_call, call_module
from zkagent.circuits.support.private import private_folder
from zkagent.circuits.support.progress import Told, silent
from zkagent.models.files import open_regular
from zkagent.models.folders import Folder, write_folder
from zkagent.models.whole import place_of, write_file

MODULE = "zkagent.circuits.groth16.ceremony.files"
R1CS, FIRST_KEY = "circuit.r1cs", "circuit_0000.zkey"
#: Of one request to snarkjs; the largest circuits take minutes.
TIMEOUT_S = 6 * 3600.0


class Stage(StrEnum):
    """What is being done, beside what a build does."""

    POWERS = "reading the powers of tau"
    FIRST = "making the first key"
    TRANSCRIPT = "checking the contributions"
    BEACON = "adding the beacon"
    COMPARE = "comparing the key with circuit and powers"
    CONTRIBUTE = "contributing"


@dataclass(frozen=True)
class Verified:
    """A key that follows from circuit, powers and contributions."""

    transcript: Transcript
    powers: Powers
    rows: int


def begin(onnx: Path, ptau: Path, folder: Path | Folder, progress: Told = silent) -> Verified:
    """Write the constraints and the first key of a network's circuit. Raises NetworkRefused,
    PtauRefused, EngineError, PackagesMissing, OSError."""
    progress(BuildStage.COMPILE)
    compiled = compile_network(read_network(onnx, any_integers=True))
    progress(Stage.POWERS)
    with _powers(ptau, compiled) as powers, private_folder() as ours:
        r1cs, zkey = ours / R1CS, ours / FIRST_KEY
        write_file(r1cs, constraints := _constraints(compiled))
        progress(Stage.FIRST)
        with Snarkjs(timeout_s=TIMEOUT_S) as snarkjs:
            made = _first_key(snarkjs, r1cs, powers.copy, zkey)
        transcript = read_transcript(zkey)
        if transcript.circuit != made:
            raise EngineError("make the first key", "it wrote another key than it made", NAME)
        _check_origin(transcript, compiled, powers)
        transcript.check()
        with open_regular(zkey) as key:
            path = write_folder(folder, {R1CS: constraints, FIRST_KEY: key}) / FIRST_KEY
    return Verified(replace(transcript, path=path), powers, compiled.rows)


def contribute(
    onnx: Path,
    old: Path,
    ptau: Path,
    new: Path,
    name: str,
    *,
    ptau_digest: str | None = None,
    progress: Told = silent,
) -> Verified:
    """Write a key with one more contribution, whose secret nobody keeps: of the system's
    randomness, and snarkjs' own. What is multiplied is a copy of our own, which was verified
    against network and powers, and what is written at `new` is the key that came of that; a file
    that is there by then stays. name: at most 64 bytes, which anybody may read. ptau_digest: as for
    `finish`. Raises as `verify`, FileExistsError, OSError."""
    place = place_of(new, new=True)
    with _copy_of(old) as given, private_folder() as ours:
        with _named(old):
            verified = _verify_copy(
                onnx, given, ptau, progress, lambda powers: powers.check_vouched(ptau_digest)
            )
        progress(Stage.CONTRIBUTE)
        with _named(new):
            after = _with_one_more(verified.transcript, fresh := ours / "fresh.zkey", name)
        with open_regular(fresh) as key:
            place.put(key)
    return replace(verified, transcript=replace(after, path=new))


def _with_one_more(before: Transcript, fresh: Path, name: str) -> Transcript:
    """The key at `fresh`, which has the contribution that was made just now, and no other. Raises
    CeremonyRefused, EngineError, PackagesMissing."""
    with Snarkjs(timeout_s=TIMEOUT_S) as snarkjs:
        made = snarkjs.call(
            "contribute",
            "contribute",
            old=str(before.path),
            fresh=str(fresh),
            name=name,
            entropy=secrets.token_hex(64),
        )
    after = _sound(fresh)
    _check_longer(before, after, name, made)
    return after


def _sound(zkey: Path) -> Transcript:
    """A key's contributions, which follow from one another; its points are ones. Raises
    CeremonyRefused."""
    transcript = read_transcript(zkey)
    check_points(zkey)
    transcript.check()
    return transcript


def verify(onnx: Path, zkey: Path, ptau: Path, progress: Told = silent) -> Verified:
    """Raises NetworkRefused, CeremonyRefused, PtauRefused, EngineError, PackagesMissing."""
    with _copy_of(zkey) as copy, _named(zkey):
        verified = _verify_copy(onnx, copy, ptau, progress)
    return replace(verified, transcript=replace(verified.transcript, path=zkey))


def _verify_copy(
    onnx: Path,
    zkey: Path,
    ptau: Path,
    progress: Told,
    check: Callable[[Powers], None] = lambda _: None,
) -> Verified:
    """check: of the powers, before they are used."""
    progress(BuildStage.COMPILE)
    compiled = compile_network(read_network(onnx, any_integers=True))
    progress(Stage.POWERS)
    with _powers(ptau, compiled) as powers:
        check(powers)
        return _verified(compiled, zkey, powers, progress)


def finish(
    onnx: Path,
    zkey: Path,
    ptau: Path,
    *,
    ptau_digest: str | None = None,
    beacon: Beacon | None = None,
    chosen: bool = True,
    prover: Prover = Prover.GROTH16PY,
    cache: Path | None = None,
    progress: Told = silent,
) -> Circuit:
    """Verify a ceremony, and make its last key a circuit of this machine. The same files give the
    same circuit anywhere. chosen: it stands for the network from then on; else it is one that was
    verified, for audits and receipts.

    ptau_digest: of powers of tau that are of no public ceremony, as their makers published it.
    beacon: to be added as the last contribution first. Raises as `verify`, EngineMissing.
    """
    progress(BuildStage.NETWORK)
    network = read_network(onnx, any_integers=True)
    with FileLock(circuits_folder(cache) / f".{network.sha256}.lock"):
        require(prover)
        progress(BuildStage.COMPILE)
        compiled = compile_network(network)
        progress(Stage.POWERS)
        with _powers(ptau, compiled) as powers:
            powers.check_vouched(ptau_digest)

            def keys(folder: Path) -> Setup:
                copy = folder / PROVING_KEY
                _copied(zkey, copy, beacon, progress)
                with _named(zkey):
                    _check_people(read_transcript(copy))
                    return _setup(_verified(compiled, copy, powers, progress))

            return build_with(
                keys,
                network,
                compiled,
                prover=prover,
                cache=cache,
                progress=progress,
                chosen=chosen,
            )


def finish_isolated(
    onnx: Path,
    zkey: Path,
    ptau: Path,
    *,
    ptau_digest: str | None = None,
    beacon: Beacon | None = None,
    chosen: bool = True,
    prover: str = Prover.GROTH16PY,
    cache: Path | None = None,
    progress: Told = silent,
) -> Circuit:
    """Like `finish`, in a process of its own; raises the same errors, and EngineCrashed when that
    dies."""
    request = {
        "paths": [str(path) if path else None for path in (onnx, zkey, ptau, cache)],
        "ptau_digest": ptau_digest,
        "beacon": [beacon.value.hex(), beacon.iterations] if beacon else None,
        "chosen": chosen,
        "prover": prover,
    }
    digest = call_module(MODULE, request, progress, engine="the ceremony's end")
    return open_stored(read_stored(digest, cache))


def _answer(request: dict[str, Any], report: Report) -> str:
    """The digest of the circuit that `finish` makes."""
    *files, cache = (Path(path) if path else None for path in request["paths"])
    onnx, zkey, ptau = (path for path in files if path)
    given = request["beacon"]
    return finish(
        onnx,
        zkey,
        ptau,
        ptau_digest=request["ptau_digest"],
        beacon=Beacon(bytes.fromhex(given[0]), given[1]) if given else None,
        chosen=bool(request["chosen"]),
        prover=Prover(request["prover"]),
        cache=cache,
        progress=report,
    ).digest


def _setup(verified: Verified) -> Setup:
    transcript = verified.transcript
    note = {
        "transcript": transcript.digest,
        "ptau": verified.powers.digest,
        "contributions": described(transcript.contributions),
    }
    return Setup(transcript.verifying, transcript.digest, {"ceremony": note})


def _copied(zkey: Path, copy: Path, beacon: Beacon | None, progress: Told) -> None:
    """Raises CeremonyRefused, EngineError."""
    _copy_key(zkey, copy)
    if beacon is None:
        return
    with _named(zkey):
        _check_people(read_transcript(copy))
        before = _sound(copy)
    progress(Stage.BEACON)
    fresh = copy.with_name(f"beacon-{copy.name}")
    with Snarkjs(timeout_s=TIMEOUT_S) as snarkjs:
        made = snarkjs.call(
            "beacon",
            "add the beacon",
            old=str(copy),
            fresh=str(fresh),
            name="beacon",
            beacon=beacon.value.hex(),
            iterations=beacon.iterations,
        )
    after = read_transcript(fresh)
    _check_longer(before, after, "beacon", made)
    if after.contributions[-1].beacon != beacon:
        raise EngineError("add the beacon", "it added another one", NAME)
    fresh.replace(copy)


def _verified(compiled: Compiled, zkey: Path, powers: Powers, progress: Told) -> Verified:
    progress(Stage.TRANSCRIPT)
    _check_origin(read_transcript(zkey), compiled, powers)
    transcript = _sound(zkey)
    progress(Stage.COMPARE)
    _compare(transcript, compiled, powers)
    return Verified(transcript, powers, compiled.rows)


def _compare(transcript: Transcript, compiled: Compiled, powers: Powers) -> None:
    """All points of the key are those that constraints and powers give, but for the factors of the
    contributions: by our own sums and by snarkjs', from a first key that is made again."""
    zkey, ptau = transcript.path, powers.copy
    with private_folder() as ours:
        r1cs, first = ours / R1CS, ours / FIRST_KEY
        write_file(r1cs, _constraints(compiled))
        with Snarkjs(timeout_s=TIMEOUT_S) as snarkjs:
            if _first_key(snarkjs, r1cs, ptau, first) != transcript.circuit:
                raise CeremonyRefused(
                    zkey,
                    "its contributions began with another key than this network's and "
                    f"{powers.path}'s",
                    "give the network and the powers that it is of",
                )
            check_follows(first, zkey)
            files = {"initial": str(first), "ptau": str(ptau), "zkey": str(zkey)}
            held, said = snarkjs.answer("verify", "verify the key", files)
    if held is not True:
        reason = said.removeprefix("INVALID: ").strip() or "no reason given"
        raise CeremonyRefused(
            zkey, f"its points are not those of circuit and powers ({reason})", AGAIN
        )


def _first_key(snarkjs: Snarkjs, r1cs: Path, ptau: Path, zkey: Path) -> bytes:
    """Its hash, as snarkjs made it."""
    files = {"r1cs": str(r1cs), "ptau": str(ptau), "zkey": str(zkey)}
    return bytes.fromhex(snarkjs.call("initial", "make the first key", **files))


def _constraints(compiled: Compiled) -> bytes:
    return r1cs_file(compiled.constraints, compiled.wires, compiled.public)


def _check_origin(transcript: Transcript, compiled: Compiled, powers: Powers) -> None:
    """Raises CeremonyRefused."""
    found = transcript.wires, transcript.public, transcript.domain
    expected = compiled.wires, compiled.public, compiled.domain
    if found != expected:
        shapes = (f"{w} wires, {p} public words and {d} rows" for w, p, d in (found, expected))
        raise CeremonyRefused(
            transcript.path,
            f"it is of another circuit: {next(shapes)}, expected {next(shapes)}",
            "give the network that it is of",
        )
    key = transcript.verifying
    if (transcript.alpha, transcript.beta, key.beta) != (
        powers.alpha,
        powers.beta,
        powers.beta_g2,
    ):
        raise CeremonyRefused(
            transcript.path,
            f"it was made from other powers of tau than {powers.path}",
            "give the file that its ceremony began with",
        )


def _check_longer(before: Transcript, after: Transcript, name: str, made: object) -> None:
    """Raises EngineError where one more contribution, of this name, is not all that is new. made:
    its hash in hex, as snarkjs made it: nobody else's that lies where it was written. Others' names
    are left out: no hash covers them, and snarkjs shortens those that it would not have written."""
    kept = after.circuit == before.circuit and _unnamed(after)[:-1] == _unnamed(before)
    last = after.contributions[-1] if kept and after.contributions else None
    if last is None or (last.name, last.hash.hex()) != (name, made):
        raise EngineError("contribute", "it wrote other contributions than there were", NAME)


def _unnamed(transcript: Transcript) -> list[Contribution]:
    return [replace(each, name="") for each in transcript.contributions]


def _check_people(transcript: Transcript) -> None:
    """A first key's delta is 1, and everybody knows a beacon. Raises CeremonyRefused."""
    if reason := transcript.open_to_all:
        raise CeremonyRefused(
            transcript.path,
            f"{reason}, so everybody could forge proofs",
            "let several people run `zkagent ceremony contribute` first",
        )


@contextmanager
def _named(shown: Path) -> Iterator[None]:
    """Lets errors of a key name the file that was given, and not our copy of it."""
    try:
        yield
    except PtauRefused:
        raise
    except CeremonyRefused as exc:
        text = str(exc).replace(str(exc.path), str(shown), 1)
        exc.args, exc.path = (text,), shown
        raise


@contextmanager
def _powers(ptau: Path, compiled: Compiled) -> Iterator[Powers]:
    """Of a copy that nobody else writes: what was read and digested is what snarkjs reads. Raises
    PtauRefused."""
    with private_folder() as folder:
        try:
            _copy_file(ptau, copy := folder / "powers.ptau")
        except OSError as exc:
            reason = f"it cannot be read or copied ({exc.strerror})"
            raise PtauRefused(ptau, reason, "give another, or make room") from exc
        yield read_powers(copy, compiled.domain, shown=ptau)


@contextmanager
def _copy_of(zkey: Path) -> Iterator[Path]:
    """A file that nobody else writes, for as long as the block lasts. Raises CeremonyRefused."""
    with private_folder() as folder:
        _copy_key(zkey, copy := folder / "given.zkey")
        yield copy


def _copy_key(zkey: Path, copy: Path) -> None:
    """Raises CeremonyRefused."""
    try:
        _copy_file(zkey, copy)
    except OSError as exc:
        raise CeremonyRefused(zkey, f"it cannot be read or copied ({exc.strerror})", AGAIN) from exc


def _copy_file(source: Path, copy: Path) -> None:
    """Raises OSError."""
    with open_regular(source) as file, copy.open("wb") as written:
        shutil.copyfileobj(file, written)


if __name__ == "__main__":
    answer_call(_answer)


__all__ = ["FIRST_KEY", "R1CS", "Stage", "Verified", "begin", "contribute"]
__all__ += ["finish", "finish_isolated", "verify"]
