"""Expressions and statements of an EVM model for single numbers, in Yul."""

from collections.abc import Iterable, Sequence
from functools import reduce

from zkagent.circuits.program.program import Activation, Operator
from zkagent.verifier_contracts.evm.fusing import Field
from zkagent.verifier_contracts.evm.product import ACTIVATED, sums

WORD_BITS = 256


def stored(target: str, value: str) -> str:
    return f"mstore({target}, {value})"


def of_two(target: str, operator: Operator, a: str, b: str) -> str:
    if operator is not Operator.MAX:
        return stored(target, f"{operator}({a}, {b})")
    return f"{{ let a := {a} let b := {b} mstore({target}, xor(b, mul(xor(a, b), sgt(a, b)))) }}"


def field(feature: str, field: Field, input_bits: int) -> str:
    """Of a feature, which is extended by its sign."""
    if not field.signed:
        shifted = f"shr({field.low}, {feature})" if field.low else feature
        return f"and({shifted}, {(1 << field.width) - 1:#x})"
    if field.low + field.width == input_bits:
        return f"sar({field.low}, {feature})" if field.low else feature
    if not field.low and field.width % 8 == 0:
        return f"signextend({field.width // 8 - 1}, {feature})"
    above = WORD_BITS - field.low - field.width
    return f"sar({WORD_BITS - field.width}, shl({above}, {feature}))"


def unless_zeros(features: Sequence[str], statements: Sequence[str]) -> str:
    """Statements that would write zeros, where nothing was written before, if all of these are."""
    return f"if {any_of(features)} {{ {' '.join(statements)} }}"


def any_of(numbers: Sequence[str]) -> str:
    """Zero if all are."""
    return reduce(lambda a, b: f"or({a}, {b})", numbers)


def weighed_sum(
    target: str, terms: Sequence[tuple[int, Sequence[str]]], bias: int, activation: Activation
) -> str:
    """activation(bias + all weights times the product of their numbers), stored."""
    weights = {weight for weight, _ in terms}
    common = weights.pop() if len(weights) == 1 else 1
    plain = [_times(weight if common == 1 else 1, numbers) for weight, numbers in terms]
    lines = ["let t := 0", *sums("t", plain)]
    if common != 1:
        lines.append(f"t := mul(t, {_word(common)})")
    if bias:
        lines.append(f"t := add(t, {_word(bias)})")
    return f"{{ {' '.join(lines)} mstore({target}, {ACTIVATED.get(activation, 't')}) }}"


def _times(weight: int, numbers: Sequence[str]) -> str:
    product = numbers[0] if len(numbers) == 1 else f"mul({numbers[0]}, {numbers[1]})"
    return product if weight == 1 else f"mul({product}, {_word(weight)})"


def _word(value: int) -> str:
    return f"{value % (1 << WORD_BITS):#x}"


def chosen(target: str, which: str, yes: str, no: str) -> str:
    return f"{{ let no := {no} mstore({target}, xor(no, mul(xor(no, {yes}), {which}))) }}"


def largest(target: str, numbers: Iterable[str]) -> str:
    """The place of the largest, the first one of equals."""
    first, *others = numbers
    turns = " ".join(
        f"{{ let v := {number} if sgt(v, most) {{ most := v which := {place} }} }}"
        for place, number in enumerate(others, 1)
    )
    return f"{{ let most := {first} let which := 0 {turns} mstore({target}, which) }}"


__all__ = ["any_of", "chosen", "field", "largest", "of_two", "stored"]
__all__ += ["unless_zeros", "weighed_sum"]
