"""A ceremony that is held once a session: three contributions, the middle one by snarkjs itself.

Its powers of tau are for 2^6 rows, which take seconds to make and are worth nothing.
"""

import hashlib
import json
import struct
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from filelock import FileLock

from tests.conftest import session_folder
from tests.support.integer_networks import mlp
from zkagent.circuits.bn254.curve import GENERATOR, Point, multiply
from zkagent.circuits.bn254.multiples import multiply_g2
from zkagent.circuits.groth16.ceremony.challenge import Draw
from zkagent.circuits.groth16.ceremony.files import FIRST_KEY, begin, contribute
from zkagent.circuits.groth16.ceremony.ptau import read_powers
from zkagent.circuits.groth16.ceremony.transcript import Beacon, Contribution, Transcript
from zkagent.circuits.snarkjs.install import snarkjs_folder
from zkagent.circuits.support.npm import find_node

POWER = 6
#: Its outputs are folded, and no fewer than 2^6 rows hold it.
NETWORK, X = mlp(3, 3, 7), [5, -32768, 32767]
NAMES = ("Ann", "Bob", "Cy")


def snarkjs(*words: object) -> str:
    """What the command itself prints."""
    command = [find_node().executable, snarkjs_folder() / "build" / "cli.cjs", *words]
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout


@dataclass(frozen=True)
class Held:
    """Files of a ceremony. unprepared: its powers of tau before they can be used. printed: what
    snarkjs said when Bob contributed."""

    folder: Path

    @property
    def onnx(self) -> Path:
        return self.folder / "mlp.onnx"

    @property
    def ptau(self) -> Path:
        return self.folder / "powers.ptau"

    @property
    def unprepared(self) -> Path:
        return self.folder / "powers_1.ptau"

    @property
    def r1cs(self) -> Path:
        return self.folder / "circuit.r1cs"

    @property
    def last(self) -> Path:
        return self.key(3)

    @property
    def printed(self) -> str:
        return json.loads((self.folder / "printed.json").read_text())["printed"]

    @property
    def ptau_digest(self) -> str:
        return read_powers(self.ptau, 2).digest

    def key(self, contributions: int) -> Path:
        """After so many contributions."""
        return self.folder / FIRST_KEY.replace("0000", f"000{contributions}")


@pytest.fixture(scope="session")
def held() -> Held:
    """Shared by the processes of a session."""
    folder = session_folder() / "ceremony"
    with FileLock(folder.with_suffix(".lock")):
        found = Held(folder)
        if not (folder / "printed.json").exists():
            folder.mkdir(exist_ok=True)
            _hold(found)
        return found


def _hold(held: Held) -> None:
    begun, contributed = held.folder / "powers_0.ptau", held.unprepared
    held.onnx.write_bytes(NETWORK)
    snarkjs("powersoftau", "new", "bn128", POWER, begun)
    snarkjs("powersoftau", "contribute", begun, contributed, "--name=first", "-e=of no worth")
    snarkjs("powersoftau", "prepare", "phase2", contributed, held.ptau)
    begin(held.onnx, held.ptau, held.folder)
    contributed_to(held, held.key(0), held.key(1), NAMES[0])
    words = ("zkey", "contribute", held.key(1), held.key(2))
    printed = snarkjs(*words, f"--name={NAMES[1]}", "-e=also of no worth")
    contributed_to(held, held.key(2), held.key(3), NAMES[2])
    (held.folder / "printed.json").write_text(json.dumps({"printed": printed}))


def contributed_to(
    held: Held, old: Path, new: Path, name: str, *, onnx: Path | None = None
) -> Transcript:
    """With one more contribution, made as the command does."""
    made = contribute(onnx or held.onnx, old, held.ptau, new, name, ptau_digest=held.ptau_digest)
    return made.transcript


def sections(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Number, place and size of each section of a binary file."""
    (count,), at = struct.unpack("<I", content[8:12]), 12
    for _ in range(count):
        number, size = struct.unpack("<IQ", content[at : at + 12])
        yield number, at + 12, size
        at += 12 + size


def with_section(path: Path, number: int, change: Callable[[bytes], bytes]) -> bytes:
    """The file with another content of one section, of any length."""
    content = path.read_bytes()
    (at, size) = next((at, size) for found, at, size in sections(content) if found == number)
    changed = change(content[at : at + size])
    head = content[: at - 12] + struct.pack("<IQ", number, len(changed))
    return head + changed + content[at + size :]


def with_name(name: bytes) -> Callable[[bytes], bytes]:
    """Another name of the first contribution, which has three letters, in a section of them."""

    def change(content: bytes) -> bytes:
        at = 68 + 392
        told = bytes([1, len(name)]) + name
        head = content[: at - 4] + struct.pack("<I", len(told))
        return head + told + content[at + 5 :]

    return change


def with_factor(key: Transcript, by: int | Beacon) -> Transcript:
    """One more contribution, by somebody who tells his factor; or a beacon's."""
    factor, point = drawn(by) if isinstance(by, Beacon) else (by, GENERATOR)
    before = key.circuit + b"".join(each.public for each in key.contributions)
    shown = b"".join(n.to_bytes(32, "big") for n in (*point, *multiply(point, factor)))
    hashed = hashlib.blake2b(before + shown).digest()
    made = Contribution(
        number=len(key.contributions) + 1,
        delta=multiply(key.delta, factor),
        s=point,
        sx=multiply(point, factor),
        spx=multiply_g2(Draw(hashed).point_g2(), factor),
        hashed=hashed,
        name="",
        beacon=by if isinstance(by, Beacon) else None,
    )
    verifying = replace(key.verifying, delta=multiply_g2(key.verifying.delta, factor))
    contributions = (*key.contributions, made)
    return replace(key, delta=made.delta, verifying=verifying, contributions=contributions)


def drawn(beacon: Beacon) -> tuple[int, Point]:
    """The factor and the point that it gives."""
    value = beacon.value
    for _ in range(1 << beacon.iterations):
        value = hashlib.sha256(value).digest()
    draw = Draw(value)
    return draw.scalar(), draw.point_g1()
