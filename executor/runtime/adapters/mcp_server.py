"""An MCP server of our own: proven agents, their decisions and receipts for any MCP client.

`zkagent mcp` runs it over standard input and output. Any tools of ours can be offered so.
"""

import json
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zkagent.errors import ZkagentError
from zkagent.executor.api.decisions import decide
from zkagent.executor.api.receipts import verify_receipt
from zkagent.executor.errors import McpExtraMissing
from zkagent.executor.receipts.format import parse_receipt
from zkagent.executor.receipts.verdicts import Report
from zkagent.executor.runtime.adapters.offered import Offered
from zkagent.executor.runtime.adapters.proven_agent import AgentOnChain, proven_agent
from zkagent.executor.runtime.core.errors import ToolFault
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput
from zkagent.executor.runtime.receipts.format import FORMAT, AgentReceipt
from zkagent.executor.runtime.receipts.signing import verify_tool_receipt
from zkagent.executor.runtime.tools.function import tool
from zkagent.models.catalogue import Model, load_model, shipped_models
from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

INSTRUCTIONS = (
    "Agents whose every decision is proven. `decide` shows what a model decides, without a proof; "
    "`run` carries an instruction out on chain, proven, and `receipt` gives what anybody can check "
    "that with; `verify_receipt` checks one."
)


def proven_tools(
    agent: AgentOnChain | None = None, rpc: str | None = None
) -> tuple[ToolDefinition, ...]:
    """list_models, decide, verify_receipt; with an agent `run` and `receipt`, too. rpc: a chain
    that receipts of runs are compared with."""

    @tool(id="verify_receipt", safe_by_default=True, timeout_s=600)
    def verify(receipt: str, signer: str | None = None) -> dict[str, Any]:
        """Check a receipt: of a run on chain every proof and decision again, of an agent off chain
        its signature and chain of hashes.

        receipt: its text, JSON.
        signer: the address that an off-chain receipt has to be signed by.
        """
        return _verified(receipt, signer, rpc)

    offered = (list_models, decide_tool, verify)
    return offered if agent is None else (*offered, *_running(agent))


@tool(safe_by_default=True)
def list_models() -> list[dict[str, Any]]:
    """The models that decide, by name."""
    found = []
    for name in shipped_models():
        model = load_model(name)
        decides = isinstance(model, Model)
        found.append({"name": name, "kind": model.kind, "decides": decides, "digest": model.digest})
    return found


@tool(id="decide", safe_by_default=True, timeout_s=120)
def decide_tool(prompt: str, model: str = "wallet", observations: list[str] | None = None) -> Any:
    """What a model decides about an instruction: a tool call or the answer. Nothing is proven or
    sent.

    prompt: the instruction, such as "withdraw 5 USDC from the pool".
    model: its name, of list_models.
    observations: what the tools of the decisions so far returned, in order.
    """
    if model not in shipped_models():
        raise ToolFault(f"{model!r:.80} is none of the models {', '.join(shipped_models())}")
    return decide(model, prompt, observations or ()).to_json()


def _running(agent: AgentOnChain) -> tuple[ToolDefinition, ...]:
    """A run, and the receipts of those that were made here: no other file is read."""
    carrying = proven_agent(agent, "run")
    made: dict[str, str] = {}

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        output = await carrying.run(given, context)
        told: Any = output.output
        if told.get("receipt"):
            made[told["transaction"]] = told["receipt"]
        return output

    @tool(safe_by_default=True)
    def receipt(transaction: str) -> str:
        """The receipt of a run that was made here: what anybody can check it with.

        transaction: its hash, as `run` gave it.
        """
        if transaction not in made:
            known = ", ".join(made) or "none"
            raise ToolFault(f"no run of {transaction!r:.80} was made here; there are: {known}")
        return read_limited(Path(made[transaction])).decode()

    fields = {name: getattr(carrying, name) for name in carrying.__dataclass_fields__}
    return ToolDefinition(**{**fields, "run": run}), receipt


def _verified(receipt: str, signer: str | None, rpc: str | None) -> dict[str, Any]:
    try:
        found = load_json(receipt)
    except ValueError as exc:
        raise ToolFault(f"the receipt is no JSON: {exc}") from exc
    try:
        if isinstance(found, dict) and found.get("format") == FORMAT:
            verdict = verify_tool_receipt(AgentReceipt.from_json(found), signer)
            held = {"verdict": "accepted" if verdict else "rejected", "signer": verdict.signer}
            return {**held, "problems": list(verdict.reasons)}
        return _told(verify_receipt(parse_receipt(receipt), rpc=rpc), compared=rpc is not None)
    except ZkagentError as exc:
        raise ToolFault(f"there is no telling: {exc}") from exc


def _told(report: Report, *, compared: bool) -> dict[str, Any]:
    problems: list[Json] = [str(check) for check in report.problems]
    return {
        "verdict": report.verdict,
        "problems": problems,
        "compared_with_the_chain": compared,
        "development_srs": report.development_srs,
    }


def mcp_server(
    tools: Iterable[ToolDefinition], *, allow_destructive: bool = False, name: str = "zkagent"
) -> "Server[Any]":
    """Raises McpExtraMissing; AgentConfigRefused for a tool whose doing cannot be undone, unless
    that is allowed."""
    try:
        from mcp.server.lowlevel import Server
        from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations
    except ImportError as exc:
        raise McpExtraMissing from exc

    offered = {each.id: Offered(each, allow_destructive, agent="mcp") for each in tools}
    listed = [
        Tool(
            name=id,
            description=each.tool.description,
            input_schema=dict(each.tool.schema),
            annotations=ToolAnnotations(
                read_only_hint=each.tool.safe_by_default, destructive_hint=each.tool.destructive
            ),
        )
        for id, each in offered.items()
    ]

    async def list_tools(context: Any, parameters: Any) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Any, parameters: Any) -> CallToolResult:
        """What a tool refuses is an answer that says so; so the client's model can mend it."""
        asked = offered.get(parameters.name)
        if asked is None:
            return said(
                f"there is no tool {parameters.name!r:.80}; there are: {', '.join(offered)}"
            )
        try:
            output = await asked.call(parameters.arguments or {})
        except ToolFault as fault:
            return said(str(fault))
        value = output.output
        text = value if isinstance(value, str) else json.dumps(value)
        structured = dict(value) if isinstance(value, dict) else None
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=structured,
            is_error=not output.ok,
        )

    def said(why: str) -> CallToolResult:
        return CallToolResult(content=[TextContent(type="text", text=why)], is_error=True)

    return Server(
        name,
        version=version("zkagent"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(server: "Server[Any]") -> None:
    """Until standard input ends."""
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


__all__ = ["mcp_server", "proven_tools", "serve_stdio"]
