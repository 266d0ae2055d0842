"""Agents off chain: a loop that plans, acts and reflects, with tools, memory and permissions.

    from zkagent.executor.runtime import Agent, AgentConfig, ScriptedClient

    agent = Agent(AgentConfig("greeter", "Greet.", model_providers=[ScriptedClient(["hello"])]))
    print(agent.run().result)

What they decide can be a proven model's; every step can be replayed, and proofs verified again.
Each name is loaded when it is first used, like those of zkagent itself.
"""

TYPE_CHECKING = False  # to type checkers it is true
if TYPE_CHECKING:
    from zkagent.executor.runtime.adapters.proven_agent import proven_agent
    from zkagent.executor.runtime.core.config import (
        AgentConfig,
        MemoryPolicy,
        RetryPolicy,
        RunOptions,
    )
    from zkagent.executor.runtime.core.errors import ToolFault
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
        Planner,
        PlannerState,
        PlanStep,
    )
    from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
    from zkagent.executor.runtime.core.world import World
    from zkagent.executor.runtime.durable.database import open_runs
    from zkagent.executor.runtime.durable.runtime import DurableRuntime
    from zkagent.executor.runtime.events.bus import EventBus
    from zkagent.executor.runtime.events.collected import Collected
    from zkagent.executor.runtime.events.contents import Include
    from zkagent.executor.runtime.events.json_lines import JsonLines
    from zkagent.executor.runtime.events.logged import Logged
    from zkagent.executor.runtime.events.metrics import RunMetrics
    from zkagent.executor.runtime.events.otel import Spans
    from zkagent.executor.runtime.memory.encrypted import new_key
    from zkagent.executor.runtime.memory.guarded import (
        Access,
        Guard,
        GuardedCollections,
        GuardedStreams,
    )
    from zkagent.executor.runtime.memory.in_memory import InMemoryStore
    from zkagent.executor.runtime.memory.postgres import open_postgres
    from zkagent.executor.runtime.memory.retention import Limits, Retention
    from zkagent.executor.runtime.memory.sqlite import open_sqlite
    from zkagent.executor.runtime.permissions.approvals import ApprovalDesk, Supervised
    from zkagent.executor.runtime.permissions.arguments import Arguments
    from zkagent.executor.runtime.permissions.audit.log import AuditLog
    from zkagent.executor.runtime.permissions.audit.verify import verify_log
    from zkagent.executor.runtime.permissions.content import Content
    from zkagent.executor.runtime.permissions.defaults import default_permissions
    from zkagent.executor.runtime.permissions.ledger import Ledger
    from zkagent.executor.runtime.permissions.rates import Limit
    from zkagent.executor.runtime.permissions.roles import Principal, Roles
    from zkagent.executor.runtime.planners.model import ModelPlanner
    from zkagent.executor.runtime.planners.prompted import prompted_planner
    from zkagent.executor.runtime.planners.proofs import LocalProofs, ServiceProofs
    from zkagent.executor.runtime.planners.proven import ProvenPlanner
    from zkagent.executor.runtime.planners.relay import Relay
    from zkagent.executor.runtime.planners.scripted import ScriptedPlanner
    from zkagent.executor.runtime.planners.surroundings import Surroundings
    from zkagent.executor.runtime.planners.tool_inputs import ToolUse
    from zkagent.executor.runtime.prompts.blocking import SyncPromptStore
    from zkagent.executor.runtime.prompts.store import PromptStore
    from zkagent.executor.runtime.prompts.template import NewTemplate
    from zkagent.executor.runtime.providers.chat_api import ChatClient
    from zkagent.executor.runtime.providers.scripted import ScriptedClient
    from zkagent.executor.runtime.receipts.signing import receipt_of, verify_tool_receipt
    from zkagent.executor.runtime.replays.replaying import replay
    from zkagent.executor.runtime.replays.report import ReplayReport
    from zkagent.executor.runtime.running.agent import Agent
    from zkagent.executor.runtime.running.handlers import Hooks
    from zkagent.executor.runtime.running.loading import load_agents
    from zkagent.executor.runtime.running.service import AgentService
    from zkagent.executor.runtime.running.session import AgentSession
    from zkagent.executor.runtime.tools.contract import ContractAccount, ContractTools
    from zkagent.executor.runtime.tools.erc import erc_tool
    from zkagent.executor.runtime.tools.function import tool
    from zkagent.executor.runtime.tools.http import HttpRules, SecretHeader, http_tool
    from zkagent.executor.runtime.tools.kv import KeyValues
    from zkagent.executor.runtime.tools.mcp_servers import McpServer
    from zkagent.executor.runtime.tools.registry import ToolRegistry
    from zkagent.executor.runtime.tools.shell import Program, ShellRules, shell_tool
    from zkagent.executor.runtime.tools.sql import open_sql, sql_execute, sql_query, sql_statement
else:
    _HERE = "zkagent.executor.runtime"
    _CORE = f"{_HERE}.core"
    _MODULES = {
        "Access": f"{_HERE}.memory.guarded",
        "ActionResult": f"{_CORE}.steps",
        "Agent": f"{_HERE}.running.agent",
        "AgentConfig": f"{_CORE}.config",
        "AgentResult": f"{_CORE}.result",
        "AgentService": f"{_HERE}.running.service",
        "AgentSession": f"{_HERE}.running.session",
        "AllowAll": f"{_CORE}.permissions",
        "ApprovalDesk": f"{_HERE}.permissions.approvals",
        "Arguments": f"{_HERE}.permissions.arguments",
        "AuditLog": f"{_HERE}.permissions.audit.log",
        "CallContext": f"{_CORE}.tools",
        "CallOptions": f"{_CORE}.models",
        "ChatClient": f"{_HERE}.providers.chat_api",
        "ChatMessage": f"{_CORE}.steps",
        "Collected": f"{_HERE}.events.collected",
        "Content": f"{_HERE}.permissions.content",
        "ContractAccount": f"{_HERE}.tools.contract",
        "ContractTools": f"{_HERE}.tools.contract",
        "DurableRuntime": f"{_HERE}.durable.runtime",
        "Event": f"{_CORE}.events",
        "EventBus": f"{_HERE}.events.bus",
        "Guard": f"{_HERE}.memory.guarded",
        "GuardedCollections": f"{_HERE}.memory.guarded",
        "GuardedStreams": f"{_HERE}.memory.guarded",
        "Hooks": f"{_HERE}.running.handlers",
        "HttpRules": f"{_HERE}.tools.http",
        "InMemoryStore": f"{_HERE}.memory.in_memory",
        "Include": f"{_HERE}.events.contents",
        "JsonLines": f"{_HERE}.events.json_lines",
        "KeyValues": f"{_HERE}.tools.kv",
        "Ledger": f"{_HERE}.permissions.ledger",
        "Limit": f"{_HERE}.permissions.rates",
        "Limits": f"{_HERE}.memory.retention",
        "LocalProofs": f"{_HERE}.planners.proofs",
        "Logged": f"{_HERE}.events.logged",
        "McpServer": f"{_HERE}.tools.mcp_servers",
        "MemoryPolicy": f"{_CORE}.config",
        "ModelInfo": f"{_CORE}.models",
        "ModelPlanner": f"{_HERE}.planners.model",
        "ModelResponse": f"{_CORE}.models",
        "NewTemplate": f"{_HERE}.prompts.template",
        "PlanStep": f"{_CORE}.steps",
        "Planner": f"{_HERE}.core.steps",
        "PlannerState": f"{_CORE}.steps",
        "Principal": f"{_HERE}.permissions.roles",
        "Program": f"{_HERE}.tools.shell",
        "PromptStore": f"{_HERE}.prompts.store",
        "ProvenPlanner": f"{_HERE}.planners.proven",
        "Relay": f"{_HERE}.planners.relay",
        "ReplayReport": f"{_HERE}.replays.report",
        "Retention": f"{_HERE}.memory.retention",
        "RetryPolicy": f"{_CORE}.config",
        "Roles": f"{_HERE}.permissions.roles",
        "RunMetrics": f"{_HERE}.events.metrics",
        "RunOptions": f"{_CORE}.config",
        "ScriptedClient": f"{_HERE}.providers.scripted",
        "ScriptedPlanner": f"{_HERE}.planners.scripted",
        "SecretHeader": f"{_HERE}.tools.http",
        "ServiceProofs": f"{_HERE}.planners.proofs",
        "ShellRules": f"{_HERE}.tools.shell",
        "Spans": f"{_HERE}.events.otel",
        "Supervised": f"{_HERE}.permissions.approvals",
        "Surroundings": f"{_HERE}.planners.surroundings",
        "SyncPromptStore": f"{_HERE}.prompts.blocking",
        "TokenUsage": f"{_CORE}.models",
        "ToolDefinition": f"{_CORE}.tools",
        "ToolFault": f"{_CORE}.errors",
        "ToolOutput": f"{_CORE}.tools",
        "ToolRegistry": f"{_HERE}.tools.registry",
        "ToolUse": f"{_HERE}.planners.tool_inputs",
        "World": f"{_CORE}.world",
        "default_permissions": f"{_HERE}.permissions.defaults",
        "erc_tool": f"{_HERE}.tools.erc",
        "http_tool": f"{_HERE}.tools.http",
        "load_agents": f"{_HERE}.running.loading",
        "new_key": f"{_HERE}.memory.encrypted",
        "open_postgres": f"{_HERE}.memory.postgres",
        "open_runs": f"{_HERE}.durable.database",
        "open_sql": f"{_HERE}.tools.sql",
        "open_sqlite": f"{_HERE}.memory.sqlite",
        "prompted_planner": f"{_HERE}.planners.prompted",
        "proven_agent": f"{_HERE}.adapters.proven_agent",
        "receipt_of": f"{_HERE}.receipts.signing",
        "replay": f"{_HERE}.replays.replaying",
        "shell_tool": f"{_HERE}.tools.shell",
        "sql_execute": f"{_HERE}.tools.sql",
        "sql_query": f"{_HERE}.tools.sql",
        "sql_statement": f"{_HERE}.tools.sql",
        "tool": f"{_HERE}.tools.function",
        "verify_log": f"{_HERE}.permissions.audit.verify",
        "verify_tool_receipt": f"{_HERE}.receipts.signing",
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
    "Access",
    "ActionResult",
    "Agent",
    "AgentConfig",
    "AgentResult",
    "AgentService",
    "AgentSession",
    "AllowAll",
    "ApprovalDesk",
    "Arguments",
    "AuditLog",
    "CallContext",
    "CallOptions",
    "ChatClient",
    "ChatMessage",
    "Collected",
    "Content",
    "ContractAccount",
    "ContractTools",
    "DurableRuntime",
    "Event",
    "EventBus",
    "Guard",
    "GuardedCollections",
    "GuardedStreams",
    "Hooks",
    "HttpRules",
    "InMemoryStore",
    "Include",
    "JsonLines",
    "KeyValues",
    "Ledger",
    "Limit",
    "Limits",
    "LocalProofs",
    "Logged",
    "McpServer",
    "MemoryPolicy",
    "ModelInfo",
    "ModelPlanner",
    "ModelResponse",
    "NewTemplate",
    "PlanStep",
    "Planner",
    "PlannerState",
    "Principal",
    "Program",
    "PromptStore",
    "ProvenPlanner",
    "Relay",
    "ReplayReport",
    "Retention",
    "RetryPolicy",
    "Roles",
    "RunMetrics",
    "RunOptions",
    "ScriptedClient",
    "ScriptedPlanner",
    "SecretHeader",
    "ServiceProofs",
    "ShellRules",
    "Spans",
    "Supervised",
    "Surroundings",
    "SyncPromptStore",
    "TokenUsage",
    "ToolDefinition",
    "ToolFault",
    "ToolOutput",
    "ToolRegistry",
    "ToolUse",
    "World",
    "default_permissions",
    "erc_tool",
    "http_tool",
    "load_agents",
    "new_key",
    "open_postgres",
    "open_runs",
    "open_sql",
    "open_sqlite",
    "prompted_planner",
    "proven_agent",
    "receipt_of",
    "replay",
    "shell_tool",
    "sql_execute",
    "sql_query",
    "sql_statement",
    "tool",
    "verify_log",
    "verify_tool_receipt",
]
