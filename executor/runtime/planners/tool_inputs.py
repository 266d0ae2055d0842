"""A decision's arguments as a tool of the runtime takes them: its schema says in which form.

text       an asset's symbol, an amount as people write it ("2.5"), an account's address: a string
units      an integer, also beside a string, or a string whose pattern takes digits alone: an amount
           in the asset's smallest unit
address    a string whose pattern or format is an address's: assets and accounts, as on a chain
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zkagent.executor.runtime.core.errors import PlanRefused
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.steps import PlannerState, ToolInfo
from zkagent.executor.runtime.planners.surroundings import Surroundings
from zkagent.models.encoding.amounts import format_amount
from zkagent.models.encoding.decoder import Decision
from zkagent.models.encoding.manifest import Action, Parameter

ADDRESS, UNITS = "0x" + "0b" * 20, "1200000000000000000"


@dataclass(frozen=True)
class ToolUse:
    """The runtime's tool that a model's action stands for. parameters: the model's names to the
    tool's, where they differ. only: parameters that the tool does not take, as it is made for one
    asset or one account alone: addresses (or symbols) by the model's names; a decision about
    another one is not carried out."""

    tool_id: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, str] = field(default_factory=dict)

    def name_of(self, parameter: Parameter) -> str:
        return self.parameters.get(parameter.name, parameter.name)


def held(state: PlannerState, action: Action, use: ToolUse) -> ToolInfo | None:
    """The tool, if the agent has it. Raises PlanRefused: it takes other parameters."""
    tool = next((tool for tool in state.tools if tool.id == use.tool_id), None)
    if tool is None:
        return None
    given = {use.name_of(parameter) for parameter in taken(action, use)}
    takes, needs = set(_properties(tool)), set(_list(tool.schema.get("required")))
    if not needs <= given <= takes:
        raise PlanRefused(
            f"tool {tool.id} takes {sorted(takes)}, and the model gives {sorted(given)}: rename "
            "its parameters, or say with ToolUse which is which"
        )
    return tool


def taken(action: Action, use: ToolUse) -> tuple[Parameter, ...]:
    """The parameters that the tool is given."""
    return tuple(p for p in action.parameters if p.name not in use.only)


def input_of(
    decision: Decision, action: Action, tool: ToolInfo, use: ToolUse, known: Surroundings
) -> dict[str, Json]:
    """Raises PlanRefused: of a schema that no argument fits; what the tool is not made for."""
    asset = action.parameters.index(next(p for p in action.parameters if p.slot == "asset"))
    token, properties = _address(decision.values[asset]), _properties(tool)
    found: dict[str, Json] = {}
    for parameter, value in zip(action.parameters, decision.values, strict=True):
        if parameter.name in use.only:
            _check_only(use, parameter, value, known)
            continue
        name = use.name_of(parameter)
        found[name] = _value(parameter, value, token, properties[name], known)
    return found


def _check_only(use: ToolUse, parameter: Parameter, value: int, known: Surroundings) -> None:
    wanted = use.only[parameter.name]
    listing = known.book.by_symbol(wanted) if parameter.slot == "asset" else None
    if _address(value) != (listing.token if listing else wanted).lower():
        raise PlanRefused(
            f"tool {use.tool_id} is for the {parameter.name} {wanted} alone, and the decision is "
            f"about {_address(value)}"
        )


def _value(
    parameter: Parameter, value: int, token: str, schema: Mapping[str, Any], known: Surroundings
) -> Json:
    forms, is_amount = _forms(schema), parameter.slot == "amount"
    if is_amount and "integer" in forms:  # where text is taken as well, no reader rounds it
        return str(value) if "string" in forms else value
    if (text := forms.get("string")) is None:
        raise PlanRefused(
            f"parameter {parameter.name} is of type {' or '.join(forms) or 'unknown'}: a string "
            "takes it as written" + (", an integer in the asset's smallest unit" * is_amount)
        )
    if is_amount:
        return str(value) if _matches(text, UNITS, "2.5") else _amount(value, token, known)
    address = _address(value)
    listing = known.book.by_token(address) if parameter.slot == "asset" else None
    return listing.symbol if listing and not _is_address(text) else address


def _amount(units: int, token: str, known: Surroundings) -> str:
    decimals = known.decimals_of(token)
    if decimals is None:
        raise PlanRefused(f"nobody tells the decimals of {token}: name them in the surroundings")
    return format_amount(units, decimals)


def _forms(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """By type, those that the schema takes: a Decimal's are number and string."""
    found: dict[str, Mapping[str, Any]] = {}
    for form in (schema, *_list(schema.get("anyOf"))):
        kinds = form.get("type") if isinstance(form, Mapping) else None
        for kind in [kinds] if isinstance(kinds, str) else _list(kinds):
            found.setdefault(kind, form)
    return found


def _is_address(schema: Mapping[str, Any]) -> bool:
    return schema.get("format") == "address" or _matches(schema, ADDRESS, "USDC")


def _matches(schema: Mapping[str, Any], one: str, not_other: str) -> bool:
    """Whether the pattern is there, and takes the one only."""
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return False
    return bool(re.search(pattern, one)) and not re.search(pattern, not_other)


def _address(value: int) -> str:
    return f"0x{value:040x}"


def _properties(tool: ToolInfo) -> Mapping[str, Any]:
    found = tool.schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _list(found: Any) -> list[Any]:
    return list(found) if isinstance(found, list | tuple) else []


__all__ = ["ToolUse", "held", "input_of"]
