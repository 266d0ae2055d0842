"""What removes something asks first, and needs `--yes` where nobody is there to ask."""

from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.command_tree import TREE
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.keys import Keys

REMOVING = {"rm", "clean", "purge", "revoke", "forget", "unset", "delete"}


def test_every_command_that_removes_something_has_the_same_option() -> None:
    found = [name for name in TREE if name.split()[-1] in REMOVING]
    assert {"zkagent jobs purge", "zkagent key revoke", "zkagent circuit rm"} <= set(found)
    without = [
        name for name in found if not any("--yes" in option.opts for option in TREE[name].params)
    ]
    assert without == ["zkagent config unset"]  # a line that one wrote oneself


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/service.sqlite"


@pytest.fixture
def key_id(url: str) -> str:
    database = Database(url)
    database.prepare()
    made = Keys(database).create("alice").split("_")[1]
    database.close()
    return made


@pytest.mark.parametrize("words", [("jobs", "purge", "--days", "0"), ("key", "revoke", "{}")])
def test_nobody_there_to_ask_leaves_everything_as_it_was(
    words: tuple[str, ...], url: str, key_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [word.format(key_id) for word in words]
    assert exit_code(*given, "--database", url) == 2
    assert "there is nobody here to ask: give --yes" in capsys.readouterr().err
    database = Database(url)
    assert Keys(database).is_valid(key_id)
    database.close()
    assert exit_code(*given, "--database", url, "--yes") == 0


def test_an_unknown_key_is_said_before_anybody_is_asked(
    url: str, key_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("key", "revoke", key_id[::-1], "--database", url) == 1
    assert key_id[::-1] in one_line_error(capsys)
