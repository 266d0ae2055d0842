"""A file of a circuit that is there and cannot be read is the trouble of that circuit."""

import os
from pathlib import Path

import pytest

from tests.support.disks import unreadable
from tests.support.folders import UNLISTABLE, make_unlistable
from zkagent.circuits.artifacts import MANIFEST, Circuit
from zkagent.circuits.cleaning import find_waste, size_of
from zkagent.circuits.errors import ArtifactCorrupted, ArtifactUnreadable, HomeRefused
from zkagent.circuits.store import is_built, list_circuits, read_file, resolve_digest
from zkagent.circuits.systems import cached_circuit, describe_circuit, load_circuit


def test_every_file_is_named_that_cannot_be_read(circuit: Circuit, cache: Path) -> None:
    folder = cache / "circuits" / circuit.digest
    paths = {name: folder / name for name in circuit.files}
    for path in [*paths.values(), cache / "srs" / circuit.srs.name]:
        with unreadable(path):
            with pytest.raises(ArtifactUnreadable, match="Input/output error") as caught:
                load_circuit(circuit.digest, cache)
            assert caught.value.path == path
            assert cached_circuit(circuit.digest, cache) is None
            assert describe_circuit(circuit.digest, cache).files == circuit.files
    with unreadable(folder / MANIFEST), pytest.raises(ArtifactCorrupted, match="cannot be read"):
        describe_circuit(circuit.digest, cache)
    assert load_circuit(circuit.digest, cache).digest == circuit.digest


def test_what_is_described_is_what_is_loaded(circuit: Circuit, cache: Path) -> None:
    assert describe_circuit(circuit.digest, cache) == load_circuit(circuit.digest, cache)


def test_a_circuit_under_another_s_name_is_not_described(circuit: Circuit, cache: Path) -> None:
    wrong = "0" * 64
    (cache / "circuits" / circuit.digest).rename(cache / "circuits" / wrong)
    with pytest.raises(ArtifactCorrupted, match="belongs to another circuit"):
        describe_circuit(wrong, cache)


def test_a_file_is_handed_out_only_as_it_was_written(circuit: Circuit, cache: Path) -> None:
    path = cache / "circuits" / circuit.digest / "circuit.vk"
    good = path.read_bytes()
    assert read_file(path, circuit.files["circuit.vk"]) == good
    path.write_bytes(good[:-1])
    with pytest.raises(ArtifactCorrupted, match="sha256"):
        read_file(path, circuit.files["circuit.vk"])
    path.unlink()
    with pytest.raises(ArtifactCorrupted, match="missing"):
        read_file(path, circuit.files["circuit.vk"])


def test_folders_that_cannot_be_looked_into_are_named(
    circuit: Circuit, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cache / "circuits"

    def refuse(path: Path) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    there = Path.is_dir
    ours = folder / circuit.digest
    monkeypatch.setattr(Path, "is_dir", lambda p: refuse(p) if p == ours else there(p))
    with pytest.raises(ArtifactUnreadable, match="Permission denied"):
        describe_circuit(circuit.digest, cache)
    monkeypatch.undo()
    monkeypatch.setattr(Path, "iterdir", refuse)
    for look in (
        lambda: list_circuits(cache),
        lambda: is_built("", "", cache),
        lambda: resolve_digest("a", cache),
    ):
        with pytest.raises(HomeRefused, match=str(folder)):
            look()


@pytest.mark.parametrize("kind", UNLISTABLE)
def test_set_ups_that_cannot_be_listed_are_not_none(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "srs").mkdir()
    make_unlistable(kind, tmp_path / "srs", monkeypatch)
    for setups in (False, True):
        with pytest.raises(HomeRefused, match="srs"):
            find_waste(setups=setups, cache=tmp_path)


def test_a_folder_that_cannot_be_looked_into_has_no_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_text("four")
    assert (size_of(tmp_path), size_of(tmp_path / "below" / "file")) == (4, 4)
    real = os.scandir

    def refuse(path: object) -> object:
        if Path(str(path)).name == "below":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(PermissionError, match="below"):
        size_of(tmp_path)
