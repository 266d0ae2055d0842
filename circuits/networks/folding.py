"""What of a network does not depend on its inputs, computed before there is a circuit: shapes that
exporters compute by nodes, masks, weights that are made of others. By onnxruntime's own basic
optimiser, which writes the operators of ONNX alone.
"""

from typing import TYPE_CHECKING

from zkagent.models.networks.inference import simplified
from zkagent.models.networks.parsing import parse_model

if TYPE_CHECKING:
    from onnx import ModelProto

ONNX_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml"})


def folded(model: "ModelProto") -> "ModelProto":
    """The simplified model, the same for the same model. Raises ValueError, in one line, where
    onnxruntime takes it not."""
    made = parse_model(_optimised(model.SerializeToString()))
    if foreign := {node.domain for node in made.graph.node} - ONNX_DOMAINS:
        raise ValueError(f"onnxruntime wrote operators of {min(foreign)}")
    used = {node.domain for node in made.graph.node}
    opsets = [each for each in made.opset_import if each.domain in used or not each.domain]
    del made.opset_import[:]
    made.opset_import.extend(opsets)
    made.ir_version, made.producer_name = model.ir_version, model.producer_name
    made.producer_version, made.graph.name = model.producer_version, model.graph.name
    del made.metadata_props[:], made.graph.metadata_props[:]
    for node in made.graph.node:
        del node.metadata_props[:]
        node.ClearField("doc_string")
    return made


def _optimised(content: bytes) -> bytes:
    try:
        return simplified(content)
    except Exception as exc:  # onnxruntime's classes share no other root
        raise ValueError(f"onnxruntime cannot evaluate it ({_line(exc)})") from exc


def _line(exc: Exception) -> str:
    return " ".join(str(exc).split())


__all__ = ["folded"]
