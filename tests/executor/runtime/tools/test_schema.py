"""An input fits its schema or is refused with the place; nothing is fetched."""

from typing import Any

import pytest

from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolInputRefused
from zkagent.executor.runtime.tools.schema import InputSchema, without_patterns

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


def test_a_reference_to_itself_ends() -> None:
    with pytest.raises(ToolInputRefused, match="cannot be followed"):
        InputSchema("sum", {"type": "object", "$ref": "#"}).check({})


def test_a_reference_to_nothing_is_refused_when_it_is_met() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}
    with pytest.raises(ToolInputRefused, match="cannot be followed"):
        InputSchema("sum", schema).check({"a": 1})


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {}, {"type": "array"}])
def test_what_is_no_schema_of_an_object_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(AgentConfigRefused):
        InputSchema("sum", schema)


def test_patterns_of_strangers_are_left_out_and_properties_of_that_name_stay() -> None:
    schema = {"properties": {"pattern": {"type": "string", "pattern": "(a+)+$"}}, "type": "object"}
    assert without_patterns(schema)["properties"] == {"pattern": {"type": "string"}}
