"""Whether a prompt is in another language: by a word that is listed, or clause by clause."""

import random
import string

import pytest

from zkagent.models.encoding.languages import WORDS, Said, doubted, is_listed
from zkagent.models.wallet.evaluation.dataset import load_cases

END, ARGUMENT, KNOWN = Said.END, Said.ARGUMENT, Said.KNOWN
SEND = [KNOWN, ARGUMENT, ARGUMENT, KNOWN, ARGUMENT]  # send 5 usdc to bob


@pytest.mark.parametrize("word", [b"envia", b"nicht", b"nao", b"przelej", b"kwa"])
def test_a_listed_word_is_enough_wherever_it_stands(word: bytes) -> None:
    for place in range(len(SEND) + 1):
        assert doubted([*SEND[:place], word, *SEND[place:]]) == place
    assert doubted([b"grok", ARGUMENT, b"zorb", END, word]) == 4
    assert doubted([*SEND, word[:-1] + b"q"]) is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([b"grok", ARGUMENT, b"zorb"], 0),
        ([ARGUMENT, b"grok", b"zorb"], 1),
        ([b"grok", b"zorb"], None),
        ([b"grok", ARGUMENT], None),
        ([b"grok", ARGUMENT, b"zorb", KNOWN], None),
        ([KNOWN, b"grok", ARGUMENT, b"zorb", b"quux"], 1),
        ([b"grok", END, ARGUMENT, b"zorb"], None),
        ([KNOWN, KNOWN, ARGUMENT, b"zorb", END, b"grok", ARGUMENT, b"quux"], 5),
        ([b"grok", ARGUMENT, b"quux", END, KNOWN, KNOWN, KNOWN], 0),
        ([b"zorb", ARGUMENT, b"blip", END, b"grok", ARGUMENT, b"quux"], 0),
        (SEND, None),
        ([], None),
    ],
)
def test_a_clause_with_arguments_is_foreign_by_two_more_unknown_words_than_known(
    said: list[Said | bytes], expected: int | None
) -> None:
    assert doubted(said) == expected


def test_each_word_is_listed_once_in_small_letters() -> None:
    assert len(set(WORDS)) == len(WORDS) > 300
    for word in WORDS:
        assert is_listed(word)
        assert word.isalpha()
        assert word.islower()


def test_few_other_words_are_taken_for_listed_ones() -> None:
    rng = random.Random(1)
    words = ["".join(rng.choices(string.ascii_lowercase, k=8)) for _ in range(20_000)]
    assert sum(is_listed(word.encode()) for word in words) <= 4


def test_no_english_prompt_of_the_held_out_set_has_a_listed_word() -> None:
    texts = [case.prompt for case in load_cases()]
    words = {word.strip(".,;:!?()'\"").lower() for text in texts for word in text.split()}
    assert len(words) > 500
    assert not [word for word in words if is_listed(word.encode())]
