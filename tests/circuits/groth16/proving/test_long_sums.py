"""A key without its long sums proves the same: both keys say the same of every witness."""

import struct
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.support.integer_networks import mlp
from zkagent.circuits.bn254.field import R
from zkagent.circuits.errors import EngineError
from zkagent.circuits.groth16.constraints.compiler import Compiled, compile_program
from zkagent.circuits.groth16.constraints.sums import Sum
from zkagent.circuits.groth16.constraints.wires import Constraint, Family
from zkagent.circuits.groth16.keys.development import make_keys, write_files
from zkagent.circuits.groth16.keys.sections import open_sections
from zkagent.circuits.groth16.keys.zkey import (
    COEFFICIENT,
    ProvingKey,
    read_verifying_key,
    zkey_file,
)
from zkagent.circuits.groth16.proving import long_sums
from zkagent.circuits.groth16.proving.engine import Key
from zkagent.circuits.groth16.proving.long_sums import (
    LONG,
    MOST_WEIGHT,
    LongSums,
    without_long_sums,
)
from zkagent.circuits.program.reader import read_program

WIDE = 60
Sums = dict[tuple[int, int], Sum]


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    """Each hidden unit reads all of x, two thirds of the terms in long sums."""
    return compile_program(read_program(mlp(inputs=WIDE, hidden=5), 8))


@pytest.fixture(scope="module")
def keys(compiled: Compiled) -> ProvingKey:
    return make_keys(compiled)


@pytest.fixture
def split(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few terms there are."""
    monkeypatch.setattr(long_sums, "LEAST_TERMS", 0)
    monkeypatch.setattr(long_sums, "BLOCK_TERMS", 97)  # sums lie in several
    monkeypatch.setattr(long_sums, "PIECE_TERMS", 50)


def sums_in(zkey: Path) -> Sums:
    """The terms of each side of each row, as integers below the field's order."""
    found: Sums = {}
    with open_sections(zkey, b"zkey") as sections:
        content = sections.read(4, 1 << 30)
    for side, row, wire, factor in struct.iter_unpack("<III32s", content[4:]):
        number = int.from_bytes(factor, "little") * pow(COEFFICIENT, -1, R) % R
        found.setdefault((row, side), {})[wire] = number
    assert len(content) == 4 + 44 * struct.unpack("<I", content[:4])[0]
    return found


def values(sums: Sums, elements: Sequence[int]) -> dict[tuple[int, int], int]:
    return {
        place: sum(factor * elements[wire] for wire, factor in total.items()) % R
        for place, total in sums.items()
    }


def constraints(rows: Sequence[Sum]) -> list[Constraint]:
    return [Constraint(Family.SUM, a, b, {}) for a, b in pairwise(rows)]


def row(length: int, factor: int = 1) -> Sum:
    return dict.fromkeys(range(10, 10 + length), factor)


@pytest.mark.usefixtures("split")
def test_both_keys_say_the_same_of_every_witness(keys: ProvingKey, tmp_path: Path) -> None:
    random, file = Random(1), tmp_path / "a.zkey"
    rows = [
        {w: random.randrange(-99, 99) or 1 for w in random.sample(range(len(keys.a)), length)}
        for length in (1, 2, LONG - 1, LONG, LONG + 1, 200, 3, 300, 0, 250)
    ]
    file.write_bytes(zkey_file(replace(keys, constraints=constraints(rows))))
    before = sums_in(file)
    with without_long_sums(file) as (without, sums):
        after = sums_in(without)
    assert len(sums.starts) == sum(len(total) >= LONG for total in before.values()) == 9
    assert max(map(len, after.values())) == LONG - 1
    for most in (1, 1 << 31, 1 << 32, 1 << 63, 1 << 64, R - 1):
        elements = [random.choice((0, most, R - most, random.randrange(R))) for _ in keys.a]
        found = sums.of(elements)
        assert values(after, [*elements, *found]) == values(before, elements)


@pytest.mark.usefixtures("split")
def test_terms_may_stand_in_any_order(keys: ProvingKey, tmp_path: Path) -> None:
    file = tmp_path / "a.zkey"
    rows = [row(40, 3), row(50, -2), row(5), row(60, 7), row(45)]
    content = zkey_file(replace(keys, constraints=constraints(rows)))
    file.write_bytes(content)
    with open_sections(file, b"zkey") as sections:
        start, size = sections.found[4].offset + 4, sections.found[4].size - 4
    terms = [content[at : at + 44] for at in range(start, start + size, 44)]
    Random(2).shuffle(terms)
    file.write_bytes(content[:start] + b"".join(terms) + content[start + size :])
    elements = list(range(1, 1 + len(keys.a)))
    with without_long_sums(file) as (without, sums):
        after = sums_in(without)
        assert len(sums.starts) == 6
    assert values(after, [*elements, *sums.of(elements)]) == values(sums_in(file), elements)


@pytest.mark.usefixtures("split")
def test_sums_with_large_coefficients_stay_in_the_key(keys: ProvingKey, tmp_path: Path) -> None:
    """Also where two coefficients end in the same 64 bits."""
    at_most, more = row(LONG, 1), row(LONG, 1)
    at_most[10], more[10] = MOST_WEIGHT - LONG, MOST_WEIGHT - LONG + 1
    twin = (COEFFICIENT + (1 << 64)) * pow(COEFFICIENT, -1, R) % R
    alike = row(LONG, 1) | {12: twin}
    rows, file = [at_most, more, row(LONG, 1 << 200), alike, row(LONG, -1)], tmp_path / "a.zkey"
    file.write_bytes(zkey_file(replace(keys, constraints=constraints(rows))))
    elements = [R - (1 << 31)] * len(keys.a)
    with without_long_sums(file) as (without, sums):
        after, before = sums_in(without), sums_in(file)
    assert [(place, len(total)) for place, total in sorted(after.items())][:8] == [
        ((0, 0), 1), ((0, 1), LONG), ((1, 0), LONG), ((1, 1), LONG),
        ((2, 0), LONG), ((2, 1), LONG), ((3, 0), LONG), ((3, 1), 1),
    ]  # fmt: skip
    assert values(after, [*elements, *sums.of(elements)]) == values(before, elements)


def test_sums_are_exact_at_the_ends_of_their_digits() -> None:
    factors = np.array([MOST_WEIGHT - 3, 1, -1, 1 - MOST_WEIGHT], dtype=np.int32)
    sums = LongSums(np.array([0, 3]), np.array([0, 1, 2, 0], dtype=np.uint32), factors)
    powers = [1 << bits for bits in (0, 31, 32, 62, 63, 64, 95, 250)]
    ends = [sign * power + more for power in powers for sign in (1, -1) for more in (-1, 0, 1)]
    for first in ends:
        for second, third in zip(ends, reversed(ends), strict=True):
            given = [first, second, third]
            expected = [(MOST_WEIGHT - 3) * first + second - third, (1 - MOST_WEIGHT) * first]
            assert sums.of([number % R for number in given]) == expected


@pytest.mark.usefixtures("split")
def test_all_but_the_terms_stays_as_it_was(keys: ProvingKey, tmp_path: Path) -> None:
    file = tmp_path / "a.zkey"
    file.write_bytes(zkey_file(keys))
    with without_long_sums(file) as (without, sums), open_sections(without, b"zkey") as after:
        assert len(sums.starts) == 5
        content = {number: after.read(number, 1 << 30) for number in after.found}
    with open_sections(file, b"zkey") as before:
        for number in before.found.keys() - {4}:
            assert content[number] == before.read(number, 1 << 30)
        assert len(content[4]) < before.size(4)
    assert content.keys() == before.found.keys()
    assert not without.exists()


@pytest.fixture
def key(compiled: Compiled, tmp_path: Path, split: None) -> Key:
    pytest.importorskip("groth16py")
    write_files(compiled, tmp_path / "solver", tmp_path / "key")
    return Key(tmp_path / "key", read_verifying_key(tmp_path / "key"))


def test_its_proofs_hold_and_for_nothing_else(compiled: Compiled, key: Key) -> None:
    random = Random(3)
    for x in ([0] * WIDE, [-128, 127] * (WIDE // 2), random.choices(range(-128, 128), k=WIDE)):
        elements = compiled.witness(x).elements()
        words = elements[1 : 1 + compiled.public]
        proof = key.prove(elements)
        assert key.verify(proof, words)
        assert not key.verify(proof, [words[0] ^ 1, *words[1:]])
        assert not key.verify(proof, [*words[:-1], words[-1] ^ 1])
        assert not key.verify(proof[:-1] + bytes([proof[-1] ^ 1]), words)


def test_a_false_witness_has_no_true_proof(compiled: Compiled, key: Key) -> None:
    true = compiled.witness([1] * WIDE).elements()
    for wire in range(1, len(true), 13):
        elements = [*true]
        elements[wire] = (elements[wire] + 1) % R
        assert not key.verify(key.prove(elements), true[1 : 1 + compiled.public])


def test_a_false_sum_has_no_true_proof(
    compiled: Compiled, key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    elements, of = compiled.witness([1] * WIDE).elements(), LongSums.of
    words = elements[1 : 1 + compiled.public]
    assert key.verify(key.prove(elements), words)
    monkeypatch.setattr(
        LongSums, "of", lambda sums, given: [1 + of(sums, given)[0], *of(sums, given)[1:]]
    )
    assert not key.verify(key.prove(elements), words)


def test_a_key_with_few_terms_is_taken_as_it_is(keys: ProvingKey, tmp_path: Path) -> None:
    (file := tmp_path / "a.zkey").write_bytes(zkey_file(keys))
    with without_long_sums(file) as (same, sums):
        assert same == file
        assert sums.of([1] * len(keys.a)) == []


@pytest.mark.usefixtures("split")
def test_a_key_that_was_cut_off_is_an_error(
    compiled: Compiled, keys: ProvingKey, tmp_path: Path
) -> None:
    pytest.importorskip("groth16py")
    file = tmp_path / "a.zkey"
    file.write_bytes(zkey_file(keys)[:-1000])
    with pytest.raises(EngineError, match=r"failed to load the key: it was cut off"):
        Key(file, keys.verifying)
