"""Our MCP server: what clients see and get."""

import asyncio
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.support.checkout import ROOT
from tests.support.command_line import exit_code
from zkagent.executor.runtime.adapters.mcp_server import mcp_server, proven_tools
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.receipts.signing import ReceiptDraft
from zkagent.executor.runtime.tools.function import tool
from zkagent.executor.runtime.tools.mcp_servers import McpServer

ALICE: LocalAccount = Account.from_key("0x" + "11" * 32)
AT = datetime(2026, 1, 2, tzinfo=UTC)


class Happened:
    """A run as an agent on a chain gives it."""

    answer, observations, transaction, block, gas_used = "done", ("ok",), "0x12", 7, 21_000

    def __init__(self, path: Path) -> None:
        self.path = path


class FakeAgent:
    def __init__(self, folder: Path) -> None:
        self.folder, self.prompts = folder, list[str]()

    def run(self, prompt: str) -> Happened:
        self.prompts.append(prompt)
        (self.folder / "receipt.json").write_text("the receipt")
        return Happened(self.folder / "receipt.json")

    def receipt_of(self, run: str) -> str:
        return ""


def asked(server: Any, name: str, **given: Any) -> Any:
    async def ask() -> Any:
        async with Client(server) as client:
            return await client.call_tool(name, given)

    return asyncio.run(ask())


def listed(server: Any) -> dict[str, Any]:
    async def ask() -> Any:
        async with Client(server) as client:
            return await client.list_tools()

    return {each.name: each for each in asyncio.run(ask()).tools}


def test_without_an_agent_nothing_can_be_sent() -> None:
    found = listed(mcp_server(proven_tools()))
    assert list(found) == ["list_models", "decide", "verify_receipt"]
    assert all(each.annotations.read_only_hint for each in found.values())
    assert found["decide"].input_schema["required"] == ["prompt"]


def test_a_decision_is_shown() -> None:
    found = asked(mcp_server(proven_tools()), "decide", prompt="withdraw 5 USDC from the pool")
    assert not found.is_error
    assert found.structured_content["action"] == "Withdraw"


def test_models_are_listed() -> None:
    found = json.loads(asked(mcp_server(proven_tools()), "list_models").content[0].text)
    assert {"wallet", "wallet-text"} <= {each["name"] for each in found}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("decide", {}),
        ("decide", {"prompt": 5}),
        ("decide", {"prompt": "x", "model": "/etc"}),
        ("verify_receipt", {"receipt": "{}"}),
        ("verify_receipt", {"receipt": "no JSON"}),
        ("run", {"instruction": "deposit 5 USDC"}),
    ],
)
def test_what_cannot_be_done_is_told_as_an_answer(name: str, given: dict[str, Any]) -> None:
    assert asked(mcp_server(proven_tools()), name, **given).is_error


def test_an_agents_runs_and_their_receipts_are_offered_where_that_is_allowed(
    tmp_path: Path,
) -> None:
    agent = FakeAgent(tmp_path)
    tools = proven_tools(agent)
    with pytest.raises(AgentConfigRefused, match="cannot be undone"):
        mcp_server(tools)
    server = mcp_server(tools, allow_destructive=True)
    assert listed(server)["run"].annotations.destructive_hint
    ran = asked(server, "run", instruction="deposit 5 USDC")
    assert ran.structured_content["transaction"] == "0x12"
    assert agent.prompts == ["deposit 5 USDC"]
    assert asked(server, "receipt", transaction="0x12").content[0].text == "the receipt"
    assert asked(server, "receipt", transaction="/etc/passwd").is_error


def test_a_signed_receipt_is_verified_and_a_changed_one_rejected() -> None:
    server = mcp_server(proven_tools())
    draft = ReceiptDraft("helper", "run-1", "task", "zkagent", AT)
    receipt = draft.signed(ALICE, result=1, success=True, finished_at=AT)
    found = asked(server, "verify_receipt", receipt=receipt.text)
    assert found.structured_content["verdict"] == "accepted"
    for text, signer in ((receipt.text.replace("run-1", "run-2"), None), (receipt.text, "0x12")):
        given = {"receipt": text} | ({"signer": signer} if signer else {})
        found = asked(server, "verify_receipt", **given)
        assert found.structured_content["verdict"] == "rejected"
        assert found.structured_content["problems"]


def test_any_tool_of_ours_can_be_offered_and_used_by_an_agent_of_ours() -> None:
    @tool(safe_by_default=True)
    def double(n: int) -> int:
        return 2 * n

    class Within(McpServer):
        def _target(self) -> Any:
            return mcp_server([double])

    with Within("own", ("/bin/true",)) as server:
        (ours,) = server.tools()
        from tests.support.tool_calls import call

        assert call(ours, {"n": 2}).output == {"text": "4"}


def test_the_command_speaks_over_standard_input_and_output() -> None:
    command = StdioServerParameters(command=sys.executable, args=["-m", "zkagent", "mcp"], cwd=ROOT)
    found = asked(command, "decide", prompt="withdraw 5 USDC from the pool")
    assert found.structured_content["action"] == "Withdraw"


@pytest.mark.parametrize(
    "given", [("--agent", "0x" + "12" * 20), ("--model", "wallet"), ("--yes",)]
)
def test_what_is_of_runs_alone_is_refused_where_none_are_offered(
    given: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def served(server: Any) -> None:
        raise SystemExit(9)

    monkeypatch.setattr("zkagent.executor.runtime.adapters.mcp_server.serve_stdio", served)
    assert exit_code("mcp", *given) == 2
    assert f"{given[0]} is of runs" in capsys.readouterr().err
    assert exit_code("mcp", "--rpc", "http://127.0.0.1:9") == 9
