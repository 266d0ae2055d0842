"""Agents off chain: a loop that plans, acts and reflects, with tools, memory and permissions.

    from zkagent.executor.runtime import Agent, AgentConfig, ScriptedClient

    agent = Agent(AgentConfig("greeter", "Greet.", model_providers=[ScriptedClient(["hello"])]))
    print(agent.run().result)

What they decide can be a proven model's; every step can be replayed, and proofs verified again.
Each name is loaded when it is first used, like those of zkagent itself.
"""

TYPE_CHECKING = False  # to type checkers it is true
if TYPE_CHECKING:
    from zkagent.executor.runtime.core.config import (
        AgentConfig,
        MemoryPolicy,
        RetryPolicy,
        RunOptions,
    )
    from zkagent.executor.runtime.core.events import Event
    from zkagent.executor.runtime.core.models import (
        CallOptions,
        ModelInfo,
        ModelResponse,
        TokenUsage,
    )
    from zkagent.executor.runtime.core.permissions import AllowAll
    from zkagent.executor.runtime.core.result import AgentResult
    from zkagent.executor.runtime.core.steps import (
        ActionResult,
        ChatMessage,
        PlannerState,
        PlanStep,
    )
    from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
    from zkagent.executor.runtime.core.world import World
else:
    _CORE = "zkagent.executor.runtime.core"
    _MODULES = {
        "ActionResult": f"{_CORE}.steps",
        "AgentConfig": f"{_CORE}.config",
        "AgentResult": f"{_CORE}.result",
        "AllowAll": f"{_CORE}.permissions",
        "CallContext": f"{_CORE}.tools",
        "CallOptions": f"{_CORE}.models",
        "ChatMessage": f"{_CORE}.steps",
        "Event": f"{_CORE}.events",
        "MemoryPolicy": f"{_CORE}.config",
        "ModelInfo": f"{_CORE}.models",
        "ModelResponse": f"{_CORE}.models",
        "PlanStep": f"{_CORE}.steps",
        "PlannerState": f"{_CORE}.steps",
        "RetryPolicy": f"{_CORE}.config",
        "RunOptions": f"{_CORE}.config",
        "TokenUsage": f"{_CORE}.models",
        "ToolDefinition": f"{_CORE}.tools",
        "ToolOutput": f"{_CORE}.tools",
        "World": f"{_CORE}.world",
    }

    def __getattr__(name):
        """The names of `__all__` when they are first used (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        found = getattr(importlib.import_module(_MODULES[name]), name)
        globals()[name] = found
        return found

    def __dir__():
        return sorted({*globals(), *_MODULES})


__all__ = [
    "ActionResult",
    "AgentConfig",
    "AgentResult",
    "AllowAll",
    "CallContext",
    "CallOptions",
    "ChatMessage",
    "Event",
    "MemoryPolicy",
    "ModelInfo",
    "ModelResponse",
    "PlanStep",
    "PlannerState",
    "RetryPolicy",
    "RunOptions",
    "TokenUsage",
    "ToolDefinition",
    "ToolOutput",
    "World",
]
