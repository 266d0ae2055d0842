"""docs/runtime.md, docs/memory.md and docs/permissions.md: each block marked `python` runs as it
stands there, or after the one that it says it goes on from, and prints what stands below it."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.executor.runtime.test_documented import printed
from tests.support.checkout import DOCS

DOCUMENTS = ("runtime.md", "memory.md", "permissions.md")
WITHIN = r"(?:(?!```).)*"
FOUND = re.compile(
    r"^## (?P<section>[^\n]+)$"
    rf"|^```python\n(?P<code>{WITHIN})```\n(\n```text\n(?P<text>{WITHIN})```)?",
    re.MULTILINE | re.DOTALL,
)
GOES_ON = re.compile(r'# goes on from (?:the first example|"([^"]+)")\n')


@dataclass(frozen=True)
class Example:
    """text: what stands below it as printed, None if nothing does."""

    section: str
    code: str
    text: str | None


def examples(document: str) -> list[Example]:
    section, found = "", []
    for match in FOUND.finditer((DOCS / document).read_text()):
        if match["section"]:
            section = match["section"]
        else:
            found.append(Example(section, match["code"], match["text"]))
    return found


def before(example: Example, document: str) -> list[Example]:
    """What has to run first."""
    match = GOES_ON.match(example.code)
    if not match:
        return []
    first = examples(document)[0]
    if not match[1]:
        return [first]
    sections = [each for each in examples(document) if each.section == match[1]]
    return sections[:1]


def cases() -> list[object]:
    """Without the one of an agent on a chain, which has a test of its own."""
    return [
        pytest.param(
            document,
            example,
            id=f"{document}-{number}",
            marks=[pytest.mark.slow] if "ProvenPlanner()" in example.code else [],
        )
        for document in DOCUMENTS
        for number, example in enumerate(examples(document))
        if "zkagent.agent()" not in example.code
    ]


def test_every_block_is_found() -> None:
    for document in DOCUMENTS:
        count = (DOCS / document).read_text().count("```python\n")
        assert len(examples(document)) == count >= 3


@pytest.mark.parametrize(("document", "example"), cases())
def test_a_block_runs_and_prints_what_stands_below_it(
    document: str, example: Example, tmp_path: Path
) -> None:
    first = before(example, document)
    assert bool(first) == ("goes on from" in example.code)
    said = "".join(each.text or "" for each in first)
    found = printed("".join(each.code for each in (*first, example)), tmp_path)
    if example.text is not None:
        assert found == said + example.text
