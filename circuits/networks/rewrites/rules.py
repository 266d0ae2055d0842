"""All rewrites by the operator that they replace. Each is exact: what it writes computes the same
numbers, but in a form that ezkl computes as well."""

from collections.abc import Mapping

from zkagent.circuits.networks.rewrites.arithmetic import ARITHMETIC, hard_swish
from zkagent.circuits.networks.rewrites.deconvolution import DECONVOLUTION
from zkagent.circuits.networks.rewrites.logic import LOGIC
from zkagent.circuits.networks.rewrites.movement import MOVEMENT
from zkagent.circuits.networks.rewrites.normalization import NORMALIZATION
from zkagent.circuits.networks.rewrites.surroundings import Rule
from zkagent.circuits.networks.rewrites.windows import WINDOWS

#: By domain ("" is ai.onnx) and operator.
RULES: Mapping[tuple[str, str], Rule] = {
    **ARITHMETIC,
    **DECONVOLUTION,
    **LOGIC,
    **MOVEMENT,
    **NORMALIZATION,
    **WINDOWS,
}

#: After all others: what onnxruntime would write out again.
LAST: Mapping[tuple[str, str], Rule] = {("", "Mul"): hard_swish}

__all__ = ["LAST", "RULES"]
