"""The gated network's file computes what its equations say, whatever stands behind the text."""

from collections.abc import Callable
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from tests.circuits.groth16.constraints.test_agreement import agree
from tests.support.integer_networks import infer
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.program.reader import read_program
from zkagent.models.instructions.codes import CODE_BITS
from zkagent.models.instructions.packing import TOKENS
from zkagent.models.networks.gated import GatedWeights, export_gated
from zkagent.models.networks.products import AROUND, ProductWeights, Reading

UNITS, SEEN, HIDDEN = 5, 4, 6
Codes = list[list[int]]  # a token's bits, the first of which says that there is one


def weights(
    seed: int,
    units: int = UNITS,
    seen: int = SEEN,
    hidden: int = HIDDEN,
    *,
    near: int = 0,
    far: int = 3,
) -> GatedWeights:
    """near: how many products; none, and no `far` ones, by default."""
    rng = np.random.default_rng(seed)

    def drawn(most: int, *shape: int) -> np.ndarray:
        return rng.integers(-most, most, shape, endpoint=True)

    return GatedWeights(
        gates=drawn(3, 2, 2 * units, 3 * CODE_BITS + units), gate_bias=drawn(6, 2, 2 * units),
        seen=drawn(5, seen, 2 * units + CODE_BITS), seen_bias=drawn(9, seen),
        hidden=drawn(4, hidden, seen + 4 * units), hidden_bias=drawn(99, hidden),
        scores=drawn(9, 5, hidden), score_bias=drawn(99, 5),
        tags=drawn(9, 6, 2 * units + seen), tag_bias=drawn(9, 6), tag_unit=7,
        products=product_weights(drawn, units, hidden, near, far) if near else None,
    )  # fmt: skip


def product_weights(
    drawn: Callable[..., np.ndarray], units: int, hidden: int, near: int, far: int
) -> ProductWeights:
    signs, both = AROUND * CODE_BITS + 2 * units, near + far + 1

    def reading(count: int, columns: int) -> Reading:
        return Reading(*(drawn(1, count, columns) for _ in range(3)))

    return ProductWeights(
        first=drawn(1, near, signs), second=drawn(1, near, signs), third=drawn(1, far, signs),
        fourth=reading(far, near + 1), tags=reading(6, both), hidden=drawn(1, hidden, both),
    )  # fmt: skip


def drawn_codes(rng: np.random.Generator, count: int) -> Codes:
    return [[1, *rng.integers(0, 2, CODE_BITS - 1).tolist()] for _ in range(count)]


def features(codes: Codes) -> list[int]:
    """Three int16 a token, the first bit the highest; zeros behind the last."""
    found = []
    for code in [*codes, *[[0] * CODE_BITS] * (TOKENS - len(codes))]:
        number = int("".join(map(str, code)), 2)
        found += np.frombuffer(number.to_bytes(6, "big"), ">i2").tolist()
    return found


def computed(w: GatedWeights, codes: Codes) -> tuple[int, int, int]:
    """By the equations, in Python's integers, over the tokens that there are alone."""
    none = [0] * CODE_BITS
    around = [none, *codes, none]
    runs = []
    for direction in (0, 1):
        state, states = [0] * w.units, {}
        for at in range(len(codes))[:: -1 if direction else 1]:
            given = [*around[at], *around[at + 1], *around[at + 2], *state]
            z = total(w.gates[direction], given, w.gate_bias[direction])
            gates, values = z[: w.units], z[w.units :]
            state = [
                int(k > 0) if f > 0 else s for f, k, s in zip(gates, values, state, strict=True)
            ]
            states[at] = state
        runs.append(([states[at] for at in range(len(codes))], state))
    (forwards, last), (backwards, first) = runs
    states = [a + b for a, b in zip(forwards, backwards, strict=True)]
    seen = [relu(total(w.seen, [*s, *c], w.seen_bias)) for s, c in zip(states, codes, strict=True)]
    behind = [[*last, *[0] * w.units]] * (TOKENS - len(codes))  # states stay as they are
    pooled = [sum(column) for column in zip(*seen, strict=True)]
    sums = [sum(column) for column in zip(*states, *behind, strict=True)]
    found = products(w.products, codes, states) if w.products else [[0]] * TOKENS
    read = np.concatenate([w.hidden, w.products.hidden], axis=1) if w.products else w.hidden
    given = [*pooled, *sums, *last, *first, *(added(found) if w.products else [])]
    hidden = relu(total(read, given, w.hidden_bias))
    *others, act = total(w.scores, hidden, w.score_bias)
    tagged = [total(w.tags, [*s, *r], w.tag_bias) for s, r in zip(states, seen, strict=True)]
    silent = total(w.tags, [*last, *[0] * (w.units + len(pooled))], w.tag_bias)
    tagged += [silent] * (TOKENS - len(codes))
    if w.products:
        more = read_of(w.products.tags, found)
        tagged = [
            [a + b for a, b in zip(*both, strict=True)] for both in zip(tagged, more, strict=True)
        ]
    tags = [largest(scored) for scored in tagged]
    apart = [w.tag_unit * gap(s) for s, code in zip(tagged, codes, strict=False) if code[1]]
    numbers = [sum(tag * 8 ** (14 - i) for i, tag in enumerate(tags[n : n + 15])) for n in (0, 15)]
    return min([act - max(others), *apart]), (largest(others) << 45) + numbers[0], numbers[1]


def products(w: ProductWeights, codes: Codes, states: list[list[int]]) -> list[list[int]]:
    """By the equations, at all 30 places."""
    margin, found = AROUND // 2, []
    signed = [[2 * bit - 1 for bit in code] for code in codes]
    padded = [[0] * CODE_BITS] * margin + signed + [[0] * CODE_BITS] * (margin + TOKENS)
    own = [[2 * bit - 1 for bit in state] for state in states]
    own += [[0] * len(own[0])] * (TOKENS - len(own))
    none = np.zeros(1000, dtype=np.int64)
    signs = [[*chain(*padded[at : at + AROUND]), *own[at]] for at in range(TOKENS)]
    for at, given in enumerate(signs):
        first, second = (total(side, given, none[: len(side)]) for side in (w.first, w.second))
        found.append([a * b for a, b in zip(first, second, strict=True)] + [int(at < len(codes))])
    rows = []
    for given, near, read in zip(signs, found, read_of(w.fourth, found), strict=True):
        third = total(w.third, given, none[: len(w.third)])
        rows.append([*near[:-1], *(a * b for a, b in zip(third, read, strict=True)), near[-1]])
    return rows


def read_of(w: Reading, given: list[list[int]]) -> list[list[int]]:
    """At each place, of what is there, up to it and from it on."""
    none = np.zeros(len(w.own), dtype=np.int64)
    return [
        total(
            np.concatenate([w.own, w.up_to, w.from_on], axis=1),
            [*row, *added(given[: at + 1]), *added(given[at:])],
            none,
        )
        for at, row in enumerate(given)
    ]


def added(rows: list[list[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def gap(scored: list[int]) -> int:
    *_, second, first = sorted(scored)
    return first - second


def total(matrix: np.ndarray, given: list[int], bias: np.ndarray) -> list[int]:
    return [
        sum(w * v for w, v in zip(row, given, strict=True)) + b
        for row, b in zip(matrix.tolist(), bias.tolist(), strict=True)
    ]


def relu(numbers: list[int]) -> list[int]:
    return [max(number, 0) for number in numbers]


def largest(numbers: list[int]) -> int:
    return numbers.index(max(numbers))


@pytest.mark.parametrize("near", [0, 4])
@pytest.mark.parametrize("seed", range(4))
def test_its_file_computes_what_the_equations_say(seed: int, near: int) -> None:
    """Texts of one token and of 30 among them; states, tags and scores are not all the same."""
    w, rng = weights(seed, near=near), np.random.default_rng(100 + seed)
    content, found = export_gated(w), []
    for count in (1, 2, 3, 14, 15, 16, 29, 30, *rng.integers(1, 31, 12)):
        codes = drawn_codes(rng, int(count))
        y = infer(content, features(codes))
        assert tuple(y) == computed(w, codes), count
        found.append(y)
    assert len({y[0] for y in found}) > 5
    assert len({y[1] % (1 << 45) for y in found}) > 5


def test_a_code_without_its_first_bit_changes_no_state() -> None:
    """What stands behind the text is no token, whatever its other bits: the contract writes zeros
    there, and the proof is of what it wrote."""
    w, rng = weights(7), np.random.default_rng(8)
    codes = drawn_codes(rng, 3)
    x = features([*codes, [0] * CODE_BITS, [0, *[1] * (CODE_BITS - 1)]])
    closed = infer(export_gated(w), features([*codes, [0] * CODE_BITS, [0] * CODE_BITS]))
    assert infer(export_gated(w), x)[0] == closed[0]
    there = features([*codes, [0] * CODE_BITS, [1] * CODE_BITS])
    assert infer(export_gated(w), there)[0] != closed[0]


@pytest.mark.parametrize("near", [0, 4])
def test_its_constraints_agree(tmp_path: Path, near: int) -> None:
    w, rng = weights(5, near=near), np.random.default_rng(6)
    compiled = compile_program(read_program(export_gated(w)))
    x = [features(drawn_codes(rng, count)) for count in (0, 1, 17, 29, 30)]
    x += rng.integers(-(1 << 15), 1 << 15, (4, 90)).tolist()
    agree(tmp_path, compiled, x, [infer(export_gated(w), row) for row in x])
    assert compiled.public == 6 + 1


def test_the_same_weights_give_the_same_bytes() -> None:
    assert export_gated(weights(1)) == export_gated(weights(1))
    assert export_gated(weights(1)) != export_gated(weights(2))
