"""What schemathesis cannot read from the OpenAPI document; named by $SCHEMATHESIS_HOOKS."""

import json
import zlib
from typing import Any

import schemathesis
from pydantic import ValidationError
from schemathesis import HookContext

from zkagent.executor.runtime.api.schemas import RunRequest

#: Of those that end by themselves: whoever follows or waits for others is not answered soon.
AGENTS = ("echo", "looker", "talker")


@schemathesis.hook
def filter_body(context: HookContext, body: Any) -> bool:
    """Leave out whole numbers written as fractions, which the service refuses."""
    return not _has_whole_float(body)


@schemathesis.hook
def map_body(context: HookContext, body: Any) -> Any:
    """Half of the valid requests for a run name an agent that there is."""
    if not _is_valid(body):
        return body
    number = zlib.crc32(json.dumps(body, sort_keys=True).encode())
    return {**body, "agent": AGENTS[number % len(AGENTS)]} if number % 2 else body


def _is_valid(body: Any) -> bool:
    try:
        RunRequest.model_validate(body)
    except ValidationError:
        return False
    return True


def _has_whole_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_whole_float, value))
    return isinstance(value, float) and value.is_integer()
