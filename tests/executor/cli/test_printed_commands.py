"""Commands that we print: whoever pastes one into a shell means what we meant."""

import ast
import re
import shlex

import pytest

from tests.support.checkout import ROOT
from tests.support.command_tree import TREE
from zkagent.executor.commands import typed

PACKAGES = ("circuits", "executor", "models", "prover", "verifier_contracts")
VALUE = "\0"
WORDS = "|".join(sorted({path.split()[1] for path in TREE}))
WITH_A_VALUE = re.compile(rf"zkagent ({WORDS})\b[^`{VALUE}]*{VALUE}")


def spelled(tree: ast.AST) -> list[str]:
    """Texts that are made of values, with VALUE for each of those."""
    return [
        "".join(str(v.value) if isinstance(v, ast.Constant) else VALUE for v in node.values)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
    ]


def test_every_word_reads_back_as_it_is() -> None:
    words = ["run", "deposit 5 'USDC'", "neu ordner/x", "$HOME", "~", "", "http://[::1]:8545"]
    assert shlex.split(typed(*words)) == ["zkagent", *words]


@pytest.mark.parametrize(
    "text", ['f"next    zkagent agent build {path}"', 'f"see `zkagent runs "f"forget {run}`"']
)
def test_a_value_that_nobody_quotes_is_found(text: str) -> None:
    assert any(map(WITH_A_VALUE.search, spelled(ast.parse(text))))


def test_no_command_is_printed_with_a_value_that_nobody_quotes() -> None:
    files = {path: path.read_text() for name in PACKAGES for path in (ROOT / name).rglob("*.py")}
    found = {
        f"{path}: {text}"
        for path, source in files.items()
        if "zkagent " in source
        for text in spelled(ast.parse(source))
        if WITH_A_VALUE.search(text)
    }
    assert found == set()
