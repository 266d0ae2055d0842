"""A codebook in buckets: each key finds its own entry; what does not go in is refused."""

from dataclasses import replace

import pytest

from tests.support.instruction_prompts import table_of_writers
from zkagent.models.errors import ModelError
from zkagent.models.instructions.codes import PRESENT, Codebook
from zkagent.models.instructions.codetable import (
    BUCKETS,
    ENTRIES,
    MOST_CHUNKS,
    Entry,
    _place,
    _placed,
    meaning_byte,
    table_of,
)
from zkagent.models.instructions.grammar import WORDS, Meaning
from zkagent.models.instructions.reader import BY_TEXT, Kind

KINDS = {kind: PRESENT + kind for kind in Kind if kind not in BY_TEXT}
BOOK = Codebook(
    words={b"send": PRESENT + 100, b"half": PRESENT + 101, b"->": PRESENT + 102},
    starts={b"depo": PRESENT + 103, b"hund": PRESENT + 104},
    ends={b"ing": PRESENT + 105},
    unknown=PRESENT + 99,
    kinds=KINDS,
)


def test_every_token_has_the_code_that_the_codebook_gives_it() -> None:
    table = table_of(BOOK)
    words = b"send half -> depot deposing going ing hundred zzzz *".split()
    for word in words:
        assert table.code(Kind.WORD, word) == BOOK.code(Kind.WORD, word), word
    for kind, code in KINDS.items():
        assert table.code(kind, b"send") == code


def test_the_grammars_words_have_their_meaning_and_no_others_one() -> None:
    table = table_of(BOOK)
    for word, meant in WORDS.items():
        assert table.meaning(word) == meant
    for word in (b"send", b"->", b"depot", b"", b"zzzz"):
        assert table.meaning(word) == (Meaning.NONE, 0)
    assert len({meaning_byte(word) for word in WORDS}) == len(set(WORDS.values()))


def test_a_word_of_the_grammar_that_is_in_no_codebook_is_read_by_its_parts() -> None:
    assert table_of(BOOK).lookup(b"hundred") == Entry(meaning_byte(b"hundred"), PRESENT + 104)


def test_parts_are_found_under_keys_of_their_own() -> None:
    table = table_of(BOOK)
    assert table.lookup(b"depo") is None
    assert table.lookup(b"depo*") == Entry(0, PRESENT + 103)
    assert table.lookup(b"*ing") == Entry(0, PRESENT + 105)


def test_a_table_is_whole_contracts_and_the_same_each_time() -> None:
    table = table_of_writers(1)
    assert {len(chunk) for chunk in table.chunks} == {32 * BUCKETS}
    assert table == table_of_writers(1)
    assert table != table_of_writers(2)


def test_words_that_are_named_first_are_in_the_first_contract() -> None:
    words = [b"w%d" % i for i in range(4150)]  # as full as it gets
    table = table_of(replace(BOOK, words=dict.fromkeys(words, PRESENT)))
    assert len(table.chunks) == 2
    alone = replace(table, chunks=(table.chunks[0], bytes(len(table.chunks[1]))))
    found = [alone.lookup(word) is not None for word in words]
    assert all(found[:100])
    assert sum(found[:830]) > 0.85 * 830
    assert sum(found[2075:]) < sum(found[:2075]) * 0.6


def test_no_key_would_rather_be_where_one_is_that_could_leave() -> None:
    keys = [b"w%d" % i for i in range(3500)]
    placed = _placed(keys, 2)
    assert placed is not None
    number = {key: i for i, key in enumerate(keys)}
    second = [(key, at) for at, bucket in enumerate(placed[BUCKETS:], BUCKETS) for key in bucket]
    assert len(second) > 1000
    for key, _ in second:
        for there in placed[_place(key, 2).first]:
            if number[there] > number[key]:
                assert len(placed[_place(there, 2).second]) == ENTRIES


def test_a_key_is_in_its_second_bucket_only_if_the_first_is_full() -> None:
    words = dict.fromkeys((b"w%d" % i for i in range(3000)), PRESENT)
    table = table_of(replace(BOOK, words=words))
    first, second = table.chunks
    for at in range(0, len(first), 32):
        overflowed, entries = first[at], [first[at + e : at + e + 10] for e in (1, 11, 21)]
        assert not overflowed or all(map(any, entries))
    assert any(first[::32])
    assert not any(second[::32])


def test_codes_out_of_range_are_refused() -> None:
    for code in (0, 1 << 48, -1):
        with pytest.raises(ModelError, match="the code of"):
            table_of(replace(BOOK, words={b"send": code}))
        with pytest.raises(ModelError, match="the code of"):
            table_of(replace(BOOK, unknown=code))
    assert table_of(replace(BOOK, words={b"send": 1})).lookup(b"send") == Entry(0, 1)
    assert table_of(replace(BOOK, words={b"send": (1 << 48) - 1}))


def test_parts_of_another_length_are_refused() -> None:
    for parts in (b"dep", b"depos"):
        with pytest.raises(ModelError, match="first 4 letters"):
            table_of(replace(BOOK, starts={parts: PRESENT}))
    for parts in (b"ng", b"ting"):
        with pytest.raises(ModelError, match="last 3 letters"):
            table_of(replace(BOOK, ends={parts: PRESENT}))


def test_more_words_than_eight_contracts_hold_are_refused() -> None:
    words = {b"w%d" % i: PRESENT for i in range(BUCKETS * ENTRIES * MOST_CHUNKS)}
    with pytest.raises(ModelError, match="leave some out"):
        table_of(replace(BOOK, words=words))
