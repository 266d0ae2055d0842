"""Tools of MCP servers: what they say is data, pinned, and never checked by as it is."""

import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from mcp.server.lowlevel import Server
from mcp_types import CallToolResult, ListToolsResult, Tool

from tests.support.fleet import eventually
from tests.support.mcp_server import numbers
from tests.support.tool_calls import CONTEXT, call
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    CallUnknown,
    ToolFault,
    ToolInputRefused,
    ToolTimeout,
)
from zkagent.executor.runtime.core.tools import ToolDefinition
from zkagent.executor.runtime.tools import mcp_servers
from zkagent.executor.runtime.tools.mcp_servers import McpServer

ROOT = Path(__file__).parents[4]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


class Within(McpServer):
    """The same server in this process, which starts at once."""

    def _target(self) -> Any:
        return numbers(Path(self.command[-1]))


def server_of(state: Path, kind: type[McpServer] = Within, **more: Any) -> McpServer:
    command = (sys.executable, "-m", "tests.support.mcp_server", str(state))
    return kind("numbers", command, folder=ROOT, output_bytes=10_000, **more)


@pytest.fixture
def server(state: Path) -> Iterator[McpServer]:
    with server_of(state) as opened:
        yield opened


@contextmanager
def over_http(state: Path) -> Iterator[str]:
    """Its address."""
    config = uvicorn.Config(numbers(state).streamable_http_app(), port=0, log_level="error")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        until = time.monotonic() + 120
        while not running.started:
            assert thread.is_alive()
            assert time.monotonic() < until
            time.sleep(0.01)
        yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}/mcp"
    finally:
        running.should_exit = True
        thread.join(120)


def by_name(server: McpServer) -> dict[str, ToolDefinition]:
    return {tool.id: tool for tool in server.tools()}


def test_its_tools_are_called_by_their_prefixed_names(server: McpServer) -> None:
    tools = by_name(server)
    assert list(tools) == ["numbers_add", "numbers_keys_told", "numbers_fail", "numbers_long"]
    found = call(tools["numbers_add"], {"a": 2, "b": 3})
    assert found.output == {"text": "5", "structured": {"sum": 5}}
    assert found.meta == {"left_out": ["image"]}
    assert call(tools["numbers_keys_told"]).output == {"text": CONTEXT.key}


def test_one_that_is_not_open_has_no_tools_to_give(state: Path) -> None:
    server = server_of(state)
    with pytest.raises(AgentConfigRefused, match="numbers is not open"):
        server.tools()
    with server:
        assert server.tools()
    with pytest.raises(AgentConfigRefused, match="numbers is not open"):
        server.tools()


def test_it_is_spoken_to_as_a_process(state: Path) -> None:
    with server_of(state, McpServer) as server:
        add = by_name(server)["numbers_add"]
        assert call(add, {"a": 2, "b": 3}).output == {"text": "5", "structured": {"sum": 5}}


def test_it_is_spoken_to_over_http(state: Path) -> None:
    with over_http(state) as url, McpServer("numbers", url=url) as server:
        add = by_name(server)["numbers_add"]
        assert call(add, {"a": 2, "b": 3}).output == {"text": "5", "structured": {"sum": 5}}
        state.write_text("changed")
        with pytest.raises(ToolFault, match="otherwise"):
            call(add, {"a": 2, "b": 3})


def test_an_error_of_a_tool_is_an_answer(server: McpServer) -> None:
    found = call(by_name(server)["numbers_fail"], {"a": {}})
    assert (found.ok, found.output) == (False, {"text": "no"})


def test_what_does_not_fit_its_schema_is_refused_before_it_is_asked(server: McpServer) -> None:
    with pytest.raises(ToolInputRefused, match="a"):
        call(by_name(server)["numbers_add"], {"a": "2", "b": 3})


def test_an_answer_that_is_too_long_is_a_fault(server: McpServer) -> None:
    with pytest.raises(ToolFault, match="10,000 bytes"):
        call(by_name(server)["numbers_long"])


def test_its_description_cannot_act_on_a_terminal(server: McpServer) -> None:
    assert by_name(server)["numbers_add"].description == "Add.\\x1b[2J"


def test_all_is_destructive_but_what_the_host_knows_to_read(server: McpServer) -> None:
    add, told = server.tools(["add", "keys.told"], reading=["add"], honours_keys=["keys.told"])
    assert (add.destructive, add.safe_by_default, add.honours_keys) == (False, False, False)
    assert (told.destructive, told.safe_by_default, told.honours_keys) == (True, False, True)
    with pytest.raises(AgentConfigRefused, match="no tool 'sub'"):
        server.tools(reading=["sub"])


def test_a_tool_that_is_described_otherwise_later_is_not_called(
    server: McpServer, state: Path
) -> None:
    add = by_name(server)["numbers_add"]
    assert call(add, {"a": 2, "b": 3}).ok
    state.write_text("changed")
    with pytest.raises(ToolFault, match="otherwise") as fault:
        call(add, {"a": 2, "b": 3})
    assert not fault.value.retriable
    assert "secrets" not in add.description
    assert call(by_name(server)["numbers_keys_told"]).ok


def test_pins_of_an_earlier_process_are_held(server: McpServer, state: Path) -> None:
    pins = server.found_pins
    with server_of(state, pins=pins):
        pass
    for now in ("changed", "more"):
        state.write_text(now)
        with pytest.raises(AgentConfigRefused, match="pinned"), server_of(state, pins=pins):
            pass


def test_a_server_that_ended_is_closed(state: Path) -> None:
    with server_of(state) as server:
        add = by_name(server)["numbers_add"]
    with pytest.raises(ToolFault, match="closed"):
        call(add, {"a": 2, "b": 3})


class Slow(Within):
    """Says who it is at once; listing takes longer than is waited for, and then comes."""

    given_up = threading.Event()

    async def _list(self) -> dict[str, Any]:
        while not self.given_up.is_set():
            await asyncio.sleep(0.01)
        return await super()._list()


def test_what_was_not_ready_in_time_is_ended() -> None:
    state, name = Path("none"), "mcp-numbers"
    with pytest.raises(AgentConfigRefused, match="did not answer"):
        server_of(state, Slow, timeout_s=0.4).open()
    Slow.given_up.set()
    eventually(lambda: name not in {thread.name for thread in threading.enumerate()})


class Hanging(McpServer):
    """One whose tools never answer, nor does it list them more often than `lists` times."""

    lists = 100

    def _target(self) -> Any:
        async def list_tools(context: Any, params: Any) -> ListToolsResult:
            self.lists -= 1
            if self.lists < 0:
                await asyncio.sleep(600)
            return ListToolsResult(tools=[Tool(name="hang", input_schema={"type": "object"})])

        async def call_tool(context: Any, params: Any) -> CallToolResult:
            called.set()
            await asyncio.sleep(600)
            raise AssertionError

        called = self.called = threading.Event()
        return Server("hanging", on_list_tools=list_tools, on_call_tool=call_tool)


def test_a_call_within_which_the_connection_is_closed_is_unknown_and_cancels_no_run() -> None:
    server = Hanging("slow", ("/none",)).open()
    (hang,) = server.tools()

    async def closed_within() -> str:
        calling = asyncio.ensure_future(hang.run({}, CONTEXT))
        await asyncio.to_thread(server.called.wait, 120)
        await asyncio.to_thread(server.close)
        with pytest.raises(CallUnknown, match="within the call"):
            await asyncio.wait_for(calling, 120)
        return "goes on"

    assert asyncio.run(closed_within()) == "goes on"


def test_a_run_that_ends_cancels_its_call() -> None:
    with Hanging("slow", ("/none",)) as server:
        (hang,) = server.tools()

        async def cancelled() -> None:
            calling = asyncio.ensure_future(hang.run({}, CONTEXT))
            await asyncio.to_thread(server.called.wait, 120)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling

        asyncio.run(cancelled())


@pytest.mark.parametrize(("lists", "kind"), [(1, ToolFault), (2, ToolTimeout)])
def test_only_a_call_that_was_made_may_have_happened(lists: int, kind: type[ToolFault]) -> None:
    server = Hanging("slow", ("/none",))
    server.lists = lists
    with server:
        (hang,) = server.tools()
        server.timeout_s = 0.3
        with pytest.raises(ToolFault, match="did not answer") as fault:
            call(hang)
    assert type(fault.value) is kind


def test_a_client_with_headers_of_ours_is_closed(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcp.shared import _httpx_utils

    made, real = list[Any](), _httpx_utils.create_mcp_http_client

    def seen(**how: Any) -> Any:
        made.append(real(**how))
        return made[-1]

    monkeypatch.setattr(_httpx_utils, "create_mcp_http_client", seen)
    with over_http(state) as url, McpServer("numbers", url=url, headers={"x-a": "b"}) as server:
        assert call(by_name(server)["numbers_add"], {"a": 2, "b": 3}).ok
        client = made[0]
        assert (client.headers["x-a"], client.is_closed) == ("b", False)
    assert client.is_closed


def test_what_it_is_given_in_secret_is_not_shown() -> None:
    given = {"TOKEN": "s3cret"}
    shown = repr(McpServer("a", ("/bin/true",), environment=given))
    assert "/bin/true" in shown
    assert "s3cret" not in shown
    assert "s3cret" not in repr(McpServer("a", url="http://localhost/", headers=given))


def test_a_pin_is_of_what_a_server_says_and_schemas_are_looked_into_once(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, real = list[Any](), mcp_servers.harmless

    def seen(schema: Any) -> Any:
        looked.append(schema)
        return real(schema)

    monkeypatch.setattr(mcp_servers, "harmless", seen)
    with server_of(state) as server:
        said = b'{"inputSchema": {"type": "object"}, "name": "long"}'
        assert server.found_pins["long"] == sha256(said).hexdigest()
        for _ in range(3):
            assert call(by_name(server)["numbers_add"], {"a": 2, "b": 3}).ok
    assert len(looked) == 4


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "a b", "command": ("/bin/true",)},
        {"name": "a", "command": ("true",)},
        {"name": "a"},
        {"name": "a", "command": ("/bin/true",), "url": "http://h/"},
        {"name": "a", "url": "ftp://h/"},
    ],
)
def test_what_names_no_server_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(AgentConfigRefused):
        McpServer(**fields)


def test_who_speaks_otherwise_or_not_at_all_is_told_of_in_time() -> None:
    for command in (("/bin/cat",), ("/none",), ("/bin/echo", "hello")):
        began = time.monotonic()
        with pytest.raises(AgentConfigRefused), McpServer("x", command, timeout_s=1.0):
            pass
        assert time.monotonic() - began < 60
