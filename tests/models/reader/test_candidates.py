"""What a prompt has for a parameter: expected spans are written by hand."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.checkout import ROOT
from zkagent.models.errors import AddressChecksum, PromptNotAscii, PromptTooLong, TooManyTokens
from zkagent.models.instructions.pieces import Names
from zkagent.models.reader.candidates import MOST_CANDIDATES, MOST_ELEMENTS, candidates
from zkagent.models.reader.kinds import Kind, ParamType
from zkagent.models.reader.lexicon import CLASS_BITS, CLASSES, Class, classes_of, lexicon

BOB = "0x" + "12" * 20
NAMES = Names({b"usdc", b"may"}.__contains__, {b"bob", b"will"}.__contains__, lambda _: False)
ROWS = ROOT.parent / "shared" / "data" / "sgd" / "train.jsonl.gz"


def found(prompt: str, param_type: ParamType) -> list[tuple[str, str]]:
    kinds = candidates(prompt.encode(), param_type, NAMES)
    return [(candidate.kind.name, prompt[candidate.start : candidate.end]) for candidate in kinds]


def texts(prompt: str) -> list[str]:
    return [text for _, text in found(prompt, ParamType.STRING)]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("see you on the 14th of March", ("DATE", "14th of March")),
        ("on the 13th", ("DATE", "the 13th")),
        ("March the 3rd, 2026 please", ("DATE", "March the 3rd, 2026")),
        ("go there later today", ("DATE", "later today")),
        ("the day after tomorrow works", ("DATE", "day after tomorrow")),
        ("Friday next week", ("DATE", "Friday next week")),
        ("due 2026-03-13 at last", ("DATE", "2026-03-13")),
        ("at half past 11 in the morning", ("TIME", "half past 11 in the morning")),
        ("a quarter to four", ("TIME", "quarter to four")),
        ("in the evening 5:30 pm", ("TIME", "evening 5:30 pm")),
        ("five o'clock it is", ("TIME", "five o'clock")),
        ("at 10 a.m. sharp", ("TIME", "10 a.m")),
        ("wake me at 5pm", ("TIME", "5pm")),
        ("a cab to 100 Van Ness Avenue ASAP", ("DATE", "ASAP")),
    ],
)
def test_dates_and_times(prompt: str, expected: tuple[str, str]) -> None:
    assert found(prompt, ParamType.STRING)[0] == expected


@pytest.mark.parametrize(
    "prompt", ["it may be", "march on", "half of it", "498 14th Street", "5 or 6", "10 men", "24/7"]
)
def test_what_is_nearly_a_date_or_a_time(prompt: str) -> None:
    assert not {"DATE", "TIME"} & {kind for kind, _ in found(prompt, ParamType.STRING)}


def test_names_by_their_capitals() -> None:
    assert texts("I want to fly from San Jose, CA to New York")[:4] == [
        "San Jose, CA",
        "San Jose",
        "CA",
        "New York",
    ]
    assert texts("I like Dr. Ann E. Lee")[0] == "Dr. Ann E. Lee"
    assert texts("take me to 2664 Berryessa Road #104")[0] == "2664 Berryessa Road #104"
    assert texts("play songs of Alan Walker's")[:2] == ["Alan Walker", "Alan Walker's"]
    assert "Wild Nights with Emily" in texts("Wild Nights with Emily sounds good")


def test_words_without_capitals() -> None:
    assert texts("attack the goblin with my sword") == ["attack", "goblin", "sword"]
    assert texts("a movie called after the rain") == ["movie", "rain", "after the rain"]
    assert texts("find me some online drama movies") == [
        "online drama movies",
        "online drama",
        "drama movies",
        "online",
        "drama",
        "movies",
    ]


def test_quoted_text_comes_first_and_is_opaque() -> None:
    prompt = 'Name "on March 3rd" or \'the `one`\', don\'t ask for 5" or " x "'
    quoted = [text for kind, text in found(prompt, ParamType.STRING) if kind == "QUOTED"]
    assert quoted == ["on March 3rd", "the `one`"]
    assert "DATE" not in {kind for kind, _ in found(prompt, ParamType.STRING)}


def test_a_number_in_quotes_is_one_only_alone() -> None:
    assert found('set "5" but not "item 6"', ParamType.UINT) == [("NUMBER", "5")]


def test_numbers_with_their_signs() -> None:
    prompt = "from -5 to minus 3, -.5 or negative two; (-7)"
    numbers = candidates(prompt.encode(), ParamType.INT)
    assert [(c.kind, c.negative) for c in numbers] == [(Kind.NUMBER, True)] * 5
    assert candidates(prompt.encode(), ParamType.UINT) == numbers  # refused when it is chosen


@pytest.mark.parametrize("prompt", ["10 minus 4", "5-10", "$5", "1.000", "- -5", "minus -5", "--5"])
def test_what_could_be_another_number_is_in_doubt(prompt: str) -> None:
    kinds = [kind for kind, _ in found(prompt, ParamType.INT)]
    assert "DOUBT" in kinds or prompt == "- -5"
    assert candidates(prompt.encode(), ParamType.INT)[-1].quantity is None or prompt == "- -5"


def test_shares_and_what_a_number_counts_in() -> None:
    assert found("50% or all or half", ParamType.UINT) == [
        ("SHARE", "50%"),
        ("SHARE", "all"),
        ("SHARE", "half"),
    ]
    (number,) = candidates(b"pay 5 USDC", ParamType.UINT, NAMES)
    assert number.symbol == (6, 10)


def test_accounts_by_address_and_name() -> None:
    prompt = f"from {BOB} to bob, usdc, me, 0x12 or to bob's"
    assert found(prompt, ParamType.ADDRESS) == [
        ("ADDRESS", BOB),
        ("CONTACT", "bob"),
        ("SYMBOL", "usdc"),
        ("OWNER", "me"),
        ("DOUBT", "0x12"),
        ("DOUBT", "bob's"),
    ]


def test_yes_and_no_turned_by_not() -> None:
    prompt = b"don't enable it, turn it on, without. do not on any account disable, on not"
    truths = [(c.start, c.truth) for c in candidates(prompt, ParamType.BOOL)]
    said = [(prompt[start:].split(b" ")[0], truth) for start, truth in truths]
    assert said == [
        (b"don't", False),
        (b"on,", True),
        (b"without.", False),
        (b"not", False),
        (b"disable,", False),
        (b"not", False),
    ]


def test_bytes() -> None:
    assert found("0xab 0xabc 0x 0xAbCd 0xgg 0X12", ParamType.BYTES) == [
        ("BYTES", "0xab"),
        ("BYTES", "0xAbCd"),
    ]


def test_lists() -> None:
    prompt = 'Invite Tom, "Ann B." and Bob Lee; not Eve'
    lists = candidates(prompt.encode(), ParamType.STRING_ARRAY)
    listed = [[prompt[e.start : e.end] for e in c.elements] for c in lists]
    assert listed == [["Invite Tom", "Ann B.", "Bob Lee"], ["Tom", "Ann B.", "Bob Lee"]]
    numbers = candidates(b"1, 2, and -3 then four and 5", ParamType.INT_ARRAY)
    assert [len(c.elements) for c in numbers] == [3, 2]


def test_what_stands_alone_is_no_list_beside_several_in_one() -> None:
    for prompt, expected in (
        ("feed Rex and Bella 200 grams each", [["Rex", "Bella"]]),
        ("feed Rex 200 grams", [["feed"], ["Rex"], ["200"], ["grams"]]),
        ('tell Ann, Bob "hello" and sleep well', [["Ann", "Bob"], ["hello", "sleep"]]),
        ('tell Ann and Bob about "hello"', [["Ann", "Bob"], ["hello"]]),
    ):
        lists = candidates(prompt.encode(), ParamType.STRING_ARRAY)
        assert [[prompt[e.start : e.end] for e in c.elements] for c in lists] == expected
    numbers = candidates(b"pay 1, 2 and 3 on day 4", ParamType.UINT_ARRAY)
    assert [len(c.elements) for c in numbers] == [3]


def test_what_is_joined_within_a_name_is_no_part_of_it() -> None:
    assert texts("slay Gorlak the Cruel")[:2] == ["Gorlak the Cruel", "slay"]
    assert not {"Cruel", "the Cruel", "Gorlak the"} & set(texts("slay Gorlak the Cruel"))
    assert texts("Slay Gorlak the Cruel")[0] == "Slay Gorlak the Cruel"
    assert {"Slay", "Gorlak the Cruel"} <= set(texts("Slay Gorlak the Cruel"))
    assert {"Gorlak", "Cruel"} <= set(texts("ask Gorlak Cruel"))


def test_a_number_of_things_is_no_part_of_a_name() -> None:
    assert texts("feed Bella 200 grams")[0] == "Bella"
    assert texts("see Area 51 at noon")[1] == "Area 51"
    assert texts("a cab to 100 Van Ness Avenue ASAP")[1] == "100 Van Ness Avenue"
    assert texts("take me to Gate 12 please")[0] == "Gate 12"


def test_a_list_of_too_many_is_in_doubt() -> None:
    for count, kind in ((MOST_ELEMENTS, Kind.LIST), (MOST_ELEMENTS + 1, Kind.DOUBT)):
        prompt = ",".join(["7 "] * count).encode()
        assert [c.kind for c in candidates(prompt, ParamType.UINT_ARRAY)] == [kind]


def test_at_most_eight_candidates() -> None:
    for param_type in ParamType:
        assert len(candidates(b"Ann 5 yes 0xab; " * 12, param_type, NAMES)) <= MOST_CANDIDATES


def test_refusals() -> None:
    for prompt, refusal in (
        (b"a" * 513, PromptTooLong),
        (b"a\n", PromptNotAscii),
        (b"a " * 65, TooManyTokens),
    ):
        with pytest.raises(refusal):
            candidates(prompt, ParamType.STRING)
    wrong = b"0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
    with pytest.raises(AddressChecksum):
        candidates(wrong, ParamType.ADDRESS)
    candidates(wrong, ParamType.STRING)  # reads no address


def test_a_listed_name_is_no_word_of_another_class() -> None:
    assert found("ask Will in May", ParamType.STRING)[:2] == [("NAME", "Will"), ("NAME", "May")]


def test_words_have_the_classes_that_they_are_listed_with() -> None:
    assert len(lexicon().chunks) == 1
    assert all(classes_of(word) == classes for word, classes in CLASSES.items())
    assert classes_of(b"sword") == Class.NONE
    assert max(Class) < 1 << CLASS_BITS <= 1 << 46


def test_no_word_has_classes_by_its_first_or_last_letters() -> None:
    """What ends with these letters looks like a word of the lexicon, were it looked up by them."""
    assert lexicon().lookup(b"*houd")
    assert classes_of(b"onderhoud") == Class.NONE


def labelled() -> Iterator[tuple[str, str, str, int, int]]:
    """Kind, slot, prompt, and where the argument stands, without marks around it."""
    kinds = {"date": "date", "time": "time", "number_of_days": "number", "rating": "number"}
    for row in map(json.loads, gzip.decompress(ROWS.read_bytes()).splitlines()):
        prompt = row["prompt"]
        for slot, (start, end) in row["arguments"].items():
            kind = next((k for word, k in kinds.items() if word in slot), "name")
            yield "number" if slot == "amount" else kind, slot, prompt, *bare(prompt, start, end)


def bare(prompt: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not (prompt[start].isalnum() or prompt[start] == "$"):
        start += 1
    while start < end and not prompt[end - 1].isalnum():
        end -= 1
    return start, end


@pytest.mark.slow
@pytest.mark.skipif(not ROWS.exists(), reason="needs the Schema-Guided Dialogue rows")
def test_the_true_span_is_among_eight() -> None:
    there: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for kind, _, prompt, start, end in labelled():
        spans = candidates(prompt.encode(), ParamType.STRING)
        rows[kind] += 1
        there[kind] += (start, end) in {bare(prompt, c.start, c.end) for c in spans}
    recall = {kind: there[kind] / rows[kind] for kind in rows}
    least = {"name": 0.95, "time": 0.99, "number": 0.99, "date": 0.99}
    assert all(recall[kind] >= least[kind] for kind in least), recall
