"""Classifiers that start from vectors of words: what they know that no training text says."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from zkagent.models.classifier.dataset import LabelledTexts
from zkagent.models.classifier.text import learn_words, rows_of
from zkagent.models.classifier.vectors import teach_words
from zkagent.models.classifier.words import FINGERPRINT_SHIFT, SLOTS, KnownWords, slot_of
from zkagent.models.encoding.hashing import keccak_int
from zkagent.models.errors import ManifestError
from zkagent.models.reader.lexis import Given

FRUIT = ("apple", "pear", "plum", "cherry", "melon", "grape", "peach", "lemon")
TOOLS = ("hammer", "saw", "drill", "wrench", "chisel", "file", "pliers", "screw")
UNSEEN = 3  # of each kind are in no training text
HASHED = 1 << 12


def given(*words: str, size: int = 6) -> Given:
    """Words of a kind have nearly the same vector."""
    noise = np.random.default_rng(1).normal(0, 0.1, (len(words), size))
    kinds = [(word in FRUIT, word in TOOLS) for word in words]
    vectors = noise + np.pad(np.array(kinds, dtype=float), ((0, 0), (0, size - 2)))
    return Given(words, vectors.astype(np.float32), (), np.zeros((0, 2), dtype=np.float32))


def hashed(word: str) -> int:
    return keccak_int(word.encode())


def test_words_of_the_texts_come_first_and_those_given_take_what_is_free() -> None:
    taught = teach_words(["play it", "play on", "play now"], given("apple", "play", "saw"))
    for word in ("play", "apple", "saw"):
        assert taught.known.knows(hashed(word))
    for word in ("it", "on", "pear"):
        assert not taught.known.knows(hashed(word))
    assert taught.known.apart
    lengths = np.square(taught.vectors).sum(1)
    assert np.flatnonzero(lengths).tolist() == sorted(
        slot_of(hashed(word)) for word in ("play", "apple", "saw")
    )
    assert lengths.sum() == pytest.approx(3)


def test_a_slot_that_is_taken_has_no_vector_of_another_word() -> None:
    slots: dict[int, str] = {}
    for number in range(10_000):
        word = f"w{number}"
        if not hashed(word) >> FINGERPRINT_SHIFT:
            continue
        first = slots.setdefault(slot_of(hashed(word)), word)
        if first != word:
            break
    taught = teach_words([f"{first} it"] * 3, given(word))
    assert taught.known.knows(hashed(first))
    assert not taught.known.knows(hashed(word))
    assert not taught.vectors.any()


def test_a_known_word_has_its_own_row_and_an_unknown_one_that_of_all_unknown() -> None:
    plain = learn_words(["play it"] * 3)
    apart = teach_words(["play it"] * 3, given("saw")).known
    ours, theirs = rows_of("play xyz", HASHED, apart), rows_of("play xyz", HASHED, plain)
    assert ours[0] == HASHED + slot_of(hashed("play"))
    assert ours[1:] == theirs[1:]
    assert max(theirs) < HASHED <= max(ours) < HASHED + SLOTS


def test_pairs_take_a_word_that_only_a_vector_teaches_for_any_unknown_one() -> None:
    known = teach_words(["play it"] * 3, given("saw", "pear")).known
    taught, strange = rows_of("play saw", HASHED, known), rows_of("play xyz", HASHED, known)
    assert taught[3] == HASHED + slot_of(hashed("saw"))  # behind two of play, and its end
    assert strange[3] < HASHED
    assert [*taught[:3], taught[4]] == [*strange[:3], strange[4]]
    assert rows_of("play it", HASHED, known)[4] != strange[4]


@pytest.mark.parametrize("seen", [b"", bytes(2047), bytes(2049)])
def test_seen_words_of_another_number_are_refused(seen: bytes) -> None:
    with pytest.raises(ValueError, match="expected 2048 bytes"):
        KnownWords(bytes(SLOTS), seen)


torch = pytest.importorskip("torch")

from zkagent.models.classifier.build import build_classifier  # noqa: E402
from zkagent.models.classifier.files import TextClassifier, load_classifier  # noqa: E402
from zkagent.models.classifier.training import Recipe  # noqa: E402


def texts(fruit: tuple[str, ...], tools: tuple[str, ...], count: int) -> LabelledTexts:
    chance = random.Random(count)
    pairs = [
        (f"{chance.choice(('a', 'the', 'my', 'one'))} {chance.choice(words)} please", kind)
        for words, kind in ((fruit, "fruit"), (tools, "tool"))
        for _ in range(count)
    ]
    return LabelledTexts(tuple(t for t, _ in pairs), tuple(k for _, k in pairs))


KNOWN = texts(FRUIT[UNSEEN:], TOOLS[UNSEEN:], 150)
ASKED = texts(FRUIT[:UNSEEN], TOOLS[:UNSEEN], 40)


def built(folder: Path, known: Given | None) -> TextClassifier:
    recipe = Recipe(least_steps=150, passes=1)
    return build_classifier(
        KNOWN, ASKED, folder, size="L", seed=0, progress=lambda _: None, recipe=recipe, given=known
    )


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> TextClassifier:
    return built(tmp_path_factory.mktemp("taught"), given(*FRUIT, *TOOLS))


def test_words_that_no_training_text_has_are_understood_by_their_vectors(
    classifier: TextClassifier, tmp_path: Path
) -> None:
    found, blind = classifier.manifest.accuracy, built(tmp_path, None).manifest.accuracy
    assert found is not None
    assert blind is not None
    assert found.integers == found.floats == 1
    assert blind.integers < 0.75


def test_features_are_sums_of_the_table_alone(classifier: TextClassifier) -> None:
    manifest = classifier.manifest
    assert manifest.word_rows == SLOTS
    assert len(classifier.table) == manifest.table_rows
    rows = rows_of("my apple", manifest.table_rows - SLOTS, classifier.words)
    assert sum(row >= manifest.table_rows - SLOTS for row in rows) == 2
    x = classifier.table[list(rows)].sum(axis=0, dtype=np.int64)
    assert classifier.features("my apple") == tuple(x.tolist())


def test_a_manifest_names_rows_of_words_only_where_there_are_some(
    classifier: TextClassifier,
) -> None:
    manifest = classifier.manifest
    assert json.loads(manifest.to_json())["word_rows"] == SLOTS
    without = manifest.model_copy(update={"word_rows": 0})
    assert "word_rows" not in json.loads(without.to_json())
    assert without.digest != manifest.digest


def test_what_was_written_is_read_again(classifier: TextClassifier) -> None:
    again = load_classifier(classifier.directory)
    assert again.words == classifier.words
    assert again.features("the apple") == classifier.features("the apple")


@pytest.mark.parametrize("change", [{"word_rows": 5}, {"word_rows": -1}, {"table_rows": SLOTS + 1}])
def test_other_rows_than_there_are_words_are_refused(
    classifier: TextClassifier, tmp_path: Path, change: dict[str, int]
) -> None:
    for file in classifier.directory.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    fields = json.loads(classifier.manifest.to_json())
    (tmp_path / "classifier.json").write_text(json.dumps(fields | change))
    with pytest.raises(ManifestError, match=r"rows|table\.bin"):
        load_classifier(tmp_path)
