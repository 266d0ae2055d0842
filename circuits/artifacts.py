"""What a build leaves behind, and what a proof is: data, digests and their file forms."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from zkagent.circuits.bn254.field import fits_int64, to_field
from zkagent.circuits.errors import NumbersHidden, ProofMalformed
from zkagent.circuits.faces import Face, Faces
from zkagent.circuits.hashes import INPUTS, NO_HASHES, OUTPUTS, WEIGHTS, Hashes
from zkagent.circuits.visibility import FIXED, PUBLIC, Visibility
from zkagent.models.strict_json import load_json

MANIFEST = "circuit.json"
NETWORK, SETTINGS, COMPILED = "network.onnx", "settings.json", "network.ezkl"
VERIFYING_KEY, PROVING_KEY, VERIFIER = "circuit.vk", "circuit.pk", "Halo2Verifier.sol"
FIRST_PROOF_FORMAT, PROOF_FORMAT = "zkagent-proof-1", "zkagent-proof-2"
HIDING_PROOF_FORMAT = "zkagent-proof-3"  # of proofs that hide something
FIELDS = frozenset({"format", "circuit", "inputs", "outputs", "proof"})
SCALE_FIELDS = frozenset({"input_scale_bits", "output_scale_bits"})
#: Fields that a proof file may have or lack, by its format.
OPTIONAL = {
    PROOF_FORMAT: frozenset({"values", "about", "tensors"}),
    HIDING_PROOF_FORMAT: frozenset(
        {"inputs", "outputs", INPUTS, OUTPUTS, WEIGHTS, "values", "tensors"}
    ),
}
MOST_SCALE_BITS = 1000  # a float has no power of two beyond 2^1023
FIRST_SYSTEM = "ezkl-halo2-kzg-bn254-v1"
MOST_PROOF_BYTES = 1 << 20
#: Where a circuit is not made of the user's own file: of what, among an origin's versions.
PREPARED, PREPARED_NETWORK = "prepared", "prepared.onnx"
SETUP_KIND, CEREMONY = "groth16_setup", "ceremony"  # among an origin's versions
TRANSCRIPT = "groth16_transcript"


@dataclass(frozen=True)
class Origin:
    """What a circuit is made of; its digest is the circuit's name.

    system: the proof system's name. onnx, settings, srs: SHA-256 hex of the files, empty where the
    system has no such file. versions: of what made it, by name; no two proof systems use the same
    names, so that no circuit of one is called like one of another.
    """

    system: str
    onnx: str
    settings: str
    srs: str
    versions: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> str:
        text = json.dumps({"zkagent-circuit": 1, **self._files, **self.made_by}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def made_by(self) -> dict[str, str]:
        return dict(self.versions)

    @property
    def _files(self) -> dict[str, str]:
        return {"onnx": self.onnx, "settings": self.settings, "srs": self.srs}

    def to_json(self) -> dict[str, str]:
        return {"system": self.system, **self._files, **self.made_by}

    @classmethod
    def from_json(cls, fields: Mapping[str, str]) -> Self:
        """Read `to_json`'s form; circuits from before there were several systems name none."""
        rest = {"system": FIRST_SYSTEM, **fields}
        system, onnx, settings, srs = (rest.pop(n) for n in ("system", "onnx", "settings", "srs"))
        return cls(system, onnx, settings, srs, tuple(sorted(rest.items())))


@dataclass(frozen=True)
class Facts:
    """What is worth knowing about a built circuit without opening its files.

    exact: integer arithmetic without rounding; only such a circuit may decide over money.
    input_scale_bits: an input v stands for v / 2^bits (0 when exact).
    proof_bytes: the one length that a proof has. The visibilities are those of `Visibility`;
    weights_hash: where weights are hashed, as proof files write it.
    """

    input_count: int
    output_count: int
    input_scale_bits: int
    exact: bool
    rows: int
    logrows: int
    proof_bytes: int
    input_visibility: str = PUBLIC
    output_visibility: str = PUBLIC
    weight_visibility: str = FIXED
    weights_hash: str = ""

    @property
    def visibility(self) -> Visibility:
        return Visibility(self.input_visibility, self.output_visibility, self.weight_visibility)


@dataclass(frozen=True)
class Circuit:
    """A built circuit whose files were checked against its manifest.

    Files lie in `directory`, but for the set-up, which circuits share, and perhaps the network,
    `onnx`. development_srs: its proofs mean something on a local chain only, and its verifier
    cannot be deployed elsewhere. notes: what was found out about it since
    (fidelity, tuning), as JSON by topic; no part of its name. unknown_maker: its set-up is its own,
    and came with its folder from elsewhere: whoever made it can forge proofs, whatever it says.
    """

    digest: str
    directory: Path
    onnx: Path
    srs: Path
    development_srs: bool
    origin: Origin
    facts: Facts
    files: dict[str, str] = field(repr=False, hash=False)  # name -> SHA-256 hex
    notes: dict[str, Any] = field(default_factory=dict, repr=False, hash=False)
    unknown_maker: bool = False
    named: Faces | None = field(default=None, repr=False)

    @property
    def faces(self) -> Faces:
        """Its inputs and outputs by name."""
        return self.named or Faces.of(self.facts)

    @property
    def claims_ceremony(self) -> bool:
        """Whether only its own folder says that its set-up is a ceremony's."""
        return self.unknown_maker and self.origin.made_by.get(SETUP_KIND) == CEREMONY

    @property
    def transcript(self) -> str:
        """SHA-256 of the transcript of the ceremony that was held for this circuit alone, which is
        part of its name; empty where there was none, as far as this machine knows."""
        return "" if self.unknown_maker else self.origin.made_by.get(TRANSCRIPT, "")

    @property
    def settings(self) -> Path:
        return self.directory / SETTINGS

    @property
    def compiled(self) -> Path:
        return self.directory / COMPILED

    @property
    def vk(self) -> Path:
        return self.directory / VERIFYING_KEY

    @property
    def pk(self) -> Path:
        return self.directory / PROVING_KEY

    @property
    def verifier_source(self) -> Path:
        return self.directory / VERIFIER

    @property
    def visibility(self) -> Visibility:
        """What its proofs show."""
        return self.facts.visibility

    def require_open(self, where: str) -> None:
        """For what takes no circuit that hides something. Raises NumbersHidden."""
        if not self.visibility.open:
            raise NumbersHidden(self.digest, self.visibility.words, where)

    @property
    def input_count(self) -> int:
        return self.facts.input_count

    @property
    def output_count(self) -> int:
        return self.facts.output_count

    @property
    def rows(self) -> int:
        return self.facts.rows

    @property
    def logrows(self) -> int:
        return self.facts.logrows

    def to_json(self) -> dict[str, Any]:
        """For machines: digest, facts, origin, file digests and sizes in bytes, folder."""
        sizes = {name: (self.directory / name).stat().st_size for name in self.files}
        return {
            "digest": self.digest,
            "development_srs": self.development_srs,
            "unknown_maker": self.unknown_maker,
            **asdict(self.facts),
            "origin": self.origin.to_json(),
            "files": self.files,
            "sizes": sizes,
            "notes": self.notes,
            "tensors": self.faces.to_json(),
            "directory": str(self.directory),
        }


@dataclass(frozen=True)
class Scale:
    """What integers stand for: v for v / 2^bits, the bits being an input's or output's own in
    `inputs` or `outputs`, or the only ones there."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @classmethod
    def of(cls, inputs: Sequence[int], outputs: Sequence[int]) -> Self:
        """In its one form: what is alike is said once."""
        return cls(_once(inputs), _once(outputs))

    @property
    def exact(self) -> bool:
        return not any((*self.inputs, *self.outputs))

    def read(self, outputs: Sequence[int]) -> tuple[float, ...]:
        """Outputs as the network's own numbers; as they are where there is no fraction."""
        if self.exact:
            return tuple(outputs)
        each = self.outputs * len(outputs) if len(self.outputs) == 1 else self.outputs
        return tuple(v / 2.0**bits for v, bits in zip(outputs, each, strict=True))


def _once(bits: Sequence[int]) -> tuple[int, ...]:
    return tuple(bits[:1]) if len(set(bits)) == 1 else tuple(bits)


@dataclass(frozen=True)
class About:
    """What a proof's file says of it: the text that x was made from, by which model, and what y
    means. Claims, until `zkagent verify` has made x of the text again."""

    model: str
    prompt: str
    decision: str


@dataclass(frozen=True)
class Proof:
    """That `outputs` = f(`inputs`) for the network of the circuit with this digest.

    inputs and outputs are signed integers of at most 64 bits, and empty where they are hidden;
    hashes are of what is hashed; proof is what goes on chain. Scale and about tell what they mean,
    and are no part of what is proven; files of before there were any have none.
    """

    circuit: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    proof: bytes
    scale: Scale | None = field(default=None, compare=False)
    about: About | None = field(default=None, compare=False)
    faces: Faces | None = field(default=None, compare=False)
    hashes: Hashes = NO_HASHES

    @property
    def hides(self) -> bool:
        """Whether it has other public values than its inputs and outputs."""
        return bool(self.hashes)

    @property
    def instances(self) -> tuple[int, ...]:
        """The verifier's public values: inputs then outputs, -v as R - v. Hashes of inputs and
        weights stand before them, those of outputs behind."""
        shown = (to_field(value) for value in (*self.inputs, *self.outputs))
        return (*self.hashes.before, *shown, *self.hashes.outputs)

    def to_json(self) -> str:
        """The form of a proof file, of the first format where there is no scale."""
        return json.dumps(self.document)

    @property
    def document(self) -> dict[str, Any]:
        """What `to_json` writes."""
        if self.hides:
            shown = {"inputs": self.inputs, "outputs": self.outputs}
            return {
                "format": HIDING_PROOF_FORMAT,
                "circuit": self.circuit,
                **{name: values for name, values in shown.items() if values},
                **self.hashes.to_json(),
                **self.meaning,
                "proof": f"0x{self.proof.hex()}",
            }
        return {
            "format": PROOF_FORMAT if self.scale else FIRST_PROOF_FORMAT,
            "circuit": self.circuit,
            "inputs": self.inputs,
            "outputs": self.outputs,
            **self.meaning,
            "proof": f"0x{self.proof.hex()}",
        }

    @property
    def meaning(self) -> dict[str, Any]:
        """The fields of a proof file that say what its numbers stand for, and what it is about."""
        if not self.scale:
            return {}
        given = self.scale.inputs
        bits = {
            "input_scale_bits": given[0] if len(given) == 1 else given,
            "output_scale_bits": self.scale.outputs,
        }
        told = self.outputs and not self.scale.exact
        values = {"values": self.scale.read(self.outputs)} if told else {}
        named = {"tensors": self.faces.to_json()} if self.faces and not self.faces.plain else {}
        return {**bits, **values, **named, **({"about": asdict(self.about)} if self.about else {})}

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read `to_json`'s form, and nothing else. Raises ProofMalformed."""
        fields = _object(text)
        hiding = fields["format"] == HIDING_PROOF_FORMAT
        inputs, outputs = (_integers(n, fields.get(n, ())) for n in ("inputs", "outputs"))
        found = cls(
            circuit=_digest(fields["circuit"]),
            inputs=inputs,
            outputs=outputs,
            proof=_bytes(fields["proof"]),
            scale=None if fields["format"] == FIRST_PROOF_FORMAT else _scale(fields),
            faces=_faces(fields) if "tensors" in fields else None,
            about=_about(fields["about"]) if "about" in fields else None,
            hashes=Hashes.from_json(fields) if hiding else NO_HASHES,
        )
        if hiding and not found.hides:
            raise ProofMalformed(f"it hides nothing, as {HIDING_PROOF_FORMAT!r} has to")
        return found


def _object(text: str | bytes) -> dict[str, Any]:
    try:
        fields = load_json(text)
    except ValueError as exc:
        raise ProofMalformed(f"it is not JSON ({exc})") from exc
    named = fields.get("format") if isinstance(fields, dict) else None
    if named is not None and named not in (*OPTIONAL, FIRST_PROOF_FORMAT):
        raise ProofMalformed(f"its format is {_short(named)}, expected {PROOF_FORMAT!r}")
    expected, optional = FIELDS, frozenset[str]()
    if named in OPTIONAL:
        expected, optional = (FIELDS | SCALE_FIELDS) - OPTIONAL[named], OPTIONAL[named]
    if not isinstance(fields, dict) or not expected <= set(fields) <= expected | optional:
        of = "" if named is None else f", as its format {named!r} has it"
        raise ProofMalformed(f"expected an object with {', '.join(sorted(expected))}{of}")
    if named is None:
        raise ProofMalformed(f"its format is None, expected {PROOF_FORMAT!r}")
    _check_sides(fields)
    return fields


def _check_sides(fields: Mapping[str, Any]) -> None:
    """Numbers or hashes, not both; private inputs have neither. Raises ProofMalformed."""
    for values, hashes in (("inputs", INPUTS), ("outputs", OUTPUTS)):
        if values in fields and hashes in fields:
            raise ProofMalformed(f"it has {values} and {hashes}, expected one of them")
        if fields.get(values) == [] and fields["format"] == HIDING_PROOF_FORMAT:
            raise ProofMalformed(f"its {values} are an empty list, expected none")
    if not {"outputs", OUTPUTS} & set(fields):
        raise ProofMalformed(f"it has neither outputs nor {OUTPUTS}")


def _scale(fields: Mapping[str, Any]) -> Scale:
    """Raises ProofMalformed, also when the values are not what the outputs stand for."""
    outputs = fields.get("outputs")
    bits = _integers("output_scale_bits", fields["output_scale_bits"])
    given = fields["input_scale_bits"]
    taken = _integers("input_scale_bits", given if isinstance(given, list) else [given])
    if any(abs(each) > MOST_SCALE_BITS for each in (*taken, *bits)):
        raise ProofMalformed(f"a scale is not of at most {MOST_SCALE_BITS} bits")
    for name, scales in (("outputs", bits), ("inputs", taken)):
        if name in fields and len(scales) not in {1, len(fields[name])}:
            count = len(fields[name])
            raise ProofMalformed(f"it has scales for {len(scales)} {name}, expected {count}")
    if not (bits and taken):
        raise ProofMalformed("it has no scales")
    scale = Scale.of(taken, bits)
    values = fields.get("values")
    expected = None if scale.exact or outputs is None else list(scale.read(outputs))
    if values != expected:
        raise ProofMalformed(f"values is {_short(values)}, expected {_short(expected)}")
    return scale


def _faces(fields: Mapping[str, Any]) -> Faces:
    """Raises ProofMalformed, also where they are of other sizes than the numbers."""
    given = fields["tensors"]
    try:
        if not isinstance(given, dict) or set(given) != {"inputs", "outputs"}:
            raise ValueError("it names no inputs and outputs")
        faces = Faces(*(tuple(map(Face.from_json, given[side])) for side in ("inputs", "outputs")))
    except (TypeError, ValueError) as exc:
        raise ProofMalformed(f"tensors is {_short(given)}, expected names and shapes") from exc
    for side, each in (("inputs", faces.inputs), ("outputs", faces.outputs)):
        size = sum(face.size for face in each)
        if side in fields and size != len(fields[side]):
            raise ProofMalformed(f"its tensors have {size} {side}, expected {len(fields[side])}")
    return faces


def _about(fields: object) -> About:
    names = ("model", "prompt", "decision")
    if not isinstance(fields, dict) or set(fields) != set(names):
        raise ProofMalformed(f"about is {_short(fields)}, expected {', '.join(names)}")
    if not all(isinstance(value, str) for value in fields.values()):
        raise ProofMalformed("about holds something else than texts")
    return About(**fields)


def _digest(value: object) -> str:
    if isinstance(value, str) and is_digest(value):
        return value
    raise ProofMalformed(f"circuit is {_short(value)}, expected a digest of 64 hex digits")


def _integers(name: str, values: object) -> tuple[int, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ProofMalformed(f"{name} is {_short(values)}, expected a list of integers")
    for value in values:
        if type(value) is not int or not fits_int64([value]):
            raise ProofMalformed(f"{name} holds {_short(value)}, expected 64-bit integers")
    return tuple(values)


def _bytes(value: object) -> bytes:
    if not isinstance(value, str) or not value.startswith("0x"):
        raise ProofMalformed(f"proof is {_short(value)}, expected hexadecimal after 0x")
    if len(value) > 2 + 2 * MOST_PROOF_BYTES:
        raise ProofMalformed(f"proof is longer than {MOST_PROOF_BYTES} bytes")
    try:
        return bytes.fromhex(value[2:])
    except ValueError as exc:
        raise ProofMalformed(f"proof is not hexadecimal ({exc})") from exc


def is_digest(text: str) -> bool:
    """Whether `text` is written like a SHA-256 digest: 64 lower-case hex digits."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


__all__ = ["About", "Circuit", "Face", "Faces", "Facts", "Origin", "Proof", "Scale"]
__all__ += ["is_digest"]
