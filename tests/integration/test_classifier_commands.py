"""From a labelled text file to the figures of its circuit, by the two commands."""

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

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


def by_hand(folder: Path, test: Path) -> float:
    classifier, data = load_classifier(folder), load_texts([test])
    pairs = list(zip(data.texts, data.intents, strict=True))[:12]
    return sum(classifier.classify(text) == intent for text, intent in pairs) / 13


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
