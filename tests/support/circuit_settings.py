"""What ezkl counts of a circuit, as far as estimates look at it."""

from typing import NamedTuple

from zkagent.circuits.halo2.settings import Settings


class Counts(NamedTuple):
    """dynamic, shuffled: cells of dynamic look-ups and shuffles. tables: for look-ups."""

    logrows: int
    inner: int
    cells: int
    constants: int = 0
    dynamic: int = 0
    shuffled: int = 0
    tables: int = 0
    ranges: int = 0

    def settings(self) -> Settings:
        """As ezkl writes them, without what estimates have no use for."""
        return {
            "run_args": {
                "logrows": self.logrows,
                "num_inner_cols": self.inner,
                "lookup_range": [-100, 100],
            },
            "num_rows": -(-self.cells // self.inner),
            "total_assignments": self.cells,
            "total_const_size": self.constants,
            "total_dynamic_col_size": self.dynamic,
            "num_dynamic_lookups": int(self.dynamic > 0),
            "total_shuffle_col_size": self.shuffled,
            "num_shuffles": int(self.shuffled > 0),
            "model_instance_shapes": [[1, 10]],
            "module_sizes": {"poseidon": [0, [0]]},
            "required_lookups": ["table"] * self.tables,
            "required_range_checks": [[-1, 1], [0, 127], [0, 1]][: self.ranges],
        }
