"""Commands and the two kinds of models: a classifier classifies, and is told where it cannot go."""

import json
import resource
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.classifiers import LABELS, random_classifier
from tests.support.command_line import exit_code, one_line_error
from zkagent.circuits.artifacts import Proof
from zkagent.circuits.support.memory import available_memory
from zkagent.executor.cli.circuits_shown import find_onnx
from zkagent.models.catalogue import load_model
from zkagent.models.classifier.files import TextClassifier
from zkagent.models.networks.inference import Inference

TEXT = "play some jazz"


@pytest.fixture
def classifier(tmp_path: Path) -> TextClassifier:
    return random_classifier(tmp_path / "clinc")


def test_a_classifier_decides_on_an_intent(
    classifier: TextClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("decide", classifier.directory, TEXT) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    ordered = sorted(classifier.scores(TEXT))
    assert first == f"{classifier.classify(TEXT)}, ahead by {ordered[-1] - ordered[-2]}"
    shown = {label: int(score.replace(",", "")) for label, score in map(str.split, rest)}
    assert shown == dict(zip(LABELS, classifier.scores(TEXT), strict=True))
    assert list(shown) == sorted(shown, key=lambda label: -shown[label])


def test_a_classifier_s_scores_are_json_for_machines(
    classifier: TextClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("decide", classifier.directory, TEXT, "--json") == 0
    scores = dict(zip(LABELS, classifier.scores(TEXT), strict=True))
    printed = json.loads(capsys.readouterr().out)
    margin = sorted(scores.values())[-1] - sorted(scores.values())[-2]
    expected = {"intent": classifier.classify(TEXT), "margin": margin, "scores": scores}
    assert printed == expected
    assert exit_code("classify", classifier.directory, TEXT, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"label": expected.pop("intent"), **expected}


def test_a_classifier_takes_no_observations_and_reads_no_empty_text(
    classifier: TextClassifier, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("decide", classifier.directory, TEXT, "--observation", "1 USDC") == 2
    assert "is a text classifier: leave out --observation" in capsys.readouterr().err
    assert exit_code("decide", classifier.directory, " ") == 1
    assert "the prompt is empty" in one_line_error(capsys)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing tells what a process holds")
def test_a_stranger_s_model_may_take_the_memory_that_there_is_and_no_more(
    classifier: TextClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = []

    def noted(infer: Any) -> Any:
        def run(self: Any, x: Any) -> Any:
            limits.append(resource.getrlimit(resource.RLIMIT_DATA)[0])
            return infer(self, x)

        return run

    monkeypatch.setattr(Inference, "__call__", noted(Inference.__call__))
    before = resource.getrlimit(resource.RLIMIT_DATA)[0]
    assert exit_code("decide", classifier.directory, TEXT) == 0
    assert exit_code("decide", "wallet", "deposit 5 USDC") == 0
    strangers, ours = limits
    assert 0 < strangers < available_memory() * 1.5
    assert ours == before == resource.getrlimit(resource.RLIMIT_DATA)[0]


@pytest.mark.slow
def test_a_classifier_s_text_is_proven_and_means_what_it_decides(
    classifier: TextClassifier, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = classifier.directory, tmp_path / "proof.json"
    assert exit_code("prove", folder, "--prompt", TEXT, "--out", out) == 0
    proof = Proof.from_json(out.read_text())
    assert proof.inputs == classifier.features(TEXT)
    assert proof.outputs == classifier.scores(TEXT)
    assert exit_code("verify", out, "--model", folder) == 0
    other = random_classifier(tmp_path / "other", seed=1)
    assert exit_code("verify", out, "--model", other.directory) == 1
    assert "invalid: " in capsys.readouterr().out


def test_a_changed_copy_is_evaluated_or_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(load_model("wallet").directory, tmp_path / "copy")
    manifest = json.loads((copy / "model.json").read_text())
    manifest["actions"][1]["name"] = "Stake"
    (copy / "model.json").write_text(json.dumps(manifest))
    assert exit_code("model", "evaluate", copy) == 1
    assert "wallet has no tool Deploy(amount, asset), which" in one_line_error(capsys)


def test_networks_are_found_by_folder_for_both_kinds(classifier: TextClassifier) -> None:
    assert find_onnx(str(classifier.directory)) == classifier.onnx_path
    assert find_onnx("wallet").name == "model.onnx"
    assert find_onnx("some/file.onnx") == Path("some/file.onnx")


@pytest.mark.parametrize(
    "command",
    [
        ("demo", "--model"),
        ("model", "evaluate"),
        ("serve", "--port", 0, "--model"),
    ],
    ids=lambda command: command[0],
)
def test_a_classifier_is_refused_where_an_agent_decides(
    command: tuple[object, ...],
    classifier: TextClassifier,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code(*command, classifier.directory) == 1
    error = one_line_error(capsys)
    assert f"{classifier.directory} is a text classifier, but this needs an agent's model" in error


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("chain", "--batch", "2"), "--batch"),
        (("deploy", "--strict"), "--strict"),
        (("deploy", "--batch", "2"), "--batch"),
        (("deploy", "--pool", "0x" + "11" * 20), "--pool"),
        (("deploy", "--token", "ABC=0x" + "11" * 20), "--token"),
    ],
)
def test_options_of_wallets_are_refused_for_a_classifier_before_anything_is_asked(
    *,
    command: tuple[str, ...],
    option: str,
    classifier: TextClassifier,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_text("11" * 32)
    there = ("--rpc", "http://127.0.0.1:1", "--key-file", "key") if command[0] == "deploy" else ()
    assert exit_code(*command, "--model", classifier.directory, *there) == 2
    assert f"{option} is for agents with a wallet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [("caf\u00e9", "ASCII"), ("", "empty"), ("stop " * 65, "64"), ("x" * 513, "512")],
)
def test_a_text_that_no_contract_reads_is_refused_before_a_chain_is_begun(
    text: str, why: str, classifier: TextClassifier, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("run", text, "--model", classifier.directory) == 1
    assert why in one_line_error(capsys)


@pytest.mark.parametrize(
    "command",
    [
        ("run", "send 5 USDC to bob"),
        ("chain",),
        ("deploy", "--rpc", "http://127.0.0.1:1", "--key-file", "key"),
    ],
)
def test_no_agent_of_ours_has_tools_for_a_reader(
    command: tuple[str, ...],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_text("11" * 32)
    assert exit_code(*command, "--model", "reader") == 1
    assert "tools of your own" in one_line_error(capsys)


def test_a_reader_decides_about_no_agent_s_tools_but_those_of_one_that_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("decide", "reader", "feed Rex") == 2
    assert "name one with --rpc and --deployment" in capsys.readouterr().err


def test_the_wallet_says_no_labels(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("classify", "wallet", TEXT) == 1
    assert "wallet is an agent's model, but this needs a text classifier" in one_line_error(capsys)


def test_the_wallet_is_no_classifier_to_evaluate(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test.jsonl").write_text('{"text": "stop", "intent": "silence"}\n')
    options = ("wallet", "--test", tmp_path / "test.jsonl")
    assert exit_code("model", "evaluate-classifier", *options) == 1
    assert "wallet is an agent's model, but this needs a text classifier" in one_line_error(capsys)
