"""A classifier as ONNX: exactly `weights.evaluate`, input "x" [1, D], output "y" [1, labels]."""

from zkagent.models.classifier.weights import ClassifierWeights
from zkagent.models.networks.integer_graph import IntegerGraph


def export_classifier(weights: ClassifierWeights) -> bytes:
    """The serialized model; byte-identical for identical weights."""
    graph = IntegerGraph("classifier", weights.features)
    wiring = weights.wiring
    h = graph.add(graph.blocks(graph.pick("x", wiring.hidden_inputs), weights.w1), weights.b1)
    z = graph.concat(["x", graph.square(h)])
    y = graph.add(graph.blocks(graph.pick(z, wiring.picks), weights.a), weights.b2)
    return graph.finish(graph.pick(y, wiring.slots), weights.labels)
