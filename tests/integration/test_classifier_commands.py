"""From a labelled text file to the figures of its circuit, by the two commands."""

import json
import random
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from tests.support.command_line import exit_code, one_line_error
from zkagent.executor.cli.main import command
from zkagent.executor.errors import PlaceRefused
from zkagent.models.classifier.dataset import load_texts
from zkagent.models.classifier.files import load_classifier

pytest.importorskip("torch")

PLACES = ("Oslo", "the old harbour", "my office", "room 12", "a small town", "Rome")
VERBS = {"go": ("drive to", "take me to", "walk to"), "see": ("show me", "a photo of", "look at")}


def write_texts(file: Path, count: int, seed: int) -> Path:
    rng = random.Random(seed)
    with file.open("w") as lines:
        for _ in range(count):
            intent = rng.choice(sorted(VERBS))
            text = f"{rng.choice(VERBS[intent])} {rng.choice(PLACES)}"
            lines.write(json.dumps({"text": text, "intent": intent}) + "\n")
    return file


@pytest.mark.slow
def test_a_labelled_file_becomes_a_circuit_of_the_same_accuracy(tmp_path: Path) -> None:
    train, test = write_texts(tmp_path / "a", 80, 1), write_texts(tmp_path / "b", 12, 2)
    test.write_text(test.read_text() + '{"text": "音楽", "intent": "go"}\n')
    folder = tmp_path / "classifier"
    options = ["--data", str(train), "--test", str(test), "--size", "S", "--out", str(folder)]
    runner = CliRunner()
    trained = runner.invoke(command, ["model", "train-classifier", *options, "--json"])
    assert trained.exit_code == 0, trained.output
    manifest = json.loads(trained.stdout)
    assert manifest["accuracy"]["texts"] == 13
    assert manifest["accuracy"]["refused"] == 1

    arguments = ["model", "evaluate-classifier", str(folder), "--test", str(test), "--json"]
    evaluated = runner.invoke(command, arguments)
    assert evaluated.exit_code == 0, evaluated.output
    figures = json.loads(evaluated.stdout)
    assert figures["texts"] == 13
    assert figures["read"] == figures["same_scores"] == 12
    assert figures["accuracy"] == manifest["accuracy"]["integers"] == by_hand(folder, test)


def test_a_linear_svm_is_compared_on_the_same_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn")
    accuracy = SimpleNamespace(texts=4, source="given", floats=0.5, integers=0.25)
    manifest = SimpleNamespace(
        labels=("go", "see"), features=64, refused_training_texts=0, accuracy=accuracy
    )
    trained = SimpleNamespace(directory=tmp_path, manifest=manifest)
    build = "zkagent.models.classifier.build.build_classifier"
    monkeypatch.setattr(build, lambda *_, **__: trained)
    train, test = write_texts(tmp_path / "a", 80, 1), tmp_path / "b"
    wrong = {"text": "drive to Rome", "intent": "see"}
    right = (
        {"text": "take me to my office", "intent": "go"},
        {"text": "look at Oslo", "intent": "see"},
    )
    test.write_text("".join(json.dumps(each) + "\n" for each in (wrong, *right, *right)))
    call = ("model", "train-classifier", "--data", train, "--out", tmp_path / "c", "--svm")
    assert exit_code(*call, "--test", test) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "  integers    25.00 %",
        "  linear SVM  80.00 %",
    ]
    assert exit_code(*call) == 0  # on what is held out, as the classifier
    assert capsys.readouterr().out.splitlines()[-1] == "  linear SVM 100.00 %"


def test_what_a_comparison_needs_is_asked_for_before_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "zkagent.models.classifier.build.build_classifier", lambda *_, **__: pytest.fail("trained")
    )
    monkeypatch.setitem(sys.modules, "sklearn.pipeline", None)
    train = write_texts(tmp_path / "a", 80, 1)
    call = ("model", "train-classifier", "--data", train, "--out", tmp_path / "c", "--svm")
    assert exit_code(*call) == 1
    assert "pip install -e '.[import]'" in one_line_error(capsys)


def test_vectors_are_refused_where_no_contract_could_hold_them_and_where_they_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "zkagent.models.classifier.build.build_classifier", lambda *_, **__: pytest.fail("trained")
    )
    train = write_texts(tmp_path / "a", 80, 1)
    call = ("model", "train-classifier", "--data", train, "--out", tmp_path / "c")
    for size in ("S", "M"):
        assert exit_code(*call, "--size", size, "--vectors", train) == 2
        assert "choose --size L or XL" in capsys.readouterr().err
    for file in (train, tmp_path / "nothing.npz"):
        assert exit_code(*call, "--size", "L", "--vectors", file) == 1
        assert f"{file} holds no word vectors" in one_line_error(capsys)
    assert not (tmp_path / "c").exists()


def by_hand(folder: Path, test: Path) -> float:
    classifier, data = load_classifier(folder), load_texts([test])
    pairs = list(zip(data.texts, data.intents, strict=True))[:12]
    return sum(classifier.classify(text) == intent for text, intent in pairs) / 13


def test_texts_with_labels_that_the_model_has_not_are_said_to_count_as_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train, test = write_texts(tmp_path / "a", 80, 1), write_texts(tmp_path / "b", 2, 2)
    others = ["Go", "b\ntwo", "c" * 70, "d", "d"]
    lines = [json.dumps({"text": "drive to Rome", "intent": intent}) for intent in others]
    mixed = tmp_path / "c"
    mixed.write_text("\n".join([test.read_text(), *lines]))
    build = "zkagent.models.classifier.build.build_classifier"
    evaluate = "zkagent.executor.bench.classifier_accuracy.evaluate_circuit"
    for place in (build, evaluate):
        monkeypatch.setattr(place, lambda *_, **__: sys.exit(0))
    go_and_see = SimpleNamespace(labels=("go", "see"))
    monkeypatch.setattr("zkagent.models.catalogue.load_model", lambda *_: go_and_see)
    out = ["--out", tmp_path / "classifier"]
    for words in (["train-classifier", "--data", train, *out], ["evaluate-classifier", tmp_path]):
        assert exit_code("model", *words, "--test", test) == 0
        assert capsys.readouterr().err == ""
        assert exit_code("model", *words, "--test", mixed) == 0
        (note,) = capsys.readouterr().err.splitlines()
        assert note.startswith("note: 5 of 7 texts to test on have a label that the model has not")
        assert note.endswith(f": 'Go', 'b\\ntwo', '{'c' * 59}... (12 more characters), ...")


def test_a_folder_that_cannot_be_written_is_refused_before_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "zkagent.models.classifier.build.build_classifier", lambda *_, **__: pytest.fail("trained")
    )
    train = write_texts(tmp_path / "a", 80, 1)
    in_the_way = train / "classifier"
    arguments = ["model", "train-classifier", "--data", str(train), "--out", str(in_the_way)]
    refused = CliRunner().invoke(command, arguments)
    assert isinstance(refused.exception, PlaceRefused)
    assert str(in_the_way) in str(refused.exception)
    assert CliRunner().invoke(command, [*arguments, "--seed", "-1"]).exit_code == 2
    assert list(tmp_path.iterdir()) == [train]
