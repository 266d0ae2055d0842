"""Which word of a prompt is in doubt because it is of another language."""

import pytest

from zkagent.models.instructions.pieces import Names, meaning_of
from zkagent.models.instructions.reader import Kind, read

KNOWN = frozenset(b"please send deposit to in the pool a one all an hundred five".split())
NAMES = Names(
    is_symbol={b"usdc", b"dai", b"all"}.__contains__,
    is_contact={b"bob", b"zorb", b"an", b"five"}.__contains__,
    is_token=lambda address: False,
)


def doubts(text: str) -> list[str]:
    tokens = read(text.encode(), NAMES, meaning_of, KNOWN.__contains__)
    return [text[t.start : t.end] for t in tokens if t.kind is Kind.DOUBT]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Envia 5 usdc a bob", "Envia"),
        ("grok 5 usdc a nicht", "nicht"),
        ("send 5 usdc to bob. grok quux 10 dai", "grok"),
        ("send all to bob; blip usdc quux", "blip"),
        ("grok quux bob", "grok"),
        ("to bob's 5 usdc quux", "bob's"),
        ("grok an hundred quux blip", "grok"),
    ],
)
def test_the_word_that_tells_is_in_doubt(text: str, word: str) -> None:
    assert word in doubts(text)


@pytest.mark.parametrize(
    "text",
    [
        "envios 5 usdc a bob",
        "send 5 usdc to bob",
        "grok 5 usdc to quux",
        "grok quux, send 5 usdc to bob",
        "grok zorb 5 usdc",  # a name
        "all grok 5 usdc quux",  # known, whatever a book lists
        "five grok usdc quux",
        "5 usdc, grok (quux) blip",
    ],
)
def test_nothing_is_in_doubt_of_what_is_taken_for_english(text: str) -> None:
    assert doubts(text) == []


def test_what_a_model_knows_decides() -> None:
    prompt = b"grok 5 usdc quux"
    kinds = [t.kind for t in read(prompt, NAMES, meaning_of, lambda word: True)]
    assert kinds == [Kind.WORD, Kind.DIGITS, Kind.SYMBOL, Kind.WORD]
    assert [t.kind for t in read(prompt, NAMES)] == kinds
