"""From a circuit's settings to what its proof will cost, before anything is compiled.

What counts are columns, rows, tables and public values: ezkl lays three advice columns for each
inner column of each block of rows (its src/tensor/var.rs) and checks each table in each of them.
Gas, proof and code follow from the commitments and evaluations that a proof then has. Time and
memory have models of their own (zkagent.circuits.halo2.durations and footprint).

The coefficients are least squares over 52 circuits of ezkl 23.0.5 (MLPs with ReLU, integer networks
with squares, sigmoid, soft-max, convolution with pooling; 1 to 5 inner columns, 1 to 9 blocks, 2^8
to 2^15 rows), by relative error, with its root mean square and its largest value beside each.
"""

import math
from dataclasses import dataclass

from zkagent.circuits.halo2.columns import count_columns
from zkagent.circuits.halo2.durations import PROBE_CORE_S, proof_work
from zkagent.circuits.halo2.footprint import estimate_memory
from zkagent.circuits.halo2.settings import Settings, instance_count
from zkagent.circuits.halo2.tuning.objectives import Cost

MOST_CODE_BYTES = 24_576  # EIP-170
CODE_MARGIN = 0.9  # because code is predicted with an error of up to 10 %

# Of the verifier that halo2/verifier_patch.py makes, on a Cancun chain: 1 % and 4 %. The first is
# what circuits differ by that differ in their public values only.
GAS_PER_INSTANCE = 155.7
GAS = (130_400, 25_070, 37_800, 29_960, 71_120, 16_920, 16_560)
# Of the same verifier, compiled by solc 0.8.37 with the optimizer: 4 % and 10 %.
CODE_BYTES = (3_840, -798, 1_520, 704, 1_854, 461, 730)
# 2 % and 8 %.
PROOF_BYTES = (-47, 48, 345, 285, 615, 121, 233)
# Bytes of a proof and gas, seen on one small network, with and without tables.
HASHING, HASHING_ALONE = (960, 130_000), (480, 86_000)


@dataclass(frozen=True)
class Shape:
    """What a circuit's cost depends on.

    blocks: of 3 times inner_columns advice columns. tables: for range checks and look-ups.
    shuffled: whether it has the further columns of shuffles and dynamic look-ups.
    """

    logrows: int
    inner_columns: int
    blocks: int
    tables: int
    shuffled: bool
    instances: int

    @property
    def columns(self) -> int:
        """Inner columns of all blocks together."""
        return self.blocks * self.inner_columns

    @property
    def degree(self) -> int:
        """Of the constraints: a running product of inner columns; a table's look-up."""
        return max(self.inner_columns + 2, 5 if self.tables else 3)

    @property
    def permutations(self) -> int:
        """Products over the columns that copies connect: the advice, a constant, an instance."""
        connected = 3 * self.columns + 2 + 3 * self.shuffled
        return math.ceil(connected / (self.degree - 2))

    @property
    def verified(self) -> tuple[float, ...]:
        """What proof, gas and code grow with, beside a constant."""
        plain = 0 if self.tables else self.blocks
        checked = self.tables * self.columns
        return (1, plain, self.columns, checked, self.shuffled, self.degree, self.permutations)


def shape_of(settings: Settings) -> Shape:
    """Of a circuit with these settings, made by ezkl or estimated."""
    run = settings["run_args"]
    logrows, inner_columns = run["logrows"], run["num_inner_cols"]
    return Shape(
        logrows=logrows,
        inner_columns=inner_columns,
        blocks=count_columns(settings).blocks,
        tables=len(settings["required_range_checks"]) + len(settings["required_lookups"]),
        shuffled=bool(settings["total_dynamic_col_size"] or settings["total_shuffle_col_size"]),
        instances=instance_count(settings),
    )


def predict(settings: Settings) -> Cost:
    """What a proof under these settings will cost."""
    shape = shape_of(settings)
    more_bytes, more_gas = _hashing(settings, shape)
    gas = _dot(GAS, shape.verified) + GAS_PER_INSTANCE * shape.instances + more_gas
    return Cost(
        seconds=PROBE_CORE_S * proof_work(count_columns(settings)),
        peak_bytes=round(estimate_memory(settings).peak),
        proof_bytes=round(_dot(PROOF_BYTES, shape.verified)) + more_bytes,
        gas=round(gas),
    )


def _hashing(settings: Settings, shape: Shape) -> tuple[int, int]:
    """Bytes and gas that a circuit takes more that hashes anything."""
    if not settings["module_sizes"]["poseidon"][0]:
        return 0, 0
    return HASHING if shape.tables else HASHING_ALONE


def deployable(settings: Settings) -> bool:
    """Whether the verifier will surely be small enough for a contract."""
    code = _dot(CODE_BYTES, shape_of(settings).verified)
    return code <= CODE_MARGIN * MOST_CODE_BYTES


def _dot(coefficients: tuple[float, ...], figures: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(coefficients, figures, strict=True))


__all__ = ["Shape", "deployable", "predict", "shape_of"]
