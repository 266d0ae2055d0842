"""Who may do what with whose runs over HTTP."""

import pytest

from tests.executor.runtime.api.conftest import Stage
from tests.executor.runtime.api.test_runs import begin, end, problem, until
from zkagent.executor.runtime.api.access import Access
from zkagent.executor.runtime.core.errors import AgentConfigRefused


def test_without_a_key_nothing_is_answered(keyed: Stage) -> None:
    with keyed.client() as http:
        for path in ("/v1/runs", "/v1/agents", "/v1/runs/any", "/v1/runs/any/events"):
            problem(http.get(path), 401, "key-refused")
        problem(http.post("/v1/runs", json={"agent": "echo"}), 401, "key-refused")


def test_a_key_for_proofs_runs_no_agents(keyed: Stage) -> None:
    with keyed.client("prover") as http:
        answer = http.post("/v1/runs", json={"agent": "echo"})
        assert "that takes the role" in problem(answer, 403, "role-missing")
        problem(http.get("/v1/agents"), 403, "role-missing")
        assert http.get("/v1/circuits").status_code == 200


def test_nothing_of_anothers_run_is_read_without_the_role(keyed: Stage) -> None:
    with keyed.client("user") as user:
        run_id = end(user, "looker")
        assert user.get(f"/v1/runs/{run_id}/result").status_code == 200
    with keyed.client("other") as other:
        for path in ("", "/result", "/events", "/approvals"):
            problem(other.get(f"/v1/runs/{run_id}{path}"), 404, "unknown-run")
        problem(other.delete(f"/v1/runs/{run_id}"), 404, "unknown-run")
        problem(other.get("/v1/runs", params={"cursor": run_id}), 404, "unknown-run")
        answer = {"digest": "0" * 64, "approve": True}
        problem(other.post(f"/v1/runs/{run_id}/approvals", json=answer), 404, "unknown-run")
        assert run_id not in other.get("/v1/runs").text
        problem(other.get("/v1/runs", params={"everybody": True}), 403, "role-missing")


def test_whoever_may_read_all_runs_reads_them_and_does_no_more(keyed: Stage) -> None:
    with keyed.client("user") as user, keyed.client("approver") as reader:
        run_id = begin(user, "waiter")
        assert reader.get(f"/v1/runs/{run_id}").json()["id"] == run_id
        assert run_id in reader.get("/v1/runs", params={"everybody": True}).text
        assert run_id not in reader.get("/v1/runs").text
        assert "abort_runs" in problem(reader.delete(f"/v1/runs/{run_id}"), 403, "role-missing")
        problem(reader.post("/v1/runs", json={"agent": "echo"}), 403, "role-missing")
        with keyed.client("operator") as operator:
            assert operator.delete(f"/v1/runs/{run_id}").status_code == 202


def test_a_user_does_not_approve_its_own_step_and_an_approver_does(keyed: Stage) -> None:
    with keyed.client("user") as user, keyed.client("approver") as approver:
        run_id = begin(user, "payer")
        until(user, run_id, "waiting")
        (waiting,) = user.get(f"/v1/runs/{run_id}/approvals").json()["waiting"]
        answer = {"digest": waiting["digest"], "approve": True}
        place = f"/v1/runs/{run_id}/approvals"
        assert "role approver" in problem(user.post(place, json=answer), 403, "role-missing")
        assert approver.post(place, json=answer).status_code == 200
        shown = user.get(f"/v1/runs/{run_id}", params={"wait_s": 20}).json()
        assert shown["state"] == "done"


def test_a_role_that_does_not_exist_is_refused_with_those_that_do() -> None:
    Access({"0123456789ab": frozenset({"user", "approver"})})
    with pytest.raises(AgentConfigRefused, match="'root' is no role: there are approver, auditor"):
        Access({"0123456789ab": frozenset({"user", "root"})})
