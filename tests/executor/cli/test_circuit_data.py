"""`zkagent circuit build FILE --data FILE`: what a user sees, and one line for each bad input."""

import json
from pathlib import Path

import click
import numpy as np
import pytest
from onnx import TensorProto

from tests.support.command_line import exit_code, one_line_error
from tests.support.operator_cases import Case
from tests.support.small_networks import network, node, relu_network, saved_samples, square_network
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.calibration import Data
from zkagent.circuits.halo2.forecast import Forecast
from zkagent.circuits.support import memory
from zkagent.executor.cli.data_options import comparison
from zkagent.executor.cli.memory_option import memory_size, tell

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def onnx(tmp_path: Path) -> Path:
    """Takes float32 [1, 4]."""
    path = tmp_path / "relu.onnx"
    path.write_bytes(relu_network())
    return path


def run(*arguments: object) -> int:
    """Exit code of `zkagent circuit build ...`."""
    return exit_code("circuit", "build", *arguments)


def test_a_user_learns_how_the_circuit_decides(
    onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = saved_samples(tmp_path, [[0.3, 1, 2, 3], [4, 3, 2, 1], [0, 0, 1, -1.7]])
    assert run(onnx, "--data", data) == 0
    printed = capsys.readouterr().out
    assert "has the numbers of onnxruntime on 3 of 3 samples (100.00%)" in printed
    assert "it may not decide over money" in printed
    assert run(onnx, "--data", data, "--json") == 0
    note = json.loads(capsys.readouterr().out)["notes"]["fidelity"]
    assert (note["samples"], note["agreement"], note["outside"]) == (3, 1.0, 0)
    assert 0 < note["largest_deviation"] < 0.5


def test_a_tolerance_and_a_scale_can_be_asked_for(
    onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = saved_samples(tmp_path, [[0.3, 1.1, 2.7, 3.9]])
    assert run(onnx, "--data", data, "--tolerance", 1e-9, "--fraction-bits", 5) == 0
    printed = capsys.readouterr().out
    assert "4 -> 2, inputs of 5 and outputs of 5 bits of fraction" in printed
    assert "is within 1e-09 of onnxruntime on 0 of 1 samples (0.00%)" in printed


def test_samples_that_no_proof_can_show_are_told(onnx: Path, tmp_path: Path) -> None:
    from zkagent.circuits.halo2.settings import RunArguments

    data = Data(saved_samples(tmp_path, [[0.5, 1, 2, 3], [9000.0, 9000, 9000, 9000]]))
    narrow = RunArguments(7, 7, decomposition_legs=2)
    lines = comparison(build_circuit(onnx, arguments=narrow, data=data))
    assert "on 1 of 2 samples (50.00%)" in lines[0]
    assert lines[1] == "samples outside its ranges, for which no proof is possible: 1"


def test_options_for_samples_need_samples(onnx: Path, tmp_path: Path) -> None:
    assert run(onnx, "--tolerance", 1) == 2
    assert run(onnx, "--fraction-bits", 7) == 2
    data = saved_samples(tmp_path, [[1.0, 2, 3, 4]])
    assert run(onnx, "--data", data, "--batch", 2) == 2
    assert run(onnx, "--data", data, "--tuned", "--fraction-bits", 7) == 2


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (np.zeros((2, 5)), "its array has shape [2, 5], expected [n, 1, 4]"),
        ([[0, 1, np.nan, 2]], "holds nan at [0, 2], expected finite numbers"),
        ([[0, 1, 2, 1e30]], "holds 1e+30 at [0, 3], expected at most 2^24"),
        (np.zeros((0, 4)), "its array is empty"),
    ],
)
def test_bad_samples_are_one_line_each(
    onnx: Path, tmp_path: Path, rows: object, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(onnx, "--data", saved_samples(tmp_path, rows)) == 1
    assert reason in one_line_error(capsys)
    assert not (tmp_path / "home" / "srs").exists()


def test_samples_that_cannot_be_read_are_one_line(
    onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "samples.csv"
    text.write_text("1,2,3,4\n")
    assert run(onnx, "--data", text) == 1
    assert "its first line has numbers, expected a header" in one_line_error(capsys)
    assert run(onnx, "--data", tmp_path / "nowhere.npz") == 1
    assert "cannot be read (No such file" in one_line_error(capsys)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"not a network", "it is not a valid ONNX model"),
        (Case("Det", (), {}, (1, 2, 2)).content(), "the operator Det (node 'it')"),
        (
            network([node("Identity", ["x"], "y")], {}, outputs=4, kind=TensorProto.COMPLEX64),
            "complex",
        ),
    ],
    ids=["no onnx", "Det", "complex"],
)
def test_networks_that_cannot_become_circuits_are_one_line_each(
    content: bytes, reason: str, tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    assert run(path, "--data", saved_samples(tmp_path, np.zeros((1, 4)))) == 1
    assert reason in one_line_error(capsys)
    assert not (home / "srs").exists()


def test_too_little_memory_is_one_line_with_the_estimate(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The build's process reads the same file, so a control group with little left refuses it."""
    path = tmp_path / "square.onnx"
    path.write_bytes(square_network())
    monkeypatch.setattr(memory, "available_memory", lambda: 50e6)
    monkeypatch.setattr("zkagent.circuits.halo2.build_process.build_isolated", build_circuit)
    assert run(path) == 1
    line = one_line_error(capsys)
    assert "2^6 rows of about 13 columns, with 12 cells of MatMul (node 'm'), need" in line
    assert "need about 0.1 GB of memory" in line
    assert "0.1 GB are available" in line
    assert not (home / "srs").exists()


def test_a_build_stays_within_the_memory_that_is_allowed(
    onnx: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(onnx, "--max-memory", "20MB") == 1
    line = one_line_error(capsys)
    assert "2^9 rows of about 13 columns, with 126 cells of MatMul (node 'm'), need" in line
    assert "need about 0.1 GB of memory" in line
    assert "0.0 GB are allowed" in line
    assert not (home / "srs").exists()
    assert run(onnx, "--max-memory", "1GiB", "--json") == 0
    made = json.loads(capsys.readouterr().out)["notes"]["making"]
    assert made["predicted"]["peak_bytes"] == pytest.approx(made["taken"]["peak_bytes"], rel=0.4)
    assert made["predicted"]["key_bytes"] == pytest.approx(1_476_451, rel=0.02)
    assert min(made["predicted"]["keys_s"], made["predicted"]["proof_s"]) > 0
    assert made["predicted"]["setup_s"] > 0  # this home had none


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ("8GB", 8 * 10**9),
        ("8 GiB", 8 * 2**30),
        ("1.5mb", 1_500_000),
        ("123456", 123_456),
        ("70 B", 70),
        ("16GiB", 2**34),
    ],
)
def test_sizes_are_read_as_people_write_them(given: str, size: int) -> None:
    option = click.Option(["--max-memory"])
    assert memory_size(click.Context(click.Command("build")), option, given) == size


@pytest.mark.parametrize(
    "given", ["", "much", "-1GB", "0", "0.1B", "8 G", "8XB", "1e9", "inf", "9999999TB"]
)
def test_other_sizes_are_refused(
    given: str, onnx: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(onnx, "--max-memory", given) == 2
    assert "is no amount of memory: write 8GB" in capsys.readouterr().err


def test_what_takes_long_is_told_before(capsys: pytest.CaptureFixture[str]) -> None:
    tell(Forecast(1_440_000_000, 500_000_000, 0.0, 15.0, 25.0))
    tell(Forecast(100_000_000, 500_000, 30.0, 0.4, 0.5))
    tell(Forecast(100_000_000, 500_000, 0.0, 0.4, 0.5))
    assert capsys.readouterr().err.splitlines() == [
        "keys and a first proof will take about 1.4 GB and 40 s",
        "a development set-up, keys and a first proof will take about 0.1 GB and 31 s",
    ]


def test_groth16_has_no_such_limit(onnx: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(onnx, "--max-memory", "8GB", "--proof-system", "groth16") == 2
    assert "--max-memory is for circuits of ezkl" in capsys.readouterr().err
