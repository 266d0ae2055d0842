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
    from zkagent.executor.runtime.planners.model import ModelPlanner
    from zkagent.executor.runtime.planners.scripted import ScriptedPlanner
    from zkagent.executor.runtime.providers.chat_api import ChatClient
    from zkagent.executor.runtime.providers.scripted import ScriptedClient
    from zkagent.executor.runtime.running.agent import Agent
    from zkagent.executor.runtime.running.handlers import Hooks
    from zkagent.executor.runtime.running.service import AgentService
    from zkagent.executor.runtime.running.session import AgentSession
else:
    _HERE = "zkagent.executor.runtime"
    _CORE = f"{_HERE}.core"
    _MODULES = {
        "ActionResult": f"{_CORE}.steps",
        "Agent": f"{_HERE}.running.agent",
        "AgentConfig": f"{_CORE}.config",
        "AgentResult": f"{_CORE}.result",
        "AgentService": f"{_HERE}.running.service",
        "AgentSession": f"{_HERE}.running.session",
        "AllowAll": f"{_CORE}.permissions",
        "CallContext": f"{_CORE}.tools",
        "CallOptions": f"{_CORE}.models",
        "ChatClient": f"{_HERE}.providers.chat_api",
        "ChatMessage": f"{_CORE}.steps",
        "Event": f"{_CORE}.events",
        "Hooks": f"{_HERE}.running.handlers",
        "MemoryPolicy": f"{_CORE}.config",
        "ModelInfo": f"{_CORE}.models",
        "ModelPlanner": f"{_HERE}.planners.model",
        "ModelResponse": f"{_CORE}.models",
        "PlanStep": f"{_CORE}.steps",
        "PlannerState": f"{_CORE}.steps",
        "RetryPolicy": f"{_CORE}.config",
        "RunOptions": f"{_CORE}.config",
        "ScriptedClient": f"{_HERE}.providers.scripted",
        "ScriptedPlanner": f"{_HERE}.planners.scripted",
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
    "Agent",
    "AgentConfig",
    "AgentResult",
    "AgentService",
    "AgentSession",
    "AllowAll",
    "CallContext",
    "CallOptions",
    "ChatClient",
    "ChatMessage",
    "Event",
    "Hooks",
    "MemoryPolicy",
    "ModelInfo",
    "ModelPlanner",
    "ModelResponse",
    "PlanStep",
    "PlannerState",
    "RetryPolicy",
    "RunOptions",
    "ScriptedClient",
    "ScriptedPlanner",
    "TokenUsage",
    "ToolDefinition",
    "ToolOutput",
    "World",
]
