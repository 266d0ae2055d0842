"""A stranger's ONNX file is counted before it is parsed, and counting takes nothing for what it is
not: whatever onnx reads is read alike, and whatever it does not is refused in one line."""

import random

import numpy as np
import onnx
import pytest
from google.protobuf.message import DecodeError
from onnx import NodeProto, TensorProto, helper, numpy_helper

from zkagent.models.catalogue import Model, load_model
from zkagent.models.networks import parsing
from zkagent.models.networks.parsing import parse_model

SAID = r"^(it (ends in|has) [^\n]+|Error parsing message[^\n]*)$"


@pytest.fixture(scope="module")
def content() -> bytes:
    """Of every wire type that ONNX has."""
    constants = [
        numpy_helper.from_array(np.arange(6).reshape(2, 3), "raw"),
        helper.make_tensor("packed", TensorProto.INT64, [3], [1, -2, 1 << 40]),
        helper.make_tensor("floats", TensorProto.FLOAT, [2], [0.5, -1.0]),
        helper.make_tensor("doubles", TensorProto.DOUBLE, [1], [0.25]),
    ]
    node = helper.make_node("Sum", ["x"], ["y"], name="all", doc_string="é", alpha=0.5, axes=[1, 2])
    x, y = (helper.make_tensor_value_info(name, TensorProto.INT64, [1, 3]) for name in "xy")
    graph = helper.make_graph([node], "g", [x], [y], constants)
    return helper.make_model(graph).SerializeToString()


def test_what_onnx_reads_is_read_alike(content: bytes) -> None:
    for file in (content, load_model("wallet", Model).onnx_path.read_bytes()):
        assert parse_model(file) == onnx.load_model_from_string(file)


def test_of_a_file_that_was_cut_off_or_changed_no_part_is_passed_over(content: bytes) -> None:
    dice = random.Random(20)
    files = [content[:end] for end in range(len(content))]
    for _ in range(4_000):
        file = bytearray(content)
        for _ in range(dice.randint(1, 3)):
            file[dice.randrange(len(file))] = dice.randrange(256)
        files.append(bytes(file))
    refused, groups = 0, list[str]()
    for file in files:
        try:
            expected = onnx.load_model_from_string(file)
        except DecodeError:
            refused += 1
            with pytest.raises(ValueError, match=SAID):
                parse_model(file)
            continue
        try:
            found = parse_model(file)
        except ValueError as exc:  # groups, which protobuf keeps as unknown
            groups.append(str(exc))
            continue
        assert found.SerializeToString() == expected.SerializeToString()
    assert refused > len(files) / 10
    assert set(groups) <= {"it has a part of the kind 3, which ONNX has not"}


def test_parts_are_counted_wherever_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    model = onnx.ModelProto()
    node = model.graph.node.add()
    inner = node.attribute.add().g
    inner.node.extend([NodeProto()] * 90)
    monkeypatch.setattr(parsing, "MOST_FIELDS", 93)  # graph, node, attribute's graph, and these
    with pytest.raises(ValueError, match="it has more than 93 parts"):
        parse_model(model.SerializeToString())
    monkeypatch.setattr(parsing, "MOST_FIELDS", 94)
    parse_model(model.SerializeToString())


def test_numbers_of_lists_are_counted_for_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forest of trees has as many as a hundred thousand in a few attributes."""
    node = helper.make_node("Sum", ["x"], ["y"], axes=[1] * 30, scales=[0.5] * 20)
    model = helper.make_model(helper.make_graph([node], "g", [], []))
    monkeypatch.setattr(parsing, "MOST_FIELDS", 40)  # fewer than there are numbers
    monkeypatch.setattr(parsing, "MOST_NUMBERS", 50)
    parse_model(model.SerializeToString())
    monkeypatch.setattr(parsing, "MOST_NUMBERS", 49)
    with pytest.raises(ValueError, match="more than 49 numbers in lists"):
        parse_model(model.SerializeToString())


def test_lists_of_small_integers_have_a_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    model = onnx.ModelProto()
    for _ in range(2):
        model.graph.initializer.add().int64_data.extend([1] * 50)
    monkeypatch.setattr(parsing, "MOST_PACKED_BYTES", 99)
    with pytest.raises(ValueError, match="more than 99 bytes: export it with raw_data"):
        parse_model(model.SerializeToString())
    monkeypatch.setattr(parsing, "MOST_PACKED_BYTES", 100)
    parse_model(model.SerializeToString())


def test_only_what_is_a_list_of_numbers_counts_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "MOST_PACKED_BYTES", 0)
    model = onnx.ModelProto(producer_name="somebody")
    model.graph.initializer.add().raw_data = bytes(50)
    parse_model(model.SerializeToString())
