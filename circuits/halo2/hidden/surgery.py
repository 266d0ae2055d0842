"""Changes a graph in place: fresh names, constants, nodes in front."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

Array = npt.NDArray[Any]


class Surgery:
    """Of one graph; opset: the version of the operators that it may use."""

    def __init__(self, model: "ModelProto") -> None:
        self._model, self.graph = model, model.graph
        graph = self.graph
        self.opset = max((v.version for v in model.opset_import if not v.domain), default=1)
        self._used = {name for node in graph.node for name in (*node.input, *node.output)}
        self._used |= {value.name for value in (*graph.input, *graph.initializer)}

    def fresh(self, name: str, part: str) -> str:
        """A name that nothing has."""
        found = f"{name}_{part}"
        while found in self._used:
            found += "_"
        self._used.add(found)
        return found

    def constant(self, name: str, values: object) -> str:
        """The name of a new initializer."""
        fresh = self.fresh(name, "c")
        self.initialize(fresh, np.asarray(values))
        return fresh

    def initialize(self, name: str, array: Array) -> None:
        """Let this tensor be an initializer."""
        from onnx import numpy_helper

        self.graph.initializer.append(numpy_helper.from_array(array, name))

    def constants(self) -> Iterator[tuple[str, Array]]:
        """Of all initializers."""
        from onnx import numpy_helper

        for each in self.graph.initializer:
            yield each.name, numpy_helper.to_array(each)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the tensors whose sizes are all known, by name."""
        from onnx import shape_inference

        graph = shape_inference.infer_shapes(self._model).graph
        values = (*graph.input, *graph.value_info, *graph.output)
        found = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in values}
        return {name: tuple(sizes) for name, sizes in found.items() if all(sizes)}

    def rename(self, old: str, new: str) -> None:
        """Let all nodes use another tensor."""
        for node in self.graph.node:
            for place, name in enumerate(node.input):
                if name == old:
                    node.input[place] = new

    def replace_nodes(self, nodes: "Iterable[NodeProto]") -> None:
        kept = list(nodes)
        del self.graph.node[:]
        self.graph.node.extend(kept)

    def prepend(self, nodes: "Iterable[NodeProto]") -> None:
        self.replace_nodes([*nodes, *self.graph.node])

    def drop_unused(self) -> None:
        """Initializers that no node uses any more; old files list them among the inputs, too."""
        used = {name for node in self.graph.node for name in node.input}
        used |= {value.name for value in self.graph.output}
        idle = {each.name for each in self.graph.initializer} - used
        for values in (self.graph.initializer, self.graph.input):
            kept = [each for each in values if each.name not in idle]
            del values[:]
            values.extend(kept)


def made(operator: str, inputs: list[str], output: str, **attributes: Any) -> "NodeProto":
    from onnx import helper

    return helper.make_node(operator, inputs, [output], **attributes)


def attributes_of(node: "NodeProto") -> Mapping[str, Any]:
    from onnx import helper

    return {each.name: helper.get_attribute_value(each) for each in node.attribute}


__all__ = ["Surgery", "attributes_of", "made"]
