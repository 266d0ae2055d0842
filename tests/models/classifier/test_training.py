"""Training a classifier on made-up texts: reproducible, right, and exactly what its files say."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from zkagent.models.classifier.build import build_classifier, hold_out  # noqa: E402
from zkagent.models.classifier.dataset import LabelledTexts  # noqa: E402
from zkagent.models.classifier.files import TextClassifier, load_classifier  # noqa: E402
from zkagent.models.classifier.shape import Shape  # noqa: E402
from zkagent.models.classifier.text import learn_words, rows_of  # noqa: E402
from zkagent.models.classifier.training import Examples, Recipe, train  # noqa: E402
from zkagent.models.classifier.weights import check_bounds, evaluate  # noqa: E402
from zkagent.models.errors import (  # noqa: E402
    CorruptModel,
    DatasetError,
    ManifestError,
    OutputOutOfRange,
    RefusedText,
)

FRAMES = {
    "music": ("play {} on the radio", "put on some {}", "I want to hear {} now"),
    "weather": ("will it rain in {}", "what is the forecast for {}", "is {} cold today"),
    "booking": ("book a table at {}", "reserve {} for two", "a room in {} please"),
}
RECIPE = Recipe(least_steps=120, passes=1)


def texts(count: int, seed: int) -> LabelledTexts:
    """Frames around names that no two texts share."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        intent = rng.choice(sorted(FRAMES))
        name = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=8))
        pairs.append((rng.choice(FRAMES[intent]).format(name), intent))
    return LabelledTexts(tuple(t for t, _ in pairs), tuple(i for _, i in pairs))


def built(folder: Path, seed: int = 0, test: LabelledTexts | None = None) -> TextClassifier:
    return build_classifier(
        texts(300, 1),
        test or texts(100, 2),
        folder,
        size="S",
        seed=seed,
        progress=lambda text: None,
        recipe=RECIPE,
    )


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> TextClassifier:
    return built(tmp_path_factory.mktemp("classifier"))


def test_frames_around_names_that_training_never_saw_are_recognised(
    classifier: TextClassifier,
) -> None:
    accuracy = classifier.manifest.accuracy
    assert accuracy is not None
    assert accuracy.integers == accuracy.floats == 1
    assert classifier.classify("will it rain in Qwertzuiop") == "weather"


def test_the_manifest_counts_what_the_classifier_itself_gets_right(tmp_path: Path) -> None:
    mixed = LabelledTexts(
        ("play it on the radio", "音楽", "book it"), ("music", "music", "weather")
    )
    found = built(tmp_path, test=mixed)
    accuracy = found.manifest.accuracy
    assert accuracy is not None
    assert (accuracy.texts, accuracy.refused) == (3, 1)
    assert accuracy.integers == (found.classify("play it on the radio") == "music") / 3


def test_equal_seeds_give_equal_files_and_others_do_not(
    classifier: TextClassifier, tmp_path: Path
) -> None:
    again, other = built(tmp_path / "again"), built(tmp_path / "other", seed=1)
    assert again.manifest == classifier.manifest
    assert other.manifest.onnx != classifier.manifest.onnx


def test_onnxruntime_computes_what_the_integers_do() -> None:
    shape, known = Shape(256, 16, block=4, hidden=8, fan_in=6, square_fan_in=2), texts(60, 3)
    words = learn_words(known.texts)
    examples = Examples.of(
        [rows_of(t, 256, words) for t in known.texts],
        [known.labels.index(i) for i in known.intents],
    )
    recipe = Recipe(least_steps=20, passes=1)
    found = train(examples, 3, shape, 5, lambda text: None, judged=examples, recipe=recipe)
    x = np.random.default_rng(6).integers(-32768, 32768, (40, 16))
    expected = evaluate(found.weights, x)
    assert expected.shape == (40, 3)
    assert check_bounds(found.weights) < 2**63
    assert [tuple(y) for y in expected] == infer_all(found.weights, x)


def infer_all(weights: object, x: np.ndarray) -> list[tuple[int, ...]]:
    import onnxruntime

    from zkagent.models.classifier.export import export_classifier

    session = onnxruntime.InferenceSession(export_classifier(weights))  # type: ignore[arg-type]
    return [tuple(session.run(["y"], {"x": row[None]})[0][0]) for row in x]


def test_features_are_sums_of_table_rows(classifier: TextClassifier) -> None:
    rows = rows_of("put on some abcdefgh", len(classifier.table), classifier.words)
    x = [sum(int(classifier.table[row, i]) for row in rows) for i in range(64)]
    assert classifier.features("put on some abcdefgh") == tuple(x)
    assert len(classifier.infer(x)) == 3
    with pytest.raises(OutputOutOfRange, match="expected 64 features, got 63"):
        classifier.infer(x[1:])


def test_a_refused_text_is_no_intent(classifier: TextClassifier) -> None:
    with pytest.raises(RefusedText):
        classifier.classify(" ")


@pytest.mark.parametrize("name", ["model.onnx", "table.bin", "words.bin"])
def test_a_changed_or_missing_file_is_refused(
    classifier: TextClassifier, tmp_path: Path, name: str
) -> None:
    shutil.copytree(classifier.directory, tmp_path, dirs_exist_ok=True)
    assert load_classifier(tmp_path).manifest == classifier.manifest
    damaged = bytearray((tmp_path / name).read_bytes())
    damaged[100] ^= 1
    (tmp_path / name).write_bytes(damaged)
    with pytest.raises(CorruptModel, match=name):
        load_classifier(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(CorruptModel, match="missing"):
        load_classifier(tmp_path)


def test_a_manifest_that_says_something_else_is_refused(
    classifier: TextClassifier, tmp_path: Path
) -> None:
    with pytest.raises(ManifestError, match="train-classifier"):
        load_classifier(tmp_path)
    fields = json.loads(classifier.manifest.to_json())
    for change, reason in (({"labels": ["one"]}, "labels"), ({"odd": 1}, "odd")):
        (tmp_path / "classifier.json").write_text(json.dumps(fields | change))
        with pytest.raises(ManifestError, match=reason):
            load_classifier(tmp_path)


def test_every_tenth_text_of_an_intent_is_held_out() -> None:
    data = LabelledTexts(tuple(f"text {i}" for i in range(45)), ("a", "b", "c") * 15)
    kept, held = hold_out(data)
    assert held.texts == ("text 27", "text 28", "text 29")
    assert not set(held.texts) & set(kept.texts)
    assert len(kept) == 42


def test_texts_that_are_all_refused_teach_nothing(tmp_path: Path) -> None:
    data = LabelledTexts(("音楽", "天気"), ("music", "weather"))
    with pytest.raises(DatasetError, match="no text is left"):
        build_classifier(data, data, tmp_path, size="S", seed=0, progress=lambda text: None)
