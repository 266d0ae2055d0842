"""Numbers of pairs, by hand: rows of one number, parameters of one number."""

import numpy as np
import pytest

from zkagent.models.errors import ModelError
from zkagent.models.networks.filling import KINDS, LINK_COUNT, WEIGHTS
from zkagent.models.reader.candidates import Candidate, candidates
from zkagent.models.reader.kinds import Kind, ParamType
from zkagent.models.reader.pairs import (
    LINKS,
    ROLES_BYTES,
    Open,
    Roles,
    Surroundings,
    of_parameter,
    pair_features,
    pair_numbers,
    sharing,
)
from zkagent.models.reader.rows import SIZE, Rows, rows_of

PROMPT = b"fly from Rome to Oslo today"
ROME, OSLO = (
    Candidate(Kind.NAME, *(PROMPT.index(word), PROMPT.index(word) + 4), at, at + 1)
    for word, at in ((b"Rome", 2), (b"Oslo", 4))
)
WANTED = np.eye(SIZE, dtype=np.int64)[0] * 7


def rows() -> Rows:
    """The first number of each word's row."""
    worth = {"fly": 8, "from": 16, "rome": 24, "to": -32, "oslo": 40, "today": 48}
    vectors = np.zeros((len(worth), SIZE))
    vectors[:, 0] = list(worth.values())
    vectors[:, 1] = 56  # so that nothing is rounded
    return rows_of(list(worth), vectors, np.zeros((2, SIZE)))


def roles(**first: int) -> Roles:
    """weights: 64, so one. kind, and a link at each seat: first numbers of their rows."""
    content = np.zeros(ROLES_BYTES, dtype=np.int8)
    content[:WEIGHTS] = 64
    places = {"name": 3, "from0": KINDS, "to0": KINDS + 1, "other1": KINDS + 21 + 19}
    for key, number in first.items():
        content[WEIGHTS + places[key] * SIZE] = number
    return Roles(content.tobytes())


def numbers(given: Roles, *found: Candidate) -> list[list[int]]:
    opened = [Open(ParamType.STRING, WANTED, found)]
    return [row.tolist() for row in pair_numbers(rows(), given, PROMPT, opened)[0]]


def test_words_around_a_candidate_are_told_apart() -> None:
    rome, oslo, *none = numbers(roles(), ROME, OSLO)
    first = {word: int(rows().of(word.encode())[0]) for word in PROMPT.decode().lower().split()}
    before = first["fly"] + first["from"]
    assert rome[:3] == [
        first["rome"] * 7 >> 5,
        before * 7 * 64 >> 11,
        (first["to"] + first["oslo"]) * 7 * 64 >> 11,
    ]
    assert oslo[:3] == [
        first["oslo"] * 7 >> 5,
        (before + first["rome"] + first["to"]) * 7 * 64 >> 11,
        first["today"] * 7 * 64 >> 11,
    ]
    assert none == [[0] * 6] * 6


def test_kinds_and_links_count_by_their_rows() -> None:
    rome, oslo = numbers(roles(name=100, from0=-50, to0=20, other1=9), ROME, OSLO)[:2]
    assert rome[3:] == [700 >> 4, (-50 + 9) * 7 >> 4, 1]
    assert oslo[3:] == [700 >> 4, (20 + 9) * 7 >> 4, 1]


def test_every_kind_and_every_link_has_a_role() -> None:
    assert len(Kind) == KINDS
    assert len(LINKS) + 2 == LINK_COUNT


def test_links_are_seen_at_three_seats() -> None:
    seen = Surroundings(PROMPT).of(ROME)
    other, none = len(LINKS), len(LINKS) + 1
    assert [link - KINDS for link in seen.links] == [0, 21 + other, 42 + 1]
    alone = Surroundings(b"Rome").of(Candidate(Kind.NAME, 0, 4, 0, 1))
    assert [link - KINDS for link in alone.links] == [none, 21 + none, 42 + none]


def test_a_word_that_a_candidate_cuts_is_on_neither_side() -> None:
    (cut, *_) = candidates(b"tell Bob's wife", ParamType.STRING)
    seen = Surroundings(b"tell Bob's wife").of(cut)
    assert (cut.start, cut.end) == (5, 8)
    assert (seen.inside, seen.before, seen.behind) == ((), (0,), (2,))


def test_a_parameter_is_a_direction_of_four_bits() -> None:
    found = of_parameter(rows(), b"to", b"fly")
    assert found.min() >= -8
    assert found.max() <= 7
    assert not of_parameter(rows(), b"", b"").any()


@pytest.mark.parametrize(
    ("types", "bits"),
    [
        ((), 0),
        ((ParamType.STRING,), 0),
        ((ParamType.STRING, ParamType.STRING), 1),
        ((ParamType.STRING, ParamType.UINT, ParamType.INT), 1 << 5),
        ((ParamType.INT_ARRAY, ParamType.UINT, ParamType.UINT_ARRAY), 1 << 1),
        ((ParamType.BOOL,) * 6, (1 << 15) - 1),
    ],
)
def test_parameters_of_one_type_share_candidates(types: tuple[ParamType, ...], bits: int) -> None:
    assert sharing(types) == bits
    assert pair_features(np.zeros((6, 8, 6), dtype=np.int64), types) == (*(0,) * 144, bits)


@pytest.mark.parametrize("size", [0, ROLES_BYTES - 1, ROLES_BYTES + 1])
def test_a_file_of_another_size_has_no_roles(size: int) -> None:
    with pytest.raises(ModelError, match=str(size)):
        Roles(bytes(size))
