"""`zkagent model import`: what it says of a model, and what it never does."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.learned_models import FLOAT, INT64, STRING, Trees, model, node
from zkagent.circuits.networks.network import read_network


@pytest.fixture
def forest(tmp_path: Path) -> Path:
    """An ONNX file of three classes with names."""
    trees = Trees("class", 3).grow(np.random.default_rng(1), [2, 2])
    made = node(
        "TreeEnsembleClassifier",
        "x",
        "label scores",
        **trees.attributes(),
        classlabels_strings=["no", "perhaps", "yes"],
    )
    path = tmp_path / "forest.onnx"
    found = model([made], {"label": STRING, "scores": FLOAT}, features=4, shapes=[["n"], ["n", 3]])
    path.write_bytes(found.SerializeToString())
    return path


def test_it_says_what_came_of_the_model_and_what_is_next(
    forest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("model", "import", forest) == 0
    said, written = capsys.readouterr().out, forest.with_suffix(".tensors.onnx")
    for line in (
        "in   x  float32 [1, 4]",
        "out  label  int64 [1]",
        "out  scores  float32 [1, 3]",
        "labels: 0 no, 1 perhaps, 2 yes",
        "decides like the model's ONNX file on 256 of 256 random inputs",
        f"wrote {written}; next: zkagent circuit build {written} --data SAMPLES.npz",
    ):
        assert line in said.splitlines()
    assert "TreeEnsembleClassifier 'TreeEnsembleClassifier' became" in said
    assert [each.name for each in read_network(written).outputs] == ["label", "scores"]


def test_for_machines_and_labels_alone(
    forest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "labels.onnx"
    assert exit_code("model", "import", forest, "--labels-only", "--json", "--out", out) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["onnx"] == str(out)
    assert said["classes"] == ["no", "perhaps", "yes"]
    assert said["outputs"] == [{"name": "label", "type": "int64", "shape": [1]}]
    assert (said["random_inputs"], said["same_as_file"], said["same_as_library"]) == (
        256,
        256,
        None,
    )
    assert [each.name for each in read_network(out).outputs] == ["label"]


def test_names_are_no_numbers_for_a_circuit(
    forest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("circuit", "build", forest) == 1
    assert "forest.onnx cannot become a circuit" in one_line_error(capsys)


def test_what_is_there_stays(forest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = forest.with_suffix(".tensors.onnx")
    there.write_bytes(b"mine")
    assert exit_code("model", "import", forest) == 1
    assert f"{there.name} is there already" in one_line_error(capsys)
    assert there.read_bytes() == b"mine"


def test_a_pickle_is_not_read_without_trust(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Touching:
        def __reduce__(self) -> object:
            return Path.touch, (tmp_path / "touched",)

    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps(Touching()))
    assert exit_code("model", "import", path) == 1
    assert "a pickle runs the code that is in it, and nothing of it was read: say --trust" in (
        one_line_error(capsys)
    )
    assert {each.name for each in tmp_path.iterdir()} == {"model.pkl"}


def test_an_operator_that_no_rule_takes_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "svm.onnx"
    made = model(
        [node("SVMClassifier", "x", "y z", classlabels_ints=[0, 1])],
        {"y": INT64},
        features=4,
        shapes=[["n"]],
    )
    path.write_bytes(made.SerializeToString())
    assert exit_code("model", "import", path) == 1
    assert "SVMClassifier (node 'SVMClassifier') is of ai.onnx.ml" in one_line_error(capsys)
    assert [each.name for each in tmp_path.iterdir()] == ["svm.onnx"]
