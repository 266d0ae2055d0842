"""Solvers as files: the same witnesses, and nothing from files that are none."""

import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.support.integer_networks import mlp
from zkagent.circuits.errors import ArtifactCorrupted
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.groth16.constraints.solver import Solver
from zkagent.circuits.program.reader import read_program

X = [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_a_solver_that_was_written_computes_the_same(tmp_path: Path) -> None:
    compiled, file = compile_program(read_program(mlp())), tmp_path / "solver.npz"
    file.write_bytes(compiled.solver.to_bytes())
    found = Solver.read(file)
    assert found.witness(X).elements() == compiled.witness(X).elements()
    assert found.public == compiled.public
    assert found.to_bytes() == compiled.solver.to_bytes()


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    content = compile_program(read_program(mlp())).solver.to_bytes()
    np.savez(tmp_path / "other.npz", header=np.frombuffer(b'{"format": "x"}', dtype=np.uint8))
    np.savez(tmp_path / "empty.npz")
    (tmp_path / "cut.npz").write_bytes(content[:100])
    (tmp_path / "nothing.npz").write_bytes(b"")
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    for name in ("other.npz", "empty.npz", "cut.npz", "nothing.npz", "objects.npy", "missing.npz"):
        with pytest.raises(ArtifactCorrupted):
            Solver.read(tmp_path / name)


def test_a_file_with_an_array_twice_is_refused(tmp_path: Path) -> None:
    (path := tmp_path / "solver.npz").write_bytes(
        compile_program(read_program(mlp())).solver.to_bytes()
    )
    with zipfile.ZipFile(path) as before:
        content = before.read("header.npy")
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as after:
        warnings.simplefilter("ignore")
        after.writestr("header.npy", content)
    with pytest.raises(ArtifactCorrupted):
        Solver.read(path)
