"""Makes model.json and model.onnx beside this file: run `python train.py` again after changing the
policy below. It needs zkagent alone, takes seconds, and writes the same bytes every time.

Any function of the features may stand in `wanted`, a table of what somebody decided as well. The
network fits it as well as sums of squares and products of the features can; the figures that are
printed say how well that is, on samples that were not fitted.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from zkagent.models.agents.numeric import NumericDirection, Reading
from zkagent.models.numeric import Policy, write_numeric_model

#: The numbers that the agent's `readings` returns, in its order. A feature is (number - zero) /
#: step, rounded towards zero, from least to most.
READINGS = (
    Reading(name="utilisation, in basis points", zero=0, step=50, least=0, most=200),
    Reading(name="price since the last change, per mille", zero=0, step=1, least=-500, most=500),
    Reading(name="rate, in basis points", zero=0, step=5, least=0, most=500),
)
#: In the order of the scores; amounts follow for those that have a tool.
DIRECTIONS = (
    NumericDirection(tool="RaiseRate"),
    NumericDirection(tool="LowerRate"),
    NumericDirection(answer="The rate stays."),
)
BAND = 10  # basis points within which the rate stays


def wanted(features: Sequence[int]) -> tuple[int, ...]:
    """Scores and amounts. The rate that is wanted rises with the square of utilisation, from 1 % to
    12 %, and by a fifth of a basis point for each per mille that the price fell."""
    utilisation, price, rate = features
    change = 100 + 300 * utilisation // 200 + 800 * utilisation**2 // 40_000
    change += -price // 5 - 5 * rate
    return change, -change, BAND, change, -change


POLICY = Policy(
    id="rate-keeper",
    description="Sets a pool's rate by its utilisation and a price.",
    readings=READINGS,
    directions=DIRECTIONS,
    parameter="points",
    least=1,
    most=200,
    wanted=wanted,
)

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    model = write_numeric_model(folder, POLICY)
    print(model.directory, model.manifest.accuracy)
