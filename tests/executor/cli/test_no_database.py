"""A database that is not there: who looks after one says so, and makes none."""

from pathlib import Path

import pytest

from tests.models.test_whole import tree
from tests.support.command_line import exit_code, one_line_error
from tests.support.command_tree import TREE
from zkagent.errors import ZkagentError
from zkagent.prover.service.assembly import Options, assemble
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import open_database

LOOKING = [
    "jobs list",
    "jobs show 12345678",
    "jobs cancel 12345678",
    "jobs cancel --key 12345678",
    "jobs retry 12345678",
    "jobs purge --days 0 --yes",
    "key list",
    "key callback-secret",
    "key revoke 12345678 --yes",
]


@pytest.fixture
def typo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a file that is not there, beside one that is."""
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    open_database(f"sqlite:///{tmp_path}/service.sqlite").close()
    return f"sqlite:///{tmp_path}/servise.sqlite"


@pytest.mark.parametrize("words", LOOKING)
def test_what_looks_after_a_database_makes_none(
    words: str, typo: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(tmp_path)
    assert exit_code(*words.split(), "--database", typo) == 1
    assert f"the database {typo} cannot be used: there is none (check" in one_line_error(capsys)
    assert tree(tmp_path) == before


def test_a_file_without_the_service_s_tables_gets_none_by_being_looked_at(
    typo: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(tmp_path, "servise.sqlite").touch()
    assert exit_code("jobs", "list", "--database", typo) == 1
    assert "there is none (check" in one_line_error(capsys)
    empty = Database(typo)
    with empty.read() as connection:
        found = connection.exec_driver_sql("SELECT name FROM sqlite_master").all()
    empty.close()
    assert found == []


@pytest.mark.parametrize(
    ("words", "keys_for", "why"),
    [
        ("", "0.0.0.0", "needs API keys, and there are none"),
        ("", "", "needs API keys, and there are none"),  # which is every address
        ("--batch 12345678 87654321", None, "12345678"),
    ],
)
def test_a_service_that_is_refused_leaves_none(
    words: str, keys_for: str | None, why: str, typo: str, tmp_path: Path
) -> None:
    given = ["--database", typo, "--no-models", *words.split()]
    options = TREE["zkagent worker"].make_context("worker", given).params
    del options["log_json"]
    before = tree(tmp_path)
    with pytest.raises(ZkagentError, match=why):
        assemble(Options(**options), keys_for=keys_for)
    assert tree(tmp_path) == before


def test_the_first_key_may_come_before_the_first_service(typo: str, tmp_path: Path) -> None:
    assert exit_code("key", "create", "alice", "--database", typo) == 0
    assert exit_code("key", "list", "--database", typo) == 0


@pytest.mark.parametrize("words", LOOKING)
def test_a_database_that_nobody_lets_us_look_for_is_not_another_place_s(
    words: str,
    typo: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real = Path.stat

    def refuse(path: Path, **how: bool) -> object:
        if path == tmp_path / "servise.sqlite":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **how)

    monkeypatch.setattr(Path, "stat", refuse)
    assert exit_code(*words.split(), "--database", typo) == 1
    assert f"the database {typo} cannot be used: Permission denied" in one_line_error(capsys)
