"""Building: a look-up the second time, the same bytes on any day, and never from damaged files."""

import hashlib
import json
import multiprocessing
from pathlib import Path

import pytest

from tests.support.small_networks import gathering_network, network, node, relu_network
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitNotFound,
    CircuitOutdated,
    EngineCrashed,
    EngineError,
    NetworkRefused,
    SrsTooSmall,
)
from zkagent.circuits.halo2 import build, cached
from zkagent.circuits.halo2.build import Plan, Stage, build_circuit
from zkagent.circuits.halo2.build_process import build_isolated
from zkagent.circuits.halo2.settings import RunArguments
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.networks import reference
from zkagent.circuits.store import annotate, list_circuits, resolve_digest
from zkagent.circuits.systems import cached_circuit, load_circuit

FILES = ["CircuitValues.sol", "Halo2Verifier.sol", "circuit.json", "circuit.pk", "circuit.vk"]
FILES += ["network.ezkl", "network.onnx", "settings.json"]


def stages_of(onnx: Path, cache: Path) -> list[Stage]:
    seen: list[Stage] = []
    build_circuit(onnx, cache=cache, progress=seen.append)
    return seen


WITH_SAMPLES_ONLY = {Stage.RANGES, Stage.COMPARISON}
STAGES = [stage for stage in Stage if stage not in WITH_SAMPLES_ONLY]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_built_circuit_says_what_it_is(circuit: Circuit) -> None:
    assert sorted(path.name for path in circuit.directory.iterdir()) == FILES
    assert (circuit.input_count, circuit.output_count) == (4, 2)
    assert circuit.facts.exact
    assert circuit.development_srs
    assert circuit.logrows == 6
    assert circuit.directory.name == circuit.digest == circuit.origin.digest


def test_building_goes_through_every_stage_and_a_second_time_is_a_look_up(
    square_onnx: Path, tmp_path: Path
) -> None:
    assert stages_of(square_onnx, tmp_path) == STAGES
    assert stages_of(square_onnx, tmp_path) == [Stage.NETWORK, Stage.ROWS, Stage.SETUP]


def test_the_same_inputs_give_the_same_bytes(
    circuit: Circuit, square_onnx: Path, tmp_path: Path
) -> None:
    again = build_circuit(square_onnx, srs=circuit.srs, cache=tmp_path)
    assert again.digest == circuit.digest
    for name in ("circuit.vk", "circuit.pk", "Halo2Verifier.sol", "settings.json"):
        assert (again.directory / name).read_bytes() == (circuit.directory / name).read_bytes()


def test_keys_of_a_circuit_with_range_checks_are_reproducible_too(tmp_path: Path) -> None:
    onnx = tmp_path / "relu.onnx"
    onnx.write_bytes(relu_network())
    first = build_circuit(onnx, cache=tmp_path / "one")
    second = build_circuit(onnx, srs=first.srs, cache=tmp_path / "two")
    assert first.files["circuit.pk"] == second.files["circuit.pk"]
    assert first.files["Halo2Verifier.sol"] == second.files["Halo2Verifier.sol"]
    assert not first.facts.exact


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_never_used_and_built_again(
    circuit: Circuit, cache: Path, square_onnx: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = cache / "circuits" / circuit.digest / name
    flip(path)
    with pytest.raises(ArtifactCorrupted, match=name):
        load_circuit(circuit.digest, cache)
    rebuilt = build_circuit(square_onnx, cache=cache)
    assert rebuilt.digest == circuit.digest
    assert "building it again" in caplog.text
    assert load_circuit(circuit.digest, cache).files["circuit.pk"] == circuit.files["circuit.pk"]


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_noticed(circuit: Circuit, cache: Path, name: str) -> None:
    (cache / "circuits" / circuit.digest / name).unlink()
    with pytest.raises(ArtifactCorrupted, match=name):
        load_circuit(circuit.digest, cache)


def test_a_damaged_set_up_is_noticed(circuit: Circuit, cache: Path) -> None:
    flip(cache / "srs" / circuit.srs.name)
    with pytest.raises(ArtifactCorrupted, match="its digest is not its name"):
        load_circuit(circuit.digest, cache)


def test_a_circuit_under_another_s_name_is_noticed(circuit: Circuit, cache: Path) -> None:
    wrong = "0" * 64
    (cache / "circuits" / circuit.digest).rename(cache / "circuits" / wrong)
    with pytest.raises(ArtifactCorrupted, match="belongs to another circuit"):
        load_circuit(wrong, cache)


def test_a_circuit_of_another_ezkl_is_told_from_a_damaged_one(
    circuit: Circuit, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached, "ezkl_version", lambda: "24.0.0")
    with pytest.raises(CircuitOutdated, match=r"built with ezkl 23\..* installed is ezkl 24\.0\.0"):
        load_circuit(circuit.digest, cache)


def test_an_unknown_circuit_is_not_found(cache: Path) -> None:
    for digest in ("f" * 64, "../srs", ""):
        with pytest.raises(CircuitNotFound, match="build it with"):
            load_circuit(digest, cache)


def test_a_circuit_that_cannot_be_used_counts_as_not_cached(
    circuit: Circuit, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cached_circuit(circuit.digest, cache) == load_circuit(circuit.digest, cache)
    assert cached_circuit("f" * 64, cache) is None
    with monkeypatch.context() as other:
        other.setattr(cached, "ezkl_version", lambda: "24.0.0")
        assert cached_circuit(circuit.digest, cache) is None
    flip(cache / "circuits" / circuit.digest / "circuit.vk")
    assert cached_circuit(circuit.digest, cache) is None


def test_circuits_are_listed_and_found_by_the_beginning_of_their_digest(
    circuit: Circuit, cache: Path
) -> None:
    assert circuit.digest in list_circuits(cache)
    assert resolve_digest(circuit.digest[:20], cache) == circuit.digest
    with pytest.raises(CircuitNotFound):
        resolve_digest("", cache)


def test_a_failed_build_leaves_nothing_behind(
    square_onnx: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(plan: Plan, circuit: Circuit, making: object) -> None:
        raise EngineError("prove", "for the test")

    monkeypatch.setattr(build, "_check", fail)
    with pytest.raises(EngineError):
        build_circuit(square_onnx, cache=tmp_path)
    assert list_circuits(tmp_path) == []
    left = {path.suffix for path in (tmp_path / "circuits").iterdir()}
    assert left == {".lock"}


def test_the_remains_of_a_killed_build_do_not_matter(
    circuit: Circuit, square_onnx: Path, tmp_path: Path
) -> None:
    remains = tmp_path / "circuits" / f".{circuit.digest}.building"
    remains.mkdir(parents=True)
    (remains / "circuit.pk").write_bytes(b"half")
    built = build_circuit(square_onnx, srs=circuit.srs, cache=tmp_path)
    assert built.digest == circuit.digest
    assert not remains.exists()


def build_in_process(onnx: str, srs: str, cache: str) -> str:
    """For a spawned process; the stages show whether it built or waited and looked up."""
    seen: list[Stage] = []
    build_circuit(Path(onnx), srs=Path(srs), cache=Path(cache), progress=seen.append)
    return "built" if Stage.KEYS in seen else "looked up"


def test_two_processes_build_one_circuit_once(
    circuit: Circuit, square_onnx: Path, tmp_path: Path
) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        arguments = (str(square_onnx), str(circuit.srs), str(tmp_path))
        results = [pool.apply_async(build_in_process, arguments) for _ in range(2)]
        assert sorted(result.get(60) for result in results) == ["built", "looked up"]


def test_a_network_that_onnxruntime_computes_otherwise_is_refused(
    square_onnx: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "infer", lambda network, x: (1, 2))
    with pytest.raises(NetworkRefused, match=r"where onnxruntime computes \(1, 2\)"):
        build_circuit(square_onnx, cache=tmp_path)


def test_an_index_that_ezkl_misreads_is_refused(tmp_path: Path) -> None:
    """ezkl takes index -2 for 0; only the comparison with onnxruntime shows it."""
    onnx = tmp_path / "negative.onnx"
    onnx.write_bytes(gathering_network([-2, 1]))
    with pytest.raises(NetworkRefused, match="where onnxruntime computes"):
        build_circuit(onnx, cache=tmp_path)


def test_a_network_whose_shapes_do_not_fit_is_refused_before_ezkl_reads_it(tmp_path: Path) -> None:
    onnx = tmp_path / "odd.onnx"
    onnx.write_bytes(network([node("MatMul", ["x", "w"], "y")], {"w": [[1, 2]] * 3}))
    with pytest.raises(NetworkRefused, match="its shapes do not fit together"):
        build_circuit(onnx, cache=tmp_path)


def test_a_set_up_that_is_too_small_stops_the_build(square_onnx: Path, tmp_path: Path) -> None:
    small = development_srs(5, tmp_path)
    with pytest.raises(SrsTooSmall, match=r"the circuit needs 2\^6"):
        build_circuit(square_onnx, srs=small.path, cache=tmp_path)


def test_a_set_up_with_another_secret_in_g2_fails_the_first_proof(
    square_onnx: Path, tmp_path: Path
) -> None:
    """The points that cannot be checked without a pairing are checked by proving."""
    one, two = (development_srs(6, tmp_path / name).path for name in ("one", "two"))
    mixed = tmp_path / "mixed.srs"
    mixed.write_bytes(one.read_bytes()[:-128] + two.read_bytes()[-128:])
    with pytest.raises(EngineError, match="the first proof is false"):
        build_circuit(square_onnx, srs=mixed, cache=tmp_path)


def test_more_columns_are_another_circuit(circuit: Circuit, square_onnx: Path, cache: Path) -> None:
    arguments = RunArguments(inner_columns=2)
    wide = build_circuit(square_onnx, cache=cache, arguments=arguments)
    assert wide.digest != circuit.digest


def test_an_isolated_build_gives_the_same_circuit_and_its_stages(
    circuit: Circuit, square_onnx: Path, tmp_path: Path
) -> None:
    seen: list[Stage] = []
    built = build_isolated(square_onnx, srs=circuit.srs, cache=tmp_path, progress=seen.append)
    assert built.digest == circuit.digest
    assert seen == STAGES


def test_an_isolated_build_raises_the_same_errors(tmp_path: Path) -> None:
    with pytest.raises(NetworkRefused, match=r"nowhere\.onnx cannot become a circuit"):
        build_isolated(tmp_path / "nowhere.onnx", cache=tmp_path)


def test_a_build_whose_process_dies_is_an_error(
    square_onnx: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))  # the child cannot even start
    with pytest.raises(EngineCrashed, match="its process ended with exit code 1"):
        build_isolated(square_onnx, cache=tmp_path)


def test_the_manifest_guards_itself(circuit: Circuit, cache: Path) -> None:
    path = cache / "circuits" / circuit.digest / "circuit.json"
    manifest = json.loads(path.read_text())
    manifest["content"]["facts"]["proof_bytes"] += 32
    path.write_text(json.dumps(manifest))
    with pytest.raises(ArtifactCorrupted, match="its digest does not fit its content"):
        load_circuit(circuit.digest, cache)


def test_notes_on_a_circuit_are_kept_with_it_and_do_not_change_its_name(
    circuit: Circuit, cache: Path
) -> None:
    mine = load_circuit(circuit.digest, cache)
    annotate(mine, "fidelity", {"agreement": 1.0})
    annotate(mine, "tuning", {"objective": "gas"})
    annotated = annotate(mine, "fidelity", {"agreement": 0.5})
    loaded = load_circuit(circuit.digest, cache)
    assert loaded == annotated
    added = {"fidelity": {"agreement": 0.5}, "tuning": {"objective": "gas"}}
    assert loaded.notes == {**circuit.notes, **added}
    assert sorted(path.name for path in loaded.directory.iterdir()) == FILES


def test_a_manifest_from_before_there_were_notes_still_counts(
    circuit: Circuit, cache: Path
) -> None:
    path = cache / "circuits" / circuit.digest / "circuit.json"
    content = json.loads(path.read_text())["content"]
    del content["notes"]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    path.write_text(json.dumps({"content": content, "sha256": digest}))
    assert load_circuit(circuit.digest, cache).notes == {}
