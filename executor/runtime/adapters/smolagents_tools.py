"""Tools of smolagents as ours and ours as theirs, and signed receipts of their agents' runs.

run = run_with_receipt(agent, "What is 2 + 3?", account)
assert verify_tool_receipt(run.receipt, account.address)
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from eth_account.signers.local import LocalAccount
from smolagents import Tool

from zkagent.executor.runtime.adapters.offered import Offered, told
from zkagent.executor.runtime.adapters.recording import ReceiptedRun, Recording
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.json_values import JsonObject
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.tools.function import output_of
from zkagent.executor.runtime.tools.threads import in_thread

#: Their types that are JSON's; `any` is a schema that says nothing, and others are no JSON.
PLAIN = {"string", "boolean", "integer", "number", "array", "object", "null"}
FINAL = "final_answer"


def from_smolagents(tool: Any, **flags: Any) -> ToolDefinition:
    """Theirs as ours. flags: those of ToolDefinition; nobody says that theirs is safe unless the
    host does. Raises AgentConfigRefused for inputs that are no JSON (images, audio)."""

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        return output_of(tool.name, await in_thread(tool, **given))

    properties = {name: _schema(tool.name, said) for name, said in tool.inputs.items()}
    optional = {name for name, said in tool.inputs.items() if said.get("nullable")}
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
    return ToolDefinition(tool.name, tool.description, schema, run, **flags)


def to_smolagents(
    tool: ToolDefinition,
    *,
    allow_destructive: bool = False,
    secrets: Callable[[str], str] | None = None,
) -> Any:
    """Ours as theirs, an instance of smolagents.Tool. Raises AgentConfigRefused."""
    offered = Offered(tool, allow_destructive, secrets, "smolagents")
    inputs = _inputs(tool)

    class OfferedTool(Tool):  # type: ignore[misc]
        skip_forward_signature_validation = True

        def __init__(self) -> None:
            self.name = tool.id.replace("-", "_").replace(".", "_")
            self.description, self.inputs = tool.description, inputs
            self.output_type = "any"
            super().__init__()

        def forward(self, **given: Any) -> Any:
            return told(offered.call_and_wait(given))

    return OfferedTool()


def run_with_receipt(
    agent: Any,
    task: str,
    account: LocalAccount,
    *,
    name: str | None = None,
    withhold: bool = False,
    **options: Any,
) -> ReceiptedRun:
    """Run one of their agents, of any kind, and sign what its tools did, and what the agents did
    that it manages, with theirs. options: of agent.run, but for `stream`, whose steps come when
    this is over. An agent runs once at a time. Raises AgentConfigRefused."""
    if options.get("stream"):
        raise AgentConfigRefused("a run with a receipt is not streamed: leave out stream=True")
    recording = Recording(
        name or getattr(agent, "name", None) or type(agent).__name__,
        task,
        f"smolagents {version('smolagents')}",
        withhold,
    )
    recording.asked(_model(agent))
    try:
        with _recorded(agent, recording):
            output = agent.run(task, **options)
    except Exception as exc:
        return ReceiptedRun(None, recording.receipt(account, error=exc), exc)
    return ReceiptedRun(output, recording.receipt(account, result=output))


@contextmanager
def _recorded(agent: Any, recording: Recording) -> Iterator[None]:
    """Whatever calls the tools meanwhile, JSON or code of the model's, is recorded, and so are runs
    of managed agents, after what happened in them."""
    tools, managers = dict[int, Any](), _managers(agent)
    for each in (agent, *managers):
        for name, tool in each.tools.items():
            if name != FINAL and isinstance(tool, Tool) and id(tool) not in tools:
                tools[id(tool)] = tool
                tool.forward = recording.around(name, tool.forward)
    for managed, manager in managers.items():
        deciding = _deciding(managed.run, recording, _model(managed), _model(manager))
        managed.run = recording.around(managed.name, deciding)
    try:
        yield
    finally:
        for tool in tools.values():
            vars(tool).pop("forward", None)
        for managed in managers:
            vars(managed).pop("run", None)


def _managers(agent: Any) -> dict[Any, Any]:
    """All agents below it, and whom each of them works for."""
    found = dict[Any, Any]()
    waiting = [agent]
    for manager in waiting:
        for managed in getattr(manager, "managed_agents", {}).values():
            if managed is not agent and managed not in found:
                found[managed] = manager
                waiting.append(managed)
    return found


def _deciding(
    run: Callable[..., Any], recording: Recording, model: str, manager: str
) -> Callable[..., Any]:
    """The managed agent's run, whose calls its own model decides."""

    def decided(*values: Any, **named: Any) -> Any:
        recording.asked(model)
        try:
            return run(*values, **named)
        finally:
            recording.asked(manager)

    return decided


def _model(agent: Any) -> str:
    return str(getattr(agent.model, "model_id", None) or type(agent.model).__name__)


def _schema(tool: str, said: Mapping[str, Any]) -> dict[str, Any]:
    kinds = said["type"] if isinstance(said["type"], list) else [said["type"]]
    if others := set(kinds) - PLAIN - {"any"}:
        raise AgentConfigRefused(f"{tool} takes {sorted(others)[0]}, which is no JSON")
    found: dict[str, Any] = {"description": said["description"]}
    if "enum" in said:
        found["enum"] = said["enum"]
    if "any" not in kinds:
        found["type"] = [*kinds, "null"] if said.get("nullable") else kinds
    return found


def _inputs(tool: ToolDefinition) -> dict[str, dict[str, Any]]:
    """What their prompts show; the input is checked by our schema, whatever that leaves out."""
    properties: Any = tool.schema.get("properties", {})
    required: Any = tool.schema.get("required", [])
    found = dict[str, dict[str, Any]]()
    for name, schema in properties.items():
        kind = schema.get("type", "any")
        found[name] = {"type": kind, "description": str(schema.get("description", name))}
        if name not in required:
            found[name]["nullable"] = True
    return found


__all__ = ["from_smolagents", "run_with_receipt", "to_smolagents"]
