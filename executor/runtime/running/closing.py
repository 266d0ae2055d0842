"""Closes what agents are made of when they are used no more."""

import asyncio
from collections.abc import Iterable
from inspect import isawaitable
from typing import Any

from zkagent.executor.runtime.core.config import AgentConfig
from zkagent.executor.runtime.core.patience import within

CLOSE_S = 10.0  # for one client or planner


async def close_all(configs: Iterable[AgentConfig]) -> None:
    """Models, memories, databases and planners, each once, also if several agents have it. Raises
    what the first that fails raises, when all others are closed."""
    parts: dict[int, Any] = {}
    for config in configs:
        for part in (*config.model_providers, config.memory, config.database):
            parts[id(part)] = part
        if hasattr(config.planner, "close"):
            parts[id(config.planner)] = config.planner
    parts.pop(id(None), None)
    errors: list[Exception] = []
    for part in parts.values():
        try:
            await within(CLOSE_S, _close(part))
        except Exception as exc:
            errors.append(exc)
    if errors:
        raise errors[0]


async def _close(part: Any) -> None:
    """What is not asynchronous may wait for a process to end, so that is done in a thread."""
    if asyncio.iscoroutinefunction(part.close):
        await part.close()
        return
    found = await asyncio.to_thread(part.close)
    if isawaitable(found):
        await found


__all__ = ["close_all"]
