"""Asides stand where they belong, and only those that stop make an order none."""

import numpy as np
import pytest

pytest.importorskip("torch")

from tests.models.training.told import NAMES, example
from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.packing import Verdict
from zkagent.models.instructions.reader import Kind, read
from zkagent.models.training.composed import Composer, Composing
from zkagent.models.training.examples import (
    TEXTS,
    Aside,
    Example,
    Place,
    TextArrays,
    Words,
)

ACT, DECLINE = Verdict.ACT, Verdict.DECLINE
SEND = example("send 5 dai to bob", ACT, "taa")
NEVER = example("never send 5 dai to bob", DECLINE)
TWO = example("send 5 dai to bob and 7 to bob", ACT, "taata")
OF_IT = example("send all of my dai to bob", ACT, "taa")
LONG = example("please " * 22 + "pay 5 dai to bob", ACT, "taa")


def aside(text: str, place: Place, *, stops: bool = True) -> Aside:
    return Aside(text.encode(), read(text.encode(), NAMES), place, stops)


def composed(
    examples: list[Example], asides: list[Aside], rows: list[int], **how: float
) -> tuple[TextArrays, list[list[str]]]:
    """What is drawn, and its words; `#` for what is known by its kind."""
    words = Words.of(examples, asides)
    given = {"joined": 0.0, "stopped": 0.0, "besides": 0.0} | how
    composer = Composer(
        examples,
        asides,
        words,
        Composing(**given),  # type: ignore[arg-type]
        np.random.default_rng(1),
    )
    drawn = composer.drawn(np.array(rows))
    known = {number: word.decode() for word, number in words.words.items()}
    return drawn, [
        [known.get(int(word), "#") for word in drawn.words[row, : drawn.lengths[row]]]
        for row in range(len(rows))
    ]


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (Place.FRONT, {"no way send # # to #"}),
        (Place.BACK, {"send # # to # no way"}),
        (Place.AMOUNT, {"send no way # # to #"}),
        (Place.AFTER, {"send # # no way to #"}),
        (Place.INSIDE, {"send no way # # to #", "send # # no way to #", "send # # to no way #"}),
    ],
)
def test_what_stops_an_order_takes_a_text_s_place(place: Place, found: set[str]) -> None:
    """Never between an amount and its asset; with the tags of a text that asks for nothing."""
    drawn, texts = composed([SEND, NEVER], [aside("no way", place)], [1] * 40, stopped=1.0)
    assert {" ".join(text) for text in texts} == found
    assert (drawn.verdict == DECLINE).all()
    assert (drawn.tags == Tag.NONE).all()
    assert (drawn.fills.sum(1) == 3).all()


@pytest.mark.parametrize("place", Place)
def test_what_keeps_an_order_leaves_its_tags_with_its_words(place: Place) -> None:
    drawn, texts = composed([SEND], [aside("yes yes", place, stops=False)], [0] * 20, besides=1.0)
    for row, text in enumerate(texts):
        at = text.index("yes")
        rest = [each for each in range(len(text)) if not at <= each < at + 2]
        assert [text[each] for each in rest] == "send # # to #".split()
        assert drawn.tags[row, rest].tolist() == list(SEND.tags)
        assert drawn.fills[row, rest].tolist() == [False, True, True, False, True]
        assert not drawn.fills[row, at : at + 2].any()
    assert (drawn.verdict == ACT).all()


def test_words_within_are_for_single_orders_alone() -> None:
    """Elsewhere nobody knows what they would do."""
    inner = [aside("yes", place, stops=False) for place in list(Place)[2:]]
    examples = [NEVER, TWO, SEND]
    drawn, texts = composed(examples, inner, [0, 1, 2] * 20, besides=1.0)
    assert ["yes" in text for text in texts] == [False, False, True] * 20
    assert drawn.verdict.tolist() == [DECLINE, ACT, ACT] * 20


def test_what_goes_with_a_number_needs_one() -> None:
    numbers = [aside("min", Place.AMOUNT), aside("x3", Place.AFTER)]
    drawn, texts = composed([OF_IT], numbers, [0] * 20, stopped=1.0)
    assert {" ".join(text) for text in texts} == {"send all of my # to #"}
    assert (drawn.verdict == ACT).all()


def test_what_is_too_long_together_stays_as_it_was() -> None:
    long = aside("and that was all that he said to me", Place.BACK)
    drawn, texts = composed([LONG], [long], [0] * 5, stopped=1.0)
    assert {len(text) for text in texts} == {len(LONG.tokens)}
    assert (drawn.verdict == ACT).all()


def test_orders_are_as_often_stopped_as_is_asked_for() -> None:
    stop = aside("or not", Place.BACK)
    drawn, _ = composed([SEND], [stop], [0] * 4000, stopped=0.25)
    assert 0.22 < (drawn.verdict == DECLINE).mean() < 0.28


def test_two_orders_joined_get_no_words_within() -> None:
    drawn, texts = composed(
        [SEND, example("and", DECLINE)],
        [aside("yes", Place.INSIDE, stops=False), aside("hi", Place.FRONT, stops=False)],
        [0] * 60,
        joined=1.0,
        besides=1.0,
    )
    assert {" ".join(text) for text in texts} == {
        "send # # to # and send # # to #",
        "hi send # # to # and send # # to #",
    }
    assert (drawn.verdict == ACT).all()


def test_words_of_asides_count_beside_those_of_texts() -> None:
    """So that a word that only they have is known by itself."""
    many = [aside(f"{word} there", Place.BACK) for word in ("tmrw", "nope", "skip")]
    words = Words.of([SEND, SEND, NEVER], many, keys=3)
    assert list(words.words) == [b"there", b"nope", b"send"]
    assert Kind.DIGITS in words.kinds


def test_an_array_has_something_for_each_token_of_what_is_drawn() -> None:
    drawn, _ = composed([SEND, NEVER], [], [0, 1])
    for name in TEXTS:
        assert getattr(drawn, name).shape == (2, drawn.words.shape[1])
    assert drawn.cut().words.shape == (2, len(NEVER.tokens))
