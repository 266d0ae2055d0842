"""Makes models that decide by numbers on chain, of a policy that somebody has in mind or on record.
Called by an agent's own train.py, as `zkagent agent new --kind numeric` writes it."""

from zkagent.models.numeric.fit import fit_squares
from zkagent.models.numeric.write import Policy, write_numeric_model

__all__ = ["Policy", "fit_squares", "write_numeric_model"]
