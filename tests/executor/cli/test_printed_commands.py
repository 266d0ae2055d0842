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
NAMED = re.compile(r"`zkagent ([a-z][^`]*)`")


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


def told(tree: ast.AST) -> set[str]:
    """Every text in the source, those with values in them too."""
    plain = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return plain | set(spelled(tree))


def misnamed(command: str) -> list[str]:
    """What of it there is not: the command, or options that it has not."""
    first, *rest = command.replace(VALUE, "x").replace(" ...", "").split()
    verbs = rest[0].split("|") if rest else [""]
    if len(verbs) > 1:
        return [problem for verb in verbs for problem in misnamed(f"{first} {verb}")]
    paths = [" ".join(["zkagent", first, *rest[:words]]) for words in (2, 1, 0)]
    path = next((each for each in paths if each in TREE), None)
    if path is None:
        is_group = first in {known.split()[1] for known in TREE} and rest in ([], ["--help"])
        return [] if is_group else [f"zkagent {command}"]
    known = {o for p in TREE[path].params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
    return [f"{path} {word}" for word in rest if word.startswith("--") and word not in known]


def test_a_command_or_an_option_that_there_is_not_is_found() -> None:
    assert misnamed("circuit build --untuned") == misnamed("guard manifest issue --ttl") == []
    assert misnamed("guard manifest redo") == ["zkagent guard manifest redo"]
    assert misnamed("prove --untuned") == ["zkagent prove --untuned"]
    assert misnamed("runs redo") == misnamed("runs pending|redo") == ["zkagent runs redo"]


def test_every_command_that_a_message_names_is_there_with_its_options() -> None:
    files = {path: path.read_text() for name in PACKAGES for path in (ROOT / name).rglob("*.py")}
    named = {
        command
        for source in files.values()
        if "zkagent " in source
        for text in told(ast.parse(source))
        for command in NAMED.findall(text)
    }
    assert len(named) > 20
    assert [problem for each in sorted(named) for problem in misnamed(each)] == []
