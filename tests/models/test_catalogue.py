"""Loading models by name or folder: one call for both kinds, and what it says of anything else."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.classifiers import LABELS, random_classifier, random_weights
from tests.support.models import random_model
from zkagent.models.catalogue import AnyModel, Model, StepModel, load_model
from zkagent.models.classifier.files import TextClassifier
from zkagent.models.classifier.weights import evaluate
from zkagent.models.errors import CorruptModel, ManifestError, UnknownModel, WrongKind
from zkagent.models.files import sha256


@pytest.fixture
def agents(tmp_path: Path) -> Model:
    return random_model(tmp_path / "agents")


@pytest.fixture
def classifier(tmp_path: Path) -> TextClassifier:
    return random_classifier(tmp_path / "clinc")


def test_a_folder_of_either_kind_is_loaded(agents: Model, classifier: TextClassifier) -> None:
    found: list[AnyModel] = [load_model(agents.directory), load_model(str(classifier.directory))]
    assert [type(model) for model in found] == [StepModel, TextClassifier]
    assert [model.name for model in found] == ["random", "clinc"]
    assert [(model.input_count, model.output_count) for model in found] == [(137, 28), (64, 3)]
    assert [model.digest for model in found] == [agents.digest, classifier.digest]


def test_both_kinds_compute_y_and_refuse_an_x_of_another_length(
    agents: Model, classifier: TextClassifier
) -> None:
    model: AnyModel
    for model in (agents, classifier):
        x = list(range(model.input_count))
        assert len(model.infer(x)) == model.output_count
        with pytest.raises(Exception, match=f"expected {model.input_count} features"):
            model.infer(x[1:])


def test_a_classifier_names_the_intent_of_the_highest_score(classifier: TextClassifier) -> None:
    x = np.array([classifier.features("play some jazz")])
    scores = evaluate(random_weights(), x)[0]
    assert classifier.scores("play some jazz") == tuple(scores.tolist())
    assert classifier.classify("play some jazz") == LABELS[int(scores.argmax())]


def test_a_digest_changes_with_any_file(classifier: TextClassifier, tmp_path: Path) -> None:
    assert random_classifier(tmp_path / "again").digest == classifier.digest
    assert random_classifier(tmp_path / "other", seed=1).digest != classifier.digest


def test_the_other_kind_is_refused_by_name(agents: Model, classifier: TextClassifier) -> None:
    assert load_model(agents.directory, Model).digest == agents.digest
    with pytest.raises(WrongKind, match=r"clinc is a text classifier, .* needs an agent's model"):
        load_model(classifier.directory, Model)
    with pytest.raises(WrongKind, match=r"wallet is an agent's model, .* needs a text classifier"):
        load_model("wallet", TextClassifier)


def test_a_damaged_file_of_either_kind_is_named(agents: Model, classifier: TextClassifier) -> None:
    model: AnyModel
    for model in (agents, classifier):
        model.onnx_path.write_bytes(b"another network")
        with pytest.raises(CorruptModel, match=r"model\.onnx"):
            load_model(model.directory)


def test_two_models_in_one_folder_are_refused(agents: Model) -> None:
    random_classifier(agents.directory)
    with pytest.raises(ManifestError, match="two models in one folder"):
        load_model(agents.directory)


def test_what_is_no_model_s_folder_is_said_to_be_what_it_is(agents: Model, tmp_path: Path) -> None:
    with pytest.raises(
        UnknownModel, match=r"unknown model 'walet': .* of credit-score, loan, wallet"
    ):
        load_model("walet")
    with pytest.raises(UnknownModel, match="a single file: give a folder"):
        load_model(agents.onnx_path)
    with pytest.raises(UnknownModel, match="a folder that holds neither manifest"):
        load_model(tmp_path)


@pytest.mark.parametrize("name", ["model.onnx", "text.bin", "local.bin", "words.bin"])
def test_a_changed_file_is_refused(tmp_path: Path, name: str) -> None:
    random_model(tmp_path)
    data = bytearray((tmp_path / name).read_bytes())
    data[100] ^= 1
    (tmp_path / name).write_bytes(data)
    with pytest.raises(CorruptModel, match=name):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("name", "field"),
    [("text.bin", "text_table"), ("local.bin", "local_table"), ("words.bin", "vocabulary")],
)
@pytest.mark.parametrize("left", [0, 7, -1])
def test_tables_of_other_sizes_than_the_manifest_tells_are_refused(
    agents: Model, name: str, field: str, left: int
) -> None:
    path, manifest = agents.directory / name, agents.directory / "model.json"
    path.write_bytes(path.read_bytes()[:left])
    fields = json.loads(manifest.read_text())
    fields["files"][field] = sha256(path.read_bytes())
    manifest.write_text(json.dumps(fields))
    with pytest.raises(ManifestError, match=r"model\.json tells other sizes than its tables have"):
        load_model(agents.directory)


@pytest.mark.parametrize("name", ["model.onnx", "text.bin", "local.bin", "words.bin"])
def test_a_file_without_end_is_not_read_for_its_digest(agents: Model, name: str) -> None:
    with (agents.directory / name).open("r+b") as file:
        file.truncate(1 << 40)  # takes no room on the disk
    with pytest.raises(CorruptModel, match=r"has sha256 \(too long\)"):
        load_model(agents.directory)


def test_a_broken_manifest_is_refused_by_its_field(agents: Model) -> None:
    (agents.directory / "model.json").write_text('{"format": "zkagent-model-1"}')
    with pytest.raises(ManifestError, match=r"model\.json: id: "):
        load_model(agents.directory)
