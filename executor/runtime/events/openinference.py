"""Attributes of spans by the names of OpenInference. What is withheld has no attribute."""

import json
from collections.abc import Mapping
from typing import Any

from zkagent.executor.runtime.events.contents import WITHHELD

KIND = "openinference.span.kind"
JSON = "application/json"
TEXT = "text/plain"


def of_model(data: Mapping[str, Any]) -> dict[str, Any]:
    """data: of an event model_called."""
    attributes = {
        KIND: "LLM",
        "llm.model_name": str(data["model"]),
        "llm.provider": str(data["provider"]),
        "llm.invocation_parameters": json.dumps(data["options"]),
        **tokens(data["usage"]),
        **content("input", data["messages"]),
        **content("output", data["text"]),
    }
    if data["messages"] != WITHHELD:
        for place, message in enumerate(data["messages"]):
            attributes |= _message(f"llm.input_messages.{place}", message)
    if data["text"] != WITHHELD:
        answer = {"role": "assistant", "content": data["text"]}
        attributes |= _message("llm.output_messages.0", answer)
    return attributes


def of_call(data: Mapping[str, Any]) -> dict[str, Any]:
    """data: of an event tool_called."""
    attributes = {KIND: "TOOL", "tool.name": str(data["tool"]), "zkagent.attempt": data["attempt"]}
    if data["input"] != WITHHELD:
        attributes["tool.parameters"] = _text(data["input"])
    return attributes | content("input", data["input"])


def tokens(usage: Mapping[str, Any]) -> dict[str, Any]:
    prompt, completion = usage["prompt_tokens"], usage["completion_tokens"]
    attributes = {
        "llm.token_count.prompt": prompt,
        "llm.token_count.completion": completion,
        "llm.token_count.total": prompt + completion,
    }
    return attributes if usage["cost"] is None else attributes | {"llm.cost.total": usage["cost"]}


def content(place: str, value: Any) -> dict[str, Any]:
    """place: input or output."""
    if value == WITHHELD or value is None:
        return {}
    mime = TEXT if isinstance(value, str) else JSON
    return {f"{place}.value": _text(value), f"{place}.mime_type": mime}


def plain(value: Any) -> Any:
    """What an attribute may be."""
    return value if isinstance(value, bool | int | float | str) else _text(value)


def why(error: Mapping[str, Any]) -> str:
    """code: message, as far as it is not withheld."""
    code, message = str(error["code"]), error["message"]
    return code if message == WITHHELD else f"{code}: {message}"


def _message(name: str, message: Mapping[str, Any]) -> dict[str, str]:
    return {f"{name}.message.{part}": str(message[part]) for part in ("role", "content")}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


__all__ = ["JSON", "KIND", "TEXT", "content", "of_call", "of_model", "plain", "tokens", "why"]
