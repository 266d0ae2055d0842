"""Tools of MCP servers (modelcontextprotocol.io), by the official SDK.

    with McpServer("files", command=("/usr/bin/files-server", "/data")) as server:
        agent = Agent(AgentConfig(..., tools=server.tools(reading=["read_file"])))

What a server says of its tools is data of a stranger's, and so are its hints of what is harmless:
the host says that. What it said first is pinned: before each call it is asked again, and a tool
that is described otherwise by then is not called. `pins` are what to keep for the next process.

A connection lives in a thread of its own, so any event loop can use it.
"""

import asyncio
import json
import re
import sys
import threading
from collections.abc import AsyncIterator, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self, TextIO, TypeVar

from zkagent.circuits.support.urls import url_problem
from zkagent.errors import in_line
from zkagent.executor.errors import McpExtraMissing
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    CallUnknown,
    ToolFault,
    ToolTimeout,
)
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.tools import (
    CallContext,
    Interrupted,
    ToolDefinition,
    ToolOutput,
)
from zkagent.executor.runtime.tools.foreign_schema import harmless

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}", re.ASCII)
MOST_TOOLS = 200
MOST_PAGES = 20
MOST_DESCRIPTION = 2_000
KEY_META = "zkagent/idempotency-key"
T = TypeVar("T")


@dataclass(frozen=True)
class _Listed:
    """One tool as its server described it, and the digest of that."""

    name: str
    description: str
    schema: Mapping[str, Any]
    pin: str


@dataclass
class McpServer:
    """name: begins its tools' ids. One of command (over standard input and output; its first word
    an absolute path) and url (streamable HTTP) is given. environment: what the command gets beside
    PATH and the like. headers: of each HTTP request. pins: by tool, of an earlier process; others
    are refused.

    Opened by `with`, or `open` and `close`. Raises AgentConfigRefused when it cannot be reached.
    """

    name: str
    command: Sequence[str] = ()
    url: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    pins: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 30.0
    output_bytes: int = 1 << 20
    log: TextIO | None = None
    _listed: dict[str, _Listed] = field(default_factory=dict, init=False, repr=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False, repr=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise AgentConfigRefused(f"{in_line(self.name, 80)!r} is no name for an MCP server")
        if bool(self.command) == (self.url is not None):
            raise AgentConfigRefused(f"MCP server {self.name}: give a command or an url")
        if self.command and not Path(self.command[0]).is_absolute():
            raise AgentConfigRefused(f"MCP server {self.name}: name its command by absolute path")
        if self.url is not None and (problem := url_problem(self.url)):
            raise AgentConfigRefused(f"MCP server {self.name}: its url cannot be used: {problem}")

    def open(self) -> Self:
        if find_spec("mcp") is None:
            raise AgentConfigRefused(str(McpExtraMissing()))
        ready: Future[None] = Future()
        self._stop = asyncio.Event()
        self._loop = loop = asyncio.new_event_loop()  # so that it can be ended from the first on

        def serve() -> None:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(self._serve(ready))

        self._thread = threading.Thread(target=serve, name=f"mcp-{self.name}", daemon=True)
        self._thread.start()
        try:
            ready.result(self.timeout_s)
        except TimeoutError:
            self.close()
            raise AgentConfigRefused(
                f"MCP server {self.name} did not answer within {self.timeout_s:g} s"
            ) from None
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """Whatever is being called is not waited for."""
        loop, self._loop = self._loop, None
        if loop:
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(self._stop.set)
        if self._thread:
            self._thread.join(self.timeout_s)
            self._thread = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def found_pins(self) -> dict[str, str]:
        """Of all its tools, by their own names, to be given as `pins` from now on."""
        return {listed.name: listed.pin for listed in self._listed.values()}

    def tools(
        self,
        only: Collection[str] | None = None,
        *,
        reading: Collection[str] = (),
        honours_keys: Collection[str] = (),
        interrupted: Interrupted = "fail",
    ) -> tuple[ToolDefinition, ...]:
        """Its tools, by their own names: those in `only`, or all; id: NAME_tool.

        reading: change nothing, as the host knows; all others are destructive. honours_keys: do
        once what comes twice with one key (in _meta, zkagent/idempotency-key).

        Raises AgentConfigRefused: it has none of such a name, or is not open.
        """
        if self._loop is None:
            raise AgentConfigRefused(
                f"MCP server {self.name} is not open: ask for its tools within `with`, or after "
                "open()"
            )
        named = {*(only or ()), *reading, *honours_keys}
        if unknown := sorted(named - self._listed.keys()):
            raise AgentConfigRefused(
                f"MCP server {self.name} has no tool {in_line(unknown[0], 80)!r}"
            )
        chosen = [each for each in self._listed.values() if only is None or each.name in only]
        made = [
            ToolDefinition(
                id=self._id(each.name),
                description=each.description,
                schema=each.schema,
                run=self._runner(each),
                destructive=each.name not in reading,
                honours_keys=each.name in honours_keys,
                interrupted=interrupted,
                timeout_s=self.timeout_s,
            )
            for each in chosen
        ]
        if len({tool.id for tool in made}) != len(made):
            raise AgentConfigRefused(f"MCP server {self.name} has two tools whose ids are alike")
        return tuple(made)

    def _id(self, tool: str) -> str:
        return f"{self.name}_{re.sub(r'[^A-Za-z0-9_-]', '_', tool)}"[:64]

    def _runner(self, listed: _Listed) -> Any:
        async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
            return await self._there(self._call(listed, given, context))

        return run

    async def _there(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """In the connection's own thread."""
        try:
            if (loop := self._loop) is None:
                raise RuntimeError
            there = asyncio.run_coroutine_threadsafe(coroutine, loop)
        except RuntimeError:
            coroutine.close()
            raise ToolFault(f"MCP server {self.name} is closed") from None
        try:
            return await asyncio.wrap_future(there)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task and task.cancelling():  # it is the run that ends, not the connection
                raise
            raise self._closed() from None

    def _closed(self) -> CallUnknown:
        return CallUnknown(
            f"MCP server {self.name} was closed, or ended, within the call, so whether it happened "
            "is not known"
        )

    async def _call(
        self, listed: _Listed, given: dict[str, Any], context: CallContext
    ) -> ToolOutput:
        """Raises ToolFault, ToolTimeout. Not by the SDK's call_tool, which checks what came by a
        schema of the server's own."""
        from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult

        try:
            now = await self._list()
        except (ToolTimeout, CallUnknown) as exc:  # nothing was called yet
            raise ToolFault(str(exc), retriable=isinstance(exc, ToolTimeout)) from exc
        if listed.name not in now or _pin(now[listed.name]) != listed.pin:
            raise ToolFault(
                f"MCP server {self.name} describes {listed.name} otherwise than when the agent was "
                "made: look at it, and open it anew"
            )
        meta: Any = {KEY_META: context.key}
        params = CallToolRequestParams(name=listed.name, arguments=given, _meta=meta)
        result = await self._asked(CallToolRequest(params=params), CallToolResult)
        return self._output(listed, result)

    def _output(self, listed: _Listed, result: Any) -> ToolOutput:
        texts, others = list[Json](), list[Json]()
        for part in result.content:
            if part.type == "text":
                texts.append(part.text)
            else:
                others.append(part.type)
        found: dict[str, Json] = {"text": "\n".join(map(str, texts))}
        if result.structured_content is not None:
            found["structured"] = result.structured_content
        if len(json.dumps(found).encode()) > self.output_bytes:
            raise ToolFault(f"{listed.name} answered with more than {self.output_bytes:,} bytes")
        return ToolOutput(not result.is_error, found, {"left_out": others} if others else {})

    async def _list(self) -> dict[str, Any]:
        """What it says now, by their names. Raises ToolFault."""
        from mcp_types import ListToolsRequest, ListToolsResult, PaginatedRequestParams

        found, cursor = dict[str, Any](), None
        for _ in range(MOST_PAGES):
            params = PaginatedRequestParams(cursor=cursor)
            page = await self._asked(ListToolsRequest(params=params), ListToolsResult)
            for tool in page.tools:
                if tool.name in found:
                    raise ToolFault(f"MCP server {self.name} has two tools {tool.name!r:.80}")
                found[tool.name] = tool
            if len(found) > MOST_TOOLS:
                break
            cursor = page.next_cursor
            if cursor is None:
                return found
        raise ToolFault(f"MCP server {self.name} lists more than {MOST_TOOLS} tools, or no end")

    async def _asked(self, request: Any, kind: Any) -> Any:
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED
        from pydantic import ValidationError

        try:
            async with asyncio.timeout(self.timeout_s):
                return await self._client.session.send_request(request, kind)
        except TimeoutError:
            raise ToolTimeout(
                f"MCP server {self.name} did not answer within {self.timeout_s:g} s"
            ) from None
        except MCPError as exc:
            if exc.error.code == CONNECTION_CLOSED:
                raise self._closed() from exc
            why = in_line(str(exc), 300)
            raise ToolFault(f"MCP server {self.name}: {why}") from exc
        except (ValidationError, OSError, RuntimeError, ValueError) as exc:
            why = in_line(f"{type(exc).__name__}: {exc}", 300)
            raise ToolFault(f"MCP server {self.name} answered with something else: {why}") from exc

    async def _serve(self, ready: Future[None]) -> None:
        """The connection, from its own thread's first moment to its last. Asked to end before it is
        ready, it is cancelled; otherwise it ends by itself."""
        connection = asyncio.ensure_future(self._connect(ready))
        stopping = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait({connection, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            connection.cancel()
        await asyncio.wait({connection})

    async def _connect(self, ready: Future[None]) -> None:
        from mcp import Client

        try:
            async with (
                self._targeted() as target,
                Client(target, read_timeout_seconds=self.timeout_s) as client,
            ):
                self._client = client
                self._listed = {name: _listed(tool) for name, tool in (await self._list()).items()}
                self._check_pins()
                ready.set_result(None)
                await self._stop.wait()
        except AgentConfigRefused as exc:
            ready.set_exception(exc)
        except BaseException as exc:
            self._loop = None
            if ready.done():
                return  # calls say that it is closed
            why = in_line(f"{type(_first(exc)).__name__}: {_first(exc)}", 300)
            ready.set_exception(
                AgentConfigRefused(f"MCP server {self.name} cannot be reached: {why}")
            )

    @asynccontextmanager
    async def _targeted(self) -> AsyncIterator[Any]:
        """What a client takes. Clients of HTTP that are given to the SDK are ours to close."""
        if self.url is None or not self.headers:
            yield self._target()
            return
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        async with create_mcp_http_client(headers=dict(self.headers)) as client:
            yield streamable_http_client(self.url, http_client=client)

    def _target(self) -> Any:
        if self.url is not None:
            from mcp.client.streamable_http import streamable_http_client

            return streamable_http_client(self.url)
        from mcp.client.stdio import StdioServerParameters, stdio_client

        parameters = StdioServerParameters(
            command=self.command[0],
            args=list(self.command[1:]),
            env=dict(self.environment),
            cwd=self.folder,
        )
        return stdio_client(parameters, self.log or sys.stderr)

    def _check_pins(self) -> None:
        found = self.found_pins
        for name, pin in self.pins.items():
            if found.get(name) != pin:
                raise AgentConfigRefused(
                    f"MCP server {self.name} describes {in_line(name, 80)} otherwise than it was "
                    "pinned: look at it, then pin it anew"
                )
        if self.pins and (new := sorted(found.keys() - self.pins.keys())):
            raise AgentConfigRefused(
                f"MCP server {self.name} has a tool {in_line(new[0], 80)!r} that is not pinned"
            )


def _listed(tool: Any) -> _Listed:
    description = in_line(tool.description or "", MOST_DESCRIPTION)
    return _Listed(tool.name, description, harmless(tool.input_schema), _pin(tool))


def _pin(tool: Any) -> str:
    """Of all that the server says of it, and of nothing that a version of the SDK adds to that."""
    said = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _first(exc: BaseException) -> BaseException:
    while isinstance(exc, BaseExceptionGroup):
        exc = exc.exceptions[0]
    return exc


__all__ = ["McpServer"]
