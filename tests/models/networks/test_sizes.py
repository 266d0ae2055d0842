"""A stranger's network is measured before anything computes it, and fails in one line."""

import itertools
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, SparseTensorProto, TensorProto, helper, numpy_helper

from zkagent.models.catalogue import ROOT, Model, load_model
from zkagent.models.errors import NetworkUnusable
from zkagent.models.files import sha256
from zkagent.models.networks import inference
from zkagent.models.networks.shapes import known_shapes
from zkagent.models.networks.sizes import MOST_ELEMENTS, check_sizes

INPUTS, OUTPUTS = 137, 28


def graph(
    nodes: Sequence[NodeProto],
    constants: dict[str, object] | None = None,
    inputs: Sequence[int] = (1, INPUTS),
    outputs: Sequence[int] = (1, OUTPUTS),
    names: tuple[str, str] = ("x", "y"),
) -> ModelProto:
    given, made = names
    stored = [numpy_helper.from_array(np.array(v), k) for k, v in (constants or {}).items()]
    x = helper.make_tensor_value_info(given, TensorProto.INT64, list(inputs))
    y = helper.make_tensor_value_info(made, TensorProto.INT64, list(outputs))
    found = helper.make_graph(nodes, "g", [x], [y], stored)
    model = helper.make_model(found, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    return model


def doubled(times: int, outputs: Sequence[int] = (1, 1), lie: bool = False) -> ModelProto:
    """Concatenates its input with itself; lie: says that the tensors were small."""
    names = ["x", *(f"c{number}" for number in range(times))]
    nodes = [
        helper.make_node("Concat", [before, before], [after], axis=1, name=f"double {after}")
        for before, after in itertools.pairwise(names)
    ]
    nodes.append(helper.make_node("ReduceSum", [names[-1]], ["y"], keepdims=1))
    model = graph(nodes, outputs=outputs)
    for name in names[1:] if lie else ():
        said = helper.make_tensor_value_info(name, TensorProto.INT64, [1, INPUTS])
        model.graph.value_info.append(said)
    return model


@pytest.mark.parametrize("lie", [False, True])
@pytest.mark.parametrize("times", [20, 34, 70])
def test_a_tensor_that_is_doubled_over_and_over_is_named(times: int, lie: bool) -> None:
    """Seventy times is more than the lengths that onnx counts with."""
    with pytest.raises(
        ValueError, match=r"^(Concat \(node 'double c16'\) has 17,956,864|its shapes)"
    ):
        check_sizes(doubled(times, lie=lie))


def test_many_tensors_are_too_many_together() -> None:
    wide = (1, MOST_ELEMENTS)
    nodes = [helper.make_node("Neg", ["x"], [f"n{number}"]) for number in range(8)]
    nodes.append(helper.make_node("Identity", ["n0"], ["y"]))
    with pytest.raises(ValueError, match=r"up to Neg \(node 'n3'\) have 83,886,080 numbers"):
        check_sizes(graph(nodes, inputs=wide, outputs=wide))


def computed(shape: Sequence[NodeProto], **constants: object) -> ModelProto:
    """Reshapes x as the tensor "shape" says, which these nodes compute."""
    nodes = [*shape, helper.make_node("Reshape", ["x", "shape"], ["y"])]
    return graph(nodes, constants, inputs=(1, 6), outputs=(2, 3))


def test_shapes_that_a_graph_computes_of_small_integers_are_known() -> None:
    """As exporters write them."""
    check_sizes(
        computed(
            [
                helper.make_node("Shape", ["x"], ["all"]),
                helper.make_node("Gather", ["all", "second"], ["six"], axis=0),
                helper.make_node("Mod", ["six", "four"], ["two"]),
                helper.make_node("Div", ["six", "two"], ["three"]),
                helper.make_node("Concat", ["two", "three"], ["shape"], axis=0),
            ],
            second=[1],
            four=[4],
        )
    )


def test_a_size_that_depends_on_the_input_is_refused() -> None:
    nodes = [helper.make_node("Slice", ["x", "zero", "two"], ["shape"])]
    model = graph(
        [
            *nodes,
            helper.make_node("Squeeze", ["shape", "zero"], ["flat"]),
            helper.make_node("Reshape", ["x", "flat"], ["z"]),
            helper.make_node("ReduceSum", ["z"], ["y"]),
        ],
        {"zero": [0], "two": [2]},
        inputs=(1, 6),
    )
    with pytest.raises(ValueError, match=r"does not follow from the file|do not fit together"):
        check_sizes(model)


def test_what_hides_in_a_graph_within_the_graph_is_not_taken() -> None:
    inner = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["z"])],
        "inner",
        [],
        [helper.make_tensor_value_info("z", TensorProto.INT64, [1, INPUTS])],
    )
    branch = helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner, name="fork")
    with pytest.raises(ValueError, match=r"'fork'.* holds a graph of its own"):
        check_sizes(graph([branch], {"c": True}, outputs=(1, INPUTS)))
    model = graph([helper.make_node("Identity", ["x"], ["y"])], outputs=(1, INPUTS))
    identity = helper.make_node("Identity", ["a"], ["b"])
    opset = [helper.make_opsetid("", 13)]
    model.functions.append(helper.make_function("own", "F", ["a"], ["b"], [identity], opset))
    with pytest.raises(ValueError, match="operators of its own"):
        check_sizes(model)


def stored(**fields: object) -> TensorProto:
    return TensorProto(name="w", data_type=TensorProto.INT64, **fields)


@pytest.mark.parametrize(
    ("tensor", "why"),
    [
        (stored(dims=[2**20]), r"^{} says it has 1,048,576 numbers, which are not in the file"),
        (stored(dims=[2], raw_data=bytes(8)), r"^{} does not hold what its shape says \("),
        (stored(dims=[2**62, 2**62]), r"^{} has 21,267,.* numbers, at most"),
        (stored(dims=[1] * 33, raw_data=bytes(8)), r"^{} has 33 axes, at most 32 are taken"),
        (stored(dims=[-1]), r"^{} has an axis of negative length"),
        (stored(dims=[1], data_location=TensorProto.EXTERNAL), r"^{} lies in another file"),
    ],
)
def test_what_a_file_stores_is_there_and_as_large_as_it_says(tensor: TensorProto, why: str) -> None:
    """Whoever stores it: an initializer, or a node that is a constant, sparse or not."""
    identity = helper.make_node("Identity", ["x"], ["y"], name="n")
    first = graph([identity], outputs=(1, INPUTS))
    first.graph.initializer.append(tensor)
    second = graph([identity], outputs=(1, INPUTS))
    second.graph.node.append(helper.make_node("Constant", [], ["c"], value=tensor, name="n"))
    third = graph([identity], outputs=(1, INPUTS))
    sparse = SparseTensorProto(values=tensor, dims=[4])
    third.graph.node.append(helper.make_node("Constant", [], ["c"], sparse_value=sparse, name="n"))
    fourth = graph([identity], outputs=(1, INPUTS))
    fourth.graph.sparse_initializer.append(sparse)
    for model, place in (
        (first, "constant 'w'"),
        (second, r"Constant \(node 'n'\)"),
        (third, r"Constant \(node 'n'\)"),
        (fourth, "constant 'w'"),
    ):
        with pytest.raises(ValueError, match=why.format(place)):
            check_sizes(model)


def test_shapes_are_known_by_what_small_constants_come_to() -> None:
    """Each operator that exporters compute shapes with, told in one network."""
    two = helper.make_node("Constant", [], ["two"], value_ints=[2])
    nodes = [
        two,
        helper.make_node("Constant", [], ["half"], value_floats=[0.5]),
        helper.make_node("Constant", [], ["one"], value_int=1),
        helper.make_node("Shape", ["x"], ["last"], start=1),
        helper.make_node("Size", ["x"], ["six"]),
        helper.make_node("ConstantOfShape", ["one_long"], ["zero"]),
        helper.make_node("Range", ["one", "six", "one"], ["five"]),
        helper.make_node("ReduceProd", ["last"], ["product"], keepdims=1),
        helper.make_node("Div", ["product", "two"], ["three"]),
        helper.make_node("Expand", ["two", "one_long"], ["again"]),
        helper.make_node("Concat", ["again", "three"], ["shape"], axis=0),
        helper.make_node("Reshape", ["x", "shape"], ["y"]),
    ]
    model = graph(nodes, {"one_long": [1]}, inputs=(1, 6), outputs=(2, 3))
    model.opset_import[0].version = 15
    check_sizes(model)
    assert known_shapes(model)["y"] == (2, 3)
    assert known_shapes(model)["five"] == (5,)
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_value = 3
    with pytest.raises(ValueError, match=r"do not fit together \(output 'y' is \(2, 3\)\)"):
        check_sizes(model)


PICK = [helper.make_node("Gather", ["x", "places"], ["y"], axis=1)]
PLACES = {"places": np.arange(OUTPUTS)}
RENAMED = helper.make_node("Gather", ["x", "places"], ["z"], axis=1)
ROUNDED = helper.make_node("Mod", ["x", "x"], ["y"])
BAD: dict[str, tuple[ModelProto, str]] = {
    "doubling": (doubled(40, (1, OUTPUTS)), "numbers, at most|do not fit together"),
    "out of range": (graph(PICK, {"places": np.arange(OUTPUTS) + 10**6}), "out of data bounds"),
    "other output": (graph([RENAMED], PLACES, names=("x", "z")), "inputs and outputs are"),
    "other length": (graph(PICK, {"places": [0]}, outputs=(1, 1)), "inputs and outputs are"),
    "rounding": (graph([ROUNDED], outputs=(1, INPUTS)), "Mod .*not exact"),
    "no network": (ModelProto(), "is no network of a model"),
}


def folder_with(network: bytes, folder: Path) -> Path:
    """A model like the shipped one, whose digests fit this network."""
    shutil.copytree(
        ROOT / "wallet",
        folder,
        ignore=lambda where, names: [
            name for name in names if not name.endswith((".bin", ".json", ".onnx"))
        ],
    )
    (folder / "model.onnx").write_bytes(network)
    manifest = json.loads((folder / "model.json").read_text())
    manifest["files"]["onnx"] = sha256(network)
    (folder / "model.json").write_text(json.dumps(manifest, indent=2) + "\n")
    return folder


@pytest.mark.parametrize("name", BAD)
def test_a_folder_whose_network_is_bad_is_refused_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, why = BAD[name]
    model = load_model(folder_with(network.SerializeToString(), tmp_path / "bad"), Model)
    with pytest.raises(NetworkUnusable, match=why) as caught:
        model.infer([0] * INPUTS)
    assert len(str(caught.value).splitlines()) == 1
    if name == "doubling":  # which nobody may begin to compute
        monkeypatch.setattr(inference, "open_session", None)
        with pytest.raises(NetworkUnusable, match=why):
            model.infer([0] * INPUTS)


def test_the_shipped_network_is_taken() -> None:
    assert len(load_model("wallet").infer([0] * INPUTS)) == OUTPUTS
