"""Takes the names of classes out of a network of scikit-learn's kind: what is left are numbers, of
which alone a circuit is made. A class is then its place in the list of names.

Exporters write names as attributes of classifiers, or as a constant from which they are picked; and
by default the scores as a list of dictionaries (ZipMap), which becomes the tensor behind it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

STRING, INT64, FLOAT = 8, 7, 1  # of onnx's TensorProto.DataType
#: Where classes are named: (operator, attribute) -> the attribute that takes its place.
NAMING = {
    ("LabelEncoder", "values_strings"): "values_int64s",
    ("LinearClassifier", "classlabels_strings"): "classlabels_ints",
    ("TreeEnsembleClassifier", "classlabels_strings"): "classlabels_int64s",
}


def take_names(model: "ModelProto") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Change the model in place. Returns the names of its classes, none where these are numbers,
    and a line for everything that was changed."""
    from onnx import helper

    found: dict[tuple[str, ...], None] = {}
    said = [*_without_maps(model, found)]
    for node in model.graph.node:
        for attribute in node.attribute:
            to = NAMING.get((node.op_type, attribute.name))
            if to and attribute.strings:
                names = tuple(_text(each) for each in attribute.strings)
                found[names] = None
                attribute.CopyFrom(helper.make_attribute(to, list(range(len(names)))))
    picked = {node.input[0] for node in model.graph.node if node.op_type == "ArrayFeatureExtractor"}
    for tensor in model.graph.initializer:
        if tensor.data_type == STRING and tensor.name in picked:
            found[tuple(_text(each) for each in tensor.string_data)] = None
            _numbered(tensor)
    texts = [each for each in model.graph.output if each.type.tensor_type.elem_type == STRING]
    for value in texts:
        value.type.tensor_type.elem_type = INT64
        said.append(f"output {value.name!r} became the class's place in the list of names")
    names = next((each for each in found if each), ())
    return names, tuple(said)


def _without_maps(model: "ModelProto", found: dict[tuple[str, ...], None]) -> "list[str]":
    """Outputs that are lists of dictionaries become the tensors of their values."""
    from onnx import helper

    graph, said = model.graph, list[str]()
    maps = {node.output[0]: node for node in graph.node if node.op_type == "ZipMap"}
    for value in graph.output:
        if (node := maps.get(value.name)) is None:
            continue
        named = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        if strings := named.get("classlabels_strings"):
            found[tuple(_text(each) for each in strings)] = None
        made = helper.make_tensor_value_info(value.name, FLOAT, [None, None])
        value.CopyFrom(made)
        _become_identity(node)
        said.append(f"output {value.name!r} became the tensor of its dictionaries' values")
    return said


def _become_identity(node: "NodeProto") -> None:
    node.op_type, node.domain = "Identity", ""
    del node.attribute[:]


def _numbered(tensor: Any) -> None:
    import numpy as np
    from onnx import numpy_helper

    shape, name = tuple(tensor.dims), tensor.name
    count = len(tensor.string_data)
    tensor.CopyFrom(numpy_helper.from_array(np.arange(count).reshape(shape), name))


def _text(given: bytes | str) -> str:
    return given.decode(errors="replace") if isinstance(given, bytes) else given


__all__ = ["take_names"]
