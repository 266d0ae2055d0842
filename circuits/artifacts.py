"""What a build leaves behind, and what a proof is: data, digests and their file forms."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from zkagent.circuits.bn254.field import fits_int64, to_field
from zkagent.circuits.errors import ProofMalformed

MANIFEST = "circuit.json"
NETWORK, SETTINGS, COMPILED = "network.onnx", "settings.json", "network.ezkl"
VERIFYING_KEY, PROVING_KEY, VERIFIER = "circuit.vk", "circuit.pk", "Halo2Verifier.sol"
PROOF_FORMAT = "zkagent-proof-1"
FIRST_SYSTEM = "ezkl-halo2-kzg-bn254-v1"
MOST_PROOF_BYTES = 1 << 20


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
    proof_bytes: the one length that a proof has.
    """

    input_count: int
    output_count: int
    input_scale_bits: int
    exact: bool
    rows: int
    logrows: int
    proof_bytes: int


@dataclass(frozen=True)
class Circuit:
    """A built circuit whose files were checked against its manifest.

    Files lie in `directory`, but for the set-up, which circuits share, and perhaps the network,
    `onnx`. development_srs: its proofs mean something on a local chain only, and its verifier
    cannot be deployed elsewhere. notes: what was found out about it since
    (fidelity, tuning), as JSON by topic; no part of its name.
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
            **asdict(self.facts),
            "origin": self.origin.to_json(),
            "files": self.files,
            "sizes": sizes,
            "notes": self.notes,
            "directory": str(self.directory),
        }


@dataclass(frozen=True)
class Proof:
    """That `outputs` = f(`inputs`) for the network of the circuit with this digest.

    inputs and outputs are signed integers of at most 64 bits; proof is what goes on chain.
    """

    circuit: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    proof: bytes

    @property
    def instances(self) -> tuple[int, ...]:
        """The verifier's public values: inputs then outputs, -v as R - v."""
        return tuple(to_field(value) for value in (*self.inputs, *self.outputs))

    def to_json(self) -> str:
        return json.dumps(
            {
                "format": PROOF_FORMAT,
                "circuit": self.circuit,
                "inputs": self.inputs,
                "outputs": self.outputs,
                "proof": f"0x{self.proof.hex()}",
            }
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read `to_json`'s form, and nothing else. Raises ProofMalformed."""
        fields = _object(text)
        return cls(
            circuit=_digest(fields["circuit"]),
            inputs=_integers("inputs", fields["inputs"]),
            outputs=_integers("outputs", fields["outputs"]),
            proof=_bytes(fields["proof"]),
        )


def _object(text: str | bytes) -> dict[str, Any]:
    expected = {"format", "circuit", "inputs", "outputs", "proof"}
    try:
        text = text.decode() if isinstance(text, bytes) else text
        # Deep nesting could exhaust the parser's stack; a proof has one object and two lists.
        flat = text.count("{") <= 1 and text.count("[") <= 2
        fields = json.loads(text) if flat else None
    except ValueError as exc:
        raise ProofMalformed(f"it is not JSON ({exc})") from exc
    if not isinstance(fields, dict) or set(fields) != expected:
        raise ProofMalformed(f"expected an object with {', '.join(sorted(expected))}")
    if fields["format"] != PROOF_FORMAT:
        raise ProofMalformed(f"its format is {fields['format']!r}, expected {PROOF_FORMAT!r}")
    return fields


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


__all__ = ["Circuit", "Facts", "Origin", "Proof", "is_digest"]
