"""Keys that no build makes again are removed by name only."""

import os
from pathlib import Path

import pytest

from tests.support.command_line import exit_code
from tests.support.foreign_circuits import as_a_ceremonys, with_versions, written
from tests.support.small_networks import square_network
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.cleaning import asked_for, find_waste, is_repeatable, remove
from zkagent.circuits.groth16.keys.setups import note_own
from zkagent.circuits.store import list_circuits
from zkagent.circuits.systems import GROTH16, load_circuit


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("groth16py")
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def circuit(home: Path, tmp_path: Path) -> Circuit:
    (onnx := tmp_path / "network.onnx").write_bytes(square_network())
    return GROTH16.build(onnx)


def good(circuit: Circuit) -> None:
    pass


def changed(circuit: Circuit) -> None:
    content = bytearray(circuit.onnx.read_bytes())
    content[len(content) // 2] ^= 1
    circuit.onnx.write_bytes(content)


def without_manifest(circuit: Circuit) -> None:
    (circuit.directory / "circuit.json").unlink()


def with_a_cut_manifest(circuit: Circuit) -> None:
    path = circuit.directory / "circuit.json"
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.parametrize("damage", [good, changed, without_manifest, with_a_cut_manifest])
def test_prune_leaves_keys_alone_in_whatever_state(
    circuit: Circuit, damage: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(damage)
    damage(circuit)
    for path in circuit.directory.iterdir():
        os.utime(path, (1, 1))
    assert not is_repeatable(circuit.digest)
    assert find_waste(older_than_days=0, setups=True) == []
    assert exit_code("circuit", "prune", "--older-than", "0", "--setups", "--yes") == 0
    assert list_circuits() == [circuit.digest]


def test_one_of_another_version_stays_for_that(circuit: Circuit, home: Path) -> None:
    older = written(home, with_versions(circuit.origin, groth16="0"), circuit, {})
    assert find_waste(older_than_days=0) == []
    assert older in list_circuits()


def test_one_that_is_named_goes_with_a_warning(
    circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked_for(circuit.digest).final
    assert exit_code("circuit", "rm", circuit.digest[:12], "--yes") == 0
    printed = capsys.readouterr()
    assert f"{circuit.digest[:16]} cannot be built again: its keys will be gone" in printed.err
    assert list_circuits() == []


def test_what_stands_after_one_went_is_told(
    circuit: Circuit, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The ceremony that was given up for the last one, and then the development set-up."""
    first = load_circuit(as_a_ceremonys(circuit, home), home)
    last = written(home, with_versions(first.origin, groth16_transcript="cd" * 32), first, {})
    for digest in (first.digest, last):
        found = load_circuit(digest, home)
        note_own(found.origin, found.files, home)
    for gone, now in ((last, first.digest), (first.digest, circuit.digest)):
        assert exit_code("circuit", "rm", gone, "--yes") == 0
        told = f"{now[:16]}, which was there before, stands for its network from now on, in place"
        assert f"{told} of {gone[:16]}: remove it, too" in capsys.readouterr().err
    assert exit_code("circuit", "rm", circuit.digest, "--yes") == 0
    assert "stands for" not in capsys.readouterr().err


def test_one_that_does_not_stand_goes_without_a_word_of_that(
    circuit: Circuit, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("circuit", "rm", as_a_ceremonys(circuit, home), "--yes") == 0
    assert "stands for" not in capsys.readouterr().err


def test_what_is_no_key_goes_as_before(circuit: Circuit, home: Path) -> None:
    broken = home / "circuits" / ("ab" * 32)
    broken.mkdir()
    (broken / "circuit.json").write_text("{}")
    (waste,) = find_waste()
    assert (waste.path, waste.final) == (broken, False)
    remove(waste)
    assert list_circuits() == [circuit.digest]
