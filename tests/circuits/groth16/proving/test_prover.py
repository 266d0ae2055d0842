"""Proofs by groth16py, in a process of its own: true ones hold, and nothing else does."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.integer_networks import infer, mlp
from zkagent.circuits.bn254.curve import Q, negate, to_affine, to_jacobian
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    EngineError,
    EngineMissing,
    InputRefused,
    ProofMalformed,
)
from zkagent.circuits.groth16.constraints.compiler import Compiled, compile_program
from zkagent.circuits.groth16.keys.development import write_files
from zkagent.circuits.groth16.keys.zkey import VerifyingKey, read_verifying_key
from zkagent.circuits.groth16.proving.engine import Key
from zkagent.circuits.groth16.proving.points import Points, read_points
from zkagent.circuits.groth16.proving.prover import Proven, Prover
from zkagent.circuits.program.reader import read_program

X = [5, -3, 100, 0, -32768, 32767, 1, -1, 7]


@dataclass(frozen=True)
class Stage:
    """A prover of the mlp, and one of its proofs."""

    solver: Path
    zkey: Path
    compiled: Compiled
    prover: Prover
    proven: Proven


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    pytest.importorskip("groth16py")
    folder = tmp_path_factory.mktemp("groth16")
    solver, zkey = folder / "circuit.npz", folder / "circuit.zkey"
    compiled = compile_program(read_program(mlp()))
    write_files(compiled, solver, zkey)
    with Prover(solver, zkey) as prover:
        yield Stage(solver, zkey, compiled, prover, prover.prove(X))


def test_a_proof_shows_what_onnxruntime_computes(stage: Stage) -> None:
    y = infer(mlp(), X)
    assert list(stage.proven.y) == y
    assert list(stage.proven.words) == stage.compiled.words(X, y)
    assert stage.prover.verify(stage.proven.points, stage.proven.words)


def test_two_proofs_of_the_same_differ(stage: Stage) -> None:
    again = stage.prover.prove(X)
    assert again.points != stage.proven.points
    assert stage.prover.verify(again.points, stage.proven.words)


@pytest.mark.parametrize("word", [0, 1])
@pytest.mark.parametrize("change", [1, -1, 1 << 64, R])
def test_other_words_do_not_hold(stage: Stage, word: int, change: int) -> None:
    words = list(stage.proven.words)
    words[word] += change
    assert not stage.prover.verify(stage.proven.points, words)


def test_too_few_or_too_many_words_do_not_hold(stage: Stage) -> None:
    words = stage.proven.words
    assert not stage.prover.verify(stage.proven.points, words[:-1])
    assert not stage.prover.verify(stage.proven.points, [*words, 0])


def test_points_of_another_proof_do_not_hold(stage: Stage) -> None:
    mine, other = stage.proven.points, stage.prover.prove([0] * 9).points
    for mixed in (
        other,
        Points(other.a, mine.b, mine.c),
        Points(mine.a, other.b, mine.c),
        Points(mine.a, mine.b, other.c),
        Points(mine.c, mine.b, mine.a),
        Points(to_affine([negate(to_jacobian(mine.a))])[0], mine.b, mine.c),
    ):
        assert not stage.prover.verify(mixed, stage.proven.words)


def test_a_proof_for_another_key_does_not_hold(stage: Stage, tmp_path: Path) -> None:
    write_files(stage.compiled, tmp_path / "other.npz", tmp_path / "other.zkey")
    with Prover(stage.solver, tmp_path / "other.zkey") as prover:
        assert not prover.verify(stage.proven.points, stage.proven.words)


def test_a_false_witness_has_no_true_proof(stage: Stage) -> None:
    key = Key(stage.zkey, read_verifying_key(stage.zkey))
    elements = stage.compiled.witness(X).elements()
    elements[2] += 1
    try:
        proof = key.prove(elements)
    except EngineError:
        return
    assert not key.verify(proof, elements[1 : 1 + stage.compiled.public])


def test_inputs_out_of_range_are_refused_and_the_prover_goes_on(stage: Stage) -> None:
    with pytest.raises(InputRefused, match=r"x\[0\] is 40000"):
        stage.prover.prove([40000, *X[1:]])
    assert stage.prover.prove(X).y == stage.proven.y


def test_a_key_of_another_network_is_no_key(stage: Stage, tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    other.write_bytes(compile_program(read_program(mlp(hidden=3))).solver.to_bytes())
    with Prover(other, stage.zkey) as prover, pytest.raises(EngineError, match="groth16py failed"):
        prover.prove(X)


def test_a_file_that_is_no_key_is_named(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "empty.zkey").write_bytes(b"")
    with (
        Prover(stage.solver, tmp_path / "empty.zkey") as prover,
        pytest.raises(ArtifactCorrupted, match=r"empty\.zkey .*it is no Groth16 key"),
    ):
        prover.prove(X)


def test_bytes_and_points_are_the_same_thing(stage: Stage) -> None:
    content = stage.proven.points.to_bytes()
    assert len(content) == 256
    assert read_points(content) == stage.proven.points


@pytest.mark.parametrize("place", range(8))
def test_points_off_their_curves_are_refused(stage: Stage, place: int) -> None:
    content = bytearray(stage.proven.points.to_bytes())
    content[32 * place + 31] ^= 1
    with pytest.raises(ProofMalformed, match="not on its curve"):
        read_points(bytes(content))
    content[32 * place : 32 * place + 32] = Q.to_bytes(32, "big")
    with pytest.raises(ProofMalformed, match="not below the order"):
        read_points(bytes(content))
    with pytest.raises(ProofMalformed, match="255 bytes"):
        read_points(bytes(content[:-1]))


def test_without_the_library_its_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "groth16py", None)
    with pytest.raises(EngineMissing, match=r"pip install -e '\.\[groth16\]' "):
        Key(
            tmp_path / "any.zkey",
            VerifyingKey((0, 0), ((0, 0), (0, 0)), ((0, 0), (0, 0)), ((0, 0), (0, 0)), ()),
        )
