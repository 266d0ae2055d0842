"""How much memory a circuit's keys and proofs take, so that too little is refused before the work.

A model of what was measured with ezkl 23.0.5: the keys of about 60 circuits (2^8 to 2^16 rows, 1 to
8 inner columns, 1 to 3 blocks; with range checks, look-up tables, shuffles and dynamic look-ups)
and the peaks of 15. The proving key holds, for each of N fixed and permuted columns, 2^k values,
2^k coefficients and E 2^k values on a larger domain, 32 bytes each. E is 4, 8 or 16 with the degree
of the constraints. N is fitted, 10 % too small to 30 % too large. The process that makes keys and a
first proof takes, above what Python, onnx and ezkl take by themselves, 2.5 times the key, or 3.7
times where four inner columns or more look values up or shuffle them:

    circuit              k  inner columns  blocks    key, MB       above, MB
                                                     seen   model    seen   model
    ReLU MLP             13       1          1         24      25      64      63
    ReLU MLP             11       4          1         22      22      66      55
    ReLU MLP             11       1          3         12      12      36      30
    trees                16       1          1        189     201     456     503
    trees                13       4          1         88      88     238     219
    CNN                  15       1          1        214     224     530     561
    transformer          16       1          1        533     512   1,323   1,279
    transformer          14       4          3        689     715   2,626   2,646

Hashing has columns of its own, which are counted as 10, and constraints for which E is 8.
"""

import math
from dataclasses import dataclass

from zkagent.circuits.errors import MemoryTooSmall
from zkagent.circuits.halo2.settings import RESERVED_ROWS, Settings
from zkagent.circuits.support.memory import available_memory

ELEMENT_BYTES = 32
HASHING_COLUMNS = 10
PROCESS_BYTES = 95e6  # Python, onnx and ezkl


@dataclass(frozen=True)
class Footprint:
    """An estimate, in bytes. peak: of the process that makes the keys and a proof."""

    columns: int
    key: float
    peak: float


def estimate_memory(settings: Settings) -> Footprint:
    """What a circuit of these settings will take, from its rows, columns, tables and shuffles."""
    size = 1 << int(settings["run_args"]["logrows"])
    inner = int(settings["run_args"]["num_inner_cols"])
    mixed = bool(settings["num_shuffles"] or settings["num_dynamic_lookups"])
    hashed = bool(settings["module_sizes"]["poseidon"][0])
    columns = _columns(settings, size, inner, mixed) + HASHING_COLUMNS * hashed
    extension = _extension(inner, mixed or hashed)
    key = ELEMENT_BYTES * size * (columns * (2 + extension) + 3 * extension)
    factor = 3.7 if inner >= 4 and (mixed or settings["required_lookups"]) else 2.5
    return Footprint(columns, key, PROCESS_BYTES + factor * key)


def check_memory(settings: Settings) -> None:
    """Refuse a circuit that this machine cannot hold. Raises MemoryTooSmall."""
    needed, available = estimate_memory(settings), available_memory()
    if needed.peak > available:
        run = settings["run_args"]
        raise MemoryTooSmall(run["logrows"], needed.columns, needed.peak, available)


def _columns(settings: Settings, size: int, inner: int, mixed: bool) -> int:
    """N of the module's docstring: a part of its own, one for each inner column of each block."""
    blocks = math.ceil(int(settings["num_rows"]) / (size - RESERVED_ROWS))
    tables, ranges = len(settings["required_lookups"]), len(settings["required_range_checks"])
    each = 3.2 + 1.3 * ranges + tables + mixed
    return round(8 + tables + 4 * mixed + inner * blocks * each + 1.5 * inner * (blocks - 1))


def _extension(inner: int, mixed: bool) -> int:
    if inner >= 8:
        return 16
    return 8 if inner >= 4 or mixed else 4


__all__ = ["Footprint", "check_memory", "estimate_memory"]
