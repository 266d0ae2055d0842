"""How much memory a circuit's keys and proofs take, so that too little is refused before the work.

The proving key holds, for each fixed and permuted column, 2^k values, 2^k coefficients and E 2^k
values on the larger domain, 32 bytes each, and three polynomials more on that domain; E is the
extension (zkagent.circuits.halo2.columns). What the process that makes keys and a first proof takes
above what Python, onnx and ezkl take by themselves was fitted to 145 builds with ezkl 23.0.5: 93
networks of ezkl's own examples and layouts of four of them, 2^6 to 2^17 rows, 1 to 8 inner columns,
1 to 6 blocks.
"""

from dataclasses import dataclass

from zkagent.circuits.errors import MemoryTooSmall
from zkagent.circuits.halo2.columns import Columns, count_columns
from zkagent.circuits.halo2.settings import Settings
from zkagent.circuits.support.memory import Budget, memory_budget

ELEMENT_BYTES = 32
PROCESS_BYTES = 95e6  # Python, onnx and ezkl
KEYS_HELD = 2.26  # the key, and as much again for the polynomials of a proof
LOOKUPS_HELD = 1.03  # polynomials on the larger domain, for each look-up


@dataclass(frozen=True)
class Footprint:
    """An estimate, in bytes. peak: of the process that makes the keys and a proof."""

    columns: int
    key: float
    peak: float


def estimate_memory(settings: Settings) -> Footprint:
    """What a circuit of these settings will take."""
    columns = count_columns(settings)
    key = key_bytes(columns)
    checked = ELEMENT_BYTES * columns.rows * columns.extension * columns.lookups
    return Footprint(columns.keyed, key, PROCESS_BYTES + KEYS_HELD * key + LOOKUPS_HELD * checked)


def key_bytes(columns: Columns) -> float:
    """Of the proving key's file."""
    polynomials = columns.keyed * (2 + columns.extension) + 3 * columns.extension
    return float(ELEMENT_BYTES * columns.rows * polynomials)


def check_memory(settings: Settings, budget: Budget | None = None) -> None:
    """Refuse a circuit that is larger than the budget: without one, than what this machine has
    free. Raises MemoryTooSmall."""
    needed, budget = estimate_memory(settings), budget or memory_budget()
    if needed.peak > budget.size:
        logrows = int(settings["run_args"]["logrows"])
        raise MemoryTooSmall(logrows, needed.columns, needed.peak, str(budget))


__all__ = ["Footprint", "check_memory", "estimate_memory", "key_bytes"]
