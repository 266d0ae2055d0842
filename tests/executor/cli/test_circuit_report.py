"""`zkagent circuit report` as users call it."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.small_networks import relu_network, saved_samples
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.halo2.build import build_circuit, fidelity_of
from zkagent.circuits.halo2.calibration import Data

SCRIPT = "<script>alert(1)</script>"
ROWS = [[0.3, 1, 2, 3], [4, 3, 2, 1], [0, 0, 1, -1.7]]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved_samples(tmp_path_factory.mktemp("data"), np.array(ROWS, dtype=np.float32))


@pytest.fixture
def hostile(zkagent_home: Path, samples: Path, tmp_path: Path) -> Circuit:
    """A circuit whose nodes and output are named by somebody who means no good."""
    model = onnx.load_from_string(relu_network())
    for number, node in enumerate(model.graph.node):
        node.name = f"{SCRIPT}{number}"
    model.graph.node[-1].output[0] = model.graph.output[0].name = SCRIPT
    path = tmp_path / "hostile.onnx"
    path.write_bytes(model.SerializeToString())
    return build_circuit(path, data=Data(samples))


def run(*arguments: object) -> int:
    """Exit code of `zkagent circuit report ...`."""
    return exit_code("circuit", "report", *arguments)


def test_a_page_of_a_hostile_network_runs_nothing(
    hostile: Circuit, samples: Path, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    assert run(hostile.digest, "--data", samples, "--html", page) == 0
    html = page.read_text()
    assert SCRIPT not in html
    assert "<script" not in html.lower()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert html.count("<h3>") == 1  # of its one output


def test_text_tells_cells_costs_errors_and_commands(
    hostile: Circuit, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(hostile.digest[:12], "--data", samples) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(hostile.digest)
    for part in ("LEAKYRELU", "foretold", "gas to verify", "development set-up", "3 samples"):
        assert part in printed
    assert f"zkagent prove {hostile.digest}" in printed
    assert f"zkagent circuit build {hostile.onnx} --data {samples}" in printed


def test_json_holds_the_same_numbers_as_the_build(
    hostile: Circuit, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(hostile.digest, "--data", samples, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    settings = json.loads(hostile.settings.read_text())
    assert sum(node["cells"] for node in found["nodes"]) == settings["total_assignments"]
    (output,) = found["comparison"]["outputs"]
    fidelity = fidelity_of(hostile)
    assert fidelity
    assert output["largest"] == pytest.approx(fidelity.largest_deviation)
    assert output["numbers"] == len(ROWS) * 2
    assert found["layout"]["logrows"] == hostile.facts.logrows


def test_without_samples_nothing_is_said_about_errors(
    zkagent_home: Path, circuit: Circuit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(circuit.digest) == 0
    assert "no samples were given" in capsys.readouterr().out
    assert run(circuit.digest, "--html", tmp_path / "r.html") == 0
    assert "No samples were given" in (tmp_path / "r.html").read_text()


def test_only_an_earlier_page_is_written_over(
    zkagent_home: Path, circuit: Circuit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, notes = tmp_path / "r.html", tmp_path / "notes.html"
    notes.write_text("<p>mine</p>")
    assert run(circuit.digest, "--html", page) == 0
    assert run(circuit.digest, "--html", page) == 0
    capsys.readouterr()
    assert run(circuit.digest, "--html", notes) == 1
    assert "notes.html" in one_line_error(capsys)
    assert notes.read_text() == "<p>mine</p>"


def test_bad_samples_and_circuits_are_one_line(
    zkagent_home: Path, circuit: Circuit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("0" * 64) == 1
    assert "0000" in one_line_error(capsys)
    bad = saved_samples(tmp_path, np.zeros((2, 7), dtype=np.int64))
    assert run(circuit.digest, "--data", bad, "--html", tmp_path / "r.html") == 1
    assert "samples.npz" in one_line_error(capsys)
    assert not (tmp_path / "r.html").exists()


def test_a_page_and_json_are_not_both_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("0" * 64, "--html", "r.html", "--json") == 2
    assert "give one of them" in capsys.readouterr().err
