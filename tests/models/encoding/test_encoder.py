"""What the features of a text depend on, and what not."""

from pathlib import Path

from tests.support.models import random_model
from zkagent.models.encoding.book import plain_book
from zkagent.models.encoding.context import Context


def test_the_features_do_not_depend_on_digits_or_on_which_symbol(tmp_path: Path) -> None:
    model = random_model(tmp_path)
    book = plain_book(["USDC", "DAI"])
    one = Context(b"send 5 USDC to 0x" + b"1" * 40, (), book)
    other = Context(b"SEND 99.25 dai to 0x" + b"f" * 40, (), book)
    assert model.encode(one) == model.encode(other)
    assert model.encode(one) != model.encode(Context(b"send 5 USDC at 0x" + b"1" * 40, (), book))


def test_words_outside_the_vocabulary_are_one_word_but_for_their_endings(tmp_path: Path) -> None:
    model = random_model(tmp_path)
    book = plain_book(["USDC"])

    def x(prompt: str) -> tuple[int, ...]:
        return model.encode(Context(prompt.encode(), (), book))

    assert x("zorble 5 USDC to my pool") == x("fremble 5 USDC to my pool")
    assert x("zorble 5 USDC to my pool") != x("zorbled 5 USDC to my pool")
    assert x("withdraw 5 USDC to my pool") != x("zorbdraw 5 USDC to my pool")
