"""`zkagent ceremony`: set-ups of Groth16 circuits that several people make."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.circuits_shown import contribution_lines, find_onnx, show
from zkagent.executor.cli.group import Group
from zkagent.executor.cli.options import JSON_OPTION, PROVER_OPTION, PROVERS

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit
    from zkagent.circuits.groth16.ceremony.files import Verified
    from zkagent.circuits.groth16.ceremony.transcript import Beacon, Contribution, Transcript

MOST_NAME = 64  # bytes
LEAST_ITERATIONS, MOST_ITERATIONS = 10, 24

PTAU_OPTION = click.option(
    "--ptau",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Powers of tau, prepared, as snarkjs has them.",
)
PTAU_DIGEST_OPTION = click.option(
    "--ptau-digest",
    metavar="HEX",
    help="BLAKE2b of --ptau, as those whom you trust published it; for others than the public "
    "ceremony's.",
)


@dataclass(frozen=True)
class _Held:
    """What is told of a ceremony. ptau: BLAKE2b of its powers of tau."""

    transcript: "Transcript"
    rows: int
    logrows: int
    ptau: str

    @classmethod
    def of(cls, verified: "Verified") -> Self:
        transcript = verified.transcript
        logrows = transcript.domain.bit_length() - 1
        return cls(transcript, verified.rows, logrows, verified.powers.digest)

    @classmethod
    def of_circuit(cls, circuit: "Circuit", key: Path) -> Self:
        """Of one that was made here just now of this file, and so was verified. Another file of it,
        with other names, may have been kept before. Raises CeremonyRefused."""
        from zkagent.circuits.errors import CeremonyRefused
        from zkagent.circuits.groth16.ceremony.transcript import read_transcript

        transcript = read_transcript(key)
        transcript.check()
        if transcript.digest != circuit.transcript:
            raise CeremonyRefused(key, "it was replaced meanwhile", "verify it again")
        ptau = str(circuit.notes["ceremony"]["ptau"])
        return cls(transcript, circuit.rows, circuit.logrows, ptau)

    def facts(self) -> dict[str, Any]:
        """For machines."""
        from zkagent.circuits.groth16.ceremony.ptau import is_public
        from zkagent.circuits.groth16.ceremony.transcript import described

        return {
            "rows": self.rows,
            "logrows": self.logrows,
            "ptau": self.ptau,
            "ptau_public": is_public(self.ptau),
            "transcript": self.transcript.digest,
            "contributions": described(self.transcript.contributions),
        }


@click.group("ceremony", cls=Group)
def ceremony_group() -> None:
    """Set-ups of one's own, made by several people, of whom one honest one suffices.

    Files are those of snarkjs, which is installed from npm when it is first needed, and with which
    anybody may take part. See docs/groth16.md.
    """


@ceremony_group.command("init")
@click.argument("model")
@PTAU_OPTION
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where to put the constraints and the first key.",
)
@JSON_OPTION
def init_command(*, model: str, ptau: Path, out: Path, as_json: bool) -> None:
    """Begin the ceremony of MODEL: a model's name or folder, or an ONNX file.

    Whoever contributes first takes circuit_0000.zkey; nothing is proven with that.
    """
    from zkagent.circuits.groth16.ceremony.files import FIRST_KEY, R1CS, begin
    from zkagent.executor.cli.progress import working
    from zkagent.executor.commands import typed
    from zkagent.executor.places import results_folder

    onnx = find_onnx(model)
    with results_folder(out, (R1CS, FIRST_KEY), lambda _: False) as folder, working() as tell:
        begun = begin(onnx, ptau, folder, tell)
    constraints, key, held = out / R1CS, out / FIRST_KEY, _Held.of(begun)
    if as_json:
        files = {"r1cs": str(constraints), "zkey": str(key)}
        output.show(json.dumps({**files, **held.facts()}))
        return
    output.show(str(constraints))
    output.show(f"{key}  {begun.rows} rows of 2^{held.logrows}")
    _show_powers(held.ptau)
    following = out / "circuit_0001.zkey"
    words: tuple[object, ...] = ("--model", model, "--ptau", ptau)
    words += () if begun.powers.is_public else ("--ptau-digest", "HEX")
    command = typed("ceremony", "contribute", key, *words, "--out", following, "--name", "NAME")
    output.show(
        f"contribute with `{command}`, or with snarkjs to a key that `zkagent ceremony verify` "
        "found sound: snarkjs' own check does not see every point that forges proofs",
        err=True,
    )


def _checked_name(ctx: click.Context, option: click.Parameter, given: str) -> str:
    if not 1 <= len(given.encode()) <= MOST_NAME or not given.isprintable():
        raise click.BadParameter(f"{given!r} is not 1 to {MOST_NAME} bytes of printable text")
    return given


@ceremony_group.command("contribute")
@click.argument("key", type=click.Path(path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to put the key with your contribution.",
)
@click.option(
    "--name",
    required=True,
    callback=_checked_name,
    help="Who you are, for everybody to read.",
)
@click.option("--model", required=True, metavar="MODEL", help="The model that KEY must be of.")
@click.option(
    "--ptau",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The powers of tau that KEY must come from, prepared.",
)
@PTAU_DIGEST_OPTION
@JSON_OPTION
def contribute_command(
    *,
    key: Path,
    out: Path,
    name: str,
    model: str,
    ptau: Path,
    ptau_digest: str | None,
    as_json: bool,
) -> None:
    """Take part in a ceremony: KEY is what the one before you made.

    KEY is verified first, by --model and --ptau: whoever multiplies a secret into points of unknown
    origin may hand over a forgery, or the secret. That is drawn from the system's randomness and
    kept nowhere. Publish the hash that is shown: with it, anybody sees that your contribution is in
    the last key.
    """
    from zkagent.circuits.groth16.ceremony.files import contribute
    from zkagent.executor.cli.progress import working
    from zkagent.executor.errors import FileInTheWay
    from zkagent.executor.places import check_place

    check_place(out)
    onnx = find_onnx(model)
    with working() as tell:
        try:
            made = contribute(onnx, key, ptau, out, name, ptau_digest=ptau_digest, progress=tell)
        except FileExistsError as exc:  # somebody else's, made meanwhile
            raise FileInTheWay(out) from exc
        held = _Held.of(made)
    facts = held.facts()
    if as_json:
        powers = {name: facts[name] for name in ("ptau", "ptau_public")}
        output.show(json.dumps({"zkey": str(out), **facts["contributions"][-1], **powers}))
        return
    output.show(str(out))
    _show_contributions(held.transcript.contributions[-1:])
    _show_powers(held.ptau)


@ceremony_group.command("verify")
@click.argument("model")
@click.argument("key", type=click.Path(path_type=Path))
@PTAU_OPTION
@PTAU_DIGEST_OPTION
@click.option(
    "--for-audits",
    is_flag=True,
    help="Let audits and receipts on this machine count the key as a ceremony's. It stands for no "
    "model by that: `finalize` chooses.",
)
@JSON_OPTION
def verify_command(
    *,
    model: str,
    key: Path,
    ptau: Path,
    ptau_digest: str | None,
    for_audits: bool,
    as_json: bool,
) -> None:
    """Check that KEY follows from MODEL, the powers of tau and its contributions; list these.

    The constraints are made again from MODEL, so nobody has to believe a file of them.
    """
    from zkagent.circuits.groth16.ceremony.files import finish_isolated, verify
    from zkagent.executor.cli.progress import working

    onnx, kept = find_onnx(model), None
    with working() as tell:
        if for_audits:
            kept = finish_isolated(
                onnx,
                key,
                ptau,
                ptau_digest=ptau_digest,
                chosen=False,
                prover="snarkjs",
                progress=tell,
            )
            found = _Held.of_circuit(kept, key)
        else:
            verified = verify(onnx, key, ptau, tell)
            if ptau_digest:
                verified.powers.check_vouched(ptau_digest)
            found = _Held.of(verified)
    if as_json:
        circuit = {"circuit": kept.digest} if kept else {}
        output.show(json.dumps({"zkey": str(key), **found.facts(), **circuit}))
        return
    transcript = found.transcript
    output.show(f"{key} follows from {model}, {ptau} and {_counted(transcript.contributions)}")
    _show_contributions(transcript.contributions)
    output.show(f"transcript {transcript.digest}")
    _show_powers(found.ptau)
    if kept:
        output.show(f"circuit {kept.digest}, for audits and receipts on this machine")
    if reason := transcript.open_to_all:
        output.show(f"{reason}, so everybody could forge proofs under it", err=True)


def _beacon(ctx: click.Context, option: click.Parameter, given: str | None) -> bytes | None:
    if given is None:
        return None
    try:
        value = bytes.fromhex(given.removeprefix("0x"))
    except ValueError as exc:
        raise click.BadParameter(f"{given!r} is not hexadecimal") from exc
    if not 1 <= len(value) <= 255:
        raise click.BadParameter(f"it has {len(value)} bytes, expected 1 to 255")
    return value


@ceremony_group.command("finalize")
@click.argument("model")
@click.argument("key", type=click.Path(path_type=Path))
@PTAU_OPTION
@PTAU_DIGEST_OPTION
@click.option(
    "--beacon",
    metavar="HEX",
    callback=_beacon,
    help="Randomness that nobody could choose, such as a later block's hash, to be added last.",
)
@click.option(
    "--beacon-iterations",
    "iterations",
    type=click.IntRange(LEAST_ITERATIONS, MOST_ITERATIONS),
    default=LEAST_ITERATIONS,
    show_default=True,
    metavar="N",
    help="Hash the beacon 2^N times.",
)
@PROVER_OPTION
@JSON_OPTION
def finalize_command(
    *,
    model: str,
    key: Path,
    ptau: Path,
    ptau_digest: str | None,
    beacon: bytes | None,
    iterations: int,
    prover: str | None,
    as_json: bool,
) -> None:
    """Verify a ceremony of yours and make its last KEY the circuit of MODEL on this machine.

    `prove`, `serve` and `deploy` take it from then on, in place of one that was chosen before. Of
    a ceremony that you only want to check, run `zkagent ceremony verify --for-audits`.
    """
    from zkagent.circuits.groth16.ceremony.files import finish_isolated
    from zkagent.circuits.groth16.ceremony.transcript import read_transcript
    from zkagent.executor.cli.progress import working

    onnx = find_onnx(model)
    before = _standing(onnx)
    with working() as tell:
        circuit = finish_isolated(
            onnx,
            key,
            ptau,
            ptau_digest=ptau_digest,
            beacon=_made(beacon, iterations),
            prover=prover or PROVERS[0],
            progress=tell,
        )
    show(circuit, as_json)
    if before and before != circuit.digest:
        output.show(
            f"it stands for {model} from now on, in place of {before[:16]}, which the same command "
            "with that one's last key chooses again",
            err=True,
        )
    if as_json:
        return
    last = circuit.directory / "circuit.zkey"
    _show_contributions(read_transcript(last).contributions)
    if beacon:
        output.show(f"publish {last}: the beacon is in no other file", err=True)


def _standing(onnx: Path) -> str:
    """Digest of the ceremony's circuit that stands for an ONNX file; empty where none does, or no
    note tells."""
    from zkagent.circuits.errors import NoteDamaged
    from zkagent.circuits.groth16.build import chosen_circuits
    from zkagent.circuits.groth16.cached import is_development
    from zkagent.circuits.support.cache import file_digest

    try:
        chosen = chosen_circuits(file_digest(onnx))
    except NoteDamaged:
        return ""  # whoever chooses it again writes it anew
    return next((each.digest for each in chosen if not is_development(each)), "")


def _made(beacon: bytes | None, iterations: int) -> "Beacon | None":
    from zkagent.circuits.groth16.ceremony.transcript import Beacon

    return Beacon(beacon, iterations) if beacon else None


def _counted(contributions: Sequence["Contribution"]) -> str:
    count = len(contributions)
    return f"{count} contribution{'' if count == 1 else 's'}"


def _show_contributions(contributions: Sequence["Contribution"]) -> None:
    for line in contribution_lines(contributions):
        output.show(f"  {line}")


def _show_powers(ptau: str) -> None:
    from zkagent.circuits.groth16.ceremony.ptau import is_public

    output.show(f"powers of tau {ptau}")
    if not is_public(ptau):
        output.show(
            "these powers of tau are of no public ceremony: compare their BLAKE2b with what those "
            "published who made them",
            err=True,
        )


__all__ = ["ceremony_group"]
