"""The verifier's fraction is the plain formula: by algebra for any x, omega and values, in numbers
on cases; and no sum on the way leaves 256 bits."""

import pytest
import sympy

from tests.circuits.halo2 import fraction
from tests.circuits.halo2.fraction import (
    COUNT,
    EVALUATORS,
    WORD,
    compare,
    constants,
    patched,
    root_of_unity,
    with_memory,
)
from zkagent.circuits.bn254.field import R
from zkagent.circuits.halo2 import verifier_instances


def algebra(count: int) -> tuple[sympy.Expr, sympy.Expr]:
    """The verifier's value and the plain one, as expressions; in the field r is zero."""
    x, omega, common = sympy.symbols("x omega common")
    values = list(sympy.symbols(f"v:{count}"))
    names = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "mulmod": lambda a, b, _: sympy.cancel(a * b),
        "lt": lambda a, b: a < b if isinstance(a, int) and isinstance(b, int) else 1,
        "and_": lambda a, b: 1,
        "inverse": lambda a: 1 / a,
        "r": 0,
        **with_memory(values, x, omega, common),
        **constants(omega, count % 2 == 1, lambda a: 1 / sympy.sympify(a), None),
    }
    found = EVALUATORS[count % 2 == 1](names)
    terms = [v * omega**i / (x - omega**i) for i, v in enumerate(values)]
    return found, common * sum(terms)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_fraction_is_the_plain_formula(count: int) -> None:
    found, plain = algebra(count)
    assert sympy.cancel(found - plain) == 0


def test_one_more_pair_adds_its_two_terms() -> None:
    """The step of the induction: any fraction before, any power W of omega."""
    x, omega, W, v, w, num, den = sympy.symbols("x omega W v w num den")
    a, c, y = x**2 / W, -omega * W, omega * x
    n = v * (x + c) + w * (y + c)
    d = a - x - y - c
    pair = v * W / (x - W) + w * omega * W / (x - omega * W)
    assert sympy.cancel(n / d - pair) == 0
    assert sympy.cancel((num * d + n * den) / (den * d) - (num / den + pair)) == 0
    following = {W: omega**2 * W}
    assert sympy.cancel(a / omega**2 - a.subs(following)) == 0
    assert sympy.expand(c * omega**2 - c.subs(following)) == 0


def test_random_and_extreme_values_agree() -> None:
    compare(2000, seed=1)


def test_a_value_out_of_the_field_is_refused() -> None:
    omega = root_of_unity(5)
    for place in range(5):
        values = [1, 2, 3, 4, 5]
        assert patched(values, 77, omega, 32)[1]
        values[place] += R
        assert not patched(values, 77, omega, 32)[1]


def test_no_sum_leaves_256_bits() -> None:
    """The text again, on bounds (least, most); reduced numbers lie in [0, r)."""
    reduced = (0, R - 1)
    names = {
        "add": lambda a, b: a + b if isinstance(a, int) else bounds(a[0] + b[0], a[1] + b[1]),
        "sub": lambda a, b: bounds(pair(a)[0] - pair(b)[1], pair(a)[1] - pair(b)[0]),
        "mul": lambda a, b: a * b,
        "mulmod": lambda a, b, _: reduced,
        "lt": lambda a, b: a < b if isinstance(a, int) else 1,
        "and_": lambda a, b: 1,
        "inverse": lambda a: reduced,
        "r": R,
        **with_memory([reduced] * 7, reduced, reduced, reduced),
        **dict.fromkeys(("START_INVERSE", "MINUS", "BACK", "ON"), reduced),
    }
    for odd, values in ((True, 7), (False, 6)):
        names["mstore"](COUNT, values)
        assert EVALUATORS[odd](dict(names)) == reduced


def pair(number: int | tuple[int, int]) -> tuple[int, int]:
    return (number, number) if isinstance(number, int) else number


def bounds(least: int, most: int) -> tuple[int, int]:
    assert 0 <= least <= most < WORD
    return least, most


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("add(y, c)", "add(mload(X_MPTR), c)"),
        ("let num := 0", "let num := 1"),
        ("den := mulmod(den, d, r)", "den := mulmod(den, n, r)"),
        ("num := add(mulmod(num, d, r)", "num := sub(mulmod(num, d, r)"),
        ("a := mulmod(a, %(a_step)s, r)", "a := mulmod(a, %(c_step)s, r)"),
    ],
)
def test_a_changed_text_is_noticed(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    assert verifier_instances.FRACTION.count(before) == 1
    changed = verifier_instances.FRACTION.replace(before, after)
    monkeypatch.setattr(fraction, "FRACTION", changed)
    broken = {odd: fraction.evaluator(odd) for odd in (False, True)}
    monkeypatch.setattr(fraction, "EVALUATORS", broken)
    with pytest.raises(AssertionError):
        compare(100, seed=1)
