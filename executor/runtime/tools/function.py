"""A tool of any Python function: `@tool`.

    @tool(safe_by_default=True)
    def weather(city: str, days: int = 1) -> list[str]:
        '''The weather of the next days.

        city: its English name.
        '''

The schema is made of the signature, by pydantic; what the docstring says of a parameter (as here,
or in the styles of Google, NumPy and Sphinx) describes it. A parameter of type CallContext is not
part of the input: the call's own is given. Functions that are not async run in a thread.
"""

import functools
import inspect
import json
import re
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack, overload

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ToolFault, ToolInputRefused
from zkagent.executor.runtime.core.foreign import contained
from zkagent.executor.runtime.core.tools import (
    CallContext,
    Interrupted,
    ToolDefinition,
    ToolOutput,
)
from zkagent.executor.runtime.tools.threads import in_thread

Function = Callable[..., Any]
PLAIN = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
PARAMETER = re.compile(
    r"^\s*(?::param\s+(?:[\w\[\], .]+\s)?)?(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$"
)
MOST_DESCRIPTION = 4000


class Flags(TypedDict, total=False):
    """Of `tool`: all of a ToolDefinition but what the function says."""

    id: str | None
    description: str | None
    safe_by_default: bool
    destructive: bool
    honours_keys: bool
    interrupted: Interrupted | None
    retriable: tuple[type[BaseException], ...]
    timeout_s: float


@overload
def tool(function: Function, /, **flags: Unpack[Flags]) -> ToolDefinition: ...


@overload
def tool(**flags: Unpack[Flags]) -> Callable[[Function], ToolDefinition]: ...


def tool(function: Function | None = None, /, **flags: Any) -> Any:
    """A ToolDefinition of the function, which is `run` through it from now on.

    id: its name by default. The other flags are those of ToolDefinition. Raises AgentConfigRefused:
    a flag that there is not, or a parameter that no JSON can be.
    """
    if unknown := flags.keys() - Flags.__annotations__:
        known = ", ".join(sorted(Flags.__annotations__))
        raise AgentConfigRefused(f"a tool has no flag {min(unknown)!r}; there are {known}")
    if function is None:
        return functools.partial(_made, **flags)
    if not callable(function):
        raise AgentConfigRefused(
            f"a tool is made of a function, not of {function!r:.80}: a name is given as id="
        )
    return _made(function, **flags)


def _made(
    function: Function, id: str | None = None, description: str | None = None, **flags: Any
) -> ToolDefinition:
    name = id or str(getattr(function, "__name__", type(function).__name__))
    docstring = inspect.getdoc(function) or ""
    signature = _Signature.of(name, function, docstring)
    return ToolDefinition(
        id=name,
        description=(description or _summary(docstring, signature.names))[:MOST_DESCRIPTION],
        schema=signature.schema(),
        run=_runner(name, function, signature, flags.get("retriable", ())),
        **flags,
    )


def _runner(
    name: str, function: Function, signature: "_Signature", retriable: tuple[type[BaseException]]
) -> Callable[[dict[str, Any], CallContext], Awaitable[ToolOutput]]:
    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        arguments = signature.arguments(given, context)
        try:
            with contained():
                if _is_async(function):
                    found = await function(**arguments)
                else:
                    found = await in_thread(function, **arguments)
                if inspect.isawaitable(found):
                    found = await found
        except ToolFault:
            raise
        except Exception as exc:
            why = in_line(f"{type(exc).__name__}: {exc}", 500)
            again = isinstance(exc, retriable)
            raise ToolFault(f"{name} failed: {why}", retriable=again) from exc
        return output_of(name, found)

    return run


def output_of(name: str, found: Any) -> ToolOutput:
    """What a function gave, as JSON. Raises ToolFault."""
    if isinstance(found, ToolOutput):
        return found
    try:
        value = to_jsonable_python(found, inf_nan_mode="constants")
        json.dumps(value, allow_nan=False)
    except (PydanticSerializationError, ValueError, RecursionError) as exc:
        kind = type(found).__name__
        raise ToolFault(
            f"{name} gave a {kind}, which is no JSON: {in_line(str(exc), 200)}"
        ) from exc
    return ToolOutput(True, value)


@dataclass(frozen=True)
class _Signature:
    """model: of the input, whose fields are numbered, so that parameters may have any name; names:
    of the parameters in order; context: the name of the one that takes the CallContext."""

    tool: str
    model: type[BaseModel]
    names: tuple[str, ...]
    context: str | None

    @classmethod
    def of(cls, name: str, function: Function, docstring: str) -> "_Signature":
        hints, context = _hints(name, function), None
        described, fields, names = _described(docstring), dict[str, Any](), list[str]()
        for parameter in inspect.signature(function).parameters.values():
            annotation = hints.get(parameter.name, Any)
            if annotation is CallContext:
                context = parameter.name
                continue
            if parameter.kind not in PLAIN:
                raise AgentConfigRefused(
                    f"tool {name}: {parameter} cannot be given by name: name each parameter"
                )
            default = ... if parameter.default is parameter.empty else parameter.default
            text = described.get(parameter.name)
            said: Any = {"description": text} if text else {}  # else what its annotation says
            field = Field(default, alias=parameter.name, **said)
            fields[f"field_{len(names)}"] = (annotation, field)
            names.append(parameter.name)
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=False)
        try:
            model = create_model(name, __config__=config, **fields)
        except (PydanticUserError, TypeError) as exc:
            why = in_line(str(exc).split("\n", maxsplit=1)[0], 200)
            raise AgentConfigRefused(f"tool {name}: a parameter can be no JSON: {why}") from exc
        return cls(name, model, tuple(names), context)

    def schema(self) -> dict[str, Any]:
        try:
            found = self.model.model_json_schema(by_alias=True)
        except PydanticUserError as exc:
            why = in_line(str(exc).split("\n", maxsplit=1)[0], 200)
            raise AgentConfigRefused(
                f"tool {self.tool}: a parameter can be no JSON: {why}"
            ) from exc
        return {"properties": {}, **_untitled(found)}

    def arguments(self, given: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        """Raises ToolInputRefused. As JSON and strictly: "5" is no number."""
        try:
            read = self.model.model_validate_json(json.dumps(given), strict=True)
        except (ValidationError, TypeError, ValueError) as exc:
            where, why = _first(exc)
            raise ToolInputRefused(
                f"input of {self.tool}: {where or 'the input'}: {why}", tool=self.tool, path=where
            ) from exc
        values = {name: getattr(read, f"field_{i}") for i, name in enumerate(self.names)}
        return values | ({self.context: context} if self.context else {})


def _hints(name: str, function: Function) -> dict[str, Any]:
    target = function if inspect.isroutine(function) else type(function).__call__
    while isinstance(function, functools.partial):
        target = function = function.func
    try:
        return typing.get_type_hints(target, include_extras=True)
    except NameError as exc:
        raise AgentConfigRefused(f"tool {name}: its annotations cannot be read: {exc}") from exc


def _is_async(function: Function) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004
    )


def _first(exc: Exception) -> tuple[str, str]:
    """Where and why."""
    if not isinstance(exc, ValidationError):
        return "", in_line(str(exc), 200)
    first = exc.errors(include_url=False, include_context=False)[0]
    shown = in_line(repr(first.get("input")), 80)
    return "/".join(map(str, first["loc"])), in_line(f"{first['msg']}, not {shown}", 200)


def _described(docstring: str) -> dict[str, str]:
    """What a docstring says of each name before a colon; NumPy's descriptions stand beneath."""
    found, lines = dict[str, str](), docstring.splitlines()
    for place, line in enumerate(lines):
        if not (match := PARAMETER.match(line)):
            continue
        name, text = match[1].lstrip("*"), match[2].strip()
        indent = len(line) - len(line.lstrip())
        is_numpy = re.match(rf"\s*{re.escape(match[1])} :", line)
        more = [] if is_numpy else [text]
        for following in lines[place + 1 :]:
            if len(following) - len(following.lstrip()) <= indent or not following.strip():
                break
            more.append(following.strip())
        found.setdefault(name, " ".join(filter(None, more)))
    return found


def _summary(docstring: str, names: tuple[str, ...]) -> str:
    """What stands before the parameters."""
    kept = list[str]()
    for line in docstring.splitlines():
        match = PARAMETER.match(line)
        heading = re.fullmatch(r"\s*(Args|Arguments|Parameters|Returns|Raises|Yields):?\s*", line)
        if heading or (match and match[1].lstrip("*") in names):
            break
        kept.append(line.strip())
    return re.sub(r"\s+", " ", " ".join(kept)).strip()


def _untitled(schema: Any, *, names: bool = False) -> Any:
    """Without the titles that pydantic makes of names. names: the keys are parameters'."""
    if isinstance(schema, list):
        return [_untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _untitled(value, names=not names and key in ("properties", "$defs"))
        for key, value in schema.items()
        if names or key != "title" or not isinstance(value, str)
    }


__all__ = ["output_of", "tool"]
