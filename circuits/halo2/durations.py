"""How long a circuit's keys and proofs take, told before the work.

Work is counted in probes: one makes a development set-up of 2^9 rows, which is curve arithmetic
like most of what keys and proofs need. So a forecast follows the machine that it is made on, and
whatever else that does. The coefficients are least squares, by relative error, over processor
seconds divided by those of probes just before and after: networks of ezkl's own examples and
layouts of some, with ezkl 23.0.5; errors are in docs/own-models.md.
"""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from zkagent.circuits.halo2.columns import Columns

PROBE_LOGROWS = 9
PROBE_CORE_S = 0.205  # of one core of the machine that the figures come from
PROBES = 2
MILLION = 1e6
ROWS_POWER = 0.95  # sums of many curve points take less time for each
USUAL_ROWS = 1 << 12
# Probes: base; for each million rows of a keyed column, as it is and on the larger domain.
KEYS = (0.092, 31.1, 4.69)
PROOF = (0.158, 59.0, 5.26)


@dataclass(frozen=True)
class Pace:
    """Seconds of this machine for one probe: its processor's, and those that pass meanwhile."""

    processor_s: float
    wall_s: float


def keys_work(columns: Columns) -> float:
    """Probes that making the keys takes."""
    return _work(columns, KEYS)


def proof_work(columns: Columns) -> float:
    """Probes that a proof takes, the witness at hand."""
    return _work(columns, PROOF)


def setup_work(logrows: int) -> float:
    """Probes that a development set-up of 2^logrows rows takes, which is made once."""
    return float(2 ** (logrows - PROBE_LOGROWS))


def measure_pace() -> Pace:
    """The better one of a few probes. Raises EngineError."""
    from zkagent.circuits.halo2 import ezkl_engine

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(PROBES):
            begun, worked = time.perf_counter(), time.process_time()
            ezkl_engine.make_srs(Path(folder, "probe.srs"), PROBE_LOGROWS)
            found.append(Pace(time.process_time() - worked, time.perf_counter() - begun))
    return min(found, key=lambda pace: pace.wall_s)


def _work(columns: Columns, coefficients: tuple[float, float, float]) -> float:
    base, plain, extended = coefficients
    rows = USUAL_ROWS * (columns.rows / USUAL_ROWS) ** ROWS_POWER
    cells = rows * columns.keyed / MILLION
    return float(base + cells * (plain + extended * columns.extension))


__all__ = ["PROBE_CORE_S", "Pace", "keys_work", "measure_pace", "proof_work", "setup_work"]
