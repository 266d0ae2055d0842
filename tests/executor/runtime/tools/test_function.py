"""Any Python function is a tool, with a schema of its signature."""

import asyncio
import threading
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from tests.support.tool_calls import CONTEXT, call
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    ToolFault,
    ToolInputRefused,
    ToolTimeout,
)
from zkagent.executor.runtime.core.tools import CallContext, ToolOutput
from zkagent.executor.runtime.tools.function import tool


@tool(safe_by_default=True, timeout_s=5)
def weather(city: str, days: int = 1, *, unit: Literal["C", "F"] = "C") -> list[str]:
    """The weather
    of the next days.

    city: its English name,
        in full.
    days: how many.

    Raises nothing.
    """
    return [f"{city} {day} {unit}" for day in range(days)]


def test_a_function_is_described_by_its_docstring_and_signature() -> None:
    assert (weather.id, weather.description) == ("weather", "The weather of the next days.")
    assert (weather.safe_by_default, weather.timeout_s, weather.destructive) == (True, 5, False)
    assert weather.schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "its English name, in full."},
            "days": {"type": "integer", "default": 1, "description": "how many."},
            "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
        },
        "required": ["city"],
        "additionalProperties": False,
    }


def test_flags_count_however_a_function_becomes_a_tool() -> None:
    def pay(cents: int) -> str:
        return str(cents)

    flags: dict[str, Any] = {"id": "bank.pay", "destructive": True, "timeout_s": 7.0}
    for made in (tool(pay, **flags), tool(**flags)(pay)):
        assert (made.id, made.destructive, made.timeout_s) == ("bank.pay", True, 7.0)
    assert (tool(pay).id, tool(pay).destructive) == ("pay", False)


@pytest.mark.parametrize("given", [{"destructve": True}, {"schema": {}}, {"run": None}])
def test_a_flag_that_there_is_not_is_refused(given: dict[str, Any]) -> None:
    for made in (lambda: tool(str, **given), lambda: tool(**given)):
        with pytest.raises(AgentConfigRefused, match=f"no flag '{next(iter(given))}'; there are "):
            made()


def test_a_name_in_place_of_the_function_is_refused() -> None:
    with pytest.raises(AgentConfigRefused, match="made of a function, not of 'pay'"):
        tool("pay")  # type: ignore[call-overload]


def test_it_is_called_with_its_arguments() -> None:
    assert call(weather, {"city": "Bonn", "days": 2, "unit": "F"}).output == [
        "Bonn 0 F",
        "Bonn 1 F",
    ]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({}, "city"),
        ({"city": 1}, "city"),
        ({"city": "Bonn", "days": "2"}, "days"),
        ({"city": "Bonn", "unit": "K"}, "unit"),
        ({"city": "Bonn", "more": 1}, "more"),
    ],
)
def test_what_its_signature_does_not_take_is_refused(given: Any, path: str) -> None:
    with pytest.raises(ToolInputRefused) as refused:
        asyncio.run(weather.run(given, CONTEXT))
    assert refused.value.info["path"] == path


STYLES = {
    "google": "Add.\n\nArgs:\n    a (int): the first\n        of two.\n    b: the second.",
    "numpy": "Add.\n\nParameters\n------\na : int\n    the first of two.\nb : int\n    the second.",
    "sphinx": "Add.\n\n:param int a: the first of two.\n:param b: the second.",
}


@pytest.mark.parametrize("style", STYLES)
def test_docstrings_of_other_styles_are_read(style: str) -> None:
    def add(a: int, b: int) -> int:
        return a + b

    add.__doc__ = STYLES[style]
    made = tool(add)
    described = {name: each["description"] for name, each in made.schema["properties"].items()}
    assert made.description == "Add."
    assert described == {"a": "the first of two.", "b": "the second."}


def test_an_async_function_is_awaited_and_another_runs_in_a_thread() -> None:
    @tool
    async def here() -> bool:
        return threading.current_thread() is threading.main_thread()

    @tool
    def elsewhere() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert call(here).output is True
    assert call(elsewhere).output is False


def test_a_context_is_given_and_is_no_part_of_the_input() -> None:
    @tool(honours_keys=True)
    def pay(context: CallContext, amount: int) -> str:
        return f"{amount} {context.key[:2]}"

    assert list(pay.schema["properties"]) == ["amount"]
    assert call(pay, {"amount": 3}).output == "3 ab"


@dataclass
class Trip:
    start: date
    nights: Annotated[int, Field(ge=1)]


def test_types_of_any_depth_are_read_and_written_as_json() -> None:
    @tool
    def book(trip: Trip) -> Trip:
        assert isinstance(trip.start, date)
        return trip

    given = {"trip": {"start": "2026-01-02", "nights": 1}}
    assert call(book, given).output == given["trip"]
    with pytest.raises(ToolInputRefused, match="trip/nights"):
        call(book, {"trip": {"start": "2026-01-02", "nights": 0}})


def test_parameters_may_have_names_that_pydantic_uses() -> None:
    @tool
    def odd(schema: int, model_config: int, _x: int, copy: int) -> int:
        return schema + model_config + _x + copy

    assert call(odd, {"schema": 1, "model_config": 2, "_x": 3, "copy": 4}).output == 10


def test_an_output_of_ones_own_is_kept() -> None:
    @tool
    def absent() -> ToolOutput:
        return ToolOutput(False, None, {"status": 404})

    assert call(absent) == ToolOutput(False, None, {"status": 404})


@pytest.mark.parametrize("value", [float("nan"), object(), {threading}])
def test_what_is_no_json_is_a_fault(value: Any) -> None:
    @tool
    def odd() -> Any:
        return value

    with pytest.raises(ToolFault, match="no JSON"):
        call(odd)


@pytest.mark.parametrize(("error", "again"), [(OSError("x"), True), (ValueError("x"), False)])
def test_an_exception_is_a_fault_that_says_whether_to_try_again(
    error: Exception, again: bool
) -> None:
    @tool(retriable=(OSError,))
    def broken() -> None:
        raise error

    with pytest.raises(ToolFault, match="broken failed") as fault:
        call(broken)
    assert fault.value.retriable is again


def test_what_runs_out_of_time_by_itself_is_no_time_out_of_the_tool() -> None:
    @tool
    def broken() -> None:
        raise TimeoutError("of its own")

    with pytest.raises(ToolFault, match="broken failed: TimeoutError: of its own") as fault:
        call(broken)
    assert not isinstance(fault.value, ToolTimeout)


def test_what_an_annotation_says_of_a_parameter_describes_it_unless_the_docstring_does() -> None:
    @tool
    def add(
        a: Annotated[int, Field(description="the first")], b: Annotated[int, "no field"]
    ) -> int:
        """Add.

        b: the second.
        """
        return a + b

    described = {name: each["description"] for name, each in add.schema["properties"].items()}  # type: ignore[union-attr]
    assert described == {"a": "the first", "b": "the second."}


def test_a_function_whose_parameters_have_no_names_is_refused() -> None:
    for function in (lambda *args: args, lambda **more: more):
        with pytest.raises(AgentConfigRefused, match="cannot be given by name"):
            tool(function)


def test_a_parameter_that_can_be_no_json_is_refused() -> None:
    def odd(lock: threading.Thread) -> None: ...

    with pytest.raises(AgentConfigRefused, match="no JSON"):
        tool(odd)
