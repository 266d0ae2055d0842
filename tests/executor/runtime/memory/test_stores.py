"""The contract of memories, against each store: what one does, all do."""

import asyncio
import math
from typing import Any

import pytest

from tests.executor.runtime.memory.stage import MovedClock, Opener, done
from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.memory.json_text import MOST_BYTES
from zkagent.executor.runtime.memory.retention import Limits, Retention
from zkagent.executor.runtime.memory.store import Store

VALUES = [
    None,
    True,
    0,
    -1,
    2**255 - 19,
    10**100 - 1,
    0.1,
    1e300,
    5.0,
    "",
    "naïve 日本 \x00 \ud800 🎈 ' \" ; --",
    [1, [2.5, {"a": []}]],
    {"z": 1, "a": {"": None}, "é": "ß"},
]


def filled(store: Store, *entries: Any, stream: str = "notes") -> Any:
    notes = store.streams()
    done(*(notes.append(stream, entry) for entry in entries))
    return notes


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_what_comes_back_is_what_was_given(store: Store, value: Any) -> None:
    notes, facts = store.streams(), store.collections()
    (read,) = done(notes.append("notes", value), notes.read("notes"))
    found = done(facts.write("facts", "one", value), facts.read("facts", "one"))
    assert (repr(read), repr(found)) == (repr(value), repr(value))


def test_an_object_keeps_the_order_of_its_fields(store: Store) -> None:
    (read,) = done(filled(store, {"b": 1, "a": 2}).read("notes"))
    assert list(read) == ["b", "a"]


def deep(levels: int) -> Any:
    return [deep(levels - 1)] if levels else 7


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        (1e308, math.nan, "nan is no number"),
        (-1e308, -math.inf, "inf is no number"),
        (10**100 - 1, 10**100, "more than 100 digits"),
        (deep(32), deep(33), "deeper than 32 levels"),
        ("x" * (MOST_BYTES - 2), "x" * (MOST_BYTES - 1), "at most 1,048,576"),
        ({"1": 2}, {1: 2}, "named by text"),
        ([1], {1}, "a set is no JSON"),
        ("b", b"b", "a bytes is no JSON"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_values_are_bounded_and_json(store: Store, good: Any, bad: Any, words: str) -> None:
    notes, facts = filled(store, good), store.collections()
    done(facts.write("facts", "good", good))
    written = [facts.write("facts", key, bad) for key in ("bad", "good")]
    for refused in (notes.append("notes", bad), *written):
        with pytest.raises(MemoryFault, match=words):
            done(refused)
    assert len(done(notes.read("notes"))) == 1
    assert done(facts.read("facts", "bad")) is None
    assert done(facts.read("facts", "good")) == good


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb", "a\x00b", "\ud800", None, 7])
def test_names_are_short_printable_text(store: Store, name: Any) -> None:
    notes, facts = store.streams(), store.collections()
    for refused in (
        notes.append(name, 1),
        notes.read(name),
        notes.clear(name),
        facts.write(name, "key", 1),
        facts.write("facts", name, 1),
        facts.read("facts", name),
        facts.query(name, {}),
    ):
        with pytest.raises(MemoryFault, match="name"):
            done(refused)


@pytest.mark.parametrize("name", ["x" * 200, "a/b c", "'; DROP TABLE x; --", "日本", '%_*"\\'])
def test_any_other_name_is_taken_as_it_is(store: Store, name: str) -> None:
    notes, facts = store.streams(), store.collections()
    assert done(notes.append(name, 1), notes.read(name)) == [1]
    assert done(facts.write(name, name, 2), facts.read(name, name)) == 2


def test_a_stream_is_read_oldest_first_whole_or_in_part(store: Store) -> None:
    notes = filled(store, *range(5))
    assert done(notes.read("notes")) == [0, 1, 2, 3, 4]
    assert done(notes.read("notes", last=2)) == [3, 4]
    assert done(notes.read("notes", last=0)) == []
    assert done(notes.read("notes", last=9)) == [0, 1, 2, 3, 4]
    assert done(notes.read("notes", since=3)) == [3, 4]
    assert done(notes.read("notes", since=1, last=2)) == [3, 4]
    assert done(notes.read("notes", since=5)) == []
    assert done(notes.read("others")) == []


@pytest.mark.parametrize("wrong", [{"last": -1}, {"since": -1}, {"last": True}, {"since": 1.5}])
def test_counts_are_no_negative_numbers(store: Store, wrong: Any) -> None:
    with pytest.raises(MemoryFault, match="number of entries"):
        done(filled(store, 1).read("notes", **wrong))


def test_a_cleared_stream_is_empty_and_others_stay(store: Store) -> None:
    notes = filled(store, "old balance")
    filled(store, "other balance", stream="others")
    done(notes.clear("notes"), notes.clear("never was"))
    assert done(notes.read("notes")) == []
    assert done(notes.search("balance")) == ["other balance"]
    done(notes.append("notes", "new"))
    assert done(notes.read("notes", since=0)) == ["new"]


def test_a_value_is_replaced_by_a_later_one_of_its_key(store: Store) -> None:
    facts = store.collections()
    done(facts.write("facts", "a", "first"), facts.write("facts", "a", "second"))
    assert done(facts.read("facts", "a")) == "second"
    assert done(facts.search("first")) == []
    assert done(facts.search("second")) == ["second"]


def test_what_is_not_there_is_none(store: Store) -> None:
    facts = store.collections()
    done(facts.write("facts", "a", 1))
    assert done(facts.read("facts", "b")) is None
    assert done(facts.read("other", "a")) is None
    assert done(facts.query("other", {})) == []


def test_clearing_takes_a_key_or_a_whole_collection(store: Store) -> None:
    facts = store.collections()
    done(*(facts.write("facts", key, key) for key in "abc"), facts.clear("facts", "b"))
    assert done(facts.query("facts", {})) == []  # texts are no objects
    assert [done(facts.read("facts", key)) for key in "abc"] == ["a", None, "c"]
    done(facts.clear("facts"), facts.clear("never was"), facts.clear("facts", "b"))
    assert done(facts.read("facts", "a")) is None
    assert done(facts.search("c")) == []


def test_a_query_asks_for_fields_and_answers_by_key(store: Store) -> None:
    facts = store.collections()
    rows: dict[str, Any] = {
        "c": {"kind": "loan", "n": 1},
        "a": {"kind": "loan", "n": 2},
        "B": {"kind": "loan", "n": 1.0},
        "b": {"kind": "swap", "n": True},
        "d": ["kind"],
    }
    done(*(facts.write("facts", key, value) for key, value in rows.items()))
    assert done(facts.query("facts", {"kind": "loan"})) == [rows["B"], rows["a"], rows["c"]]
    assert done(facts.query("facts", {"kind": "loan"}, top=2)) == [rows["B"], rows["a"]]
    assert done(facts.query("facts", {"kind": "loan", "n": 1})) == [rows["c"]]
    assert done(facts.query("facts", {"missing": None})) == []
    assert len(done(facts.query("facts", {}))) == 4


def test_a_query_compares_values_as_json(store: Store) -> None:
    facts = store.collections()
    value: Any = {"in": {"x": 1, "y": [2]}}
    done(facts.write("facts", "a", value))
    assert done(facts.query("facts", {"in": {"y": [2], "x": 1}})) == [value]
    assert done(facts.query("facts", {"in": {"x": 1}})) == []


def test_a_search_finds_what_has_all_words_whatever_their_case_and_accents(store: Store) -> None:
    notes = filled(store, "Café de Flore", {"text": ["the cafe", "closed"]}, "tea house", 42)
    assert done(notes.search("CAFÉ flore")) == ["Café de Flore"]
    assert done(notes.search("cafe closed")) == [{"text": ["the cafe", "closed"]}]
    assert done(notes.search("cafe tea")) == []
    assert done(notes.search("42")) == [42]
    assert done(notes.search("text")) == []  # a field's name
    assert done(notes.search("caf")) == []  # no whole word


def test_scripts_without_blanks_are_searched_by_character(store: Store) -> None:
    notes = filled(store, "日本語の文章", "中国")
    assert done(notes.search("日本")) == ["日本語の文章"]
    assert done(notes.search("日国")) == []


def test_what_has_the_words_more_often_in_less_text_comes_first(store: Store) -> None:
    rare = "a loan among quite a few other words that say nothing of it"
    notes = filled(store, rare, "loan loan loan", "no such word", "loan and more")
    found = done(notes.search("loan"))
    assert (found[0], found[-1], len(found)) == ("loan loan loan", rare, 3)
    assert done(notes.search("loan", top=1)) == ["loan loan loan"]
    assert done(notes.search("loan", top=0)) == []


def test_of_equals_the_last_one_comes_first(store: Store) -> None:
    notes = filled(store, {"n": "loan", "at": 1}, {"n": "loan", "at": 2})
    assert [each["at"] for each in done(notes.search("loan"))] == [2, 1]


QUERIES = ['loan"', "loan OR tea", "loan NOT tea", "tea*", "NEAR(loan tea)", "words:loan", "-tea"]
QUERIES += [
    "loan | tea",
    "!tea",
    "loan & !tea",
    "'loan'",
    "l:*",
    "loan <-> tea",
    '"',
    "",
    "()",
    "\x00",
]


@pytest.mark.parametrize("query", QUERIES)
def test_nothing_in_a_query_is_an_engine_s_language(store: Store, query: str) -> None:
    """Only an entry that has all words is found, whatever stands between them."""
    words = set("".join(c if c.isalnum() else " " for c in query.lower()).split())
    entries = ["loan", "tea", "or", "loan tea near words not l"]
    notes = filled(store, *entries)
    expected = {entry for entry in entries if words and words <= set(entry.split())}
    assert set(done(notes.search(query))) == expected


def test_a_search_keeps_to_its_stream_and_its_collection(store: Store) -> None:
    notes, facts = filled(store, "loan a"), store.collections()
    filled(store, "loan b", stream="others")
    done(facts.write("facts", "a", "loan c"), facts.write("other", "a", "loan d"))
    assert done(notes.search("loan", stream="others")) == ["loan b"]
    assert done(facts.search("loan", collection="facts")) == ["loan c"]
    assert set(done(notes.search("loan"))) == {"loan a", "loan b"}
    assert set(done(facts.search("loan"))) == {"loan c", "loan d"}


def test_a_long_value_is_found_by_its_first_words(store: Store) -> None:
    long = "first " + " ".join(str(number) for number in range(120_000)) + " last"
    notes = filled(store, long)
    assert len(done(notes.search("first 7"))) == 1
    assert done(notes.search("last")) == []


def test_namespaces_know_nothing_of_each_other(store: Store) -> None:
    for name in ("", "alice", "bob"):
        done(store.streams(name).append("notes", f"secret of {name or 'host'}"))
        done(store.collections(name).write("facts", "a", f"secret of {name or 'host'}"))
    alice = store.streams("alice"), store.collections("alice")
    assert done(alice[0].read("notes")) == ["secret of alice"]
    assert done(alice[0].search("secret")) == ["secret of alice"]
    assert done(alice[1].search("secret")) == ["secret of alice"]
    done(alice[0].clear("notes"), alice[1].clear("facts"))
    assert done(store.streams("bob").read("notes")) == ["secret of bob"]
    assert done(store.collections("bob").read("facts", "a")) == "secret of bob"


def test_a_stream_keeps_its_newest_entries_and_their_numbers(opener: Opener) -> None:
    store = opener(Limits(streams=Retention(most=3)))
    notes = filled(store, *range(5))
    assert done(notes.read("notes")) == [2, 3, 4]
    assert done(notes.read("notes", since=4)) == [4]
    assert done(notes.search("1")) == []


def test_a_collection_keeps_what_was_written_last(opener: Opener, clock: MovedClock) -> None:
    facts = opener(Limits(collections=Retention(most=2))).collections()
    for key in "abac":
        clock.move(1)
        done(facts.write("facts", key, f"value {key}"))
    assert [done(facts.read("facts", key)) for key in "abc"] == ["value a", None, "value c"]


@pytest.mark.parametrize("back_s", [0, 50])
def test_what_was_just_written_stays_whatever_the_clock_says(
    opener: Opener, clock: MovedClock, back_s: float
) -> None:
    facts = opener(Limits(collections=Retention(most=2, age_s=10))).collections()
    done(facts.write("facts", "a", 1), facts.write("facts", "b", 2))
    clock.move(-back_s)
    done(facts.write("facts", "c", 3))
    assert [done(facts.read("facts", key)) for key in "abc"] == [None, 2, 3]
    done(facts.write("facts", "d", 4))
    assert [done(facts.read("facts", key)) for key in "bcd"] == [None, 3, 4]
    done(facts.write("facts", "c", 5), facts.write("facts", "e", 6))
    assert [done(facts.read("facts", key)) for key in "cde"] == [5, None, 6]


def test_what_is_too_old_goes_with_the_next_write(opener: Opener, clock: MovedClock) -> None:
    store = opener(Limits(streams=Retention(age_s=10), collections=Retention(age_s=10)))
    notes, facts = filled(store, "old"), store.collections()
    done(facts.write("facts", "a", "old"))
    clock.move(11)
    done(notes.append("notes", "new"), facts.write("facts", "b", "new"))
    assert done(notes.read("notes")) == ["new"]
    assert done(notes.read("notes", since=1)) == ["new"]
    assert done(facts.read("facts", "a")) is None


def test_a_sweep_takes_what_is_over_its_limits_everywhere(
    opener: Opener, clock: MovedClock
) -> None:
    store = opener(Limits(streams=Retention(age_s=10), collections=Retention(age_s=10)))
    done(store.streams("a").append("notes", "old"), store.streams("b").append("notes", "old"))
    done(store.collections().write("facts", "a", "old"))
    clock.move(9)
    assert done(store.sweep()) == 0
    clock.move(2)
    assert done(store.sweep()) == 3
    assert done(store.streams("a").search("old")) == []
    assert done(store.sweep()) == 0


def test_numbers_go_on_where_all_entries_are_gone(opener: Opener, clock: MovedClock) -> None:
    store = opener(Limits(streams=Retention(age_s=10)))
    notes = filled(store, "old")
    clock.move(11)
    done(store.sweep(), notes.append("notes", "new"))
    assert done(notes.read("notes", since=1)) == ["new"]
    assert done(notes.read("notes", since=2)) == []


def test_what_is_kept_never_goes_and_is_full_at_its_limit(
    opener: Opener, clock: MovedClock
) -> None:
    facts = opener(Limits(collections=Retention(most=2, age_s=10))).collections()
    done(facts.write("prompts", "a", 1), facts.write("prompts", "b", 2))
    clock.move(100)
    done(facts.write("prompts", "a", 3))
    with pytest.raises(MemoryFault, match="prompts is full"):
        done(facts.write("prompts", "c", 4))
    assert [done(facts.read("prompts", key)) for key in "abc"] == [3, 2, None]


@pytest.mark.parametrize("wrong", [{"most": 0}, {"age_s": 0.0}, {"age_s": math.nan}, {"most": 1e9}])
def test_limits_are_bounded(wrong: Any) -> None:
    Retention(most=1, age_s=0.001)
    with pytest.raises(MemoryFault, match="keep"):
        Retention(**wrong)


def test_many_at_once_lose_nothing_and_keep_each_one_s_order(opener: Opener) -> None:
    """Two who opened it, as two processes do."""
    notes, others = opener().streams(), opener().streams()

    async def write(client: Any, name: str) -> None:
        for number in range(10):
            await client.append("notes", [name, number])

    async def all_of_them() -> None:
        pairs = ((notes, "a"), (others, "b"), (notes, "c"), (others, "d"))
        await asyncio.gather(*(write(client, name) for client, name in pairs))

    asyncio.run(all_of_them())
    found: Any = done(notes.read("notes"))
    for name in "abcd":
        assert [number for who, number in found if who == name] == list(range(10))
    assert [done(notes.read("notes", since=n, last=40 - n)) for n in (7, 39)] == [
        found[7:],
        found[39:],
    ]


def test_many_at_once_leave_one_value_of_a_key(opener: Opener) -> None:
    facts, others = opener().collections(), opener().collections()

    async def all_of_them() -> None:
        clients = [facts, others] * 10
        work = (each.write("facts", "a", {"n": n}) for n, each in enumerate(clients))
        await asyncio.gather(*work)

    asyncio.run(all_of_them())
    assert len(done(facts.query("facts", {}))) == 1


def test_a_closed_store_says_so(store: Store) -> None:
    notes = filled(store, 1)
    done(store.close())
    for refused in (notes.read("notes"), notes.append("notes", 2), store.sweep()):
        with pytest.raises(MemoryFault, match="closed"):
            done(refused)


def test_a_run_s_end_closes_a_client_and_not_the_store(store: Store) -> None:
    notes, facts = filled(store, 1), store.collections()
    done(notes.close(), facts.close())
    assert done(store.streams().read("notes")) == [1]
