"""An input fits its schema or is refused with the place; nothing is fetched."""

from typing import Any

import pytest

from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolInputRefused
from zkagent.executor.runtime.tools.foreign_schema import harmless
from zkagent.executor.runtime.tools.schema import InputSchema

ITEMS = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "integer", "minimum": 0}}},
    "required": ["items"],
    "additionalProperties": False,
}


def test_an_input_that_fits_is_taken() -> None:
    assert InputSchema("sum", ITEMS).check({"items": [1, 2]}) == {"items": [1, 2]}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"items": [1, -2]}, "items/1"),
        ({}, ""),
        ({"items": [], "more": 1}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_an_input_that_does_not_fit_is_refused_with_its_place(given: Any, path: str) -> None:
    with pytest.raises(ToolInputRefused, match="input of sum") as refused:
        InputSchema("sum", ITEMS).check(given)
    assert refused.value.info["path"] == path


@pytest.mark.parametrize(
    "reference", ["http://127.0.0.1:9/schema.json", "file:///etc/passwd", "other.json"]
)
def test_a_reference_that_leads_out_is_refused(reference: str) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": reference}}}
    with pytest.raises(AgentConfigRefused, match="nothing is fetched"):
        InputSchema("sum", schema)


def test_a_reference_within_is_followed() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": False}}
    assert InputSchema("sum", schema).check({}) == {}
    with pytest.raises(ToolInputRefused):
        InputSchema("sum", schema).check({"a": 1})


LOOPS: list[dict[str, Any]] = [
    {"$ref": "#"},
    {"allOf": [{"$ref": "#"}]},
    {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}},
    },
    {"properties": {"x": {"$ref": "#/properties/x"}}},
    {
        "properties": {"x": {"not": {"$ref": "#/$defs/a"}}},
        "$defs": {"a": {"if": {"$ref": "#/$defs/a"}}},
    },
]


@pytest.mark.parametrize("schema", LOOPS)
def test_a_reference_to_itself_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(AgentConfigRefused, match="refers to itself"):
        InputSchema("sum", {"type": "object", **schema})


def test_a_tree_is_no_reference_to_itself() -> None:
    schema = {"type": "object", "properties": {"child": {"$ref": "#"}, "n": {"type": "integer"}}}
    tree: dict[str, Any] = {"n": 1}
    for _ in range(50):
        tree = {"child": tree}
    assert InputSchema("sum", schema).check(tree) == tree
    for _ in range(50):
        tree = {"child": tree}
    with pytest.raises(ToolInputRefused, match="levels"):
        InputSchema("sum", schema).check(tree)


@pytest.mark.parametrize(
    "part", [{"$ref": "#/$defs/none"}, {"$dynamicRef": "#a"}, {"$id": "http://x.example/"}]
)
def test_a_reference_to_nothing_is_refused(part: dict[str, Any]) -> None:
    with pytest.raises(AgentConfigRefused):
        InputSchema("sum", {"type": "object", "properties": {"a": part}})


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {}, {"type": "array"}])
def test_what_is_no_schema_of_an_object_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(AgentConfigRefused):
        InputSchema("sum", schema)


def test_patterns_of_strangers_are_left_out_and_properties_of_that_name_stay() -> None:
    schema = {"properties": {"pattern": {"type": "string", "pattern": "(a+)+$"}}, "type": "object"}
    assert harmless(schema)["properties"] == {"pattern": {"type": "string"}}


def test_references_of_strangers_are_written_out_and_circles_mean_anything() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "http://x.example/"}},
        "$defs": {"a": {"type": "object", "properties": {"again": {"$ref": "#/$defs/a"}}}},
    }
    made = harmless(schema)
    assert made["properties"] == {"a": {"type": "object", "properties": {"again": {}}}, "b": {}}
    InputSchema("sum", made).check({"a": {"again": 1}})


@pytest.mark.parametrize("loop", LOOPS)
def test_no_loop_of_a_stranger_is_refused_or_followed(loop: dict[str, Any]) -> None:
    assert InputSchema("sum", harmless(loop)).check({}) == {}


def test_references_that_double_stay_small() -> None:
    names = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    made = harmless({"$ref": "#/$defs/d0", "$defs": {**names, "d40": {"type": "object"}}})
    assert len(str(made)) < 100_000
