"""A development set-up: keys made of secrets that this process drew, so proofs mean something only
to those who trust it. For local chains, like ezkl's development set-ups; elsewhere, a ceremony.

Groth, "On the Size of Pairing-based Non-interactive Arguments" (2016), in the form of snarkjs:
gamma is 1, and h belongs to the odd powers of a root of twice the order, on which a prover divides.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import GENERATOR_G2, multiples_g1, multiples_g2
from zkagent.circuits.groth16.constraints.compiler import Compiled
from zkagent.circuits.groth16.constraints.sums import ONE, Sum
from zkagent.circuits.groth16.constraints.wires import Constraint
from zkagent.circuits.groth16.keys.zkey import ProvingKey, VerifyingKey, zkey_file
from zkagent.models.whole import write_file

Point = TypeVar("Point")
MOST_LOGROWS = 27  # of the 28 that the field has, one is for the odd powers
ROOT = pow(5, (R - 1) >> 28, R)  # of order 2^28


@dataclass(frozen=True)
class Secrets:
    """Whoever knows them proves anything."""

    tau: int
    alpha: int
    beta: int
    delta: int


def drawn() -> Secrets:
    return Secrets(*(1 + secrets.randbelow(R - 1) for _ in range(4)))


def make_keys(compiled: Compiled, draw: Callable[[], Secrets] = drawn) -> ProvingKey:
    """The keys of a circuit; takes about a millisecond for each wire."""
    secret, public = draw(), compiled.public
    domain = compiled.domain
    assert domain <= 1 << MOST_LOGROWS
    basis = lagrange(secret.tau, domain)
    a, b, c = polynomials(compiled.constraints, compiled.wires, public, basis)
    mixed = [(secret.beta * x + secret.alpha * y + z) % R for x, y, z in zip(a, b, c, strict=True)]
    shrink = pow(secret.delta, -1, R)
    h = [value * shrink for value in lagrange(secret.tau, 2 * domain)[1::2]]
    private = [value * shrink for value in mixed[public + 1 :]]
    alpha, beta, delta, *ic = _finite(
        multiples_g1([secret.alpha, secret.beta, secret.delta, *mixed[: public + 1]])
    )
    beta_g2, delta_g2 = _finite(multiples_g2([secret.beta, secret.delta]))
    return ProvingKey(
        VerifyingKey(alpha, beta_g2, GENERATOR_G2, delta_g2, tuple(ic)),
        beta,
        delta,
        domain,
        compiled.constraints,
        multiples_g1(a),
        multiples_g1(b),
        multiples_g2(b),
        multiples_g1(private),
        multiples_g1(h),
    )


def write_files(compiled: Compiled, solver: Path, zkey: Path) -> None:
    """What a prover needs, with a key for local chains only. Raises OSError."""
    write_file(solver, compiled.solver.to_bytes())
    write_file(zkey, zkey_file(make_keys(compiled)))


def _finite(points: Sequence[Point | None]) -> list[Point]:
    """Secrets are not 0, and each public word has a row of its own, so none of these is infinity
    but by a chance of 1 in 2^250."""
    found = [point for point in points if point is not None]
    assert len(found) == len(points)
    return found


def lagrange(tau: int, size: int) -> list[int]:
    """L_i(tau) of the powers of a root of this order: (tau^n - 1) / n * w^i / (tau - w^i)."""
    root = pow(ROOT, (1 << 28) // size, R)
    powers = [1]
    for _ in range(size - 1):
        powers.append(powers[-1] * root % R)
    scale = (pow(tau, size, R) - 1) * pow(size, -1, R) % R
    assert scale  # tau is none of them, but for one in 2^200
    inverses = _inverses([tau - power for power in powers])
    return [
        scale * power % R * inverse % R for power, inverse in zip(powers, inverses, strict=True)
    ]


def polynomials(
    constraints: Sequence[Constraint], wires: int, public: int, basis: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Each wire's three polynomials at tau. One and the public words have rows of their own."""
    sides = [0] * wires, [0] * wires, [0] * wires
    for row, value in zip(constraints, basis, strict=False):
        for total, found in zip((row.a, row.b, row.c), sides, strict=True):
            _add(found, total, value)
    for wire in range(ONE, public + 1):
        _add(sides[0], {wire: 1}, basis[len(constraints) + wire])
    a, b, c = ([value % R for value in side] for side in sides)
    return a, b, c


def _add(found: list[int], total: Sum, value: int) -> None:
    for wire, factor in total.items():
        found[wire] += factor * value


def _inverses(values: Sequence[int]) -> list[int]:
    products = [1]
    for value in values:
        products.append(products[-1] * value % R)
    inverse, found = pow(products[-1], -1, R), []
    for value, product in zip(reversed(values), reversed(products[:-1]), strict=True):
        found.append(inverse * product % R)
        inverse = inverse * value % R
    return found[::-1]


__all__ = ["Secrets", "drawn", "lagrange", "make_keys", "polynomials", "write_files"]
