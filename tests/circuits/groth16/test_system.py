"""Groth16 behind the seam: circuits that are kept, proofs that hold, and all that is refused."""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.integer_networks import infer, mlp
from tests.support.operator_networks import largest, looked_up, table
from tests.support.small_networks import network, node, relu_network
from zkagent.circuits import systems
from zkagent.circuits.artifacts import Circuit, Origin, Proof
from zkagent.circuits.bn254.curve import Q
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitOutdated,
    EngineCrashed,
    EngineMissing,
    InputRefused,
    KeysDamaged,
    NetworkRefused,
    SrsUnreadable,
)
from zkagent.circuits.groth16 import system as groth16
from zkagent.circuits.groth16.build import build_circuit, build_isolated
from zkagent.circuits.groth16.constraints.comparison import compare, samples
from zkagent.circuits.groth16.constraints.compiler import Compiled, compile_program
from zkagent.circuits.groth16.constraints.witness import Witness
from zkagent.circuits.groth16.keys.key_code import KeyCode
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.reference import Reference
from zkagent.circuits.program.reader import read_program
from zkagent.circuits.store import write_manifest
from zkagent.circuits.systems import GROTH16, describe_circuit, load_circuit
from zkagent.prover.local import LocalProver
from zkagent.prover.verification import verify

X = [5, -3, 100, 0, -32768, 32767, 1, -1, 7]
OUTPUTS = 10  # four words, folded into two


@pytest.fixture(scope="module")
def onnx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("network") / "mlp.onnx"
    path.write_bytes(mlp(outputs=OUTPUTS))
    return path


@pytest.fixture(scope="module")
def circuit(onnx: Path, tmp_path_factory: pytest.TempPathFactory) -> Circuit:
    pytest.importorskip("groth16py")
    return GROTH16.build(onnx, cache=tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def proof(circuit: Circuit) -> Proof:
    with LocalProver(circuit) as prover:
        return prover.prove(X)


@pytest.fixture
def copied(circuit: Circuit, tmp_path: Path) -> Circuit:
    """The same circuit in another home, to be damaged."""
    directory = tmp_path / "circuits" / circuit.digest
    shutil.copytree(circuit.directory, directory)
    return load_circuit(circuit.digest, tmp_path)


def home(circuit: Circuit) -> Path:
    return circuit.directory.parent.parent


def test_a_proof_shows_what_onnxruntime_computes(circuit: Circuit, proof: Proof) -> None:
    assert list(proof.outputs) == infer(mlp(outputs=OUTPUTS), X)
    assert len(proof.proof) == circuit.facts.proof_bytes == 256
    assert verify(proof, circuit)
    assert verify(Proof.from_json(proof.to_json()), circuit)


def test_a_circuit_is_named_by_its_network_and_verifying_key(circuit: Circuit, onnx: Path) -> None:
    key = circuit.vk.read_bytes()
    assert circuit.origin.onnx == hashlib.sha256(onnx.read_bytes()).hexdigest()
    assert circuit.origin.srs == hashlib.sha256(key).hexdigest()
    assert circuit.origin.digest == circuit.digest == circuit.directory.name
    code = KeyCode.from_bytes(key)
    assert (code.inputs, code.outputs, code.words) == (9, OUTPUTS, 3)


def test_a_development_set_up_is_marked_in_name_facts_and_key(circuit: Circuit) -> None:
    assert circuit.development_srs
    assert circuit.origin.made_by["groth16_setup"] == "development"
    assert KeyCode.from_bytes(circuit.vk.read_bytes()).development
    ceremony = tuple(
        (name, "ceremony" if name == "groth16_setup" else value)
        for name, value in circuit.origin.versions
    )
    assert replace(circuit.origin, versions=ceremony).digest != circuit.digest


def test_building_again_looks_it_up(circuit: Circuit, onnx: Path) -> None:
    told: list[str] = []
    again = GROTH16.build(onnx, cache=home(circuit), progress=told.append)
    assert again == circuit
    assert told == ["reading the network"]


def test_another_build_is_another_circuit_whose_proofs_do_not_mix(
    circuit: Circuit, proof: Proof, onnx: Path, tmp_path: Path
) -> None:
    other = GROTH16.build(onnx, cache=tmp_path)
    assert other.digest != circuit.digest
    assert not verify(proof, other)
    assert not verify(replace(proof, circuit=other.digest), other)


def test_a_set_up_is_found_by_its_verifying_key(circuit: Circuit, onnx: Path) -> None:
    assert build_circuit(onnx, srs=circuit.vk, cache=home(circuit)) == circuit
    for path in (onnx, onnx.with_name("missing")):
        with pytest.raises(SrsUnreadable, match="set-up"):
            build_circuit(onnx, srs=path, cache=home(circuit))


def test_a_circuit_is_described_without_its_files(copied: Circuit, tmp_path: Path) -> None:
    for name in copied.files:
        (copied.directory / name).unlink()
    assert describe_circuit(copied.digest, tmp_path) == copied


@pytest.mark.parametrize("name", ["network.onnx", "solver.npz", "circuit.zkey", "circuit.vk"])
@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_a_file_that_is_damaged_or_missing_is_named(
    copied: Circuit, tmp_path: Path, name: str, damage: str
) -> None:
    path = copied.directory / name
    if damage == "missing":
        path.unlink()
    else:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    with pytest.raises(KeysDamaged, match=f"{name} is of no use .* makes another circuit"):
        load_circuit(copied.digest, tmp_path)


@pytest.mark.parametrize("name", ["solver.npz", "circuit.zkey"])
def test_nothing_is_proven_with_a_damaged_file(copied: Circuit, name: str) -> None:
    pytest.importorskip("groth16py")
    (copied.directory / name).write_bytes(b"other")
    with pytest.raises(KeysDamaged, match=f"{name} is of no use .* makes another circuit"):
        systems.prove(copied, X)


def test_a_proving_key_with_another_verifying_key_is_refused(
    copied: Circuit, onnx: Path, tmp_path: Path
) -> None:
    other = GROTH16.build(onnx, cache=tmp_path / "other")
    content = (other.directory / "circuit.zkey").read_bytes()
    (copied.directory / "circuit.zkey").write_bytes(content)
    files = {**copied.files, "circuit.zkey": hashlib.sha256(content).hexdigest()}
    with pytest.raises(ArtifactCorrupted, match="another one than the circuit's"):
        systems.prove(replace(copied, files=files), X)


def test_nothing_is_verified_by_a_damaged_key(copied: Circuit, proof: Proof) -> None:
    copied.vk.write_bytes(copied.vk.read_bytes()[:-1])
    with pytest.raises(ArtifactCorrupted, match=r"circuit\.vk"):
        verify(proof, copied)


def unmarked(copied: Circuit) -> Circuit:
    """The same files under a name that says they are a ceremony's."""
    kept = dict(copied.origin.versions)
    kept |= {"groth16_setup": "ceremony", "groth16_transcript": "ab" * 32}
    return renamed(copied, replace(copied.origin, versions=tuple(kept.items())))


def renamed(copied: Circuit, origin: Origin) -> Circuit:
    directory = copied.directory.rename(copied.directory.with_name(origin.digest))
    found = replace(copied, digest=origin.digest, origin=origin, directory=directory)
    write_manifest(found)
    return found


def test_a_development_key_under_a_ceremonys_name_is_refused(
    copied: Circuit, tmp_path: Path
) -> None:
    with pytest.raises(ArtifactCorrupted, match="belongs to another circuit"):
        load_circuit(unmarked(copied).digest, tmp_path)


def test_a_circuit_of_another_version_is_outdated(copied: Circuit, tmp_path: Path) -> None:
    older = tuple((dict(copied.origin.versions) | {"groth16": "0"}).items())
    found = renamed(copied, replace(copied.origin, versions=older))
    with pytest.raises(CircuitOutdated) as refused:
        load_circuit(found.digest, tmp_path)
    assert str(refused.value) == (
        f"circuit {found.digest} was built with version 0 of Groth16 circuits, installed is "
        "version 1: `zkagent circuit build MODEL --proof-system groth16` makes another circuit, "
        "whose key has to be registered in place of the old one"
    )


Change = Callable[[Proof], Proof]


def other_output(proof: Proof) -> Proof:
    return replace(proof, outputs=(proof.outputs[0] + 1, *proof.outputs[1:]))


def other_input(proof: Proof) -> Proof:
    return replace(proof, inputs=(*proof.inputs[:-1], proof.inputs[-1] + 1))


def swapped_outputs(proof: Proof) -> Proof:
    return replace(proof, outputs=proof.outputs[::-1])


def wide_input(proof: Proof) -> Proof:
    return replace(proof, inputs=(proof.inputs[0] + (1 << 16), *proof.inputs[1:]))


def one_less(proof: Proof) -> Proof:
    return replace(proof, outputs=proof.outputs[:-1])


def longer(proof: Proof) -> Proof:
    return replace(proof, proof=proof.proof + b"\0")


def nothing(proof: Proof) -> Proof:
    return replace(proof, proof=bytes(256))


def swapped_points(proof: Proof) -> Proof:
    return replace(proof, proof=proof.proof[192:] + proof.proof[64:192] + proof.proof[:64])


def negated(proof: Proof) -> Proof:
    y = int.from_bytes(proof.proof[32:64], "big")
    return replace(proof, proof=proof.proof[:32] + (Q - y).to_bytes(32, "big") + proof.proof[64:])


def noncanonical(proof: Proof) -> Proof:
    x = int.from_bytes(proof.proof[:32], "big")
    return replace(proof, proof=(x + Q).to_bytes(32, "big") + proof.proof[32:])


CHANGES = [other_output, other_input, swapped_outputs, wide_input, one_less, longer, nothing]
CHANGES += [swapped_points, negated, noncanonical]


@pytest.mark.parametrize("change", CHANGES)
def test_no_neighbour_of_a_true_proof_holds(circuit: Circuit, proof: Proof, change: Change) -> None:
    assert not verify(change(proof), circuit)


@pytest.mark.parametrize("place", range(0, 256, 16))
def test_a_changed_byte_of_a_proof_does_not_hold(
    circuit: Circuit, proof: Proof, place: int
) -> None:
    content = bytearray(proof.proof)
    content[place] ^= 4
    assert not verify(replace(proof, proof=bytes(content)), circuit)


def test_the_process_that_proves_and_any_other_have_the_same_verdicts(
    circuit: Circuit, proof: Proof, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = [change(proof) for change in (other_output, other_input, swapped_points, negated)]
    monkeypatch.setattr(groth16, "_LOADED", {})
    cold = [systems.verify(circuit, each) for each in (proof, *changed)]
    systems.prove(circuit, X)
    assert groth16._LOADED
    assert [systems.verify(circuit, each) for each in (proof, *changed)] == cold
    assert cold == [True, *[False] * 4]


def test_inputs_that_features_cannot_be_are_refused(circuit: Circuit) -> None:
    with (
        LocalProver(circuit) as prover,
        pytest.raises(InputRefused, match=r"x\[0\] is 40000, expected 16 bits"),
    ):
        prover.prove([40000, *X[1:]])


def test_words_are_below_the_order(circuit: Circuit, proof: Proof) -> None:
    words = KeyCode.from_bytes(circuit.vk.read_bytes()).public_words(proof.inputs, proof.outputs)
    assert len(words) == 3
    assert max(words) < R


def test_without_the_library_one_line_names_the_extra(
    onnx: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "groth16py", None)
    with pytest.raises(EngineMissing, match=r"^groth16py .* pip install -e '\.\[groth16\]' "):
        build_circuit(onnx, cache=tmp_path)
    assert list((tmp_path / "circuits").glob("*.building")) == []


def test_without_the_library_proofs_are_verified(
    circuit: Circuit, proof: Proof, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "groth16py", None)
    monkeypatch.setattr(groth16, "_LOADED", {})
    assert verify(proof, circuit)
    assert not verify(other_output(proof), circuit)
    with pytest.raises(EngineMissing):
        systems.prove(circuit, X)


def test_a_network_over_fractions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "relu.onnx"
    path.write_bytes(relu_network())
    with pytest.raises(NetworkRefused, match="over integers only"):
        build_circuit(path, cache=tmp_path)


@pytest.mark.parametrize(
    ("content", "x"), [(largest(), [*range(15)]), (looked_up(table(11, 12)), [10, 0, 3])]
)
def test_operators_that_ezkl_has_not_are_proven(
    content: bytes, x: list[int], tmp_path: Path
) -> None:
    """Arg-max, and look-ups, for which few x have a y."""
    pytest.importorskip("groth16py")
    (path := tmp_path / "network.onnx").write_bytes(content)
    circuit = GROTH16.build(path, cache=tmp_path)
    with LocalProver(circuit) as prover:
        proof = prover.prove(x)
    assert list(proof.outputs) == infer(content, x)
    assert verify(proof, circuit)


def test_an_x_that_leads_out_of_a_table_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("groth16py")
    (path := tmp_path / "network.onnx").write_bytes(looked_up(table(11, 12)))
    circuit = GROTH16.build(path, cache=tmp_path)
    with LocalProver(circuit) as prover, pytest.raises(InputRefused, match="leads a look-up"):
        prover.prove([11, 0, 0])


def test_what_no_program_is_made_of_is_refused_with_its_node(tmp_path: Path) -> None:
    nodes = [node("Div", ["x", "two"], "y")]
    (path := tmp_path / "network.onnx").write_bytes(
        network(nodes, {"two": [[2, 2]]}, inputs=2, outputs=2)
    )
    with pytest.raises(NetworkRefused, match=r"cannot become a circuit: node .*\(Div\)"):
        build_circuit(path, cache=tmp_path)


def test_a_build_that_ends_is_not_said_to_be_of_another_engine() -> None:
    assert "ezkl" not in str(EngineCrashed("signal 9", "", "the Groth16 build"))


def test_a_circuit_for_narrower_inputs_is_another_one(
    onnx: Path, circuit: Circuit, tmp_path: Path
) -> None:
    pytest.importorskip("groth16py")
    narrow = build_isolated(onnx, cache=tmp_path, input_bits=8)
    assert narrow.origin.made_by["input_bits"] == "8"
    assert narrow.rows < circuit.rows
    code = KeyCode.from_bytes(narrow.vk.read_bytes())
    assert code.input_bits == 8
    assert KeyCode.from_bytes(circuit.vk.read_bytes()).input_bits == 16
    assert build_isolated(onnx, cache=tmp_path, input_bits=8).digest == narrow.digest
    assert GROTH16.build(onnx, cache=tmp_path).digest != narrow.digest
    count = narrow.input_count
    proof = systems.prove(narrow, [127, *[-128] * (count - 1)])
    assert verify(proof, narrow)
    assert not verify(replace(proof, inputs=(-129, *proof.inputs[1:])), narrow)
    with pytest.raises(InputRefused, match="expected 8 bits"):
        systems.prove(narrow, [128, *[0] * (count - 1)])


def test_a_circuit_for_other_widths_than_its_key_states_is_refused(
    copied: Circuit, tmp_path: Path
) -> None:
    narrower = tuple((dict(copied.origin.versions) | {"input_bits": "8"}).items())
    found = renamed(copied, replace(copied.origin, versions=narrower))
    with pytest.raises(KeysDamaged, match="belongs to another circuit"):
        load_circuit(found.digest, tmp_path)


def narrow_sums(rows: int) -> bytes:
    """A place x, whose row decides what the rest adds to."""
    nodes = [
        node("Gather", ["t", "x"], "g"),
        node("Reshape", ["g", "shape"], "r"),
        node("Add", ["r", "x"], "y"),
    ]
    return network(nodes, {"t": table(rows, 1), "shape": [1, 1]}, inputs=1, outputs=1)


@pytest.mark.parametrize("rows", [1, 50])
def test_a_build_compares_at_each_row_of_a_short_table(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that differs at one row only is noticed."""
    content = narrow_sums(rows)
    true = Reference.integers
    for wrong in (0, rows - 1, rows // 2):

        def differing(self: Reference, x: list[int], wrong: int = wrong) -> tuple[int, ...]:
            (y,) = true(self, x)
            return (y + (x[0] == wrong),)

        (path := tmp_path / "network.onnx").write_bytes(content)
        read = read_network(path, any_integers=True)
        compiled = compile_program(read_program(content))
        assert compare(read, compiled)
        with monkeypatch.context() as patched:
            patched.setattr(Reference, "integers", differing)
            with pytest.raises(NetworkRefused, match="where onnxruntime computes"):
                compare(read, compiled)


def test_samples_reach_all_ends_of_ranges_and_of_long_tables() -> None:
    program = read_program(looked_up(table(1000), 3))
    found = list(samples(program, "seed"))
    assert found == list(samples(program, "seed"))
    for place in range(3):
        assert {x[place] for x in found} >= {0, 999}
    plain = list(samples(read_program(mlp()), "seed"))
    assert all({x[i] for x in plain} >= {-32768, 0, 32767} for i in range(9))


def test_an_x_without_a_y_is_one_that_leads_out_of_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path := tmp_path / "network.onnx").write_bytes(content := narrow_sums(5))
    compiled, read = compile_program(read_program(content)), read_network(path, any_integers=True)
    true = type(compiled).witness

    def refusing(self: Compiled, x: list[int], *key: bytes) -> Witness:
        if x == [3]:
            raise InputRefused("no")
        return true(self, x, *key)

    monkeypatch.setattr(type(compiled), "witness", refusing)
    with pytest.raises(NetworkRefused, match=r"its circuit has no y for \[3\]"):
        compare(read, compiled)


@pytest.mark.parametrize(("inputs", "outputs"), [(65_536, 1), (1, 65_536)])
def test_more_numbers_than_a_key_can_say_are_refused_before_keys_are_made(
    inputs: int, outputs: int, tmp_path: Path
) -> None:
    nodes = [node("Slice", ["x", "start", "end", "axis"], "s"), node("Add", ["s", "b"], "y")]
    constants = {"start": [0], "end": [1], "axis": [1], "b": [[1] * outputs]}
    (path := tmp_path / "network.onnx").write_bytes(
        network(nodes, constants, inputs=inputs, outputs=outputs)
    )
    told: list[str] = []
    with pytest.raises(NetworkRefused, match=r"65536 (in|out)puts, a key says up to 65535"):
        build_circuit(path, cache=tmp_path, progress=told.append)
    assert told == ["reading the network"]
