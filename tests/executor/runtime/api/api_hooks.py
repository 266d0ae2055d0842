"""What schemathesis cannot read from the OpenAPI document; named by $SCHEMATHESIS_HOOKS."""

import json
import zlib
from typing import Any

import schemathesis
from schemathesis import HookContext

AGENTS = ("echo", "looker", "payer")


@schemathesis.hook
def filter_body(context: HookContext, body: Any) -> bool:
    """Leave out whole numbers written as fractions, which the service refuses."""
    return not _has_whole_float(body)


@schemathesis.hook
def map_body(context: HookContext, body: Any) -> Any:
    """Half of the requests for a run name an agent that there is."""
    if not isinstance(body, dict) or not isinstance(body.get("agent"), str):
        return body
    number = zlib.crc32(json.dumps(body, sort_keys=True).encode())
    return {**body, "agent": AGENTS[number % len(AGENTS)]} if number % 2 else body


def _has_whole_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_whole_float, value))
    return isinstance(value, float) and value.is_integer()
