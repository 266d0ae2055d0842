"""`zkagent prove` and `zkagent verify` as users call them."""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.classifiers import random_classifier
from tests.support.command_line import exit_code as run
from tests.support.command_line import one_line_error
from tests.support.processes import environment
from tests.support.small_networks import relu_network, squares
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.ezkl_engine import make_srs
from zkagent.circuits.halo2.settings import RunArguments
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.reference import Reference
from zkagent.circuits.store import list_circuits

X = [3, -1, 4, 1]


@pytest.fixture
def x_file(tmp_path: Path) -> str:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(X))
    return str(path)


@pytest.fixture
def proof_file(zkagent_home: Path, proof: Proof, tmp_path: Path) -> Path:
    path = tmp_path / "proof.json"
    path.write_text(proof.to_json())
    return path


def test_a_proof_is_made_and_verified_again(
    zkagent_home: Path,
    square_onnx: Path,
    x_file: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = str(tmp_path / "proof.json")
    assert run("prove", str(square_onnx), "--input", x_file, "--out", out) == 0
    assert f"y = {list(squares(X))}" in capsys.readouterr().out
    assert run("verify", out) == 0
    said, verdict = capsys.readouterr().out.splitlines()
    assert said == f"y = {list(squares(X))}"
    assert verdict.startswith("valid for circuit ")
    assert run("verify", out, "--model", str(square_onnx)) == 0


def test_a_classifier_s_proof_says_the_label(
    zkagent_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    classifier = random_classifier(tmp_path / "intents")
    label, text = classifier.classify("play some jazz"), "play some jazz"
    out, folder = tmp_path / "proof.json", classifier.directory
    assert run("prove", folder, "--prompt", text, "--out", out) == 0
    line = f"{classifier.name} decides {label} about {text!r}"
    assert capsys.readouterr().out.splitlines()[0] == line
    assert run("verify", out) == 3  # the proof holds, and the label is nobody's word yet
    said, numbers, untold = capsys.readouterr().out.splitlines()
    assert said.startswith("y = [")
    assert numbers.startswith("the numbers hold for circuit ")
    assert untold == (
        f"not verified: what {classifier.name!r} decides is not known here: give its folder as "
        "--model"
    )
    assert run("verify", out, "--json") == 3
    told = json.loads(capsys.readouterr().out)
    assert told["valid"] is None
    assert "about" not in told
    assert "give its folder as --model" in told["reason"]
    fields = json.loads(out.read_text())
    fields["outputs"][0] += 1
    out.with_name("false.json").write_text(json.dumps(fields))
    assert run("verify", out.with_name("false.json")) == 1
    assert capsys.readouterr().out.startswith("invalid: ")
    assert run("verify", out, "--model", folder) == 0
    assert capsys.readouterr().out.splitlines()[0] == line
    assert run("verify", out, "--model", folder, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["valid"], told["about"]["decision"]) == (True, label)


def test_no_json_repeats_a_classifier_s_label_that_somebody_rewrote(
    zkagent_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    classifier = random_classifier(tmp_path / "intents")
    label, text = classifier.classify("play some jazz"), "play some jazz"
    out, folder = tmp_path / "proof.json", classifier.directory
    assert run("prove", folder, "--prompt", text, "--out", out) == 0
    fields = json.loads(out.read_text())
    fields["about"]["decision"] = "somebody else's"
    out.write_text(json.dumps(fields))
    capsys.readouterr()
    for given, code, valid in (((), 3, None), (("--model", folder), 1, False)):
        assert run("verify", out, *given, "--json") == code
        printed = capsys.readouterr().out
        told = json.loads(printed)
        assert told["valid"] is valid
        assert told["reason"]
        assert "about" not in told
        assert run("verify", out, *given) == code
        assert "somebody else's" not in printed + capsys.readouterr().out
    assert f"the decision is {label!r}, not as it says" in told["reason"]


def test_numbers_are_read_by_the_scale_that_they_have(
    zkagent_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    onnx, values, out = tmp_path / "relu.onnx", tmp_path / "x.json", tmp_path / "proof.json"
    onnx.write_bytes(relu_network())
    values.write_text("[0.5, -1.25, 2.0, 0.25]")
    arguments = RunArguments(4, 4, decomposition_legs=4, scale_rebase_multiplier=10)
    circuit = build_circuit(onnx, arguments=arguments)
    sample = np.array([[0.5, -1.25, 2.0, 0.25]], dtype=np.float32)
    expected = Reference(read_network(onnx)).outputs((sample,))[0].reshape(-1).tolist()
    assert run("prove", circuit.digest, "--input", values, "--out", out) == 0
    written = json.loads(out.read_text())
    assert (written["input_scale_bits"], written["output_scale_bits"]) == (4, [12])
    assert written["values"] == [v / 2**12 for v in written["outputs"]]
    assert written["values"] == pytest.approx(expected, abs=1e-6)
    line = f"y = [{', '.join(f'{v:.6g}' for v in expected)}], which is {written['outputs']} / 2^12"
    assert capsys.readouterr().out.splitlines()[0] == line
    assert run("verify", out) == 0
    assert capsys.readouterr().out.splitlines()[0] == line
    assert run("verify", out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["values"] == written["values"]
    assert run("circuit", "show", circuit.digest) == 0
    assert "inputs of 4 and outputs of 12 bits of fraction" in capsys.readouterr().out
    coarser = {"output_scale_bits": [4], "values": [v / 2**4 for v in written["outputs"]]}
    out.write_text(json.dumps(written | coarser))
    assert run("verify", out) == 1
    assert "states another scale" in capsys.readouterr().out


def test_a_proof_is_read_from_standard_input(
    proof_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for content, code in ((proof_file.read_bytes(), 0), (b"{}", 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert run("verify", "-") == code
    assert "error: standard input is not a proof file" in capsys.readouterr().err


def test_a_receipt_is_read_from_standard_input(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    assert run("verify-run", "-") == 1
    assert "standard input is not a receipt of this format" in one_line_error(capsys)


def test_without_a_file_the_proof_goes_to_standard_output(
    zkagent_home: Path, circuit: Circuit, x_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("prove", circuit.digest[:12], "--input", x_file) == 0
    printed = Proof.from_json(capsys.readouterr().out)
    assert (printed.circuit, printed.outputs) == (circuit.digest, squares(X))


def test_circuits_are_found_by_any_beginning_of_their_digest(
    zkagent_home: Path,
    circuit: Circuit,
    x_file: str,
    proof_file: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    beginnings = (circuit.digest[:count] for count in range(1, 65))
    shortest = next(b for b in beginnings if sum(d.startswith(b) for d in list_circuits()) == 1)
    assert run("circuit", "show", shortest) == 0
    assert run("prove", shortest, "--input", x_file, "--json") == 0
    assert run("verify", str(proof_file), "--circuit", shortest) == 0
    capsys.readouterr()
    assert run("verify", str(proof_file), "--circuit", "wallet") == 1
    assert "no circuit wallet in" in one_line_error(capsys)


@pytest.mark.parametrize("seconds", ["-1", "0", "inf", "nan", "1e300"])
def test_a_time_that_no_proof_can_keep_is_refused(
    zkagent_home: Path,
    circuit: Circuit,
    x_file: str,
    seconds: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("prove", circuit.digest, "--input", x_file, "--timeout", seconds) == 2
    assert f"{float(seconds)} is not" in capsys.readouterr().err


def test_json_of_both_commands(
    zkagent_home: Path,
    circuit: Circuit,
    x_file: str,
    proof_file: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("prove", circuit.digest, "--input", x_file, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["outputs"] == list(squares(X))
    assert printed["measurement"]["prove_s"] > 0
    assert run("verify", str(proof_file), "--json") == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True


def test_a_float_network_takes_real_numbers(
    zkagent_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    onnx, values = tmp_path / "relu.onnx", tmp_path / "real.json"
    onnx.write_bytes(relu_network())
    values.write_text("[0.5, -1.25, 2, 0]")
    assert run("prove", str(onnx), "--input", str(values)) == 0
    printed = Proof.from_json(capsys.readouterr().out)
    assert printed.inputs == (64, -160, 256, 0)  # times 2^7
    values.write_text("[0.5, NaN, 2, 0]")
    assert run("prove", str(onnx), "--input", str(values)) == 1
    assert "is not JSON (NaN is not a number)" in one_line_error(capsys)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[1, 2, 3]", "x has 3 values"),
        ("[1, 2, 3, 4.5]", "x[3] is 4.5, expected an integer"),
        ("[1, 2, 3, NaN]", "NaN is not a number"),
        ("[1, 2, 3, 1e400]", "1e400 is not a number that can be held"),
        ('[1, 2, 3, "4"]', "x[3] is '4', expected an integer"),
        ("[1, 2, 3, true]", "x[3] is True, expected an integer"),
        ("[1, 2, 3, 99999999999999999999]", "expected an integer of at most 64 bits"),
        ("[1, 2, 3, 1099511627776]", "drive an output to"),
        ('{"x": [1]}', "x has 1 values for 'x', which takes 4"),
        ('{"y": [1]}', "x has y, circuit"),
        ("7", "holds int, expected a list"),
        ("[1, 2", "is not JSON"),
        ("", "is not JSON"),
    ],
)
def test_bad_inputs_are_one_line_each(
    zkagent_home: Path,
    circuit: Circuit,
    content: str,
    reason: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = zkagent_home / "x.json"
    path.write_text(content)
    assert run("prove", circuit.digest, "--input", str(path)) == 1
    assert reason in one_line_error(capsys)


def test_unknown_models_and_files_are_one_line_each(
    zkagent_home: Path, x_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "nowhere")
    for arguments, reason in (
        (("prove", "walet", "--input", x_file), "unknown model 'walet'"),
        (("prove", "fffffffffff", "--input", x_file), "no circuit fffffffffff"),
        (("prove", nowhere + ".onnx", "--input", x_file), "cannot be read (No such file"),
        (("prove", "walet", "--input", nowhere), "cannot be read (No such file"),
        (("verify", nowhere), "cannot be read (No such file"),
    ):
        assert run(*arguments) == 1
        assert reason in one_line_error(capsys)


def test_x_comes_from_exactly_one_place(
    zkagent_home: Path, circuit: Circuit, x_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in ((), ("--input", x_file, "--prompt", "withdraw")):
        assert run("prove", circuit.digest, *more) == 2
        assert "either --input or --prompt" in capsys.readouterr().err


def test_a_false_proof_is_a_verdict_with_exit_code_one(
    proof_file: Path, proof: Proof, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = json.loads(proof.to_json())
    fields["outputs"][0] += 1
    proof_file.write_text(json.dumps(fields))
    assert run("verify", str(proof_file)) == 1
    assert capsys.readouterr().out == (
        "invalid: the proof does not hold for these inputs and outputs\n"
    )
    assert run("verify", str(proof_file), "--json") == 1
    assert json.loads(capsys.readouterr().out)["valid"] is False


def test_a_proof_for_another_circuit_is_said_to_be(
    proof_file: Path,
    circuit: Circuit,
    other_circuit: Circuit,
    cache: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    onnx = str(cache / "circuits" / other_circuit.digest / "network.onnx")
    build_circuit(Path(onnx), cache=cache)
    for expected in (("--circuit", other_circuit.digest), ("--model", onnx)):
        assert run("verify", str(proof_file), *expected) == 1
        reason = f"it was made for circuit {circuit.digest[:16]}, not {other_circuit.digest[:16]}"
        rest = "another network, or another set-up"
        assert capsys.readouterr().out == f"invalid: {reason}: {rest}\n"


def test_a_circuit_by_its_digest_has_the_set_up_that_was_named(
    proof_file: Path, circuit: Circuit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, given = tmp_path / "other.srs", tmp_path / "x.json"
    make_srs(other, circuit.logrows)
    given.write_text(json.dumps([0] * circuit.input_count))
    for words in (
        ("verify", proof_file),
        ("verify", proof_file, "--circuit", circuit.digest[:12]),
        ("prove", circuit.digest, "--input", given, "--out", tmp_path / "p.json"),
    ):
        assert run(*words, "--srs", other) == 1
        assert f"{circuit.digest[:16]} has another set-up than {other}" in one_line_error(capsys)
        assert run(*words, "--srs", circuit.srs) == 0
        capsys.readouterr()
    assert run("verify", proof_file, "--srs", circuit.srs, "--json") == 0
    assert json.loads(capsys.readouterr().out)["development_srs"] is True


@pytest.mark.parametrize("option", ["--model", "--circuit"])
def test_an_empty_name_names_nothing(
    proof_file: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of a script whose variable is not set: what the proof itself names is not meant."""
    assert run("verify", str(proof_file), option, "") != 0
    assert "valid" not in capsys.readouterr().out


def test_a_proof_of_an_unknown_circuit_needs_the_circuit(
    proof_file: Path, proof: Proof, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = json.loads(proof.to_json())
    proof_file.write_text(json.dumps(fields | {"circuit": "f" * 64}))
    assert run("verify", str(proof_file)) == 1
    assert "build it with `zkagent circuit build MODEL`" in one_line_error(capsys)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "it is not JSON"),
        ("{}", "expected an object with"),
        ("[1]", "expected an object with"),
        ("\x00\x01", "it is not JSON"),
    ],
)
def test_malformed_proof_files_are_one_line_each(
    proof_file: Path, content: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    proof_file.write_text(content)
    assert run("verify", str(proof_file)) == 1
    error = one_line_error(capsys)
    assert "not a proof file" in error
    assert reason in error


def test_a_damaged_circuit_is_not_verified_with(
    zkagent_home: Path, circuit: Circuit, proof_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (zkagent_home / "circuits" / circuit.digest / "circuit.vk").write_bytes(b"")
    assert run("verify", str(proof_file)) == 1
    assert "circuit.vk is damaged" in one_line_error(capsys)


def test_proving_with_a_set_up_that_is_too_small_is_one_line(
    zkagent_home: Path,
    square_onnx: Path,
    x_file: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    small = str(development_srs(5, tmp_path).path)
    assert run("prove", str(square_onnx), "--input", x_file, "--srs", small) == 1
    assert "the circuit needs 2^6" in one_line_error(capsys)


def test_help_is_instant_and_loads_nothing_heavy() -> None:
    script = (
        "import sys; import zkagent.executor.cli.circuit, zkagent.executor.cli.prove;"
        "heavy = {'ezkl', 'onnx', 'onnxruntime', 'numpy', 'rich', 'web3'} & set(sys.modules);"
        "sys.exit(' '.join(heavy) or 0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env=environment())
