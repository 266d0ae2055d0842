"""A task of five steps over HTTP, values by key, SQL and a chain, in processes that end with
SIGKILL at a point that is named, and in ones after them.

One process loads everything and forks one for each attempt. Points: "before NAME" and "after NAME"
of a record's transaction, "end" for the last events, "in TOOL" for after a call's effect and before
its answer is there; "" for none.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from eth_account import Account

from tests.executor.runtime.durable.killing import arm, die, forked
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import PROVING
from zkagent.executor.runtime import (
    Agent,
    AgentConfig,
    CallContext,
    KeyValues,
    LocalProofs,
    Planner,
    PlannerState,
    PlanStep,
    ProvenPlanner,
    Relay,
    RetryPolicy,
    ScriptedPlanner,
    Surroundings,
    ToolDefinition,
    ToolOutput,
    ToolUse,
    default_permissions,
)
from zkagent.executor.runtime.durable.runtime import DurableRuntime
from zkagent.executor.runtime.memory.sqlite import open_sqlite
from zkagent.executor.runtime.tools.contract import ContractAccount, ContractTools
from zkagent.executor.runtime.tools.http import HttpRules, http_tool
from zkagent.executor.runtime.tools.sql import open_sql, sql_statement
from zkagent.models.catalogue import load_model
from zkagent.models.encoding.book import Listing

ORDER, EUR = "INSERT INTO orders (number, eur) VALUES (:number, :eur)", 5
TRANSFER = {
    "type": "function",
    "name": "transfer",
    "stateMutability": "nonpayable",
    "inputs": [{"name": "to", "type": "address"}, {"name": "value", "type": "uint256"}],
    "outputs": [{"name": "", "type": "bool"}],
}
TOOLS = ("order_post", "kv_put", "order_note", "usdc_transfer")


@dataclass(frozen=True)
class Stage:
    """Where the task happens. planner: "scripted" or "proven"; rule: "keys" where calls have keys
    that are honoured, else what becomes of calls that were interrupted; run: its id."""

    folder: str
    shop: str
    rpc: str
    token: str
    key: str
    payee: str
    planner: str
    rule: str
    run: str

    @property
    def place(self) -> Path:
        return Path(self.folder)


def courier(stage: Stage, point: str = "") -> Agent:
    """Orders at a shop, keeps the number, notes it in a table, pays on chain, and says so."""
    tools = [_armed(_ruled(tool, stage.rule), point) for tool in _tools(stage)]
    allowed = default_permissions(allow=TOOLS, destructive=TOOLS)
    at_once = RetryPolicy(attempts=2, first_wait_s=0, most_wait_s=0)
    config = AgentConfig(
        "courier",
        "Order, and pay for it.",
        tools,
        _planner(stage),
        permissions=allowed,
        tool_retries=at_once,
    )
    return Agent(config)


def _tools(stage: Stage) -> list[ToolDefinition]:
    keyed = stage.rule == "keys"
    rules = HttpRules((stage.shop,), ("POST",), private=True, honours_keys=keyed, attempts=1)
    memory = open_sqlite(stage.place / "memory.sqlite").collections()
    (put,) = (tool for tool in KeyValues(database=memory).tools() if tool.id == "kv_put")
    whole: dict[str, Any] = {"number": {"type": "integer"}, "eur": {"type": "integer"}}
    orders = open_sql(f"sqlite:///{stage.place}/orders.sqlite", writable=True)
    note = sql_statement(orders, "order_note", "Note an order.", ORDER, whole, writes=True)
    account = ContractAccount(Account.from_key(stage.key), stage.place / "calls")
    token = ContractTools(stage.rpc, stage.token, [TRANSFER], account)
    return [http_tool(rules, "order_post"), put, note, *token.tools("usdc")]


def _ruled(tool: ToolDefinition, rule: str) -> ToolDefinition:
    if rule == "keys":
        return tool
    return replace(tool, honours_keys=False, interrupted=rule)  # type: ignore[arg-type]


def _armed(tool: ToolDefinition, point: str) -> ToolDefinition:
    """Ends the process when the call has had its effect."""

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        found = await tool.run(given, context)
        if point == f"in {tool.id}":
            die()
        return found

    return replace(tool, run=run)


def _planner(stage: Stage) -> Planner:
    order = PlanStep(
        "tool", "order_post", {"url": f"{stage.shop}/{stage.run}", "json": {"eur": EUR}}
    )
    if stage.planner == "scripted":
        return ScriptedPlanner([order, _keep, _note, lambda state: _pay(stage), _told])
    done = PlanStep("finish", result="ordered")
    proven = ProvenPlanner(
        instruction=f"send {EUR} USDC to {stage.payee}",
        tools={"Transfer": ToolUse("usdc_transfer", PAYMENT, {"asset": "USDC"})},
        surroundings=Surroundings((Listing("USDC", stage.token.lower(), 6),)),
        proofs=LocalProofs(circuit=circuit()),
    )
    return Relay([ScriptedPlanner([order, _keep, _note, done]), proven])


PAYMENT = {"recipient": "to", "amount": "value"}


@cache
def circuit() -> Circuit:
    """Found once, before processes are forked."""
    return PROVING["groth16"].build(load_model("wallet").onnx_path)


def _number(state: PlannerState) -> Any:
    """What the shop said, if that is known."""
    found: Any = state.actions[0].output
    return found["json"]["number"] if isinstance(found, Mapping) else 0


def _keep(state: PlannerState) -> PlanStep:
    return PlanStep("tool", "kv_put", {"key": "order", "value": _number(state)})


def _note(state: PlannerState) -> PlanStep:
    return PlanStep("tool", "order_note", {"number": _number(state), "eur": EUR})


def _pay(stage: Stage) -> PlanStep:
    given = {"to": stage.payee, "value": str(EUR * 10**6)}
    return PlanStep("tool", "usdc_transfer", given)


def _told(state: PlannerState) -> PlanStep:
    states = [action.state for action in state.actions]
    return PlanStep("finish", result={"order": _number(state), "states": states})


def attempt(stage: Stage, point: str) -> None:
    """In a process of its own: the run from where it is to its end."""
    if point:
        arm(point)
    with DurableRuntime(stage.place / "runs.sqlite") as runtime:
        found = runtime.session(courier(stage, point), run_id=stage.run).run()
        (stage.place / "result.json").write_text(json.dumps(found.to_json()))


def main() -> None:
    """Lines of JSON: a stage, points in turn. Answers with how each attempt ended."""
    for line in sys.stdin:
        fields, points = json.loads(line)
        stage = Stage(**fields)
        if stage.planner == "proven":
            circuit()
        ends = [forked(lambda: attempt(stage, point)) for point in points]  # noqa: B023
        print(json.dumps(ends), flush=True)


if __name__ == "__main__":
    main()
