"""Tools of LangChain as ours and ours as theirs, and signed receipts of their runs.

handler = ReceiptHandler("helper", "What is 2 + 3?")
answer = chain.invoke(task, config={"callbacks": [handler]})
receipt = handler.receipt(account, result=answer)
"""

from collections.abc import Callable
from datetime import datetime
from importlib.metadata import version
from typing import Any
from uuid import UUID

from eth_account.signers.local import LocalAccount
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel

from zkagent.executor.runtime.adapters.offered import Offered, told
from zkagent.executor.runtime.adapters.recording import Recording
from zkagent.executor.runtime.core.errors import ToolFault
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.receipts.format import AgentReceipt
from zkagent.executor.runtime.tools.function import output_of


def from_langchain(tool: BaseTool, **flags: Any) -> ToolDefinition:
    """Theirs as ours. flags: those of ToolDefinition; nobody says that theirs is safe unless the
    host does."""

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        return output_of(tool.name, await tool.ainvoke(given))

    arguments = tool.tool_call_schema
    schema = arguments if isinstance(arguments, dict) else _schema_of(arguments)
    shown = {"type": "object", "properties": {}, **schema}
    return ToolDefinition(tool.name, tool.description, shown, run, **flags)


def to_langchain(
    tool: ToolDefinition,
    *,
    allow_destructive: bool = False,
    secrets: Callable[[str], str] | None = None,
) -> StructuredTool:
    """Ours as theirs. What our tool refuses is a ToolException, which their agents can be let see.
    Raises AgentConfigRefused."""
    offered = Offered(tool, allow_destructive, secrets, "langchain")

    def wait(**given: Any) -> Any:
        try:
            return told(offered.call_and_wait(given))
        except ToolFault as exc:
            raise ToolException(str(exc)) from exc

    async def call(**given: Any) -> Any:
        try:
            return told(await offered.call(given))
        except ToolFault as exc:
            raise ToolException(str(exc)) from exc

    return StructuredTool(
        name=tool.id,
        description=tool.description,
        args_schema=dict(tool.schema),
        func=wait,
        coroutine=call,
    )


class ReceiptHandler(BaseCallbackHandler):
    """Writes a run's calls of tools down, and the names of the models that were asked: give it to
    `config={"callbacks": [handler]}`. One for each run."""

    raise_error = True  # what cannot be written down must not go by unseen
    run_inline = True  # in order, also where the run is asynchronous

    def __init__(self, agent: str, task: Any, *, withhold: bool = False) -> None:
        framework = f"langchain-core {version('langchain-core')}"
        self.recording = Recording(agent, task, framework, withhold)
        self._open: dict[UUID, tuple[str, Any, datetime]] = {}

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[Any]], **more: Any
    ) -> None:
        self._asked(serialized, more)

    def on_llm_start(self, serialized: dict[str, Any], prompts: list[str], **more: Any) -> None:
        self._asked(serialized, more)

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        inputs: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        name = str((serialized or {}).get("name") or more.get("name") or "tool")
        given = input_str if inputs is None else inputs
        self._open[run_id] = name, given, self.recording.now()

    def on_tool_end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        if opened := self._open.pop(run_id, None):
            name, given, began = opened
            self.recording.called(name, given, began, output=getattr(output, "content", output))

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        if opened := self._open.pop(run_id, None):
            name, given, began = opened
            self.recording.called(name, given, began, error=error)

    def receipt(
        self, account: LocalAccount, *, result: Any = None, error: BaseException | None = None
    ) -> AgentReceipt:
        """Of what ended so far; calls that did not are written down as failed."""
        for run_id in list(self._open):
            self.on_tool_error(RuntimeError("it did not end"), run_id=run_id)
        shown = getattr(result, "content", result)
        return self.recording.receipt(account, result=shown, error=error)

    def _asked(self, serialized: dict[str, Any], more: dict[str, Any]) -> None:
        metadata = more.get("metadata") or {}
        parameters = more.get("invocation_params") or {}
        named = metadata.get("ls_model_name") or parameters.get("model")
        path = (serialized or {}).get("id") or ["model"]
        self.recording.asked(str(named or (serialized or {}).get("name") or path[-1]))


def _schema_of(arguments: type[BaseModel] | Any) -> dict[str, Any]:
    found: dict[str, Any] = arguments.model_json_schema()
    return {key: value for key, value in found.items() if key not in ("title", "description")}


__all__ = ["ReceiptHandler", "from_langchain", "to_langchain"]
