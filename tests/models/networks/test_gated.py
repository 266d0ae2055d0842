"""The gated network's file computes what its equations say, whatever stands behind the text."""

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

UNITS, SEEN, HIDDEN = 5, 4, 6
Codes = list[list[int]]  # a token's bits, the first of which says that there is one


def weights(seed: int, units: int = UNITS, seen: int = SEEN, hidden: int = HIDDEN) -> GatedWeights:
    rng = np.random.default_rng(seed)

    def drawn(most: int, *shape: int) -> np.ndarray:
        return rng.integers(-most, most, shape, endpoint=True)

    return GatedWeights(
        gates=drawn(3, 2, 2 * units, 3 * CODE_BITS + units), gate_bias=drawn(6, 2, 2 * units),
        seen=drawn(5, seen, 2 * units + CODE_BITS), seen_bias=drawn(9, seen),
        hidden=drawn(4, hidden, seen + 4 * units), hidden_bias=drawn(99, hidden),
        scores=drawn(9, 5, hidden), score_bias=drawn(99, 5),
        tags=drawn(9, 6, 2 * units + seen), tag_bias=drawn(9, 6), tag_unit=7,
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
    hidden = relu(total(w.hidden, [*pooled, *sums, *last, *first], w.hidden_bias))
    *others, act = total(w.scores, hidden, w.score_bias)
    tagged = [total(w.tags, [*s, *r], w.tag_bias) for s, r in zip(states, seen, strict=True)]
    tags = [largest(scored) for scored in tagged]
    apart = [w.tag_unit * gap(s) for s, code in zip(tagged, codes, strict=True) if code[1]]
    beyond = largest(total(w.tags, [*behind[0], *[0] * len(pooled)], w.tag_bias)) if behind else 0
    digits = [*tags, *[beyond] * (TOKENS - len(codes))]
    numbers = [
        sum(tag * 8 ** (14 - i) for i, tag in enumerate(digits[n : n + 15])) for n in (0, 15)
    ]
    return min([act - max(others), *apart]), (largest(others) << 45) + numbers[0], numbers[1]


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


@pytest.mark.parametrize("seed", range(4))
def test_its_file_computes_what_the_equations_say(seed: int) -> None:
    """Texts of one token and of 30 among them; states, tags and scores are not all the same."""
    w, rng = weights(seed), np.random.default_rng(100 + seed)
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


def test_its_constraints_agree(tmp_path: Path) -> None:
    w, rng = weights(5), np.random.default_rng(6)
    compiled = compile_program(read_program(export_gated(w)))
    x = [features(drawn_codes(rng, count)) for count in (0, 1, 17, 30)]
    x += rng.integers(-(1 << 15), 1 << 15, (4, 90)).tolist()
    agree(tmp_path, compiled, x, [infer(export_gated(w), row) for row in x])
    assert compiled.public == 6 + 1


def test_the_same_weights_give_the_same_bytes() -> None:
    assert export_gated(weights(1)) == export_gated(weights(1))
    assert export_gated(weights(1)) != export_gated(weights(2))
