"""Worst cases: proof, at build time, that no integer of a model can leave 64 bits for any prompt.

Interval arithmetic over the network, in Python integers. An input lane of the text segment sums at
most 256 table entries, a local lane at most 11, a count is at most COUNT_LIMIT * COUNT_UNIT.
"""

from dataclasses import dataclass

import numpy as np

from zkagent.models.encoding.encoder import COUNT_LIMIT, COUNT_UNIT, WINDOW, Table
from zkagent.models.encoding.tokens import MAX_TOKENS
from zkagent.models.errors import BoundExceeded
from zkagent.models.networks.policy import PolicyWeights, Weights

MAX_NGRAMS = 4 * MAX_TOKENS
MAX_LOCAL_ROWS = 2 * WINDOW + 3
INT16_MAX, INT64_MAX = (1 << 15) - 1, (1 << 63) - 1


@dataclass(frozen=True)
class Bounds:
    """Largest magnitudes reached: of any feature, any hidden unit, any output."""

    feature: int
    hidden: int
    output: int


def check_bounds(weights: PolicyWeights, text_table: Table, local_table: Table) -> Bounds:
    """Bound every intermediate. Raises BoundExceeded when a feature could leave int16 or a sum
    int64."""
    text = _column_peaks(text_table, MAX_NGRAMS)
    counts = [COUNT_LIMIT * COUNT_UNIT] * (weights.trunk_inputs - len(text))
    local = _column_peaks(local_table, MAX_LOCAL_ROWS)
    h, y = _layer_pair(text + counts, weights.w1, weights.b1, weights.w2, weights.b2)
    g, s = _layer_pair(local, weights.c1, weights.d1, weights.c2, weights.d2)
    bounds = Bounds(max(text + counts + local), max(h, g), max(y, s))
    if bounds.feature > INT16_MAX:
        raise BoundExceeded(
            f"a feature could reach {bounds.feature}, int16 ends at {INT16_MAX}: scale the tables"
        )
    if max(bounds.hidden**2, bounds.output) > INT64_MAX:
        raise BoundExceeded(
            f"an output could reach {bounds.output} and a square {bounds.hidden**2}, "
            f"int64 ends at {INT64_MAX}: use fewer weight bits"
        )
    return bounds


def _column_peaks(table: Table, rows: int) -> list[int]:
    return [rows * int(peak) for peak in np.abs(table.astype(np.int64)).max(axis=0)]


def _layer_pair(
    peaks: list[int], w: Weights, b: Weights, v: Weights, c: Weights
) -> tuple[int, int]:
    """Peak of the hidden units and of the outputs; partial sums are bounded by the sum of
    magnitudes."""
    hidden = _affine([int(p) for p in peaks], w, b)
    return max(hidden), max(_affine([h * h for h in hidden], v, c))


def _affine(peaks: list[int], w: Weights, b: Weights) -> list[int]:
    return [
        sum(p * abs(int(weight)) for p, weight in zip(peaks, column, strict=True)) + abs(int(bias))
        for column, bias in zip(w.T, b, strict=True)
    ]
