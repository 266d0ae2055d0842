"""What keys and proofs will take is known before the work, and too little memory refuses it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support.checkout import ROOT
from tests.support.circuit_settings import Counts
from tests.support.operator_cases import IMAGE, Case
from tests.support.small_networks import relu_network, square_network
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import MemoryTooSmall
from zkagent.circuits.halo2 import build, ezkl_engine
from zkagent.circuits.halo2.build import build_circuit, make_plan
from zkagent.circuits.halo2.calibration import Data, calibrate
from zkagent.circuits.halo2.footprint import check_memory, estimate_memory
from zkagent.circuits.halo2.keyless import check_least_memory
from zkagent.circuits.halo2.settings import (
    RunArguments,
    canonical,
    default_arguments,
    least_logrows,
    to_bytes,
)
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.halo2.tuning.cost_model import predict
from zkagent.circuits.halo2.tuning.objectives import Objective
from zkagent.circuits.halo2.tuning.tuner import Wish, tune
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.samples import load_samples
from zkagent.circuits.support import memory
from zkagent.circuits.support.memory import available_memory

TABLE = RunArguments(7, 7, lookup_range=(-500, 500))
NETWORKS = {
    "squares": (square_network(), RunArguments()),
    "four columns": (square_network(), RunArguments(inner_columns=4)),
    "relu": (relu_network(), default_arguments(False)),
    "two columns": (relu_network(), RunArguments(7, 7, 2)),
    "three blocks": (relu_network(), RunArguments(7, 7, logrows=8)),
    "sigmoid": (Case("Sigmoid").content(), TABLE),
    "softmax": (Case("Softmax").content(), TABLE),
    "arg-max": (Case("ArgMax", (), {"axis": 1}).content(), TABLE),
    "maximum": (Case("GlobalMaxPool", (), {}, IMAGE).content(), TABLE),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_estimate_of_a_key_is_near_its_size(name: str, tmp_path: Path) -> None:
    content, arguments = NETWORKS[name]
    onnx, settings, compiled = (tmp_path / part for part in ("onnx", "settings", "compiled"))
    onnx.write_bytes(content)
    logrows = least_logrows(ezkl_engine.make_settings(onnx, arguments, 17))
    made = ezkl_engine.make_settings(onnx, arguments, max(9, arguments.logrows or logrows))
    settings.write_bytes(to_bytes(canonical(made)))
    ezkl_engine.compile_network(onnx, settings, compiled)
    srs = development_srs(made["run_args"]["logrows"], tmp_path)
    ezkl_engine.make_keys(compiled, srs.path, tmp_path / "vk", tmp_path / "pk")
    size = (tmp_path / "pk").stat().st_size
    assert estimate_memory(made).key == pytest.approx(size, rel=0.06)


MEASURE = """
import sys
from pathlib import Path
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.support.child_process import peak_rss_bytes
built = build_circuit(Path(sys.argv[1]), cache=Path(sys.argv[2]))
print(built.settings, peak_rss_bytes())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "shown", [{"inputs": "hashed"}, {"outputs": "hashed"}, {"inputs": "private"}]
)
def test_the_estimate_for_a_circuit_that_hashes_is_near_its_key(
    hiding: Callable[..., Circuit], shown: dict[str, str]
) -> None:
    circuit = hiding(**shown)
    estimate = estimate_memory(json.loads(circuit.settings.read_text()))
    assert 0.8 < estimate.key / circuit.pk.stat().st_size < 1.35
    cost = predict(json.loads(circuit.settings.read_text()))
    assert 0.9 < cost.proof_bytes / circuit.facts.proof_bytes < 1.1


@pytest.mark.slow
def test_the_estimated_peak_is_near_what_a_build_takes(tmp_path: Path) -> None:
    """2^13 rows, so that keys and polynomials outweigh Python."""
    onnx = tmp_path / "wide.onnx"
    onnx.write_bytes(Case("Relu", shape=(1, 300)).content())
    command = [sys.executable, "-c", MEASURE, str(onnx), str(tmp_path)]
    root = ROOT
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    path, peak = result.stdout.split()
    estimate = estimate_memory(json.loads(Path(path).read_text()))
    assert 0.7 < estimate.peak / int(peak) < 1.4


def test_a_build_without_the_memory_is_refused_before_any_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    onnx = tmp_path / "relu.onnx"
    onnx.write_bytes(relu_network())
    monkeypatch.setattr(memory, "available_memory", lambda: 30e6)
    with pytest.raises(MemoryTooSmall, match=r"2\^9 rows .* need about 0\.1 GB .* available"):
        build_circuit(onnx, cache=tmp_path / "cache")
    assert not (tmp_path / "cache" / "srs").exists()


def test_rows_beyond_most_machines_are_refused_with_the_estimate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = Counts(26, 1, 60_000_000, 10, ranges=2).settings()
    monkeypatch.setattr(memory, "available_memory", lambda: 256e9)
    with pytest.raises(MemoryTooSmall, match=r"2\^26 rows of about 13 columns need about 45\d\.\d"):
        check_memory(settings)


def test_a_circuit_that_is_built_needs_no_memory_to_be_looked_up(
    circuit: Circuit, square_onnx: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 0.0)
    assert build_circuit(square_onnx, cache=cache).digest == circuit.digest


def test_samples_are_not_worked_on_where_memory_is_too_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    onnx, samples = tmp_path / "relu.onnx", tmp_path / "x.npz"
    onnx.write_bytes(relu_network())
    np.savez(samples, x=np.ones((3, 1, 4), dtype=np.float32))
    monkeypatch.setattr(memory, "available_memory", lambda: 30e6)
    monkeypatch.setattr(build, "calibrate", lambda *_, **__: pytest.fail("worked on the samples"))
    with pytest.raises(MemoryTooSmall, match="rows of about"):
        build_circuit(onnx, cache=tmp_path, data=Data(samples))
    network, wish = read_network(onnx), Wish(Objective.MEMORY)
    with pytest.raises(MemoryTooSmall, match="rows of about"):
        tune(network, load_samples(samples, network), wish, tmp_path, print)
    assert sorted(tmp_path.iterdir()) == [onnx, samples]


def test_what_fits_is_not_called_hopeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate before the work on the samples is at most that of the circuit they lead to."""
    onnx, samples = tmp_path / "relu.onnx", tmp_path / "x.npz"
    onnx.write_bytes(relu_network())
    np.savez(samples, x=np.ones((3, 1, 4), dtype=np.float32))
    network = read_network(onnx)
    fitted = calibrate(network, load_samples(samples, network)).arguments
    needed = estimate_memory(make_plan(network, fitted).settings).peak
    monkeypatch.setattr(memory, "available_memory", lambda: needed)
    check_least_memory(network)


def test_the_cache_is_searched_only_when_memory_is_short(
    circuit: Circuit, square_onnx: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "is_built", lambda *_: pytest.fail("read every manifest"))
    assert build_circuit(square_onnx, cache=cache).digest == circuit.digest


def test_a_circuit_of_other_settings_does_not_excuse_too_little_memory(
    circuit: Circuit, square_onnx: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 0.0)
    with pytest.raises(MemoryTooSmall):
        build_circuit(square_onnx, cache=cache, arguments=RunArguments(inner_columns=3))


def test_a_control_group_s_limit_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    unlimited = available_memory()
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert available_memory() == pytest.approx(unlimited, rel=0.5)
    (tmp_path / "memory.max").write_text("5000\n")
    assert available_memory() == 4000
    (tmp_path / "memory.stat").write_text("anon 400\ninactive_file 500\nactive_file 100\n")
    assert available_memory() == 4600  # what was read of files is given back when it is wanted
