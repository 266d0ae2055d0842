"""What may go from the cache and what must not."""

import os
import shutil
import time
from pathlib import Path

import pytest
from filelock import FileLock

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.cleaning import (
    Waste,
    Why,
    asked_for,
    built_at,
    find_waste,
    remove,
    setups_folder,
    size_of,
)
from zkagent.circuits.errors import CircuitInUse
from zkagent.circuits.halo2 import cached
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.store import list_circuits
from zkagent.circuits.systems import load_circuit
from zkagent.prover.local import LocalProver

DAY_S = 86_400


@pytest.fixture
def stored(cache: Path, circuit: Circuit) -> Path:
    """The folder of the one circuit in a cache of the test's own."""
    for digest in list_circuits(cache):
        if digest != circuit.digest:
            shutil.rmtree(cache / "circuits" / digest)
    return cache / "circuits" / circuit.digest


def reasons(found: list[Waste]) -> dict[str, Why]:
    return {waste.name: waste.why for waste in found}


def test_a_circuit_in_good_order_is_no_waste(stored: Path, cache: Path) -> None:
    assert find_waste(cache=cache) == []


def test_sizes_are_those_of_all_files(stored: Path) -> None:
    assert size_of(stored) == sum(path.stat().st_size for path in stored.iterdir())
    assert size_of(stored / "circuit.vk") == (stored / "circuit.vk").stat().st_size


@pytest.mark.parametrize("damage", ["changed key", "missing manifest"])
def test_a_damaged_circuit_is_found_and_removed(damage: str, stored: Path, cache: Path) -> None:
    if damage == "changed key":
        (stored / "circuit.vk").write_bytes(b"")
    else:
        (stored / "circuit.json").unlink()
    (waste,) = find_waste(cache=cache)
    assert (waste.path, waste.why, waste.bytes) == (stored, Why.DAMAGED, size_of(stored))
    remove(waste)
    assert list_circuits(cache) == []
    assert not [path for path in stored.parent.iterdir() if path.is_dir()]


def test_a_circuit_of_other_versions_is_found(
    stored: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached, "ezkl_version", lambda: "24.0.0")
    assert reasons(find_waste(cache=cache)) == {stored.name: Why.OUTDATED}


def test_good_circuits_go_by_age_only_when_asked_and_never_when_kept(
    stored: Path, cache: Path
) -> None:
    then = time.time() - 10 * DAY_S
    os.utime(stored / "circuit.json", (then, then))
    assert built_at(stored.name, cache) == pytest.approx(then)
    assert find_waste(older_than_days=11, cache=cache) == []
    assert reasons(find_waste(older_than_days=9, cache=cache)) == {stored.name: Why.OLD}
    assert find_waste(older_than_days=9, keep=[stored.name], cache=cache) == []


def test_what_a_killed_build_left_is_found_but_not_what_is_being_built(
    stored: Path, cache: Path
) -> None:
    building = stored.with_name(f".{'a' * 64}.building")
    building.mkdir()
    (building / "circuit.pk").write_bytes(b"12345")
    with FileLock(stored.with_name(f".{'a' * 64}.lock")):
        assert find_waste(cache=cache) == []
    (waste,) = find_waste(cache=cache)
    assert (waste.path, waste.why, waste.bytes) == (building, Why.LEFT_OVER, 5)
    remove(waste)
    assert not building.exists()


def test_fresh_files_of_set_ups_are_left_over_after_a_day(stored: Path, cache: Path) -> None:
    fresh = setups_folder(cache) / ".abc.new"
    fresh.write_bytes(b"1")
    assert find_waste(cache=cache) == []
    then = time.time() - 2 * DAY_S
    os.utime(fresh, (then, then))
    (waste,) = find_waste(cache=cache)
    remove(waste)
    assert not fresh.exists()


def test_a_circuit_that_is_being_built_stays(stored: Path, cache: Path) -> None:
    with (
        FileLock(stored.with_name(f".{stored.name}.lock")),
        pytest.raises(CircuitInUse, match=f"{stored.name[:16]} stays: it is being built"),
    ):
        remove(asked_for(stored.name, cache))
    assert load_circuit(stored.name, cache)


def test_a_circuit_that_a_process_proves_with_stays(stored: Path, cache: Path) -> None:
    with LocalProver(load_circuit(stored.name, cache)) as prover:
        prover.prove([3, -1, 4, 1])
        with pytest.raises(CircuitInUse, match="a process is working with it"):
            remove(asked_for(stored.name, cache))
        assert prover.prove([1, 1, 1, 1])
    remove(asked_for(stored.name, cache))
    assert list_circuits(cache) == []


def test_a_circuit_that_was_built_again_since_it_was_found_stays(
    stored: Path, cache: Path, square_onnx: Path
) -> None:
    (stored / "circuit.vk").write_bytes(b"")
    (waste,) = find_waste(cache=cache)
    build_circuit(square_onnx, cache=cache)
    with pytest.raises(CircuitInUse, match="it was built again meanwhile"):
        remove(waste)
    assert load_circuit(stored.name, cache)


def test_set_ups_go_only_when_asked_and_when_no_circuit_wants_them(
    stored: Path, cache: Path, circuit: Circuit
) -> None:
    other = development_srs(4, cache)
    assert find_waste(cache=cache) == []
    found = {w.name: w for w in find_waste(setups=True, cache=cache)}
    assert found[other.path.name].why is Why.UNUSED
    assert circuit.srs.name not in found
    remove(found[other.path.name])
    assert not other.path.exists()
    assert not (setups_folder(cache) / "development-k4").exists()
    assert development_srs(4, cache).path.is_file()


def test_a_set_up_goes_together_with_its_last_circuit(
    stored: Path, cache: Path, circuit: Circuit
) -> None:
    (stored / "circuit.vk").write_bytes(b"")
    found = reasons(find_waste(setups=True, cache=cache))
    assert found[circuit.srs.name] is Why.UNUSED


def test_set_ups_stay_while_anything_is_being_built(stored: Path, cache: Path) -> None:
    with FileLock(stored.with_name(f".{'b' * 64}.lock")), pytest.raises(CircuitInUse):
        find_waste(setups=True, cache=cache)


def test_a_circuit_is_never_seen_half_removed(
    stored: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While its files go, one by one, nothing stands under its name."""
    seen = []
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: seen.extend(list_circuits(cache)))
    remove(asked_for(stored.name, cache))
    assert seen == []
    assert not stored.exists()
    (left,) = find_waste(cache=cache)
    assert left.why is Why.LEFT_OVER
