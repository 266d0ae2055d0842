"""Addresses of databases: those that cannot be are refused in a line, and none shows a secret."""

import inspect
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import psycopg
import pytest

from tests.support.command_line import exit_code, one_line_error
from zkagent.prover.service.errors import DatabaseUnusable
from zkagent.prover.service.queue.address import read_address
from zkagent.prover.service.queue.database import FILE, Database
from zkagent.prover.service.queue.engine import prepare_engine
from zkagent.prover.service.queue.wake import PostgresWake

SECRET = "hunter2"
NOBODY = "127.0.0.1:9"
#: Whose secret stands where, and what is wrong with it is that nobody answers there.
UNANSWERED = [
    f"postgresql://me:{SECRET}@{NOBODY}/queue",
    f"postgresql+psycopg://me:{SECRET}@{NOBODY}/queue",
    *(
        f"postgresql://{NOBODY}/queue?{name}={SECRET}"
        for name in ("password", "passfile", "sslkey", "sslpassword", "pasword")
    ),
    f"postgresql://{NOBODY}/queue?password=a&password={SECRET}",
]
UNREADABLE = [
    f"postgresql://{NOBODY}/queue?options={SECRET}",
    f"postgresql://{NOBODY}/queue?prepare_threshold={SECRET}",
    f"postgresql://me:pa@ss:{SECRET}@{NOBODY}/queue",
    f"postgresql://me:pa@{SECRET}/x@{NOBODY}/queue",
    f"postgresql://me:pa@{SECRET}@{NOBODY}/queue",
    f"postgresql://me:pa/x@{SECRET}@{NOBODY}/queue",
    f"postgresql://me:pa?x@{SECRET}/queue",
    f"postgresql://me@{SECRET}@{NOBODY}/queue",
    f"postgresql://{NOBODY}/queue?password=pa@{SECRET}",
    f"postgresql://me:{SECRET}",
    f"postgresql:///queue?host=127.0.0.1&port={SECRET}",
    f"mysql://{NOBODY}/queue?password={SECRET}",
    f"sqlite://me:{SECRET}@host/file",
    f"sqlite+aiosqlite:///file?key={SECRET}",
    f"sqlite:///file?key={SECRET}",
    f"host=127.0.0.1 password={SECRET}",
    f"me:{SECRET}@{NOBODY}/queue",
    f"{SECRET}:me",
]


@pytest.mark.parametrize("address", [*UNANSWERED, *UNREADABLE])
@pytest.mark.parametrize("verbose", [(), ("-v",)])
def test_no_error_tells_a_secret_or_is_longer_than_a_line(
    address: str,
    verbose: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert exit_code(*verbose, "jobs", "list", "--database", address) == 1
    if verbose:
        said = capsys.readouterr().err
        assert "Traceback" in said
    else:
        said = one_line_error(capsys)
    assert SECRET not in said
    assert "cannot be used" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["correct%20horse", "a%2Bb%25c"])
def test_wake_ups_are_connected_with_what_the_address_means_and_tell_none_of_it(
    place: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """libpq would quote what it cannot read."""
    given: list[dict[str, Any]] = []
    stopped = threading.Event()

    def connect(*words: str, **fields: Any) -> None:
        assert not words
        given.append(fields)
        stopped.set()
        raise psycopg.OperationalError(f"no {fields['password']} at {fields['host']}")

    monkeypatch.setattr(psycopg, "connect", connect)
    url = read_address(f"postgresql://bob:{place}@db.example:6000/my%20name")
    wake = PostgresWake(SimpleNamespace(url=url))  # type: ignore[arg-type]
    wake.listen(lambda topic, subject: None)
    assert stopped.wait(120)
    wake.close()
    meant = unquote(place)
    known = {"user": "bob", "password": meant, "host": "db.example", "port": 6000}
    known |= {"client_encoding": "utf8"}
    assert given[0].items() >= (known | {"dbname": "my name", "connect_timeout": 10}).items()
    assert meant not in caplog.text
    assert "wake-ups are off" in caplog.text


def test_the_host_and_the_name_are_shown(tmp_path: Path) -> None:
    for address in UNANSWERED:
        assert Database(address).shown == f"postgresql://{NOBODY}/queue"
    assert Database(f"sqlite:///{tmp_path}/file").shown == f"sqlite:///{tmp_path}/file"


def test_options_that_would_take_the_place_of_ours_are_refused() -> None:
    with pytest.raises(DatabaseUnusable, match="leave `options` out"):
        Database(f"postgresql://{NOBODY}/queue?options=-c%20statement_timeout%3D0")


def test_arguments_of_the_driver_are_refused_with_what_to_do() -> None:
    """They are no texts, as all is in an address."""
    named = inspect.signature(psycopg.Connection.connect).parameters.values()
    of_psycopg = {each.name for each in named if each.kind is not inspect.Parameter.VAR_KEYWORD}
    assert "prepare_threshold" in of_psycopg
    for name in of_psycopg:
        with pytest.raises(DatabaseUnusable, match=f"leave `{name}` out of its query"):
            Database(f"postgresql://{NOBODY}/queue?{name}=0")
    with pytest.raises(DatabaseUnusable, match="has to pool sessions, not transactions"):
        Database(f"postgresql://{NOBODY}/queue?sslmode=prefer&prepare_threshold=0")


def test_the_usual_file_may_lie_in_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "50%41 of what? #1"
    monkeypatch.setenv("ZKAGENT_HOME", str(home))
    database = Database()
    prepare_engine(database)
    database.prepare()
    database.close()
    assert list(tmp_path.iterdir()) == [home]
    assert {path.name for path in (home / "service").iterdir()} == {FILE}


def test_what_is_escaped_is_read_as_it_was_meant() -> None:
    escaped = f"postgresql://m%40e:p%40%2F%3F%23%25:w@{NOBODY}/queue"
    found = read_address(escaped)
    assert (found.username, found.password) == ("m@e", "p@/?#%:w")
    with pytest.raises(DatabaseUnusable, match="write @, /, "):
        read_address(escaped.replace("%3F", "?"))
