"""/v1/runs over real HTTP: begun, looked at, followed, ended."""

import json
import time
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from tests.executor.runtime.api.agents import FOUND, HALF, SAID
from tests.executor.runtime.api.conftest import Stage


def problem(answer: httpx.Response, status: int, name: str) -> str:
    """The detail of the answer's problem document, checked."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["type"] == f"urn:zkagent:problem:{name}"
    return str(document["detail"])


def begin(http: httpx.Client, agent: str, **body: Any) -> str:
    answer = http.post("/v1/runs", json={"agent": agent, **body})
    assert answer.status_code in {200, 202}, answer.text
    assert answer.headers["location"] == f"/v1/runs/{answer.json()['id']}"
    return str(answer.json()["id"])


def end(http: httpx.Client, agent: str, **body: Any) -> str:
    run_id = begin(http, agent, **body)
    shown = http.get(f"/v1/runs/{run_id}", params={"wait_s": 60}).json()
    assert shown["state"] in {"done", "failed", "aborted"}
    return run_id


def follow(http: httpx.Client, run_id: str, **options: Any) -> list[dict[str, str]]:
    """Its events, each by the names of its fields."""
    with http.stream("GET", f"/v1/runs/{run_id}/events", **options) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        blocks = "".join(answer.iter_text()).split("\n\n")
    told = [block for block in blocks if block and not block.startswith(":")]
    return [dict(line.split(": ", 1) for line in block.splitlines()) for block in told]  # type: ignore[misc]


def until(http: httpx.Client, run_id: str, state: str) -> None:
    """A run that waits has its question a moment later."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if http.get(f"/v1/runs/{run_id}").json()["state"] == state and (
            state != "waiting" or http.get(f"/v1/runs/{run_id}/approvals").json()["waiting"]
        ):
            return
        time.sleep(0.01)
    raise AssertionError(http.get(f"/v1/runs/{run_id}").text)


def test_an_agent_is_run_and_its_result_is_there_afterwards(http: httpx.Client) -> None:
    run_id = end(http, "echo", task="say {what}", params={"what": "hello"})
    shown = http.get(f"/v1/runs/{run_id}").json()
    assert (shown["state"], shown["agent"], shown["owner"], shown["steps"]) == (
        "done",
        "echo",
        "local",
        1,
    )
    result = http.get(f"/v1/runs/{run_id}/result").json()
    assert result["result"] == {"task": "say hello", "params": {"what": "hello"}}
    assert result["id"] == run_id


def test_the_same_request_with_the_same_key_leads_to_the_same_run(http: httpx.Client) -> None:
    first = end(http, "echo", task="once", key="k1")
    assert begin(http, "echo", task="once", key="k1") == first
    others = [{"task": "once"}, {"task": "once", "key": "k2"}, {"task": "twice", "key": "k1"}]
    assert first not in [begin(http, "echo", **body) for body in others]


def test_events_are_told_in_order_and_end_with_the_run(http: httpx.Client) -> None:
    events = follow(http, begin(http, "looker"))
    assert [event["id"] for event in events] == [str(n) for n in range(len(events))]
    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds[-1]) == ("run_started", "run_finished")
    assert "tool_returned" in kinds


def test_whoever_comes_back_goes_on_after_the_last_event_that_it_had(http: httpx.Client) -> None:
    run_id = end(http, "looker")
    events = follow(http, run_id)
    rest = follow(http, run_id, headers={"last-event-id": "2"})
    assert rest == events[3:]
    assert follow(http, run_id, headers={"last-event-id": "999999999"}) == []
    bad = http.get(f"/v1/runs/{run_id}/events", headers={"last-event-id": "-1"})
    problem(bad, 422, "invalid-request")


def test_contents_are_in_events_where_they_are_included(http: httpx.Client) -> None:
    run_id = end(http, "looker")
    assert FOUND not in json.dumps(follow(http, run_id))
    assert FOUND in json.dumps(follow(http, run_id, params={"include": ["outputs", "inputs"]}))
    assert "given-82" not in json.dumps(follow(http, run_id, params={"include": "outputs"}))
    bad = http.get(f"/v1/runs/{run_id}/events", params={"include": "secrets"})
    assert "there are inputs, outputs" in problem(bad, 422, "run-refused")


def test_tokens_of_a_model_come_while_it_answers(http: httpx.Client) -> None:
    events = follow(http, begin(http, "talker"), params={"include": "all"})
    tokens = [json.loads(one["data"])["data"]["text"] for one in events if "id" not in one]
    assert "".join(tokens) in SAID  # those from before anybody listened are gone
    assert http.get("/v1/runs", params={"agent": "talker"}).json()["runs"]


def test_a_run_is_aborted_and_says_so(http: httpx.Client) -> None:
    run_id = begin(http, "waiter")
    problem(http.get(f"/v1/runs/{run_id}/result"), 409, "not-finished")
    assert http.delete(f"/v1/runs/{run_id}").status_code == 202
    shown = http.get(f"/v1/runs/{run_id}", params={"wait_s": 60}).json()
    assert (shown["state"], shown["error"]) == ("aborted", "aborted")
    assert http.delete(f"/v1/runs/{run_id}").json()["state"] == "aborted"


def test_a_run_is_waited_for_no_longer_than_was_asked(http: httpx.Client) -> None:
    run_id = begin(http, "waiter")
    began = time.monotonic()
    assert http.get(f"/v1/runs/{run_id}", params={"wait_s": 0.2}).json()["state"] == "running"
    assert 0.2 <= time.monotonic() - began < 60
    http.delete(f"/v1/runs/{run_id}")


@pytest.mark.parametrize(("approve", "state"), [(True, "ok"), (False, "refused")])
def test_a_step_waits_until_somebody_answers(http: httpx.Client, approve: bool, state: str) -> None:
    run_id = begin(http, "payer")
    until(http, run_id, "waiting")
    (waiting,) = http.get(f"/v1/runs/{run_id}/approvals").json()["waiting"]
    assert (waiting["tool"], waiting["input"], waiting["step"]) == ("pay", {"amount": 7}, 0)
    assert datetime.fromisoformat(waiting["expires_at"]) > datetime.now(UTC)
    answer = {"digest": waiting["digest"], "approve": approve}
    assert http.post(f"/v1/runs/{run_id}/approvals", json=answer).status_code == 200
    http.get(f"/v1/runs/{run_id}", params={"wait_s": 60})
    result = http.get(f"/v1/runs/{run_id}/result").json()
    assert result["actions"][0]["state"] == state
    again = http.post(f"/v1/runs/{run_id}/approvals", json=answer)
    problem(again, 409, "nothing-waits")


def test_half_a_character_of_a_planner_is_refused(http: httpx.Client) -> None:
    run_id = begin(http, "odd")
    until(http, run_id, "failed")
    result = http.get(f"/v1/runs/{run_id}/result").json()
    assert (result["success"], result["error"]["code"]) == (False, "plan_refused")
    assert "lone surrogate" in result["error"]["message"]
    assert HALF not in json.dumps(result, ensure_ascii=False)


def test_an_answer_for_another_run_or_another_step_counts_for_nothing(http: httpx.Client) -> None:
    first, second = begin(http, "payer"), begin(http, "payer")
    until(http, first, "waiting")
    until(http, second, "waiting")
    (waiting,) = http.get(f"/v1/runs/{first}/approvals").json()["waiting"]
    for digest in (waiting["digest"], "0" * 64):
        answer = http.post(f"/v1/runs/{second}/approvals", json={"digest": digest, "approve": True})
        problem(answer, 409, "nothing-waits")
    assert http.get(f"/v1/runs/{first}").json()["state"] == "waiting"
    for run_id in (first, second):
        http.delete(f"/v1/runs/{run_id}")


def test_runs_are_listed_newest_first_by_agent_and_state_and_in_pages(http: httpx.Client) -> None:
    ids = [end(http, "echo", task=str(number)) for number in range(5)]
    wanted = {"agent": "echo", "state": "done", "limit": 2}
    page = http.get("/v1/runs", params=wanted).json()
    found = [run["id"] for run in page["runs"]]
    while page["next"] and len(found) < 5:
        page = http.get("/v1/runs", params={**wanted, "cursor": page["next"]}).json()
        found += [run["id"] for run in page["runs"]]
    assert found[:5] == ids[::-1]
    none = http.get("/v1/runs", params={"agent": "echo", "state": "failed"}).json()
    assert none == {"runs": [], "next": None}


def test_agents_are_listed_with_the_schemas_of_their_tools(http: httpx.Client) -> None:
    listed = {agent["id"]: agent for agent in http.get("/v1/agents").json()["agents"]}
    assert set(listed) == {"echo", "looker", "waiter", "payer", "odd", "lost", "talker"}
    (tool,) = listed["looker"]["tools"]
    assert (tool["id"], tool["schema"], tool["safe_by_default"]) == (
        "look",
        {"type": "object"},
        True,
    )


@pytest.mark.parametrize(
    ("body", "status", "name"),
    [
        ({"agent": "nobody"}, 404, "unknown-agent"),
        ({}, 422, "invalid-request"),
        ({"agent": "echo", "task": ""}, 422, "invalid-request"),
        ({"agent": "echo", "tools": []}, 422, "invalid-request"),
        ({"agent": "echo", "seed": 1.0}, 422, "invalid-request"),
        ({"agent": "echo", "seed": -1}, 422, "invalid-request"),
        ({"agent": "echo", "session": "../x"}, 422, "invalid-request"),
        ({"agent": "echo", "params": {"a": "\ud800"}}, 422, "invalid-request"),
        ({"agent": "echo", "params": {"\ud800": 1}}, 422, "invalid-request"),
        ({"agent": "echo", "task": "\udc00"}, 422, "invalid-request"),
        ({"agent": "echo", "params": [1]}, 422, "invalid-request"),
    ],
)
def test_what_cannot_be_run_is_refused(
    http: httpx.Client, body: dict[str, Any], status: int, name: str
) -> None:
    content = json.dumps(body).encode()
    answer = http.post("/v1/runs", content=content, headers={"content-type": "application/json"})
    problem(answer, status, name)


@pytest.mark.parametrize(
    ("content", "status", "name"),
    [
        (b'{"agent": "echo", "agent": "waiter"}', 400, "malformed-json"),
        (b'{"agent": "echo"', 400, "malformed-json"),
        (b"[" * 5000 + b"]" * 5000, 400, "malformed-json"),
        (b'{"agent": "echo", "params": {"a": NaN}}', 422, "invalid-request"),
        (b'{"agent": "echo", "task": "' + b"x" * (3 << 20) + b'"}', 413, "too-large"),
    ],
)
def test_bodies_that_are_no_json_of_a_fitting_size_are_refused(
    http: httpx.Client, content: bytes, status: int, name: str
) -> None:
    headers = {"content-type": "application/json"}
    problem(http.post("/v1/runs", content=content, headers=headers), status, name)


def test_a_page_in_a_browser_cannot_begin_or_approve_without_being_asked_for_leave(
    http: httpx.Client,
) -> None:
    run_id = end(http, "echo")
    plain = {"content-type": "text/plain"}  # what needs no preflight
    for path in ("/v1/runs", f"/v1/runs/{run_id}/approvals"):
        problem(http.post(path, content=b"{}", headers=plain), 415, "not-json")
    problem(http.get("/v1/runs", headers={"host": "evil.example"}), 421, "foreign-host")


def test_a_run_that_nobody_knows_is_not_found(http: httpx.Client) -> None:
    for path in ("", "/result", "/events", "/approvals"):
        problem(http.get(f"/v1/runs/run-404{path}"), 404, "unknown-run")
    problem(http.delete("/v1/runs/run-404"), 404, "unknown-run")
    problem(http.get("/v1/runs/no%20id"), 422, "invalid-request")
    problem(http.get("/v1/runs", params={"cursor": "run-404"}), 404, "unknown-run")


def test_metrics_of_runs_stand_beside_those_of_proofs(http: httpx.Client) -> None:
    end(http, "looker")
    text = http.get("/metrics").text
    assert 'zkagent_runs_total{agent="looker",outcome="done"}' in text
    assert "zkagent_queue_length" in text
    assert 'route="/v1/runs/{run_id}"' in text


def test_methods_that_a_path_has_not_are_named(http: httpx.Client) -> None:
    assert "DELETE, GET" in problem(http.put("/v1/runs/run-1"), 405, "wrong-method")


def test_a_caller_has_only_so_many_runs_at_once(keyed: Stage) -> None:
    with keyed.client("other") as http:
        ids = [begin(http, "waiter", key=str(number)) for number in range(32)]
        answer = http.post("/v1/runs", json={"agent": "waiter"})
        assert "32 runs at once per key" in problem(answer, 429, "limit-reached")
        assert begin(http, "waiter", key="0") == ids[0]
        for run_id in ids:
            http.delete(f"/v1/runs/{run_id}")
        http.get(f"/v1/runs/{ids[-1]}", params={"wait_s": 60})
        assert end(http, "echo")


def test_the_description_has_both_kinds_of_routes_and_problem_documents(
    http: httpx.Client,
) -> None:
    document = http.get("/openapi.json").json()
    assert {"/v1/proofs", "/v1/runs", "/v1/runs/{run_id}/events"} <= set(document["paths"])
    refusals = [
        (path, status, answer)
        for path, operations in document["paths"].items()
        if path.startswith(("/v1/runs", "/v1/agents"))
        for operation in operations.values()
        for status, answer in operation["responses"].items()
        if status.startswith("4")
    ]
    assert len(refusals) > 50
    assert all(list(answer["content"]) == ["application/problem+json"] for *_, answer in refusals)
    assert "HTTPValidationError" not in json.dumps(document)
