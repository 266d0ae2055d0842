"""How tests call tools."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.tools.schema import checked_tool

CONTEXT = CallContext("run-0001", "helper", 0, "ab" * 32, 10.0)


def call(
    tool: ToolDefinition,
    given: Mapping[str, Any] | None = None,
    *,
    secrets: Mapping[str, str] | None = None,
    **context: Any,
) -> ToolOutput:
    """As a run calls it, but for permissions."""
    found = checked_tool(tool, dict(given or {}))
    found_context = replace(CONTEXT, secrets=(secrets or {}).__getitem__, **context)
    return asyncio.run(tool.run(found, found_context))
