"""How many columns a circuit has, counted from its settings as ezkl and halo2 lay them out.

Memory and time grow with columns times rows, so estimates begin here. Three advice columns for each
inner column of each block (ezkl's src/tensor/var.rs); a selector for each table in each of them
(src/circuit/ops/chip.rs); the selectors of plain gates share fixed columns as halo2 combines them
(its plonk/circuit/compress_selectors.rs). The degree of the constraints decides how much larger the
domain is on which they are checked: the extension, a power of two.
"""

import math
from dataclasses import dataclass

from zkagent.circuits.halo2.settings import Settings

HASHING_COLUMNS = 10  # seen
UNUSABLE_ROWS = 6  # of 2^k, in each column
WIRES = 3  # two inputs and an output
PLAIN_DEGREE, TABLE_DEGREE, SHUFFLE_DEGREE = 3, 5, 6  # of constraints that have such a part


@dataclass(frozen=True)
class Columns:
    """Of one circuit of 2^logrows rows.

    inner, blocks: of the gates. advice: all, those of shuffles and dynamic look-ups included.
    fixed: constants, tables, selectors. permuted: those that copies connect. lookups: arguments,
    one for each table in each inner column of each block. degree: of the constraints.
    """

    logrows: int
    inner: int
    blocks: int
    advice: int
    fixed: int
    permuted: int
    lookups: int
    degree: int

    @property
    def rows(self) -> int:
        return int(1 << self.logrows)

    @property
    def keyed(self) -> int:
        """Columns that the proving key holds."""
        return self.fixed + self.permuted

    @property
    def extension(self) -> int:
        """Points of the larger domain for each row."""
        return 1 << math.ceil(math.log2(self.degree - 1))


def count_columns(settings: Settings) -> Columns:
    """Of a circuit with these settings, made by ezkl or laid out otherwise for an estimate."""
    run = settings["run_args"]
    logrows, inner = int(run["logrows"]), int(run["num_inner_cols"])
    usable = (1 << logrows) - UNUSABLE_ROWS
    blocks = _blocks(settings["total_assignments"], usable * inner)
    gates = blocks * inner
    ranges, tables = len(settings["required_range_checks"]), len(settings["required_lookups"])
    kinds = bool(settings["num_dynamic_lookups"]) + bool(settings["num_shuffles"])
    moved = settings["total_dynamic_col_size"] + settings["total_shuffle_col_size"]
    apart = _blocks(moved, usable) if kinds else 0
    constants = settings["total_const_size"]
    constant_columns = _blocks(constants, usable) if constants else 0
    hashed = bool(settings["module_sizes"]["poseidon"][0])
    degree = _degree(inner, tabled=bool(ranges or tables), shuffled=bool(kinds or hashed))
    advice = WIRES * (gates + apart)
    table_columns = ranges + (tables + 1 if tables else 0)  # look-ups share their inputs' column
    selectors = gates * (ranges + tables) + kinds * apart * (1 + gates)
    selectors += blocks * _gate_selectors(inner, degree)
    return Columns(
        logrows=logrows,
        inner=inner,
        blocks=blocks,
        advice=advice,
        fixed=constant_columns + table_columns + selectors + HASHING_COLUMNS * hashed,
        permuted=advice + constant_columns + 1,
        lookups=gates * (ranges + tables + kinds * apart),
        degree=degree,
    )


def _blocks(cells: int, capacity: int) -> int:
    """As ezkl counts: each block repeats one row of the one before."""
    blocks = cells // capacity + 1
    return (cells + blocks) // capacity + 1


def _degree(inner: int, *, tabled: bool, shuffled: bool) -> int:
    """A running product of the inner columns and its selector, or what look-ups need."""
    least = SHUFFLE_DEGREE if shuffled else TABLE_DEGREE if tabled else PLAIN_DEGREE
    return max(inner + 2, least)


def _gate_selectors(inner: int, degree: int) -> int:
    """Fixed columns for the selectors of one block's plain gates.

    Those of other blocks and of other inner columns are on in the same rows; all others share a
    column as long as the constraints keep their degree.
    """
    if degree == PLAIN_DEGREE:
        return 7
    return inner + 2 + (1 < inner < 4 and degree == TABLE_DEGREE)


__all__ = ["Columns", "count_columns"]
