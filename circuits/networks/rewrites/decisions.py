"""Shortens a network by what it is asked for: labels need neither soft-max nor scores."""

from typing import TYPE_CHECKING

from zkagent.circuits.networks.rewrites.engine import drop_unused
from zkagent.circuits.networks.rewrites.surroundings import attribute

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto


def decide_by_scores(model: "ModelProto") -> tuple[str, ...]:
    """Let each ArgMax look at the scores ahead of a soft-max, in whose order probabilities are but
    for those that rounding makes equal. Changes the model in place; a line for each."""
    makers = {name: node for node in model.graph.node for name in node.output}
    said = list[str]()
    for node in model.graph.node:
        if node.op_type == "ArgMax" and (scores := _scores(node, makers)):
            node.input[0] = scores
            said.append(
                f"ArgMax {node.name or node.output[0]!r} looks at scores, not their Softmax"
            )
    return tuple(said)


def keep_labels(model: "ModelProto") -> tuple[str, ...]:
    """Leave out all outputs but the one of integers, and what leads to them alone. Changes the
    model in place; a line for each. Raises ValueError where there is not one."""
    outputs = model.graph.output
    kept = [each for each in outputs if each.type.tensor_type.elem_type == 7]
    if len(kept) != 1:
        raise ValueError(f"it has {len(kept)} outputs of labels, expected one: keep its scores")
    left = [each.name for each in outputs if each.name != kept[0].name]
    label = kept[0].SerializeToString()
    del outputs[:]
    outputs.add().ParseFromString(label)
    drop_unused(model)
    return tuple(f"output {name!r} was left out" for name in left)


def _scores(node: "NodeProto", makers: "dict[str, NodeProto]") -> str | None:
    """What the soft-max has for input whose result an ArgMax looks at along the same axis."""
    maker = makers.get(node.input[0])
    while maker is not None and maker.op_type == "Identity":
        maker = makers.get(maker.input[0])
    if maker is None or maker.op_type != "Softmax":
        return None
    axes = {attribute(node, "axis", 0), attribute(maker, "axis", -1)}
    return maker.input[0] if axes <= {1, -1} else None


__all__ = ["decide_by_scores", "keep_labels"]
