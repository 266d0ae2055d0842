"""`tuned.json` beside tools.yaml: what `zkagent model train --agent` chose, for later builds."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from zkagent.models.errors import ToolsRefused
from zkagent.models.files import ManifestRecord, Sha256, read_limited, sha256
from zkagent.models.reader.agent_tools import TOOLS_FILE, AgentTools
from zkagent.models.reader.labelled import MOST_EXAMPLES
from zkagent.models.strict_json import load_json

TUNED_FILE = "tuned.json"
MOST_CAUTION = 100_000
Examples = Annotated[tuple[str, ...], Field(max_length=MOST_EXAMPLES)]


class Tuned(ManifestRecord):
    """tools: SHA-256 of what tools.yaml said; reader: the digest of the model. figures: of prompts
    that were held out, for whoever reads the file."""

    format: Literal["zkagent-tuned-1"]
    tools: Sha256
    reader: Sha256
    caution: Annotated[int, Field(ge=0, le=MOST_CAUTION)]
    examples: tuple[Examples, ...]
    figures: dict[str, float | int | str | None]


def tuned_of(
    said: AgentTools,
    reader: str,
    examples: tuple[tuple[str, ...], ...],
    caution: int,
    figures: Mapping[str, float | int | str | None],
) -> Tuned:
    """reader: its digest."""
    return Tuned(
        format="zkagent-tuned-1",
        tools=digest_of(said),
        reader=reader,
        caution=caution,
        examples=examples,
        figures=dict(figures),
    )


def digest_of(said: AgentTools) -> str:
    """Of what it says, whatever its comments and blanks."""
    return sha256(json.dumps(said.model_dump(mode="json"), sort_keys=True).encode())


def load_tuned(folder: Path, said: AgentTools) -> Tuned | None:
    """None where nothing was chosen. Raises ToolsRefused for what is of another tools.yaml."""
    path = folder / TUNED_FILE
    again = "run `zkagent model train --agent` again, or remove the file"
    try:
        content = read_limited(path)
        load_json(content)
        found = Tuned.model_validate_json(content)
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise ToolsRefused(str(path), f"it cannot be read ({exc.strerror})") from exc
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        raise ToolsRefused(str(path), f"{where}: {first['msg']}: {again}") from exc
    except ValueError as exc:
        raise ToolsRefused(str(path), f"{exc}: {again}") from exc
    if found.tools != digest_of(said):
        raise ToolsRefused(str(path), f"{TOOLS_FILE} has changed since it was made: {again}")
    _check_examples(path, said, found.examples)
    return found


def examples_of(said: AgentTools, tuned: Tuned | None) -> tuple[tuple[str, ...], ...]:
    """What each tool says: the first eight where nobody chose."""
    return tuned.examples if tuned else tuple(tool.means[:MOST_EXAMPLES] for tool in said.tools)


def _check_examples(path: Path, said: AgentTools, examples: Sequence[Sequence[str]]) -> None:
    """Only prompts of tools.yaml may come into a contract."""
    for tool, given in zip(said.tools, examples, strict=False):
        if strange := next((text for text in given if text not in tool.means), None):
            raise ToolsRefused(str(path), f"{strange[:60]!r} is no prompt of {tool.tool}'s")
    if len(examples) != len(said.tools):
        raise ToolsRefused(str(path), f"{len(examples)} lists of examples: one for each tool")


__all__ = ["TUNED_FILE", "Tuned", "digest_of", "examples_of", "load_tuned", "tuned_of"]
