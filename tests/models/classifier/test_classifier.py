"""Text classifiers: what they read, how they are wired, and that their files compute what was
trained. Data sets are made up here; the figures on public ones come from the commands."""

from pathlib import Path

import numpy as np
import pytest

from zkagent.models.classifier.dataset import load_texts, load_training_texts
from zkagent.models.classifier.shape import SIZES, slot_count, wire
from zkagent.models.classifier.text import learn_words, plain, rows_of
from zkagent.models.classifier.weights import ClassifierWeights, evaluate
from zkagent.models.classifier.words import KnownWords
from zkagent.models.encoding.hashing import keccak_int
from zkagent.models.errors import DatasetError, RefusedText

LINES = ["play jazz", "play rock", "play it", "stop it", "stop", "stop now"]
KNOWN = learn_words(LINES)


def rows(text: str) -> tuple[int, ...]:
    return rows_of(text, 1 << 20, KNOWN)


def test_words_of_three_texts_are_known_and_no_others() -> None:
    known = [w for w in (b"play", b"stop", b"it", b"now", b"jazz") if KNOWN.knows(keccak_int(w))]
    assert known == [b"play", b"stop"]


def test_a_word_counts_once_a_text() -> None:
    assert not learn_words(["so so so so"]).knows(keccak_int(b"so"))


def test_fingerprints_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="16384"):
        KnownWords(b"")


def test_unknown_words_differ_in_nothing_but_their_letters() -> None:
    assert rows("play abc") == rows("play xyz")  # too short to have letters of their own
    assert rows("play abc") != rows("stop abc")
    longer, other = rows("play abcdefg"), rows("play abcdxyz")
    assert set(longer) & set(other) > set(rows("play abc"))
    assert len(set(longer) - set(other)) == 1  # the last three letters


def test_numbers_and_quotes_are_read_by_type() -> None:
    assert rows("play 5") == rows("play 1234")
    assert rows('play "a b"') == rows('play "c"')
    assert rows("play 5") != rows('play "c"')


def test_accents_and_typographic_marks_are_written_plainly() -> None:
    assert plain("Café “Zoë” – l’été…") == b'Cafe "Zoe" - l\'ete.'
    assert plain("音楽") == b""


def test_what_the_tokenizer_refuses_has_no_rows_and_teaches_no_words() -> None:
    with pytest.raises(RefusedText):
        rows("")
    assert learn_words(["", "play it " * 200] * 3) == learn_words([])


@pytest.mark.parametrize("labels", [2, 7, 19, 150])
@pytest.mark.parametrize("size", SIZES)
def test_wires_are_permutations_that_reach_every_label(size: str, labels: int) -> None:
    shape = SIZES[size]
    wiring = wire(shape, labels, seed=3)
    assert sorted(wiring.hidden_inputs.ravel()) == list(range(shape.features))
    assert len(set(wiring.slots.tolist())) == labels <= slot_count(labels)
    for group in wiring.picks:
        assert len(set(group.tolist())) == shape.fan_in + shape.square_fan_in
        assert sum(group < shape.features) == shape.fan_in


def test_a_small_classifier_fits_the_rows_of_a_real_ceremony() -> None:
    assert SIZES["S"].circuit_rows(150) <= 4087


def test_the_largest_sizes_have_100_000_weights_and_a_million() -> None:
    assert 90_000 < SIZES["XL"].circuit_rows(150) < 110_000
    assert 900_000 < SIZES["XXL"].circuit_rows(150) < 1_100_000


def zeros(bias: int) -> ClassifierWeights:
    """Of size S, two labels; nothing but this bias at the outputs."""
    shape, wiring = SIZES["S"], wire(SIZES["S"], 2, seed=0)
    w1 = np.zeros((shape.blocks, shape.block, shape.hidden // shape.blocks), np.int64)
    a = np.zeros((wiring.groups, shape.fan_in_of_outputs, 1), np.int64)
    table = np.zeros((2, shape.features), np.int8)
    return ClassifierWeights(
        wiring, table, w1, np.zeros(shape.hidden, np.int64), a, np.full(2, bias, np.int64)
    )


@pytest.mark.parametrize("exact", [1 << 24, 1 << 60])
def test_weights_that_float32_would_round_are_refused(exact: int) -> None:
    assert evaluate(zeros(exact), np.zeros((1, 64), np.int64)).tolist() == [[exact, exact]]
    with pytest.raises(ValueError, match="b2 must be int64 and exact in float32"):
        zeros(exact + 1)


def test_data_without_texts_or_with_one_intent_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text("\n")
    with pytest.raises(DatasetError, match="has no texts"):
        load_texts([file])
    file.write_text('{"text": "play", "intent": "music"}\n')
    with pytest.raises(DatasetError, match="one intent only"):
        load_training_texts([file])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "line 2 is not JSON"),
        ("[1]", "line 2 is no object"),
        ('{"text": "play"}', "line 2 has no 'intent'"),
        ('{"text": " ", "intent": "music"}', "line 2: 'text' is ' '"),
        ('{"text": 5, "intent": "music"}', "line 2: 'text' is 5"),
    ],
)
def test_a_line_that_is_no_labelled_text_is_named(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text('{"text": "play", "intent": "music"}\n' + line)
    with pytest.raises(DatasetError, match=reason):
        load_texts([file])


def test_a_missing_file_and_one_that_is_no_utf8_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="cannot be read"):
        load_texts([tmp_path / "nothing.jsonl"])
    (tmp_path / "latin.jsonl").write_bytes(b"\xe9")
    with pytest.raises(DatasetError, match="not UTF-8"):
        load_texts([tmp_path / "latin.jsonl"])
