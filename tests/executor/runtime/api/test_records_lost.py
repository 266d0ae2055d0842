"""What callers are told when a service's runs cannot be read, or are not what was written."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.executor.runtime.api.conftest import Stage, serving
from tests.executor.runtime.api.test_runs import end, problem
from zkagent.executor.runtime.durable.database import RunsDatabase, open_runs


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with serving(tmp_path, "durable", keys_needed=False) as stage:
        yield stage


@pytest.fixture
def database(stage: Stage, tmp_path: Path) -> Iterator[RunsDatabase]:
    """That of the service, for somebody else."""
    opened = open_runs(tmp_path / "runs.sqlite", key_file=tmp_path / "key")
    yield opened
    opened.close()


def change(database: RunsDatabase, statement: str) -> None:
    database.write(lambda connection, _: connection.exec_driver_sql(statement))


@contextmanager
def gone(database: RunsDatabase) -> Iterator[None]:
    change(database, "ALTER TABLE zkagent_run RENAME TO gone")
    try:
        yield
    finally:
        change(database, "ALTER TABLE gone RENAME TO zkagent_run")


def test_a_database_that_is_gone_is_unavailable_for_now(
    stage: Stage, database: RunsDatabase
) -> None:
    with stage.client() as http:
        run_id = end(http, "echo")
        with gone(database):
            for path in (f"/v1/runs/{run_id}", "/v1/runs", f"/v1/runs/{run_id}/result"):
                answer = http.get(path)
                problem(answer, 503, "runs-unavailable")
                assert answer.headers["retry-after"] == "5"
            problem(http.post("/v1/runs", json={"agent": "echo"}), 503, "runs-unavailable")
        assert http.get(f"/v1/runs/{run_id}").json()["state"] == "done"


def test_records_that_somebody_changed_are_broken(stage: Stage, database: RunsDatabase) -> None:
    with stage.client() as http:
        run_id = end(http, "echo")
        assert http.get(f"/v1/runs/{run_id}/result").status_code == 200
        change(database, "UPDATE zkagent_run_event SET event = replace(event, 'Say it', 'Say so')")
        problem(http.get(f"/v1/runs/{run_id}/result"), 500, "records-broken")
