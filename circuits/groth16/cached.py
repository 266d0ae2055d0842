"""Built circuits of this system, from the cache: every file checked, or only what their manifests
say.

A circuit is named by its network and its verifying key, whose SHA-256 stands for the set-up: that
is random and made for one network, and keys are all that is left of it. Files are the verifying key
as a contract's code, the proving key, and what makes witnesses.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from zkagent.circuits.artifacts import VERIFYING_KEY, Circuit, Origin
from zkagent.circuits.errors import ArtifactCorrupted, CircuitOutdated, KeysDamaged
from zkagent.circuits.groth16.key_code import KeyCode
from zkagent.circuits.store import Stored, read_file

NAME = "groth16-bn254-v1"
PROVING_KEY, SOLVER = "circuit.zkey", "solver.npz"
#: Of the compiler's constraints, the public words and the files; whoever changes one counts on.
VERSION = "1"
_ANEW = (
    "`zkagent circuit build MODEL --proof-system groth16` makes another circuit, whose key has to "
    "be registered in place of the old one"
)
KIND, CEREMONY, DEVELOPMENT = "groth16_setup", "ceremony", "development"
INPUT_BITS = "input_bits"


def versions(input_bits: int, *, development: bool) -> tuple[tuple[str, str], ...]:
    """What is in a circuit's name besides its files."""
    kind = DEVELOPMENT if development else CEREMONY
    return ("groth16", VERSION), (KIND, kind), (INPUT_BITS, str(input_bits))


def input_bits_of(origin: Origin) -> int:
    """That hold each x of the circuit, with its sign; 0 where it does not say."""
    return int(origin.made_by.get(INPUT_BITS, "0"))


@contextmanager
def unrepeatable() -> Iterator[None]:
    """For work with a circuit's files: turns ArtifactCorrupted into KeysDamaged, which does not
    tell anybody to build it again."""
    try:
        yield
    except ArtifactCorrupted as exc:
        raise KeysDamaged(exc.path, exc.reason) from exc


@unrepeatable()
def open_stored(stored: Stored) -> Circuit:
    """Raises CircuitOutdated, KeysDamaged."""
    _check_version(stored)
    stored.check_files()
    circuit = _circuit(stored)
    read_key(circuit)
    return circuit


@unrepeatable()
def describe_stored(stored: Stored) -> Circuit:
    """As `open_stored`, no file read. Raises CircuitOutdated, KeysDamaged."""
    _check_version(stored)
    stored.check_name()
    return _circuit(stored)


@unrepeatable()
def read_key(circuit: Circuit) -> KeyCode:
    """The verifying key. Raises KeysDamaged."""
    content = read_file(circuit.vk, circuit.origin.srs)
    try:
        code = KeyCode.from_bytes(content)
    except ValueError as exc:
        raise ArtifactCorrupted(circuit.vk, f"it is no key: {exc}") from exc
    said = code.inputs, code.outputs, code.development, code.input_bits
    bits = input_bits_of(circuit.origin)
    if said != (circuit.input_count, circuit.output_count, circuit.development_srs, bits):
        raise ArtifactCorrupted(circuit.vk, "it belongs to another circuit")
    return code


def _circuit(stored: Stored) -> Circuit:
    made_by = stored.origin.made_by
    development = made_by.get(KIND) != CEREMONY
    if stored.files.get(VERIFYING_KEY) != stored.origin.srs:
        raise ArtifactCorrupted(stored.directory / VERIFYING_KEY, "it belongs to another circuit")
    return stored.circuit(stored.directory / VERIFYING_KEY, development=development)


def _check_version(stored: Stored) -> None:
    built = stored.origin.made_by.get("groth16", "")
    if built != VERSION:
        found = f"version {built or 'unknown'} of Groth16 circuits"
        raise CircuitOutdated(stored.directory.name, found, f"version {VERSION}", _ANEW)


__all__ = ["NAME", "PROVING_KEY", "SOLVER", "describe_stored", "open_stored", "read_key"]
__all__ += ["input_bits_of", "unrepeatable", "versions"]
