"""The tests that docs/seeds.md names: which they are, and which of them did not run and pass."""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tests.support.checkout import DOCS, ROOT

NAMED = re.compile(r"`([\w/.]+)::(\w+)`")
FORGE = "verifier_contracts/test/"
#: What forge runs: public functions of these names, of contracts that are not abstract.
FORGE_TEST = re.compile(r"function ((?:test|invariant)\w*)\([^)]*\)\s+(?:public|external)\b")
FORGE_CONTRACT = re.compile(r"^contract (\w+)", re.MULTILINE)


@dataclass(frozen=True, order=True)
class NamedTest:
    """path: from the project's folder."""

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}::{self.name}"

    @property
    def by_forge(self) -> bool:
        return self.path.startswith(FORGE)

    @property
    def is_there(self) -> bool:
        """Whether pytest or forge would run it: by its source alone."""
        file = ROOT / self.path
        if not file.is_file():
            return False
        text = file.read_text()
        return self.name in (forge_tests(text) if self.by_forge else python_tests(text))


def named_tests() -> tuple[NamedTest, ...]:
    text = (DOCS / "seeds.md").read_text()
    return tuple(sorted({NamedTest(path, name) for path, name in NAMED.findall(text)}))


def python_tests(text: str) -> set[str]:
    """Test functions at the top of a module that are not marked to be left out."""
    return {
        node.name
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not any("skip" in ast.unparse(each) for each in node.decorator_list)
    }


def forge_tests(text: str) -> set[str]:
    return set(FORGE_TEST.findall(text)) if FORGE_CONTRACT.search(text) else set()


def not_passed(passed: Collection[str]) -> Iterator[str]:
    """Tests of pytest's that are named and are not among these, given as pytest names them, with or
    without the parameters of one case."""
    found = {each.partition("[")[0] for each in passed}
    yield from (str(t) for t in named_tests() if not t.by_forge and str(t) not in found)


def not_passed_by_forge(passed: Collection[str]) -> Iterator[str]:
    """The same of forge's, given as contract, point, and the function with its parameter types."""
    found = {each.partition(".")[2].partition("(")[0] for each in passed}
    yield from (str(t) for t in named_tests() if t.by_forge and t.name not in found)
