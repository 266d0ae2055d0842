"""Prompts with their arguments that were written for this project: `corpus/arguments.txt`.

Strike(enemy: string "Who gets hit")
  hit the {enemy:troll} with my sword
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from zkagent.models.instructions.pieces import Names
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.labelled import Asked, Parameter, Tool

#: Their service.
WRITTEN = "written"
ARGUMENTS = Path(__file__).parent / "corpus" / "arguments.txt"
#: As contacts of an agent's book.
_CONTACTS = frozenset({b"alice", b"bob", b"carol", b"dave", b"erin"})
WRITTEN_NAMES = Names(lambda _: False, _CONTACTS.__contains__, lambda _: False)
_TOOL = re.compile(r"(\w+)\((.*)\)")
_PARAMETER = re.compile(r'(\w+): (\w+) "([^"]*)"')
_MARKED = re.compile(r"\{(\w+):([^}]*)\}")


@dataclass(frozen=True)
class Written:
    """types: of parameters, by name."""

    asked: Asked
    tool: Tool
    types: dict[str, ParamType]


@cache
def written() -> tuple[Written, ...]:
    return tuple(_read(ARGUMENTS.read_text(encoding="utf-8")))


def _read(text: str) -> Iterator[Written]:
    tool, types = Tool(name=""), dict[str, ParamType]()
    for line in text.splitlines():
        if line.startswith("  "):
            yield Written(_asked(line.strip(), tool), tool, types)
        elif heading := _TOOL.fullmatch(line):
            found = _PARAMETER.findall(heading[2])
            parameters = tuple(Parameter(name=name, description=said) for name, _, said in found)
            tool = Tool(name=heading[1], service=WRITTEN, parameters=parameters)
            types = {name: _type(spelled) for name, spelled, _ in found}


def _type(spelled: str) -> ParamType:
    """Signed numbers have the candidates of others."""
    found = ParamType[spelled.upper()]
    return ParamType.UINT if found is ParamType.INT else found


def _asked(line: str, tool: Tool) -> Asked:
    prompt, spans, at = "", {}, 0
    for marked in _MARKED.finditer(line):
        prompt += line[at : marked.start()]
        spans[marked[1]] = (len(prompt), len(prompt) + len(marked[2]))
        prompt, at = prompt + marked[2], marked.end()
    return Asked(prompt=prompt + line[at:], service=WRITTEN, tool=tool.name, arguments=spans)


__all__ = ["WRITTEN", "WRITTEN_NAMES", "Written", "written"]
