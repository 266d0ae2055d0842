"""What of a network does not depend on its inputs, computed before there is a circuit: shapes that
exporters compute by nodes, masks, weights that are made of others. By onnxruntime's own basic
optimiser, which writes the operators of ONNX alone.
"""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from zkagent.models.networks.inference import FAILS_ON_INTEGERS, NO_TELEMETRY, NOTHING
from zkagent.models.networks.parsing import parse_model

if TYPE_CHECKING:
    from onnx import ModelProto

#: What makes one constant of several equal ones: ezkl checks the range of what two nodes share.
SHARES = "ConstantSharing"
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
    os.environ.setdefault(NO_TELEMETRY, "1")  # is read when it is imported
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = NOTHING
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "network.onnx")
        options.optimized_model_filepath = str(written)
        try:
            onnxruntime.InferenceSession(
                content,
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=[FAILS_ON_INTEGERS, SHARES],
            )
        except Exception as exc:  # onnxruntime's classes share no other root
            raise ValueError(f"onnxruntime cannot evaluate it ({_line(exc)})") from exc
        return written.read_bytes()


def _line(exc: Exception) -> str:
    return " ".join(str(exc).split())


__all__ = ["folded"]
