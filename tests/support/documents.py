"""The Python blocks of a document: run, and compared with what they say that they print."""

import io
import re
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADING_OR_BLOCK = re.compile(r"^## ([^\n]+)$|^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMISE = re.compile(r"# -> (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """section: the second-level heading that it stands under."""

    section: str
    code: str

    @property
    def promised(self) -> list[str]:
        """What it prints, line by line."""
        return PROMISE.findall(self.code)


def python_blocks(document: Path) -> list[Block]:
    """Those marked `python`; what cannot be run by a test is marked `py`."""
    section, found = "", []
    for match in HEADING_OR_BLOCK.finditer(document.read_text()):
        if match[1]:
            section = match[1]
        else:
            found.append(Block(section, match[2]))
    return found


def printed(blocks: Iterable[Block], stands_for: Mapping[str, str] | None = None) -> list[str]:
    """What the blocks print, run one after the other. stands_for: texts to put for others."""
    names: dict[str, Any] = {"__name__": "document"}
    with redirect_stdout(io.StringIO()) as said:
        for block in blocks:
            code = block.code
            for written, meant in (stands_for or {}).items():
                code = code.replace(written, meant)
            exec(compile(code, block.section, "exec"), names)
    return said.getvalue().splitlines()


def promised(blocks: Iterable[Block]) -> list[str]:
    return [line for block in blocks for line in block.promised]
