"""Agents that a Python file or module has: what commands are given, as FILE.py:NAME.

The file is run as it is, with all that this user may do, like any program that is started.
"""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from zkagent.errors import in_line, was_interrupted
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.running.agent import Agent

#: What is looked for where no name is given.
USUAL = ("agents", "agent")
HERE = Path(__file__)


def load_agents(where: str) -> list[Agent]:
    """where: FILE.py, package.module, or one of them with :NAME, of an Agent or of several.

    Raises AgentConfigRefused: there is no such file or module, it ends with an error, or what has
    the name are no agents.
    """
    place, name = _parts(where)
    with _importable(place):
        found = _named(_loaded(place), name, where)
    agents = list(found) if isinstance(found, Sequence) else [found]
    if not agents or not all(isinstance(one, Agent) for one in agents):
        kinds = ", ".join(sorted({type(one).__name__ for one in agents})) or "nothing"
        raise AgentConfigRefused(
            f"{where!r:.200} is {kinds}: an Agent is needed, or a list of them"
        )
    ids = [one.config.id for one in agents]
    if twice := {one for one in ids if ids.count(one) > 1}:
        raise AgentConfigRefused(f"{where!r:.200} has two agents {min(twice)}: rename one")
    return agents


def one_agent(where: str, agent_id: str | None = None) -> Agent:
    """The agent of that id, or the only one. Raises AgentConfigRefused."""
    agents = load_agents(where)
    ids = ", ".join(one.config.id for one in agents)
    if agent_id is None and len(agents) > 1:
        raise AgentConfigRefused(f"{where!r:.200} has more than one agent, so name one: {ids}")
    for one in agents:
        if agent_id in (None, one.config.id):
            return one
    raise AgentConfigRefused(f"{where!r:.200} has no agent {agent_id!r:.80}; it has {ids}")


def _parts(where: str) -> tuple[str, str | None]:
    place, colon, name = where.rpartition(":")
    if not colon or "/" in name or "\\" in name or name.endswith(".py"):
        return where, None
    return place, name


def _loaded(place: str) -> ModuleType:
    """Raises AgentConfigRefused."""
    try:
        return _run(Path(place)) if _is_file(place) else importlib.import_module(place)
    except AgentConfigRefused:
        raise
    except SystemExit as exc:
        raise AgentConfigRefused(f"{place!r:.200} ends the program: {exc.code!r:.80}") from exc
    except Exception as exc:
        if was_interrupted(exc):
            raise KeyboardInterrupt from exc
        why = in_line(f"{type(exc).__name__}: {exc}", 500)
        where = _where(exc, place)
        raise AgentConfigRefused(f"{place!r:.200} cannot be loaded: {where}{why}") from exc


def _is_file(place: str) -> bool:
    return place.endswith(".py") or "/" in place


def _run(file: Path) -> ModuleType:
    if not file.is_file():
        raise AgentConfigRefused(f"there is no file {str(file)!r:.200}")
    name = f"zkagent_agents_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise AgentConfigRefused(f"{str(file)!r:.200} is no Python file: its name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for the module that they are in
    spec.loader.exec_module(module)
    return module


@contextmanager
def _importable(place: str) -> Iterator[None]:
    """What stands beside the file can be imported by it, as if Python had been started with it."""
    beside = str(Path(place).resolve().parent) if _is_file(place) else str(Path.cwd())
    sys.path.insert(0, beside)
    try:
        yield
    finally:
        if beside in sys.path:
            sys.path.remove(beside)


def _named(module: ModuleType, name: str | None, where: str) -> Any:
    names = USUAL if name is None else (name,)
    for one in names:
        if hasattr(module, one):
            return getattr(module, one)
    raise AgentConfigRefused(
        f"{where!r:.200} has no {' and no '.join(names)}: name what has the agents, as FILE.py:NAME"
    )


def _where(exc: Exception, place: str) -> str:
    """The last line of the file itself, or else of any, that led to it; and where that is another
    one, the line that is wrong."""
    frames = traceback.extract_tb(exc.__traceback__)
    lines = [(frame.filename, frame.lineno) for frame in frames if frame.filename[:1] != "<"]
    lines = [line for line in lines if Path(line[0]) != HERE]
    if isinstance(exc, SyntaxError) and exc.filename:
        lines.append((exc.filename, exc.lineno))
    if not lines:
        return ""
    own = [line for line in lines if _is_file(place) and _same(line[0], place)]
    first, last = (own or lines)[-1], lines[-1]
    within = "" if last == first else f" (line {last[1]} of {in_line(last[0], 200)})"
    return f"line {first[1]} of {in_line(first[0], 200)}{within}: "


def _same(file: str, other: str) -> bool:
    return Path(file).absolute() == Path(other).absolute()


__all__ = ["load_agents", "one_agent"]
