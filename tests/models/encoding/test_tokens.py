"""The tokenizer: what becomes a number, an address, a symbol, and what never does."""

import pytest

from zkagent.models.encoding.book import plain_book
from zkagent.models.encoding.tokens import has_valid_checksum, tokenize
from zkagent.models.errors import (
    AddressChecksum,
    EmptyPrompt,
    PromptNotAscii,
    PromptTooLong,
    TooManyTokens,
)

BOOK = plain_book(["USDC", "DAI", "CRV3"])
LOWER = "0x" + "ab" * 20
# The mixed-case example of EIP-55.
CHECKSUMMED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"


def read(prompt: str) -> list[tuple[str, str]]:
    found = tokenize(prompt.encode(), BOOK.lists)
    return [(t.type.name.lower(), prompt[t.start : t.end]) for t in found]


def test_words_numbers_symbols_and_addresses_are_told_apart() -> None:
    assert read(f"Send 5.25 usdc to {LOWER}") == [
        ("word", "Send"),
        ("number", "5.25"),
        ("symbol", "usdc"),
        ("word", "to"),
        ("address", LOWER),
    ]


def test_a_number_glued_to_a_known_symbol_is_split() -> None:
    assert read("5USDC") == [("number", "5"), ("symbol", "USDC")]


@pytest.mark.parametrize(
    "text",
    [
        *("1e18", "5k", "50%", "$5", "1,000", "1.2.3", "5/10", "5-10", "-5", "~5", ".5", "+5"),
        *("0x12", "0x" + "g" * 40, "0x" + "a" * 39, "0x" + "a" * 41, "0X" + "a" * 40, "5XYZ"),
        *(f"@{LOWER}", f"to={LOWER}", "5:30", "1_000", "5usdc/dai", "#5"),
    ],
)
def test_what_only_resembles_a_number_or_address_can_fill_nothing(text: str) -> None:
    kinds = [kind for kind, _ in read(f"send {text} now")]
    assert kinds == ["word", "other", "word"]


@pytest.mark.parametrize("text", ["(5)", "5,", "5.", "5!", "[5]", "'5'", "5)."])
def test_ordinary_punctuation_around_a_number_is_harmless(text: str) -> None:
    assert ("number", "5") in read(text)


def test_questions_and_breaks_are_tokens() -> None:
    assert [k for k, _ in read("5 DAI, now?")] == ["number", "symbol", "break", "word", "question"]


def test_double_quotes_make_one_opaque_string_and_a_lone_quote_nothing() -> None:
    assert read('say "send 5 DAI" "x') == [("word", "say"), ("string", "send 5 DAI"), ("word", "x")]


def test_symbols_are_matched_whole_and_without_case() -> None:
    assert read("dai Dais crv3 DAI's") == [
        ("symbol", "dai"),
        ("word", "Dais"),
        ("symbol", "crv3"),
        ("symbol", "DAI"),
        ("word", "s"),
    ]


def test_a_correct_checksum_passes_and_each_flipped_letter_is_refused() -> None:
    assert read(CHECKSUMMED) == [("address", CHECKSUMMED)]
    for i in range(2, 42):
        if CHECKSUMMED[i].isalpha():
            wrong = CHECKSUMMED[:i] + CHECKSUMMED[i].swapcase() + CHECKSUMMED[i + 1 :]
            with pytest.raises(AddressChecksum) as caught:
                read(f"to {wrong}")
            assert caught.value.position == 3


def test_addresses_in_one_case_carry_no_checksum() -> None:
    assert has_valid_checksum(b"AB" * 20)
    assert has_valid_checksum(b"ab" * 20)
    assert has_valid_checksum(b"12" * 20)


@pytest.mark.parametrize("text", ["", "   ", '"', "( - )"])
def test_a_prompt_without_a_token_is_refused(text: str) -> None:
    with pytest.raises(EmptyPrompt):
        read(text)


@pytest.mark.parametrize("text", ["caf\u00e9", "a\nb", "a\tb", "a\x7f", "\x00"])
def test_a_prompt_outside_printable_ascii_is_refused(text: str) -> None:
    with pytest.raises(PromptNotAscii):
        tokenize(text.encode(), BOOK.lists)


def test_the_limits_on_characters_and_tokens_are_exact() -> None:
    assert len(read("a" * 512)) == 1
    with pytest.raises(PromptTooLong):
        read("a" * 513)
    assert len(read("a " * 64)) == 64
    with pytest.raises(TooManyTokens):
        read("a " * 65)
