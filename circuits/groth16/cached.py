"""Built circuits of this system, from the cache: every file checked, or only what their manifests
say.

A circuit is named by its network and its verifying key, whose SHA-256 stands for the set-up: that
is random and made for one network, and keys are all that is left of it. Files are the verifying key
as a contract's code, the proving key, and what makes witnesses.
"""

from zkagent.circuits.artifacts import (
    CEREMONY,
    MANIFEST,
    NETWORK,
    SETUP_KIND,
    TRANSCRIPT,
    VERIFYING_KEY,
    Circuit,
    Origin,
    is_digest,
)
from zkagent.circuits.errors import ArtifactCorrupted, CircuitOutdated
from zkagent.circuits.groth16.keys.key_code import KeyCode
from zkagent.circuits.groth16.keys.setups import find_own, unrepeatable
from zkagent.circuits.store import Stored, read_file

NAME = "groth16-bn254-v1"
PROVING_KEY, SOLVER = "circuit.zkey", "solver.npz"
FILES = {NETWORK, SOLVER, PROVING_KEY, VERIFYING_KEY}
#: Of the compiler's constraints, the public words and the files; whoever changes one counts on.
VERSION = "1"
_ANEW = (
    "`zkagent circuit build MODEL --proof-system groth16` makes another circuit, whose key has to "
    "be registered in place of the old one"
)
KIND, DEVELOPMENT, INPUT_BITS = SETUP_KIND, "development", "input_bits"


def versions(input_bits: int, *, transcript: str) -> tuple[tuple[str, str], ...]:
    """What is in a circuit's name besides its files. transcript: SHA-256 of its ceremony's, empty
    for a development set-up."""
    ceremony = [(TRANSCRIPT, transcript)] if transcript else []
    kind = CEREMONY if transcript else DEVELOPMENT
    return ("groth16", VERSION), (KIND, kind), *ceremony, (INPUT_BITS, str(input_bits))


def input_bits_of(origin: Origin) -> int:
    """That hold each x of the circuit, with its sign; 0 where it does not say."""
    return int(origin.made_by.get(INPUT_BITS, "0"))


def is_development(origin: Origin) -> bool:
    return origin.made_by.get(KIND) == DEVELOPMENT


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
    said = code.inputs, code.outputs, code.input_bits, code.development
    expected = circuit.input_count, circuit.output_count
    origin = circuit.origin
    if said != (*expected, input_bits_of(origin), is_development(origin)):
        raise ArtifactCorrupted(circuit.vk, "it belongs to another circuit")
    return code


def _circuit(stored: Stored) -> Circuit:
    """Nobody's word is taken for a ceremony: without a note of ours, its maker is unknown."""
    vk = stored.directory / VERIFYING_KEY
    if stored.files.get(VERIFYING_KEY) != stored.origin.srs:
        raise ArtifactCorrupted(vk, "it belongs to another circuit")
    own = find_own(stored.origin.digest, stored.directory.parent.parent)
    if own is not None:
        own.check_files(stored.directory, stored.files)
    development = own is None or is_development(stored.origin)
    return stored.circuit(vk, development=development, unknown_maker=own is None)


def _check_version(stored: Stored) -> None:
    built = stored.origin.made_by.get("groth16", "")
    if built != VERSION:
        found = f"version {built or 'unknown'} of Groth16 circuits"
        raise CircuitOutdated(stored.directory.name, found, f"version {VERSION}", _ANEW)
    made_by, bits = stored.origin.made_by, stored.origin.made_by.get(INPUT_BITS, "")
    transcript = made_by.get(TRANSCRIPT, "")
    known = bits.isdecimal() and made_by == dict(versions(int(bits), transcript=transcript))
    if not known or (transcript and not is_digest(transcript)) or stored.files.keys() != FILES:
        raise ArtifactCorrupted(stored.directory / MANIFEST, "it says what no build writes")


__all__ = ["NAME", "PROVING_KEY", "SOLVER", "describe_stored", "open_stored", "read_key"]
__all__ += ["input_bits_of", "is_development", "versions"]
