"""What the reader learns from: public data sets in one folder, as prompts and tools.

sgd/train.jsonl.gz, sgd/train.tools.json     Schema-Guided Dialogue (CC BY-SA 4.0)
clinc150/train.jsonl, clinc150/val.jsonl     CLINC150 (CC BY 3.0)
banking77/train.jsonl                        BANKING77 (CC BY 4.0)
snips/train.jsonl                            SNIPS (CC0)

Of the last three each intent is a tool, whose description `corpus/intents.txt` has. Beside them
stand this project's own: services with tools and prompts in `corpus/services.txt`, and other words
for the tools of Schema-Guided Dialogue in `corpus/rewordings.txt`.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from zkagent.models.errors import DatasetError
from zkagent.models.files import json_lines
from zkagent.models.reader.labelled import Asked, Parameter, Tool, load_asked, load_tools

CORPUS = Path(__file__).parent / "corpus"
INTENTS, SERVICES = CORPUS / "intents.txt", CORPUS / "services.txt"
REWORDINGS = CORPUS / "rewordings.txt"
INTENT_FILES = {
    "clinc150": ("clinc150/train.jsonl", "clinc150/val.jsonl"),
    "banking77": ("banking77/train.jsonl",),
    "snips": ("snips/train.jsonl",),
}
OUT_OF_SCOPE = "oos"
#: How often each is drawn from.
SHARES = {"sgd": 0.5, "clinc150": 0.2, "banking77": 0.13, "snips": 0.07, "own": 0.1}
_TOOL = re.compile(r"(\w+)\(([\w, ]*)\): (.+)")


@dataclass(frozen=True)
class Corpus:
    name: str
    tools: tuple[Tool, ...]
    asked: tuple[Asked, ...]


def load_corpora(folder: Path, without: Collection[str] = ()) -> list[Corpus]:
    """without: services that are held out. Raises DatasetError."""
    tools = [t for t in load_tools(folder / "sgd" / "train.tools.json") if t.service not in without]
    keys = {tool.key for tool in tools}
    rows = load_asked(folder / "sgd" / "train.jsonl.gz")
    found = [Corpus("sgd", tuple(tools), tuple(row for row in rows if row.key in keys))]
    descriptions = dict(_descriptions())
    for name, files in INTENT_FILES.items():
        found.append(_intents(name, [folder / file for file in files], descriptions, without))
    found.append(own_services(without))
    return found


def rewordings() -> dict[tuple[str, str], list[tuple[str, str]]]:
    """By kind of service and tool, other names and descriptions."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for line in _lines(REWORDINGS):
        tool, name, description = line.split(": ", 2)
        kind, _, old = tool.partition(".")
        found[kind, old].append((name, description))
    return found


def own_services(without: Collection[str]) -> Corpus:
    """Raises DatasetError."""
    tools: list[Tool] = []
    asked: list[Asked] = []
    service = ""
    for line in _lines(SERVICES):
        if line.startswith("["):
            service = line[1:-1]
        elif service in without:
            continue
        elif line.startswith("> ") and tools and tools[-1].service == service:
            asked.append(Asked(prompt=line[2:], service=service, tool=tools[-1].name))
        elif found := _TOOL.fullmatch(line):
            given = [each.split()[-1] for each in found[2].split(", ") if each]
            parameters = tuple(Parameter(name=name) for name in given)
            tools.append(
                Tool(name=found[1], description=found[3], parameters=parameters, service=service)
            )
        else:
            raise DatasetError(f"{SERVICES}: {line[:60]!r}: write [service], a tool or > a prompt")
    return Corpus("own", tuple(tools), tuple(asked))


def _lines(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def _intents(
    name: str, files: Sequence[Path], descriptions: dict[str, str], without: Collection[str]
) -> Corpus:
    rows = [row for file in files for row in _rows(file, name) if row.tool not in without]
    intents = sorted({row.tool for row in rows if row.tool})
    tools = [
        Tool(name=intent, service=name, description=descriptions.get(intent, ""))
        for intent in intents
    ]
    return Corpus(name, tuple(tools), tuple(rows))


def _rows(file: Path, service: str) -> Iterator[Asked]:
    for where, row in json_lines(file):
        if not isinstance(row, dict) or not all(
            isinstance(row.get(key), str) for key in ("text", "intent")
        ):
            raise DatasetError(f"{where}: expected an object with text and intent")
        if row["intent"] != OUT_OF_SCOPE:
            yield Asked(prompt=row["text"], service=service, tool=row["intent"])


def _descriptions() -> Iterator[tuple[str, str]]:
    for line in _lines(INTENTS):
        name, _, description = line.partition(": ")
        yield name, description


def by_tool(corpus: Corpus) -> dict[tuple[str, str], list[str]]:
    """Prompts that mean each tool."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in corpus.asked:
        found[row.key].append(row.prompt)
    return found


__all__ = ["SHARES", "Corpus", "by_tool", "load_corpora", "own_services"]
__all__ += ["rewordings"]
