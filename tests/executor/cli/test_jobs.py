"""`zkagent jobs` on the database of a running service, and what the service logs."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import exit_code
from tests.support.fleet import Fleet, eventually
from zkagent.prover.client import ServiceClient, Wanted
from zkagent.prover.service.fakes.catalogue import FakeCatalogue, Order
from zkagent.prover.service.wire.states import State

Jobs = Callable[..., str]


@pytest.fixture
def jobs(fleet: Fleet, capsys: pytest.CaptureFixture[str]) -> Jobs:
    """Run `zkagent jobs ...` on the session's service; what it prints."""

    def run(*words: str, code: int = 0) -> str:
        found = exit_code("jobs", *words, "--database", fleet.database_url)
        printed = capsys.readouterr()
        assert found == code, printed.err
        return printed.out + printed.err

    return run


def test_jobs_are_listed_by_state_for_people_and_machines(
    jobs: Jobs, client: ServiceClient, features: list[int]
) -> None:
    view = client.prove(Wanted.of_features("quick", features), timeout_s=300)
    assert f"{view.id[:16]}  done" in jobs("list", "--state", "done", "--limit", "500")
    listed = json.loads(jobs("list", "--json"))
    assert view.id in {proof["id"] for proof in listed}


def test_a_job_is_shown_by_the_beginning_of_its_id_without_its_inputs(
    jobs: Jobs, client: ServiceClient, features: list[int]
) -> None:
    view = client.prove(Wanted.of_features("quick", features), timeout_s=300)
    shown = json.loads(jobs("show", view.id[:12]))
    assert (shown["id"], shown["state"]) == (view.id, "done")
    assert shown["handles"][0]["key_id"] == "local"
    assert "inputs" not in shown


def test_an_unknown_job_is_one_line_and_exit_code_1(jobs: Jobs) -> None:
    assert jobs("show", "ffffffffffff", code=1).startswith("error: no proof ffffffffffff")


def test_a_cancelled_job_ends_for_everybody_and_can_be_retried(
    jobs: Jobs, client: ServiceClient, features: list[int]
) -> None:
    view = client.submit(Wanted.of_features("quick", [Order.SLOW, 3, *features[2:]]))
    eventually(lambda: client.get(view.id).state is State.PROVING)
    assert "cancelled" in jobs("cancel", view.id)
    assert client.get(view.id).state is State.CANCELLED
    assert "finished already" in jobs("cancel", view.id)
    assert "waits again" in jobs("retry", view.id)
    eventually(lambda: client.get(view.id).state is State.PROVING)
    jobs("cancel", view.id)


def test_a_poisonous_job_can_be_retried_by_hand(
    jobs: Jobs, client: ServiceClient, features: list[int]
) -> None:
    view = client.submit(Wanted.of_features("quick", [Order.REFUSE, *features[1:]]))
    eventually(lambda: client.get(view.id).state is State.FAILED)
    attempts = client.get(view.id).attempts
    jobs("retry", view.id)
    eventually(lambda: client.get(view.id).attempts > attempts)
    eventually(lambda: client.get(view.id).state is State.FAILED)


def test_a_finished_job_cannot_be_retried(
    jobs: Jobs, client: ServiceClient, features: list[int]
) -> None:
    view = client.prove(Wanted.of_features("quick", features), timeout_s=300)
    assert "nothing to retry" in jobs("retry", view.id, code=1)


def test_purging_forgets_finished_jobs(
    tmp_path: Path, catalogue: FakeCatalogue, features: list[int]
) -> None:
    fleet = Fleet(tmp_path, f"sqlite:///{tmp_path}/service.sqlite", catalogue)
    fleet.serve()
    with fleet.client() as client:
        client.prove(Wanted.of_features("quick", features), timeout_s=300)
        command = [
            sys.executable,
            "-m",
            "zkagent",
            "jobs",
            "purge",
            "--days",
            "0",
            "--yes",
        ]
        command += ["--database", fleet.database_url]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert done.stdout == "1 proofs forgotten\n"
        assert list(client.proofs()) == []
    fleet.end()


def test_logs_are_json_on_request_and_never_hold_inputs(
    tmp_path: Path, catalogue: FakeCatalogue
) -> None:
    fleet = Fleet(tmp_path, f"sqlite:///{tmp_path}/service.sqlite", catalogue)
    service = fleet.serve("--log-json")
    secret = 987_654_321_123
    with fleet.client() as client:
        client.prove(Wanted.of_features("quick", [secret, 1, 2, 3]), timeout_s=300)
        client.submit(Wanted.of_features("quick", [Order.REFUSE, secret, 2, 3]))
        eventually(lambda: "failed" in {proof["state"] for proof in client.proofs()})
    service.stop()
    lines = [json.loads(line) for line in service.log.read_text().splitlines()]
    assert {"time", "level", "logger", "message"} <= set(lines[0])
    assert "proven" in {line["message"] for line in lines}
    assert str(secret) not in service.log.read_text()
    fleet.end()
