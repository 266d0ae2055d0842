"""A prompt's tokens and what each stands for: amounts exactly, or in doubt, and never a guess."""

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zkagent.models.encoding.tokens import has_valid_checksum
from zkagent.models.errors import (
    AddressChecksum,
    EmptyPrompt,
    PromptNotAscii,
    PromptTooLong,
    RefusedText,
    TooManyTokens,
)
from zkagent.models.instructions.grammar import WORDS, Meaning
from zkagent.models.instructions.quantities import MAX_DIGITS, Quantity
from zkagent.models.instructions.reader import (
    AMOUNTS,
    MAX_TOKENS,
    REACH,
    Kind,
    Names,
    Token,
    read,
)

SYMBOLS = {b"usdc", b"dai", b"weth", b"link"}
LISTED, PAYEE = "0x" + "11" * 20, "0x" + "22" * 20
NAMES = Names(
    is_symbol=lambda word: word in SYMBOLS,
    is_contact=lambda word: word in {b"bob", b"ann"},
    is_token=lambda address: address == LISTED.encode(),
)


def tokens(text: str) -> tuple[Token, ...]:
    return read(text.encode(), NAMES)


def kinds(text: str) -> str:
    """``send:WORD 5:DIGITS``: the tokens' texts and kinds."""
    return " ".join(f"{text[t.start : t.end]}:{t.kind.name}" for t in tokens(text))


def amounts(text: str) -> list[str]:
    """What each amount is worth, ``?`` for one in doubt."""
    found = [t for t in tokens(text) if t.kind in AMOUNTS or t.kind is Kind.DOUBT]
    return [worth(t.quantity) if t.quantity else "?" for t in found]


def worth(quantity: Quantity) -> str:
    if quantity.share and not quantity.but:
        return f"{quantity.digits}/{quantity.share}"
    number = f"{quantity.digits}e-{quantity.places}" if quantity.places else str(quantity.digits)
    return f"all-{number}" if quantity.but else number


READ = {
    "all but 5usdc": "all:PART but:WORD 5:DIGITS usdc:SYMBOL",
    "send 5 USDC to bob": "send:WORD 5:DIGITS USDC:SYMBOL to:WORD bob:CONTACT",
    "5usdc->bob": "5:DIGITS usdc:SYMBOL ->:MARK bob:CONTACT",
    "don't, bob's turn": "don't:WORD ,:MARK bob's:WORD turn:WORD",
    f"pay {PAYEE} me": f"pay:WORD {PAYEE}:ADDRESS me:OWNER",
    f"2 of {LISTED}": f"2:DIGITS of:WORD {LISTED}:SYMBOL",
    "0x12 of it": "0x12:DOUBT of:WORD it:WORD",
    "twenty-five dai": "twenty-five:CARDINAL dai:SYMBOL",
    "one of them": "one:ONE of:WORD them:WORD",
    "50% or 1/3?": "50%:PERCENT or:WORD 1/3:RATIO ?:MARK",
    'say "5 dai" (x)': 'say:WORD ":MARK 5:DIGITS dai:SYMBOL ":MARK (:MARK x:WORD ):MARK',
    "well-known b4 2day": "well:WORD known:WORD b4:WORD 2day:DOUBT",
    "half my link": "half:PART my:WORD link:SYMBOL",
    "half of a link": "half:CARDINAL of:WORD a:WORD link:SYMBOL",
    "50 %.": "50 %:PERCENT .:MARK",
    "(50 %)": "(:MARK 50 %:PERCENT ):MARK",
    "fifty per-cent": "fifty per-cent:PERCENT",
    "per cent": "per:WORD cent:WORD",
    "%% ?%": "%:MARK %:MARK ?%:MARK",
    "to bob's, bob's": "to:WORD bob's:DOUBT ,:MARK bob's:WORD",
    "to eve's": "to:WORD eve's:WORD",
    "into Bob's bank": "into:WORD Bob's:DOUBT bank:WORD",
    "0x" + "0" * 40: "0x" + "0" * 40 + ":DOUBT",
}


@pytest.mark.parametrize("text", READ)
def test_pieces_become_tokens(text: str) -> None:
    assert kinds(text) == READ[text]


WORTH = {
    "5": ["5"],
    "0.5": ["5e-1"],
    ".5 dai": ["5e-1"],
    "5.": ["5"],
    "1,000.50": ["10005e-1"],
    "12,345,678": ["12345678"],
    "5k": ["5000"],
    "2.5M dai": ["2500000"],
    "0.0005k": ["5e-1"],
    "3 grand": ["3000"],
    "2 hundred thousand": ["200000"],
    "5 k": ["5000"],
    "50%": ["50/100"],
    "12.5 %": ["125/1000"],
    "100 percent": ["100/100"],
    "1/3": ["1/3"],
    "five": ["5"],
    "fourty two": ["42"],
    "a hundred and ten": ["110"],
    "hundred dai": ["100"],
    "eleven hundred": ["1100"],
    "three hundred and twelve thousand four hundred": ["312400"],
    "a million": ["1000000"],
    "a dozen": ["12"],
    "two dozen": ["24"],
    "half a dozen": ["6"],
    "half a million": ["500000"],
    "two and a half": ["25e-1"],
    "two and a half thousand": ["2500"],
    "zero point oh five": ["5e-2"],
    "point five": ["5e-1"],
    "twelve point five... dai": ["125e-1"],
    "ten percent": ["10/100"],
    "three quarters": ["3/4"],
    "one third": ["1/3"],
    "a third": ["1/3"],
    "half": ["1/2"],
    "half a weth": ["5e-1"],
    "half an hour": ["1/2"],
    "a quarter of an hour": ["1/4"],
    "half of a weth": ["5e-1"],
    "a quarter of a weth": ["25e-2"],
    "three quarters of a weth": ["75e-2"],
    "12.5% of a weth": ["125e-3"],
    "a quarter of my weth": ["1/4"],
    "half of it": ["1/2"],
    "50 per cent": ["50/100"],
    "50 %.": ["50/100"],
    "(12.5 %)": ["125/1000"],
    "one half": ["1/2"],
    "1 half of": ["1/2"],
    "five and 10": ["5", "10"],
    "5 dai and a quarter": ["5", "1/4"],
    "everything": ["1/1"],
    "the rest": ["1/1"],
    "all but 10": ["all-10", "10"],
    "all my usdc, except 10 usdc": ["all-10", "10"],
    "everything except for 0.5": ["all-5e-1", "5e-1"],
    "all of it minus twenty dai": ["1/1", "20"],  # "it" is none of the words between
}


@pytest.mark.parametrize("text", WORTH)
def test_amounts_are_worth_what_they_say(text: str) -> None:
    assert amounts(text) == WORTH[text]


@pytest.mark.parametrize(
    "text",
    [
        *("1.000", "33.333", "5,50", "1,00", "0,5", "1,0000", "007", "05", "1'000", "1_000"),
        *("5-10", "5+3", "10:30", "2pm", "3rd", "10x", "5lnk", "1e18", "$5", "#5", "~5", "+5"),
        *("-5", "<5", ">5", "5$", "5+", "^5", "@5", "&5", "101%", "0%", "3/3", "4/3"),
        *("1/0", "0/4", "1/1000", "5/10/20", "12.5.1", "zero five", "a million and a half"),
        *("five thousand thousand", "5k thousand", "a dozen and a half", "9" * (MAX_DIGITS + 1)),
        *("0." + "1" * MAX_DIGITS, "twelve thirds", "half a percent", "half of one percent"),
        *("a quarter of a percent", "half percent", "a third of a dai", "0.01% of a dai"),
        *("half of a half", "half of 60", "half of my 60", "10% of the five", "half a hundred"),
        *("a quarter of a million", "three quarters of a dozen", "50 bps", "5 basis points"),
        *("5 billion", "five bn", "5.5 million thousand", "5 lakh", "one seventh", "ten per day"),
        *("5 half", "two halves", "5.5 third", "50%%", "50 %%", "%5", "1/3 percent", "50% hundred"),
        *("5 hundred and ten", "two thousand and 50", "half a million and ten", "50 gwei"),
        *("...5", "5 million and 0.5", "five per mille", "v.5", "half an hundred", "5 cents"),
    ],
)
def test_what_could_be_read_in_two_ways_is_in_doubt(text: str) -> None:
    assert amounts(text)[0] == "?"
    assert "?" in amounts(f"send {text} dai to bob")


BESIDE = ["5 0", "30 30", "five five", "one fifty", "20 twenty", "6 six", "2 1/2", "5 50%", "50% 5"]
BESIDE += ["half five", "half half"]


@pytest.mark.parametrize("text", BESIDE)
def test_two_amounts_side_by_side_are_in_doubt(text: str) -> None:
    assert "?" in amounts(text)
    assert "?" not in amounts(text.replace(" ", ", "))


@pytest.mark.parametrize("text", ["5 0", "2 1/2", "5 50%", "half 5", "half half five"])
def test_both_of_them_are(text: str) -> None:
    assert set(amounts(text)) == {"?"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("two and a quarter", ["2", "?"]),
        ("four and half", ["4", "?"]),
        ("5 and 1/2", ["5", "?"]),
        ("5 and three quarters", ["5", "?"]),
        ("5 and a half", ["55e-1"]),
        ("5, and a quarter", ["5", "1/4"]),
        ("5 and then a quarter", ["5", "1/4"]),
        ("5 and 10", ["5", "10"]),
        ("all and half", ["1/1", "1/2"]),
    ],
)
def test_a_part_that_is_added_to_an_amount_is_none_of_a_balance(
    text: str, found: list[str]
) -> None:
    assert amounts(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("all my usdc but 10 usdc", ["all-10", "10"]),
        ("all the 5 dai but 10", ["1/1", "5", "10"]),
        ("all but bob", ["?"]),
        ("all but half", ["?", "1/2"]),
        ("all my dai but 10 usdc", ["?", "10"]),  # of another asset
        ("all my dai but 10usdc", ["?", "10"]),
        ("all but 1.000", ["?", "?"]),
        ("all but", ["?"]),
        ("all except 10%", ["?", "10/100"]),
        ("everything except about 10", ["?", "10"]),
        ("all but all but 10", ["?", "all-10", "10"]),
        ("all " + "of " * (REACH - 1) + "but 10", ["all-10", "10"]),
        ("all " + "of " * REACH + "but 10", ["1/1", "10"]),
    ],
)
def test_what_is_left_out_is_of_the_same_asset_and_near(text: str, found: list[str]) -> None:
    assert amounts(text) == found


UNITS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
UNITS += " sixteen seventeen eighteen nineteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def in_words(n: int) -> str:
    if n < 20:
        return UNITS.split()[n - 1]
    if n < 100:
        rest = f"-{in_words(n % 10)}" if n % 10 else ""
        return TENS.split()[n // 10 - 2] + rest
    for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if n >= size:
            rest = f" {in_words(n % size)}" if n % size else ""
            return f"{in_words(n // size)} {name}{rest}"
    raise AssertionError


@given(st.integers(1, 10**9 - 1))
def test_every_number_that_is_written_out_is_that_number(n: int) -> None:
    (token,) = (t for t in tokens(f"send {in_words(n)} dai") if t.kind in AMOUNTS)
    assert token.quantity == Quantity(n)


def hundreds() -> dict[str, int]:
    """``ninety one hundred fifty``: from eleven hundred on, and each number below."""
    found = {in_words(n).replace("-", " "): n for n in range(1, 1000)}
    below = {"": 0, **{f" {in_words(n).replace('-', ' ')}": n for n in range(1, 100)}}
    for many in range(1, 100):
        start = f"{in_words(many).replace('-', ' ')} hundred"
        found |= {start + rest: 100 * many + n for rest, n in below.items()}
    return found


HUNDREDS = hundreds()


@given(st.integers(1, 999), st.integers(1, 999))
@example(90, 100)
@example(90, 150)
@example(100, 90)
def test_two_numbers_in_words_are_one_only_where_they_are_written_as_one(a: int, b: int) -> None:
    text = f"{in_words(a)} {in_words(b)}"
    found = amounts(text)
    if whole := HUNDREDS.get(text.replace("-", " ")):
        assert found == [str(whole)]
    else:
        assert "?" in found


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=120))
def test_tokens_stand_in_order_and_leave_nothing_out_but_blanks_and_hyphens(text: str) -> None:
    try:
        found = tokens(text)
    except (EmptyPrompt, TooManyTokens, AddressChecksum):
        return
    assert 1 <= len(found) <= MAX_TOKENS
    before = 0
    for token in found:
        assert before <= token.start < token.end
        assert not text[before : token.start].strip(" -")
        assert (token.quantity is not None) == (token.kind in AMOUNTS)
        before = token.end
    assert not text[before:].strip(" -")


@given(st.lists(st.sampled_from([*(w.decode() for w in WORDS), *"5 0.5 5usdc usdc ,".split()])))
@example(["all", "but", "5usdc"])
def test_no_order_of_the_words_of_amounts_is_an_error_or_loses_one(words: list[str]) -> None:
    text = " ".join(words)
    with contextlib.suppress(RefusedText):
        found, before = tokens(text), 0
        for token in found:
            assert not text[before : token.start].strip()
            before = token.end
        assert not text[before:].strip()


def test_what_only_a_foreign_book_lists_is_read_by_its_place() -> None:
    """As the contract reads it."""
    listed = {b"an", b"10", b"1inch", b"half"}
    names = Names(lambda word: word in listed, lambda word: False, lambda address: False)

    def read_as(text: str) -> list[tuple[str, str]]:
        found = read(text.encode(), names)
        return [(text[t.start : t.end], t.kind.name) for t in found]

    assert read_as("5 an") == [("5", "DIGITS"), ("an", "SYMBOL")]
    assert read_as("an hundred") == [("an hundred", "CARDINAL")]
    assert read_as("5an hundred") == [("5", "DOUBT"), ("an hundred", "DOUBT")]
    assert read_as("half a 1inch") == [("half", "PART"), ("a", "WORD"), ("1inch", "DOUBT")]
    assert read_as("half a 10") == [("half", "PART"), ("a", "WORD"), ("10", "DIGITS")]
    assert read_as("half an half")[0] == ("half", "CARDINAL")


@pytest.mark.parametrize(("name", "known"), [("b", 0), ("bo", 1), ("b" * 11, 1), ("b" * 12, 0)])
def test_names_are_as_long_as_a_book_can_have_them(name: str, known: int) -> None:
    """Whatever a forged book holds: the contract finds no others."""
    prompt = f"{name} 5{name} half a {name}".encode()
    symbols = Names(lambda word: word == name.encode(), lambda word: False, lambda address: False)
    contacts = Names(lambda word: False, lambda word: word == name.encode(), lambda address: False)
    assert [t.kind for t in read(prompt, symbols)].count(Kind.SYMBOL) == 3 * known
    assert [t.kind for t in read(prompt, contacts)].count(Kind.CONTACT) == 2 * known


def test_what_is_no_prompt_is_refused() -> None:
    with pytest.raises(PromptTooLong):
        tokens("a" * 513)
    with pytest.raises(PromptNotAscii):
        tokens("send\t5")
    with pytest.raises(EmptyPrompt):
        tokens("  ")
    assert len(tokens("a " * MAX_TOKENS)) == MAX_TOKENS
    with pytest.raises(TooManyTokens):
        tokens("a " * (MAX_TOKENS + 1))


def test_an_address_with_a_wrong_checksum_is_refused() -> None:
    good = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    assert has_valid_checksum(good[2:].encode())
    assert kinds(f"pay {good}") == f"pay:WORD {good}:ADDRESS"
    with pytest.raises(AddressChecksum):
        tokens("pay 0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")


def test_words_of_amounts_are_no_names_of_anything_else() -> None:
    """A book that lists a token HALF or ONE cannot change what an amount is."""
    names = Names(lambda word: True, lambda word: True, lambda address: True)
    for word, (meaning, _) in WORDS.items():
        (token,) = read(word, names)
        if meaning in (Meaning.UNIT, Meaning.TEEN, Meaning.TEN, Meaning.HUNDRED, Meaning.HALF):
            assert token.kind in AMOUNTS
