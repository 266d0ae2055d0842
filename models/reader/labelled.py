"""Prompts with the tool that they mean, and tools with what they say of themselves, from files.

FILE.jsonl (or .jsonl.gz) has a row for each prompt: prompt, service, tool (null: it means none),
and, where they are known, `unseen` (whether training saw the service), kind (of prompts, for the
report), may (tools that do no harm if none is meant) and arguments (by parameter, [start, end) of
the prompt). FILE.json has for each service a list of its tools: name, description, parameters
(name, description), examples, if there are any, and moves: true if it changes anything, false if it
only looks; left out, it is called whatever a prompt asks for.
"""

import gzip
import io
import random
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from zkagent.models.errors import DatasetError
from zkagent.models.files import MOST_MODEL_BYTES, read_limited
from zkagent.models.strict_json import load_json

R = TypeVar("R", bound=BaseModel)

MOST_EXAMPLES = 8
GZIP = b"\x1f\x8b"


class Parameter(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    description: str = ""
    values: tuple[str, ...] = ()


class Tool(BaseModel):
    """What a tool says of itself; service: that it is one of; moves: whether it is called only
    where a prompt asks for an act, or by questions too; None: whatever it asks for."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    examples: tuple[str, ...] = ()
    service: str = ""
    moves: bool | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.service, self.name


class Asked(BaseModel):
    """A prompt; tool: that it means, of its service, None where it means none; may: names of tools
    that do no harm then."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    prompt: str
    service: str
    tool: str | None
    unseen: bool = False
    kind: str = ""
    may: tuple[str, ...] = ()
    arguments: dict[str, tuple[int, int]] = {}

    @property
    def key(self) -> tuple[str, str]:
        return self.service, self.tool or ""


@dataclass(frozen=True)
class Draw:
    """Candidates of one prompt. tools: places in the list of all; right: place among them, None
    where the tool is absent."""

    tools: tuple[int, ...]
    right: int | None


def load_tools(path: Path) -> list[Tool]:
    """Of all services. Raises DatasetError."""
    try:
        content = load_json(_read(path))
    except ValueError as exc:
        raise DatasetError(f"{path} is not JSON ({exc}): write an object of services") from exc
    if not isinstance(content, dict):
        raise DatasetError(f"{path} holds no object: write lists of tools by their services")
    found = []
    for service, tools in content.items():
        if not isinstance(tools, list):
            raise DatasetError(f"{path}, {service}: expected a list of tools")
        for each in tools:
            given = {**each, "service": service} if isinstance(each, dict) else each
            found.append(_record(Tool, given, f"{path}, {service}"))
    if not found:
        raise DatasetError(f"{path} has no tools: name one at least")
    keys = [tool.key for tool in found]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise DatasetError(f"{path} has {'.'.join(twice)} twice: leave one out")
    return found


def load_asked(path: Path) -> list[Asked]:
    """Raises DatasetError."""
    found = []
    for number, line in enumerate(_read(path).split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                row = load_json(line)
            except ValueError as exc:
                raise DatasetError(
                    f"{where} is not JSON ({exc}): write one object per line"
                ) from exc
            found.append(_record(Asked, row, where))
    if not found:
        raise DatasetError(f"{path} has no prompts: write one object per line")
    return found


def _record(kind: type[R], given: Any, where: str) -> R:
    try:
        return kind.model_validate(given)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "the row"
        raise DatasetError(f"{where}: {field}: {first['msg']}: see the model's README") from exc


def _read(path: Path) -> str:
    """A file's text, also of a packed one. Raises DatasetError."""
    try:
        content = read_limited(path, MOST_MODEL_BYTES)
        if content.startswith(GZIP):
            content = _unpacked(content)
        return content.decode()
    except UnicodeDecodeError as exc:
        raise DatasetError(f"{path} is not UTF-8 text (byte {exc.start}): save it as such") from exc
    except (EOFError, gzip.BadGzipFile, zlib.error) as exc:
        raise DatasetError(f"{path} is a damaged gzip file ({exc}): fetch it again") from exc
    except OSError as exc:
        reason = exc.strerror or exc
        raise DatasetError(f"{path} cannot be read ({reason}): name a file that can") from exc


def _unpacked(content: bytes) -> bytes:
    """Raises OSError for what comes to more than a file may have."""
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        found = file.read(MOST_MODEL_BYTES + 1)
    if len(found) > MOST_MODEL_BYTES:
        raise OSError(f"unpacked it is longer than {MOST_MODEL_BYTES:,} bytes")
    return found


def kind_of(service: str) -> str:
    """Hotels, of Hotels_1 and Hotels_4, which are the same to whoever asks."""
    stem, _, version = service.rpartition("_")
    return stem if version.isdigit() else service


class Drawing:
    """Draws candidates from `tools`, the same ones for the same seed."""

    def __init__(self, tools: Sequence[Tool], count: int, seed: int) -> None:
        self._random, self._count, self._tools = random.Random(seed), count, tools
        self._versions = random.Random(f"{seed}, other versions too")
        self._places = {tool.key: place for place, tool in enumerate(tools)}
        self._services: dict[str, list[int]] = defaultdict(list)
        for place, tool in enumerate(tools):
            self._services[tool.service].append(place)

    def place(self, asked: Asked) -> int:
        """Of the tool that a prompt means. Raises DatasetError."""
        if asked.key not in self._places:
            raise DatasetError(
                f"{asked.service}.{asked.tool}, of {asked.prompt[:60]!r}, is none of the tools: "
                "add it to the file of tools"
            )
        return self._places[asked.key]

    def with_tool(self, asked: Asked) -> Draw:
        """The tool, the rest of its service, and others, in random order. Raises DatasetError."""
        right = self.place(asked)
        siblings = [place for place in self._services[asked.service] if place != right]
        found = [right, *siblings][: self._count]
        return self._filled(asked, found, right)

    def without_service(self, asked: Asked) -> Draw:
        """Tools of other services alone, and of no other version of its own."""
        return self._filled(asked, [], None, kind_of)

    def of_others(self, asked: Asked) -> Draw:
        """Tools of other services alone, those of other versions of its own too, which may do just
        what was asked for."""
        others = [place for place, tool in enumerate(self._tools) if tool.service != asked.service]
        drawn = self._versions.sample(others, min(self._count, len(others)))
        return Draw(tuple(drawn), None)

    def with_siblings(self, asked: Asked) -> Draw | None:
        """The tool itself left out, the rest of its service there; None where there is none."""
        right = self.place(asked)
        siblings = [place for place in self._services[asked.service] if place != right]
        return self._filled(asked, siblings[: self._count], None) if siblings else None

    def of_service(self, asked: Asked) -> Draw:
        """The tools of its service, and others. Raises DatasetError where there are none."""
        found = self._services.get(asked.service, [])
        if not found:
            raise DatasetError(
                f"{asked.service}, of {asked.prompt[:60]!r}, has no tools: add them to the file"
            )
        return self._filled(asked, found[: self._count], None)

    def _filled(
        self,
        asked: Asked,
        found: list[int],
        right: int | None,
        kind: Callable[[str], str] = str,
    ) -> Draw:
        """kind: what services have in common of which no others are drawn."""
        own = kind(asked.service)
        others = [place for place, tool in enumerate(self._tools) if kind(tool.service) != own]
        missing = min(self._count - len(found), len(others))
        drawn = [*found, *self._random.sample(others, missing)]
        self._random.shuffle(drawn)
        return Draw(tuple(drawn), None if right is None else drawn.index(right))


__all__ = ["MOST_EXAMPLES", "Asked", "Draw", "Drawing", "Parameter", "Tool", "load_asked"]
__all__ += ["kind_of", "load_tools"]
