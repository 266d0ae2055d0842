"""Linear combinations of wires: what a constraint has on each of its three sides.

Coefficients are Python integers, signed and as small as they came; they become field elements when
they are written. A sum without terms is 0.
"""

from collections.abc import Iterable, Mapping

#: wire -> coefficient; none is 0.
Sum = dict[int, int]

ONE = 0  # the wire that is always 1


def constant(value: int) -> Sum:
    return {ONE: value} if value else {}


def wire(number: int) -> Sum:
    return {number: 1}


def is_wire(total: Sum) -> bool:
    """Whether the sum is one wire and nothing else."""
    return len(total) == 1 and ONE not in total and 1 in total.values()


def is_constant(total: Sum) -> bool:
    return not total or total.keys() == {ONE}


def combined(terms: Iterable[tuple[int, Mapping[int, int]]]) -> Sum:
    """The sum of all sums, each times its factor."""
    result: Sum = {}
    for factor, total in terms:
        if not factor:
            continue
        for number, coefficient in total.items():
            result[number] = result.get(number, 0) + factor * coefficient
    return {number: coefficient for number, coefficient in result.items() if coefficient}


def plus(left: Sum, right: Sum) -> Sum:
    return combined(((1, left), (1, right)))


def minus(left: Sum, right: Sum) -> Sum:
    return combined(((1, left), (-1, right)))


def times(total: Sum, factor: int) -> Sum:
    return combined(((factor, total),))


__all__ = ["ONE", "Sum", "combined", "constant", "is_constant", "is_wire", "minus", "plus"]
__all__ += ["times", "wire"]
