"""Holds mutants of loaded Python modules against tests, each in a process of its own: a fork of one
in which pytest, its fixtures and a chain stand ready, so that a mutant takes as long as its tests.

A pytest plugin. For each test it first learns in a fork which lines the test reaches, then runs it
in a fork for each mutant that survives until now and stands in one of them. What a fork does to a
chain is undone after it. Fixtures of a session or module are made before the fork, unchanged:
what they alone reach is not held against their tests.
"""

import ast
import builtins
import contextlib
import functools
import gc
import importlib
import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest
import requests
from _pytest.runner import call_and_report, runtestprotocol

from zkagent.verifier_contracts.chain.local import Anvil

LEAST_TIMEOUT_S = 20.0
SLOWER = 6  # times what the test takes unchanged
OPTIMIZED = 0x1  # the flag of code that is a function's
PASSED, FAILED = 0, 1
#: What cosmic-ray puts in the place of an exception that is caught.
NEVER_RAISED = "CosmicRayTestingException"


@dataclass(eq=False)
class Mutant:
    """module: its name. killer: the test that noticed."""

    file: str
    module: str
    operator: str
    line: int
    last_line: int
    text: str
    source: str
    killer: str = ""

    @property
    def told(self) -> str:
        line = self.source.splitlines()[self.line - 1].strip()
        changed = self.text.splitlines()
        after = changed[self.line - 1].strip() if self.line <= len(changed) else ""
        return f"{self.file}:{self.line}: {self.operator}: {line} -> {after}"


class Nothing(Exception):
    """Never raised."""


@dataclass
class Judge:
    """The plugin. broken: tests that fail without any mutant."""

    mutants: list[Mutant]
    tell: Callable[[str], None]
    reached: set[tuple[str, int]] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        if any(not mutant.killer for mutant in self.mutants):
            self._judge(item)
        item.session._setupstate.teardown_exact(nextitem)
        return True

    def _judge(self, item: pytest.Item) -> None:
        again: Any = Siblings(item)
        prepared = call_and_report(item, "setup", log=False)
        call_and_report(item, "teardown", log=False, nextitem=again)
        forks = Forks(tuple(found(requests.Session)), tuple(filter(alive, found(Anvil))))
        item._request = False  # type: ignore[attr-defined]

        def test() -> int:
            reports = runtestprotocol(item, log=False, nextitem=again)
            return PASSED if all(report.passed for report in reports) else FAILED

        started = time.monotonic()
        lines, outcome = forks.traced(test, {mutant.file for mutant in self.mutants})
        took_s = time.monotonic() - started
        if not prepared.passed or outcome != PASSED:
            self.broken.append(item.nodeid)
            self.tell(f"{item.nodeid} fails without any mutant, or in a fork")
            return
        self.reached |= lines
        timeout_s = max(LEAST_TIMEOUT_S, SLOWER * took_s)
        tried = [m for m in self.mutants if not m.killer and reaches(lines, m)]
        for mutant in tried:
            if forks.run(lambda m=mutant: apply(m) or test(), timeout_s) != PASSED:
                mutant.killer = item.nodeid
        killed = sum(mutant.killer == item.nodeid for mutant in tried)
        self.tell(f"{killed:4} of {len(tried):4} by {item.nodeid} ({took_s:.1f} s each)")


class Siblings:
    """Stands for another test of the same module, so that its fixtures stay."""

    def __init__(self, item: pytest.Item) -> None:
        self._chain = item.listchain()[:-1]

    def listchain(self) -> list[Any]:
        return self._chain


def found(kind: type) -> Iterator[Any]:
    return (each for each in gc.get_objects() if isinstance(each, kind))


def alive(chain: Anvil) -> bool:
    return chain._process is not None


def reaches(lines: set[tuple[str, int]], mutant: Mutant) -> bool:
    """Whether a test that reaches these lines may notice it. A mutant outside of functions has
    happened before."""
    if not inside_function(mutant):
        return any(file == mutant.file for file, _ in lines)
    return any((mutant.file, line) in lines for line in range(mutant.line, mutant.last_line + 1))


@dataclass(frozen=True)
class Forks:
    """sessions: their connections are not to be shared. chains: rolled back after each fork."""

    sessions: tuple[requests.Session, ...]
    chains: tuple[Anvil, ...]

    def run(self, work: Callable[[], int], timeout_s: float) -> int:
        kept = [(chain, chain.snapshot()) for chain in self.chains]
        try:
            return self._outcome(work, timeout_s)
        finally:
            for chain, snapshot in kept:
                chain.revert(snapshot)

    def traced(self, work: Callable[[], int], files: set[str]) -> tuple[set[tuple[str, int]], int]:
        """The lines of these files that it reaches, and what it comes to."""
        reading, writing = os.pipe()

        def recorded() -> int:
            lines: set[tuple[str, int]] = set()
            with recording(lines, files):
                outcome = work()
            with os.fdopen(writing, "w") as pipe:
                json.dump(sorted(lines), pipe)
            return outcome

        outcome = self.run(recorded, timeout_s=600)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            text = pipe.read()
        return {(file, line) for file, line in json.loads(text or "[]")}, outcome

    def _outcome(self, work: Callable[[], int], timeout_s: float) -> int:
        child = os.fork()
        if child == 0:
            self._be_child(work)
        until = os.pidfd_open(child)
        try:
            if not select.select([until], [], [], timeout_s)[0]:
                os.kill(child, signal.SIGKILL)
        finally:
            os.close(until)
        status = os.waitpid(child, 0)[1]
        return os.waitstatus_to_exitcode(status)

    def _be_child(self, work: Callable[[], int]) -> None:
        outcome = FAILED
        try:
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            if not os.environ.get("MUTANTS_LOUD"):
                os.dup2(silence, 2)
            for session in self.sessions:
                session.close()
            outcome = work()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(outcome)


@contextlib.contextmanager
def recording(lines: set[tuple[str, int]], files: set[str]) -> Iterator[None]:
    """Adds (file, line) of what runs. files: as mutants name them."""
    wanted = {str(importlib.import_module(module_of(file)).__file__): file for file in files}

    def local(frame: FrameType, event: str, argument: object) -> Any:
        lines.add((wanted[frame.f_code.co_filename], frame.f_lineno))
        return local

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        return local if frame.f_code.co_filename in wanted else None

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)


def module_of(file: str) -> str:
    return "zkagent." + file.removesuffix(".py").replace("/", ".")


def apply(mutant: Mutant) -> None:
    """Make this process run the mutant."""
    setattr(builtins, NEVER_RAISED, Nothing)
    module = importlib.import_module(mutant.module)
    code = compile(mutant.text, str(module.__file__), "exec")
    if inside_function(mutant):
        before = compile(mutant.source, str(module.__file__), "exec")
        new, old = dict(functions(code)), dict(functions(before))
        for name, changed in new.items():
            if changed != old[name]:
                swap(module, name, changed)
    else:
        replace(module, code)


def inside_function(mutant: Mutant) -> bool:
    """Whether what changed is in the body of a function, not in a module's or a class's own."""
    return any(first <= mutant.line <= last for first, last in bodies(mutant.source))


@functools.cache
def bodies(source: str) -> tuple[tuple[int, int], ...]:
    """First and last line of each function's body."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds))
    return tuple((node.body[0].lineno, node.end_lineno or node.lineno) for node in found)


def functions(code: CodeType, around: str = "") -> Iterator[tuple[str, CodeType]]:
    """Functions and methods by name, what is in them not by itself."""
    for inner in code.co_consts:
        if not isinstance(inner, CodeType) or inner.co_name.startswith("<"):
            continue
        if inner.co_flags & OPTIMIZED:
            yield f"{around}{inner.co_name}", inner
        else:
            yield from functions(inner, f"{around}{inner.co_name}.")


def swap(module: ModuleType, name: str, code: CodeType) -> None:
    """Give the function another code where it stands: whoever holds it has the mutant."""
    *holders, last = name.split(".")
    holder: Any = module
    for each in holders:
        holder = getattr(holder, each)
    plain(vars(holder)[last]).__code__ = code


def plain(found: Any) -> FunctionType:
    """The function in a method, a property or what a decorator made of it."""
    if isinstance(found, property):
        return plain(found.fget)
    if isinstance(found, functools.cached_property):
        return plain(found.func)
    if isinstance(found, classmethod | staticmethod):
        return plain(found.__func__)
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    assert isinstance(found, FunctionType), found
    return found


def replace(module: ModuleType, code: CodeType) -> None:
    """Run the changed module, and put what it made in the place of what there was, everywhere."""
    before = dict(vars(module))
    exec(code, vars(module))
    new = {id(old): vars(module)[name] for name, old in before.items() if not name.startswith("__")}
    ours = [each for name, each in sys.modules.items() if name.startswith(("zkagent", "tests"))]
    for other in ours:
        for name, held in list(vars(other).items()):
            if other is not module and id(held) in new and (name in before or callable(held)):
                setattr(other, name, new[id(held)])
