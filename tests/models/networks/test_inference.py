"""What onnxruntime must not do with integers on its way to a result."""

import numpy as np

from zkagent.models.networks.inference import open_session
from zkagent.models.networks.integer_graph import BITS_OPSET, IntegerGraph


def test_a_relu_before_a_clip_of_integers_is_computed() -> None:
    """onnxruntime merges the two where nobody forbids it, and then knows no int64."""
    graph = IntegerGraph("both", 3, BITS_OPSET)
    content = graph.finish(graph.positive(graph.node("Relu", ["x"])), 3)
    (y,) = open_session(content).run(["y"], {"x": np.array([[-4, 0, 7]])})
    assert y.tolist() == [[0, 0, 1]]
