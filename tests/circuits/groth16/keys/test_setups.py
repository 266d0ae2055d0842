"""What stands for a model: circuits that were made here, with the files that were made for them."""

import hashlib
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.foreign_circuits import as_a_ceremonys, with_versions, written
from tests.support.integer_networks import mlp
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.cleaning import asked_for, remove
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitElsewhere,
    KeysDamaged,
    NoteDamaged,
    SrsUnreadable,
)
from zkagent.circuits.groth16.build import chosen_circuits
from zkagent.circuits.groth16.keys.setups import Own, find_own, note_own
from zkagent.circuits.store import write_manifest
from zkagent.circuits.support.sealed import write_sealed
from zkagent.circuits.systems import (
    GROTH16,
    check_repeatable,
    describe_circuit,
    has_setup,
    load_circuit,
    lost_circuits,
)
from zkagent.executor.receipts.circuits import find_circuit


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two of as many inputs and outputs each."""
    folder = tmp_path_factory.mktemp("networks")
    for name, hidden in (("model", 7), ("other", 6)):
        (folder / name).write_bytes(mlp(hidden=hidden))
    return folder / "model", folder / "other"


@pytest.fixture(scope="module")
def built(networks: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has both circuits, and knows their makers."""
    pytest.importorskip("groth16py")
    home = tmp_path_factory.mktemp("home")
    for onnx in networks:
        GROTH16.build(onnx, cache=home)
    return home


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "home"))


def test_no_folder_tells_that_its_key_is_a_ceremonys(
    home: Path, networks: tuple[Path, Path]
) -> None:
    own = GROTH16.build(networks[0], cache=home)
    digest = as_a_ceremonys(own, home)
    for copied in (load_circuit(digest, home), describe_circuit(digest, home)):
        assert (copied.development_srs, copied.unknown_maker) == (True, True)
        assert copied.claims_ceremony
        assert not has_setup(copied, None, home)
        assert copied.to_json()["unknown_maker"]
    assert GROTH16.build(networks[0], cache=home) == own
    assert (own.unknown_maker, own.claims_ceremony) == (False, False)


def test_what_was_noted_here_as_a_ceremonys_comes_first(
    home: Path, networks: tuple[Path, Path]
) -> None:
    digest = as_a_ceremonys(GROTH16.build(networks[0], cache=home), home)
    copied = load_circuit(digest, home)
    note_own(copied.origin, copied.files, home)
    found = GROTH16.build(networks[0], cache=home)
    assert (found.digest, found.development_srs, found.unknown_maker) == (digest, False, False)


def test_what_was_only_verified_stands_for_nothing_and_is_a_ceremonys_all_the_same(
    home: Path, networks: tuple[Path, Path]
) -> None:
    own = GROTH16.build(networks[0], cache=home)
    digest = as_a_ceremonys(own, home)
    copied = load_circuit(digest, home)
    note_own(copied.origin, copied.files, home, chosen=False)
    assert GROTH16.build(networks[0], cache=home) == own
    verified = load_circuit(digest, home)
    assert (verified.unknown_maker, verified.claims_ceremony) == (False, False)
    assert not has_setup(verified, None, home)  # a service's proof of it is none of the model's
    assert has_setup(verified, verified.vk, home)
    note_own(copied.origin, copied.files, home)
    assert has_setup(verified, None, home)
    note_own(copied.origin, copied.files, home, chosen=False)  # to verify again is no change
    assert GROTH16.build(networks[0], cache=home).digest == digest


def test_of_ceremonies_the_one_chosen_last_stands_for_the_network(
    home: Path, networks: tuple[Path, Path]
) -> None:
    own = GROTH16.build(networks[0], cache=home)
    one = as_a_ceremonys(own, home)
    first = load_circuit(one, home)
    other = with_versions(first.origin, groth16_transcript="cd" * 32)
    two = written(home, other, first, {})
    for digest in (one, two, one, two):
        found = load_circuit(digest, home)
        note_own(found.origin, found.files, home)
        assert GROTH16.build(networks[0], cache=home).digest == digest
    assert chosen_circuits(own.origin.onnx, cache=home)[-1].digest == own.digest


def noted(digest: str, home: Path) -> Own:
    own = find_own(digest, home)
    assert own
    return own


def test_what_was_chosen_last_stands_though_the_clock_was_put_back(
    home: Path, networks: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is what was made last the first one."""
    own = GROTH16.build(networks[0], cache=home)
    one = as_a_ceremonys(own, home)
    first = load_circuit(one, home)
    two = written(home, with_versions(first.origin, groth16_transcript="cd" * 32), first, {})
    ahead = time.time_ns() + 86_400 * 10**9
    clock = iter((ahead, ahead - 10, 7, 7, 7))
    monkeypatch.setattr(time, "time_ns", lambda: next(clock))
    made = []
    for digest in (one, two, one, two):
        found = load_circuit(digest, home)
        note_own(found.origin, found.files, home)
        assert GROTH16.build(networks[0], cache=home).digest == digest
        made.append(noted(digest, home).made)
    assert made == [ahead, ahead + 1, ahead, ahead + 1]
    note_of(own, home).unlink()
    note_own(own.origin, own.files, home)
    assert noted(own.digest, home).made > max(made)


def test_notes_of_before_there_was_a_choice_choose_no_ceremony(
    home: Path, networks: tuple[Path, Path]
) -> None:
    own = GROTH16.build(networks[0], cache=home)
    copied = load_circuit(as_a_ceremonys(own, home), home)
    for circuit in (own, copied):
        content = {"origin": circuit.origin.to_json(), "files": circuit.files, "made": 7}
        write_sealed(home / "groth16" / f"{circuit.digest}.made", content, sort_keys=True)
    assert GROTH16.build(networks[0], cache=home) == own
    assert not load_circuit(copied.digest, home).unknown_maker


def test_a_circuit_that_is_asked_for_is_that_one_whatever_else_has_its_key(
    home: Path, networks: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before and after it in the order of their names."""
    own = GROTH16.build(networks[0], cache=home)
    first = load_circuit(as_a_ceremonys(own, home), home)
    found = {first.digest}
    for number in range(9):
        other = with_versions(first.origin, groth16_transcript=f"{number:064x}")
        found.add(written(home, other, first, {}))
    for digest in found:
        circuit = load_circuit(digest, home)
        note_own(circuit.origin, circuit.files, home)
    monkeypatch.setenv("ZKAGENT_HOME", str(home))
    names = SimpleNamespace(files=SimpleNamespace(onnx=own.origin.onnx))
    model: Any = SimpleNamespace(name="mine", onnx_path=networks[0], manifest=names)
    for digest in found | {own.digest}:
        assert find_circuit(model, digest, GROTH16).digest == digest


def test_of_circuits_with_one_key_the_chosen_one_is_found_by_it_or_none(
    home: Path, networks: tuple[Path, Path]
) -> None:
    """Two contributions that cancel, which anybody can append, make another circuit of the key."""
    own = GROTH16.build(networks[0], cache=home)
    first = load_circuit(as_a_ceremonys(own, home), home)
    digests = [first.digest]
    for number in range(3):
        other = with_versions(first.origin, groth16_transcript=f"{number:064x}")
        digests.append(written(home, other, first, {}))

    def found() -> str:
        return GROTH16.build(networks[0], cache=home, srs=first.vk).digest

    several = r"several circuits here, .* name one by its digest, or choose .*ceremony finalize"
    with pytest.raises(SrsUnreadable, match=several):
        found()  # all are of unknown makers
    one, two, *_ = (load_circuit(digest, home) for digest in sorted(digests, reverse=True))
    note_own(one.origin, one.files, home, chosen=False)
    assert found() == one.digest
    note_own(two.origin, two.files, home, chosen=False)
    with pytest.raises(SrsUnreadable, match=several):
        found()
    for chosen in (one, two, one):
        note_own(chosen.origin, chosen.files, home)
        assert found() == chosen.digest
    assert GROTH16.build(networks[0], cache=home, srs=own.vk) == own
    (one.directory / "solver.npz").write_bytes(b"damaged")
    with pytest.raises(KeysDamaged):
        found()


def test_a_copied_circuit_has_an_unknown_maker_whatever_its_kind(
    home: Path, networks: tuple[Path, Path], tmp_path: Path
) -> None:
    own = GROTH16.build(networks[0], cache=home)
    shutil.copytree(own.directory, tmp_path / "elsewhere" / "circuits" / own.digest)
    copied = load_circuit(own.digest, tmp_path / "elsewhere")
    assert copied.unknown_maker
    assert not copied.claims_ceremony


def test_a_key_that_was_made_here_for_another_network_is_no_key_of_this_one(
    home: Path, networks: tuple[Path, Path]
) -> None:
    own, other = (GROTH16.build(onnx, cache=home) for onnx in networks)
    contents = {"network.onnx": networks[0].read_bytes()}
    digest = written(home, replace(other.origin, onnx=own.origin.onnx), other, contents)
    mixed = load_circuit(digest, home)
    assert (mixed.origin.onnx, mixed.origin.srs) == (own.origin.onnx, other.origin.srs)
    assert mixed.unknown_maker
    assert not has_setup(mixed, None, home)
    assert GROTH16.build(networks[0], cache=home) == own
    shutil.rmtree(own.directory)
    assert GROTH16.build(networks[0], cache=home).digest not in (digest, own.digest)


CEREMONY, TRANSCRIPT = {"groth16_setup": "ceremony"}, "groth16_transcript"


@pytest.mark.parametrize(
    "changed",
    [
        {"ground": "1"},
        {"input_bits": "016"},
        {"groth16_setup": ""},
        CEREMONY,
        CEREMONY | {TRANSCRIPT: ""},
        CEREMONY | {TRANSCRIPT: "../other"},
        {TRANSCRIPT: "ab" * 32},
    ],
)
def test_a_name_that_no_build_gives_is_refused(
    home: Path, networks: tuple[Path, Path], changed: dict[str, str]
) -> None:
    own = GROTH16.build(networks[0], cache=home)
    digest = written(home, with_versions(own.origin, **changed), own, {})
    with pytest.raises(KeysDamaged, match="says what no build writes"):
        describe_circuit(digest, home)
    assert GROTH16.build(networks[0], cache=home) == own
    assert GROTH16.build(networks[0], cache=home, srs=own.vk) == own


@pytest.mark.parametrize("name", ["solver.npz", "circuit.zkey"])
def test_files_that_are_not_those_that_were_made_here_are_refused(
    home: Path, networks: tuple[Path, Path], name: str
) -> None:
    """Whatever the manifest in the same folder says of them."""
    own = GROTH16.build(networks[0], cache=home)
    content = (own.directory / name).read_bytes() + b"\0"
    (own.directory / name).write_bytes(content)
    files = {**own.files, name: hashlib.sha256(content).hexdigest()}
    write_manifest(replace(own, files=files))
    with pytest.raises(KeysDamaged, match=f"{name} is of no use .* made here"):
        describe_circuit(own.digest, home)
    with pytest.raises(KeysDamaged, match=f"{name} is of no use .* made here"):
        GROTH16.build(networks[0], cache=home)


@pytest.mark.parametrize("name", ["circuit.json", "circuit.zkey", "circuit.vk", "note"])
def test_what_is_damaged_is_no_reason_to_make_another_circuit(
    home: Path, networks: tuple[Path, Path], name: str
) -> None:
    own = GROTH16.build(networks[0], cache=home)
    path = own.directory / name
    if name == "note":
        path = home / "groth16" / f"{own.digest}.made"
        path.write_bytes(path.read_bytes()[:-9])
    else:
        path.unlink()
    with pytest.raises(KeysDamaged, match="mend it, or copy"):
        GROTH16.build(networks[0], cache=home)


def note_of(circuit: Circuit, home: Path) -> Path:
    return home / "groth16" / f"{circuit.digest}.made"


@pytest.mark.parametrize("content", [b"", b"{}", b"made on this machine\n"])
def test_a_note_that_cannot_be_read_stops_its_own_network_alone(
    home: Path, networks: tuple[Path, Path], content: bytes
) -> None:
    own, other = (GROTH16.build(onnx, cache=home) for onnx in networks)
    note_of(own, home).write_bytes(content)
    assert GROTH16.build(networks[1], cache=home) == other
    assert load_circuit(other.digest, home) == other
    remedy = "the note that the circuit was made here, whose folder is not touched"
    for refused in (
        lambda: GROTH16.build(networks[0], cache=home),
        lambda: load_circuit(own.digest, home),
    ):
        with pytest.raises(NoteDamaged, match=remedy) as caught:
            refused()
        assert "circuit rm" not in str(caught.value)
        assert "checked it, remove the note and repeat `zkagent ceremony verify --for-audits`" in (
            str(caught.value)
        )


def test_without_its_damaged_note_a_circuit_keeps_its_files_and_another_is_made(
    home: Path, networks: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    """As the remedy says. Whoever makes the other one is told, and of no other network's."""
    own, other = (GROTH16.build(onnx, cache=home) for onnx in networks)
    note = note_of(own, home).read_bytes()
    note_of(own, home).write_bytes(b"")
    note_of(own, home).unlink()
    assert caplog.text == ""
    another = GROTH16.build(networks[0], cache=home)
    assert another.digest != own.digest
    assert f"another circuit is made than {own.digest}, which is of the same" in caplog.text
    assert other.digest not in caplog.text
    assert load_circuit(own.digest, home).unknown_maker
    caplog.clear()
    assert GROTH16.build(networks[0], cache=home) == another
    note_of(own, home).write_bytes(note)
    assert GROTH16.build(networks[0], cache=home) == own
    assert caplog.text == ""


def test_who_makes_a_damaged_note_again_is_heard(home: Path, networks: tuple[Path, Path]) -> None:
    own = GROTH16.build(networks[0], cache=home)
    note_of(own, home).write_bytes(b"")
    with pytest.raises(NoteDamaged):  # who only verifies cannot tell whether it was chosen
        note_own(own.origin, own.files, home, chosen=False)
    note_own(own.origin, own.files, home)
    assert GROTH16.build(networks[0], cache=home) == own


@pytest.mark.parametrize("lost", ["nothing", "manifest", "network", "folder"])
def test_a_damaged_note_of_which_nothing_tells_the_network_is_named_and_stops_nobody(
    home: Path, networks: tuple[Path, Path], lost: str, caplog: pytest.LogCaptureFixture
) -> None:
    own, other = (GROTH16.build(onnx, cache=home) for onnx in networks)
    note_of(own, home).write_bytes(b"{}")
    if lost in ("manifest", "network"):
        path = own.directory / "circuit.json"
        path.write_bytes(path.read_bytes()[:100])
    if lost == "network":
        (own.directory / "network.onnx").unlink()
    elif lost == "folder":
        shutil.rmtree(own.directory)
    assert GROTH16.build(networks[1], cache=home) == other
    told = [each.getMessage() for each in caplog.records if own.digest in each.getMessage()]
    assert len(told) == (0 if lost in ("nothing", "manifest") else 1)


def cut_both(own: Circuit, home: Path) -> None:
    for path in (note_of(own, home), own.directory / "circuit.json"):
        path.write_bytes(path.read_bytes()[:100])


def lead_nowhere(own: Circuit, home: Path) -> None:
    note_of(own, home).unlink()
    note_of(own, home).symlink_to(home / "unmounted" / "note")


def lead_to_itself(own: Circuit, home: Path) -> None:
    note_of(own, home).unlink()
    note_of(own, home).symlink_to(note_of(own, home).name)


def move_folder(own: Circuit, home: Path) -> None:
    (home / "groth16").rename(home / "unmounted")
    (home / "groth16").symlink_to(home / "gone")


def loop_folder(own: Circuit, home: Path) -> None:
    (home / "groth16").rename(home / "unmounted")
    (home / "groth16").symlink_to("groth16")


@pytest.mark.parametrize(
    "damage", [cut_both, lead_nowhere, lead_to_itself, move_folder, loop_folder]
)
def test_nothing_is_made_anew_for_a_note_that_is_out_of_reach(
    home: Path, networks: tuple[Path, Path], damage: Callable[[Circuit, Path], None]
) -> None:
    own = GROTH16.build(networks[0], cache=home)
    before = sorted(each.name for each in (home / "circuits").iterdir())
    damage(own, home)
    with pytest.raises(NoteDamaged):
        GROTH16.build(networks[0], cache=home)
    with pytest.raises(ArtifactCorrupted):
        load_circuit(own.digest, home)
    assert sorted(each.name for each in (home / "circuits").iterdir()) == before


def test_a_circuit_whose_folder_is_gone_is_named_by_whoever_makes_another(
    home: Path, networks: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    own = GROTH16.build(networks[0], cache=home)
    assert lost_circuits(own, home) == []
    shutil.rmtree(own.directory)
    another = GROTH16.build(networks[0], cache=home)
    assert another.digest != own.digest
    assert f"the folder of circuit {own.digest}, which was made here" in caplog.text
    assert lost_circuits(another, home) == [own.digest]
    ceremonys = load_circuit(as_a_ceremonys(another, home), home)
    note_own(ceremonys.origin, ceremonys.files, home)
    assert lost_circuits(ceremonys, home) == []  # it comes first anyway


def test_what_was_removed_by_its_name_is_not_missed(
    home: Path, networks: tuple[Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    own, other = (GROTH16.build(onnx, cache=home) for onnx in networks)
    remove(asked_for(own.digest, home))
    another = GROTH16.build(networks[0], cache=home)
    assert another.digest != own.digest
    assert lost_circuits(another, home) == []
    assert caplog.text == ""
    assert GROTH16.build(networks[1], cache=home) == other


def test_of_several_the_first_one_stands_for_the_network(
    home: Path, networks: tuple[Path, Path], tmp_path: Path
) -> None:
    for _ in range(3):  # digests are in no order
        first = GROTH16.build(networks[0], cache=home)
        away = shutil.move(first.directory, tmp_path / "away")
        second = GROTH16.build(networks[0], cache=home)
        assert second.digest != first.digest
        shutil.move(away, first.directory)
        assert GROTH16.build(networks[0], cache=home) == first
        shutil.rmtree(second.directory)


def test_a_note_under_another_name_is_refused(home: Path, networks: tuple[Path, Path]) -> None:
    own = GROTH16.build(networks[0], cache=home)
    digest = as_a_ceremonys(own, home)
    shutil.copy(home / "groth16" / f"{own.digest}.made", home / "groth16" / f"{digest}.made")
    with pytest.raises(KeysDamaged, match="the note of another circuit"):
        load_circuit(digest, home)


def test_a_note_names_each_file(home: Path, networks: tuple[Path, Path]) -> None:
    circuit = GROTH16.build(networks[0], cache=home)
    own = find_own(circuit.digest, home)
    assert own is not None
    assert own.origin == circuit.origin
    assert own.files == circuit.files
    assert {*own.files} == {"network.onnx", "solver.npz", "circuit.zkey", "circuit.vk"}
    with pytest.raises(CircuitElsewhere):
        check_repeatable(GROTH16, circuit.digest, home)
