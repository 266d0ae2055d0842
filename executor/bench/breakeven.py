"""Where verifying a proof becomes cheaper than computing in the EVM.

Evaluation grows with the network's multiply-adds, verification hardly does. Both are measured on
networks of one shape and growing width; between two measured widths the costs are taken to grow
linearly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from zkagent.executor.bench.results import Case, Results

Point = tuple[float, float]  # multiply-adds, gas per decision
PROOFS = ("zkagent", "groth16")  # forms


@dataclass(frozen=True)
class Crossing:
    """From `multiply_adds` on, a proof for `batch` decisions, or so many Groth16 proofs that are
    verified together, costs less per decision, `gas`.

    measured: whether both costs were measured on either side, so that nothing is extrapolated.
    """

    batch: int
    multiply_adds: float
    gas: float
    measured: bool
    form: str = PROOFS[0]


def line(results: Results, form: str, batch: int, family: Sequence[str]) -> list[Point]:
    """Gas per decision by multiply-adds, for the measured networks of these families.

    Of networks with as many multiply-adds the one that costs least."""
    found: dict[float, float] = {}
    for case in results.of_form(form, batch):
        network = results.network(case.network)
        gas = case.gas_per_decision
        if network.family in family and network.multiply_adds and gas is not None:
            adds = float(network.multiply_adds)
            found[adds] = min(gas, found.get(adds, gas))
    return sorted(found.items())


SQUARES = ("width", "64-32-8 MLP")  # 64-H-8 with squares, random or trained


def crossings(results: Results) -> list[Crossing]:
    """One for each form and batch size that some square network was verified with."""
    evaluated = line(results, "evm", 1, SQUARES)
    found = []
    for form in PROOFS:
        for batch in sorted({case.batch for case in _squares(results, form)}):
            verified = line(results, form, batch, SQUARES)
            if crossing := _crossing(batch, evaluated, verified):
                found.append(replace(crossing, form=form))
    return found


def _squares(results: Results, form: str) -> list[Case]:
    cases = results.of_form(form)
    return [case for case in cases if results.network(case.network).family in SQUARES]


def _crossing(batch: int, evaluated: list[Point], verified: list[Point]) -> Crossing | None:
    """None when there are too few points for a line, or evaluation never becomes dearer."""
    if len(evaluated) < 2 or not verified:
        return None
    pieces = list(pairwise(evaluated))
    for piece in pieces:
        at = _meeting(*piece, verified)
        if at is not None and piece[0][0] <= at <= piece[1][0]:
            return Crossing(batch, at, interpolate(verified, at), at <= verified[-1][0])
    at = _meeting(*pieces[-1], verified)
    if at is None or at < evaluated[-1][0]:
        return None
    return Crossing(batch, at, interpolate(verified, at), False)


def _meeting(low: Point, high: Point, verified: list[Point]) -> float | None:
    """Where the line through two points of evaluation reaches verification's cost; None if not.

    Verification is nearly flat, so that its cost at the answer is found by a few repetitions.
    """
    slope = (high[1] - low[1]) / (high[0] - low[0])
    if slope <= 0:
        return None
    at = high[0]
    for _ in range(50):
        at = low[0] + (interpolate(verified, at) - low[1]) / slope
    return at if at > 0 else None


def interpolate(points: Sequence[Point], at: float) -> float:
    """Linear between the points, flat outside of them."""
    if at <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in pairwise(points):
        if at <= x1:
            return y0 + (y1 - y0) * (at - x0) / (x1 - x0)
    return points[-1][1]


__all__ = ["PROOFS", "SQUARES", "Crossing", "Point", "crossings", "interpolate", "line"]
