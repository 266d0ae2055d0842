"""What an integer network computes, by onnxruntime: one thread, as its inputs are too small to
share.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zkagent.models.errors import OutputOutOfRange

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

ERRORS_ONLY = 3


class Inference:
    """y = f(x) of an ONNX file with input "x" [1, n] and output "y" [1, m], both int64."""

    def __init__(self, path: Path, input_count: int) -> None:
        self._input_count = input_count
        self._session = open_session(path)

    def __call__(self, x: Sequence[int]) -> tuple[int, ...]:
        """Exact integers. Raises OutputOutOfRange for a vector of another length."""
        if len(x) != self._input_count:
            raise OutputOutOfRange(f"expected {self._input_count} features, got {len(x)}")
        (y,) = self._session.run(["y"], {"x": np.array([x], dtype=np.int64)})
        return tuple(int(value) for value in y[0])


def open_session(model: Path | bytes) -> "InferenceSession":
    """A file's or serialized network's session; onnxruntime's own errors pass."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


__all__ = ["Inference", "open_session"]
