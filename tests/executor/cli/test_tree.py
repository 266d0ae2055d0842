"""docs/cli.md and the commands that there are say the same."""

import re
import subprocess
import sys

import click
import pytest

from tests.support.checkout import DOCS, ROOT
from tests.support.command_tree import TREE
from zkagent.executor.config.settings import SETTINGS

HEAVY = "ezkl onnx onnxruntime numpy rich web3 eth_account pydantic sqlalchemy fastapi torch"
TEXT = (DOCS / "cli.md").read_text()
COMMANDS, _, AFTER = TEXT.partition("## Words that are kept")
KEPT = re.findall(r"^\| `([a-z]+)` \|", AFTER.partition("## Options")[0], re.MULTILINE)


def test_the_page_lists_exactly_the_commands_that_there_are() -> None:
    assert re.findall(r"^\| `(zkagent [a-z -]+)` \|", COMMANDS, re.MULTILINE) != []
    assert set(re.findall(r"^\| `(zkagent [a-z -]+)` \|", COMMANDS, re.MULTILINE)) == set(TREE)


def test_words_that_are_kept_are_no_commands() -> None:
    expected = ["agent", "runs", "decisions", "operate"]
    assert expected == KEPT
    assert {path.split()[1] for path in TREE} & set(KEPT) == {
        "agent",
        "decisions",
        "operate",
        "runs",
    }  # for more than there is


def test_every_command_says_what_it_does() -> None:
    assert [path for path, found in TREE.items() if not found.get_short_help_str()] == []


def test_options_have_long_names_in_words() -> None:
    names = {
        (path, name)
        for path, found in TREE.items()
        for parameter in found.params
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    assert {each for each in names if not re.fullmatch(r"--[a-z0-9]+(-[a-z]+)*", each[1])} == set()


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_on_the_page(name: str) -> None:
    assert f"`{SETTINGS[name].variable}`" in TEXT
    assert f"\n{name} = " in TEXT


def test_no_help_loads_anything_heavy() -> None:
    script = (
        "import sys; from zkagent.executor.cli.main import command\n"
        f"for path in {[path.split()[1:] for path in TREE]!r}:\n"
        "    command.main([*path, '--help'], standalone_mode=False)\n"
        f"sys.exit(' '.join(set({HEAVY!r}.split()) & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=str(ROOT), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
