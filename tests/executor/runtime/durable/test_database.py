"""Where runs are kept, by which key, and what is refused."""

import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.executor.runtime.scripts import DONE, agent
from tests.executor.runtime.test_documented import programs
from tests.support.checkout import DOCS
from tests.support.processes import environment
from zkagent.executor.runtime.core.errors import JournalFault
from zkagent.executor.runtime.durable.database import (
    VARIABLE,
    RunsDatabase,
    open_runs,
    usual_file,
    usual_key_file,
)
from zkagent.executor.runtime.durable.runtime import DurableRuntime
from zkagent.executor.runtime.durable.store import RunStore
from zkagent.executor.runtime.durable.tables import facts
from zkagent.prover.durable.encrypted import new_key
from zkagent.prover.durable.errors import FileLocked
from zkagent.prover.service.errors import DatabaseUnusable


def test_the_first_file_makes_a_key_for_its_owner_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    open_runs().close()
    assert stat.S_IMODE(usual_key_file().stat().st_mode) == 0o600
    assert stat.S_IMODE(usual_file().stat().st_mode) == 0o600
    before = usual_key_file().read_text()
    open_runs().close()
    assert usual_key_file().read_text() == before


def test_a_key_that_is_gone_is_not_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    open_runs().close()
    usual_key_file().unlink()
    with pytest.raises(FileLocked, match=rf"runtime.key is gone.*put it back, or set {VARIABLE}"):
        open_runs()
    assert not usual_key_file().exists()


def test_a_key_that_others_may_read_is_refused(file: Path, tmp_path: Path) -> None:
    key = tmp_path / "my.key"
    new_key(key)
    key.chmod(0o640)
    with pytest.raises(FileLocked, match=r"others may read or change .*my.key \(640\): chmod 600"):
        open_runs(file, key_file=key)
    assert not file.exists()
    key.chmod(0o600)
    open_runs(file, key_file=key).close()


def test_another_key_is_refused_and_the_file_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with DurableRuntime(file) as runtime:
        runtime.run(agent(DONE))
    before = file.read_bytes()
    monkeypatch.setenv(VARIABLE, "cd" * 32)
    with pytest.raises(FileLocked, match="cannot be opened: it has another key, or is damaged"):
        DurableRuntime(file)
    assert file.read_bytes() == before
    assert capfd.readouterr() == ("", "")


def test_runs_on_postgres_take_the_key_that_sealed_them(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_runs(postgres_url).close()
    monkeypatch.setenv(VARIABLE, "cd" * 32)
    with pytest.raises(FileLocked, match="were sealed with another key"):
        open_runs(postgres_url)


def test_tables_of_another_version_are_refused(database: RunsDatabase, address: str) -> None:
    schema = sa.update(facts).where(facts.c.name == "schema")
    database.write(lambda connection, _: connection.execute(schema.values(value="99")))
    with pytest.raises(DatabaseUnusable, match="its runs have version 99, this program reads 1"):
        open_runs(address)
    database.write(lambda connection, _: connection.execute(schema.values(value="1")))
    open_runs(address).close()


@pytest.mark.parametrize("address", ["mysql://me:secret@host/runs", "postgresql://u:p/w@host/x"])
def test_an_address_that_cannot_be_read_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(DatabaseUnusable) as caught:
        open_runs(address)
    assert "secret" not in str(caught.value)
    assert "p/w" not in str(caught.value)


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(FileLocked, match="No such file or directory"):
        open_runs(tmp_path / "none" / "runs.sqlite")


def test_what_a_database_says_of_an_error_is_not_repeated(database: RunsDatabase) -> None:
    with pytest.raises(JournalFault) as caught:
        database.write(lambda connection, _: connection.exec_driver_sql("SELECT planted"))
    assert "planted" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_the_documents_example_keeps_and_replays(tmp_path: Path) -> None:
    ((program, said),) = programs(DOCS / "durable.md")
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(ZKAGENT_HOME=tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == said


def test_what_is_opened_to_read_sees_what_others_write_and_writes_nothing(address: str) -> None:
    with pytest.raises(DatabaseUnusable, match="no runs are kept there"):
        open_runs(address, reads=True)
    with DurableRuntime(address) as runtime, closing(open_runs(address, reads=True)) as reading:
        assert RunStore(reading).page() == []
        run = runtime.run(agent(DONE))
        assert [kept.id for kept in RunStore(reading).page()] == [run.id]
        with pytest.raises(JournalFault, match="opened to be read alone"):
            RunStore(reading).halt(run.id, "no")
        assert RunStore(reading).find(run.id).state == "finished"


def test_who_reads_makes_no_key(monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> None:
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(FileLocked, match=r"runtime.key is gone, and what is kept needs it"):
        open_runs(postgres_url, reads=True)
    assert not usual_key_file().parent.exists()


def test_another_key_reads_nothing(
    database: RunsDatabase, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_runs(address, reads=True).close()
    monkeypatch.setenv(VARIABLE, "cd" * 32)
    with pytest.raises(FileLocked, match="another key"):
        open_runs(address, reads=True)
