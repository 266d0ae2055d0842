"""Programs as a tool: those that the host names, by their absolute paths, and no others.

There is no such tool unless a host makes one. No shell reads what a planner says: it gives words,
which reach the program as they are. A program can still do whatever it is made for, and many can
start others (find, git, tar, awk); so allow few, and say which words each may get.
"""

import asyncio
import os
import re
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    ToolFault,
    ToolInputRefused,
    ToolTimeout,
)
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.tools import CallContext, ToolDefinition, ToolOutput

MOST_WORDS = 100
LONGEST_WORD = 10_000  # characters
CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Program:
    """first: words that come before a planner's; word: what each of those must match as a whole,
    by default no option; most: how many of them."""

    path: str
    first: tuple[str, ...] = ()
    word: str = r"[^-].*|"
    most: int = MOST_WORDS


@dataclass(frozen=True)
class ShellRules:
    """programs: by the name under which a planner knows each. folder: where they run. environment:
    all of it; nothing of this process's is passed on. output_bytes: of output and errors each; more
    ends the program."""

    programs: Mapping[str, Program]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 10.0
    output_bytes: int = 1 << 18
    input_bytes: int = 1 << 18

    def check(self) -> None:
        """Raises AgentConfigRefused."""
        if not self.programs:
            raise AgentConfigRefused("a shell tool needs programs that it may run")
        if not self.folder.is_absolute() or not self.folder.is_dir():
            raise AgentConfigRefused(f"{self.folder} is no folder, by its absolute path")
        for name, program in self.programs.items():
            path = Path(program.path)
            if not path.is_absolute() or not path.is_file() or not os.access(path, os.X_OK):
                raise AgentConfigRefused(f"{name}: {path} is no program, by its absolute path")
            try:
                re.compile(program.word)
            except re.error as exc:
                raise AgentConfigRefused(f"{name}: its words cannot be told: {exc}") from exc


def shell_tool(rules: ShellRules, id: str = "shell_run") -> ToolDefinition:
    """Destructive, so it has to be allowed as such. Raises AgentConfigRefused."""
    rules.check()
    word: dict[str, Json] = {"type": "string", "maxLength": LONGEST_WORD}
    properties: dict[str, Json] = {
        "program": {"enum": sorted(rules.programs)},
        "words": {"type": "array", "items": word, "maxItems": MOST_WORDS, "default": []},
        "input": {"type": "string", "description": "what it reads"},
    }

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        name = given["program"]
        words = _checked(name, rules.programs[name], given.get("words", []))
        content = given.get("input", "").encode("utf-8", "replace")
        if len(content) > rules.input_bytes:
            raise ToolInputRefused(f"{len(content):,} bytes of input are too many", path="input")
        return await _run(rules, [rules.programs[name].path, *words], content)

    return ToolDefinition(
        id=id,
        description="Run a program; gives its exit code, output and errors.",
        schema={
            "type": "object",
            "properties": properties,
            "required": ["program"],
            "additionalProperties": False,
        },
        run=run,
        destructive=True,
        timeout_s=rules.timeout_s + 5,
    )


def _checked(name: str, program: Program, words: list[str]) -> list[str]:
    """Raises ToolInputRefused."""
    if len(words) > program.most:
        raise ToolInputRefused(f"{name} takes {program.most} words at most", path="words")
    for place, word in enumerate(words):
        if "\0" in word or not re.fullmatch(program.word, word, re.DOTALL):
            raise ToolInputRefused(
                f"{name} does not take {in_line(word, 80)!r}: its words match {program.word}",
                path=f"words/{place}",
            )
    return [*program.first, *words]


async def _run(rules: ShellRules, words: list[str], content: bytes) -> ToolOutput:
    """Raises ToolTimeout, ToolFault; whatever it started in its group has ended then."""
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=rules.folder,
            env=dict(rules.environment),
            start_new_session=True,
        )
    except (OSError, ValueError) as exc:
        raise ToolFault(f"{words[0]} cannot be started: {in_line(str(exc), 200)}") from exc
    try:
        async with asyncio.timeout(rules.timeout_s):
            output, errors, _ = await asyncio.gather(
                _read(process.stdout, rules.output_bytes),
                _read(process.stderr, rules.output_bytes),
                _write(process.stdin, content),
            )
            code = await process.wait()
    except TimeoutError:
        raise ToolTimeout(
            f"{words[0]} took more than {rules.timeout_s:g} s and was ended"
        ) from None
    finally:
        await _end(process)
    found: dict[str, Json] = {
        "exit_code": code,
        "output": output.decode("utf-8", "replace"),
        "errors": errors.decode("utf-8", "replace"),
    }
    return ToolOutput(code == 0, found)


async def _read(stream: asyncio.StreamReader | None, most: int) -> bytes:
    assert stream
    found = b""
    while part := await stream.read(CHUNK):
        found += part
        if len(found) > most:
            raise ToolFault(f"it said more than {most:,} bytes and was ended")
    return found


async def _write(stream: asyncio.StreamWriter | None, content: bytes) -> None:
    assert stream
    with suppress(BrokenPipeError, ConnectionResetError):  # it need not read it all
        stream.write(content)
        await stream.drain()
    stream.close()


async def _end(process: asyncio.subprocess.Process) -> None:
    """The program and all of its group, also what it left behind. Its pipes are closed before its
    end is waited for: asyncio tells of none while a pipe that nobody reads is full."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    transport: Any = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
    await process.wait()


__all__ = ["Program", "ShellRules", "shell_tool"]
