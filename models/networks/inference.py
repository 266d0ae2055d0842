"""What an integer network computes, by onnxruntime: one thread, as its inputs are too small to
share.

The file may be a stranger's: it is looked at before it runs, and whatever goes wrong is one line.
"""

import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zkagent.models.errors import NetworkUnusable, OutputOutOfRange
from zkagent.models.files import MOST_MODEL_BYTES, read_limited
from zkagent.models.networks.parsing import parse_model
from zkagent.models.networks.sizes import DECISION, INTEGER_OPERATORS, check_sizes

if TYPE_CHECKING:
    from onnx import NodeProto
    from onnxruntime import InferenceSession

NOTHING = 4  # but what ends the process: it writes names of strangers' nodes as they are
#: Without it onnxruntime keeps an id of this machine in the home folder, and reports to its maker.
NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"
#: What merges a Relu and a Clip behind it, and knows no int64.
FAILS_ON_INTEGERS = "FuseReluClip"
#: What makes one constant of several equal ones: a circuit pays for what two nodes share.
SHARES = "ConstantSharing"
TO_BOOL = 9  # of onnx's TensorProto.DataType
MOST_REASON = 300  # characters of what another library says


class Inference:
    """y = f(x) of an ONNX file with input "x" [1, n] and output "y" [1, m], both int64. operators:
    all that it may have. Raises NetworkUnusable for another one, and for one that is no exact
    network of bounded size."""

    def __init__(
        self,
        path: Path,
        input_count: int,
        output_count: int,
        operators: Collection[str] = INTEGER_OPERATORS,
    ) -> None:
        self._path, self._input_count, self._output_count = path, input_count, output_count
        with _translated(path):
            content = read_limited(path, MOST_MODEL_BYTES)
            _check(content, operators)
            self._session = open_session(content)
            _check_face(self._session, input_count, output_count)

    def __call__(self, x: Sequence[int]) -> tuple[int, ...]:
        """Exact integers. Raises OutputOutOfRange for a vector of another length, NetworkUnusable
        for a network that fails."""
        if len(x) != self._input_count:
            raise OutputOutOfRange(f"expected {self._input_count} features, got {len(x)}")
        with _translated(self._path):
            (y,) = self._session.run(["y"], {"x": np.array([x], dtype=np.int64)})
            if y.shape != (1, self._output_count):
                raise ValueError(f"y has the shape {y.shape}, expected (1, {self._output_count})")
        return tuple(int(value) for value in y[0])


def open_session(content: bytes) -> "InferenceSession":
    """Of a serialized network: onnxruntime takes no path that is not UTF-8. Its own errors pass."""
    return _session(content)


def simplified(content: bytes) -> bytes:
    """The network as onnxruntime's basic optimiser leaves it, which folds constants and writes
    ONNX's own operators. Its own errors pass."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "network.onnx")
        _session(content, written)
        return written.read_bytes()


def _session(content: bytes, written: Path | None = None) -> "InferenceSession":
    """written: where to store the simplified network; then nothing is done to it that is for one
    machine alone."""
    os.environ.setdefault(NO_TELEMETRY, "1")  # is read when it is imported
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = NOTHING
    disabled = [FAILS_ON_INTEGERS]
    if written:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(written)
        disabled.append(SHARES)
    return onnxruntime.InferenceSession(
        content, options, providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )


def _check(content: bytes, operators: Collection[str]) -> None:
    """Raises ValueError for operators that no model of ours has, and tensors without measure."""
    import onnx

    model = parse_model(content)
    onnx.checker.check_model(model)
    for node in model.graph.node:
        if node.op_type not in operators or node.domain or not _is_truth(node):
            name = node.name or ", ".join(node.output)
            raise ValueError(f"{node.op_type} (node {name!r}) is not exact integer arithmetic")
    check_sizes(model, DECISION)


def _is_truth(node: "NodeProto") -> bool:
    """Of a Cast: whether it makes truth values, which are exact."""
    if node.op_type != "Cast":
        return True
    return [(each.name, each.i) for each in node.attribute] == [("to", TO_BOOL)]


def _check_face(session: "InferenceSession", inputs: int, outputs: int) -> None:
    found = [
        (each.name, each.type, each.shape)
        for each in (*session.get_inputs(), *session.get_outputs())
    ]
    kind = "tensor(int64)"
    expected = [("x", kind, [1, inputs]), ("y", kind, [1, outputs])]
    if found != expected:
        raise ValueError(f"inputs and outputs are {found}, expected {expected}")


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as exc:  # the classes of onnx, protobuf and onnxruntime share no other root
        reason = " ".join(str(exc).split())
        raise NetworkUnusable(path, reason[:MOST_REASON] or type(exc).__name__) from exc


__all__ = ["Inference", "open_session", "simplified"]
