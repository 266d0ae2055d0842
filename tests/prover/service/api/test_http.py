"""The API over real HTTP, with fake circuits: what it answers, refuses, and does not queue."""

import json
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from tests.support.fleet import Fleet, eventually
from zkagent.circuits.artifacts import Proof
from zkagent.prover.client import ServiceClient, Wanted
from zkagent.prover.service.fakes.catalogue import FakeCatalogue, Order, fake_digest
from zkagent.prover.service.queue.tables import proofs
from zkagent.prover.service.wire.states import Failure, State

JSON = {"content-type": "application/json"}


@pytest.fixture
def http(fleet: Fleet) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=fleet.url, timeout=120) as client:
        yield client


def count(fleet: Fleet) -> int:
    with fleet.database() as database, database.read() as connection:
        query = sa.select(sa.func.count()).select_from(proofs)
        return int(connection.execute(query).scalar_one())


def problem(answer: httpx.Response, status: int, name: str) -> dict[str, Any]:
    """The answer's problem document, checked."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert document["type"] == f"urn:zkagent:problem:{name}"
    assert document["status"] == status
    assert document["detail"]
    return document


def test_a_request_becomes_a_valid_proof(
    client: ServiceClient, catalogue: FakeCatalogue, features: list[int]
) -> None:
    view = client.prove(Wanted.of_features("quick", features), timeout_s=300)
    assert view.result
    proof = Proof.from_json(view.result.proof.model_dump_json())
    assert catalogue.verify(proof)
    assert proof.inputs == tuple(features)
    assert view.timings.total_s is not None


def test_the_first_answer_comes_before_the_proof_and_says_where_to_look(
    http: httpx.Client, features: list[int]
) -> None:
    body = {"model": "slow", "features": features}
    started = time.monotonic()
    answer = http.post("/v1/proofs", json=body)
    assert time.monotonic() - started < 60
    assert answer.status_code == 202
    assert answer.headers["location"] == f"/v1/proofs/{answer.json()['id']}"
    again = http.post("/v1/proofs", json=body)
    assert again.json()["id"] == answer.json()["id"]
    http.get(answer.headers["location"], params={"wait_s": 20})
    assert http.post("/v1/proofs", json=body).status_code == 200


def test_events_tell_what_it_is_now_and_end(http: httpx.Client, features: list[int]) -> None:
    proof_id = http.post("/v1/proofs", json={"model": "slow", "features": features}).json()["id"]
    with http.stream("GET", f"/v1/proofs/{proof_id}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = list(answer.iter_lines())
    states = _states(lines)
    assert states[-1] == "done"
    assert states == sorted(set(states), key=["waiting", "proving", "done"].index)
    assert len(states) == len([line for line in lines if line == "event: proof"])


def test_events_follow_a_proof_from_state_to_state_until_it_is_cancelled(
    http: httpx.Client, client: ServiceClient, features: list[int]
) -> None:
    body = {"model": "quick", "features": [Order.SLOW, 2, *features[2:]]}
    proof_id = http.post("/v1/proofs", json=body).json()["id"]
    states: list[str] = []
    with http.stream("GET", f"/v1/proofs/{proof_id}/events") as answer:
        for line in answer.iter_lines():
            states += _states([line])
            if states[-1:] == ["proving"]:  # it proves for ever
                client.cancel(proof_id)
    assert states[-2:] == ["proving", "cancelled"]


def _states(lines: list[str]) -> list[str]:
    return [json.loads(line[6:])["state"] for line in lines if line.startswith("data: ")]


def test_the_list_comes_in_pages(http: httpx.Client, features: list[int]) -> None:
    for number in range(3):
        body = {"model": "quick", "features": [*features[:3], -number]}
        assert http.post("/v1/proofs", json=body).is_success
    params: dict[str, str | int] = {"limit": 2}
    first = http.get("/v1/proofs", params=params).json()
    second = http.get("/v1/proofs", params={**params, "cursor": first["next"]}).json()
    found = first["proofs"] + second["proofs"]
    assert len({proof["id"] for proof in found}) == len(found) >= 3
    asked = [proof["created_at"] for proof in found]
    assert asked == sorted(asked, reverse=True)


def test_the_list_filters_by_state(client: ServiceClient, features: list[int]) -> None:
    view = client.prove(Wanted.of_features("quick", features), timeout_s=300)
    assert view.id in {proof["id"] for proof in client.proofs(State.DONE)}
    assert view.id not in {proof["id"] for proof in client.proofs(State.WAITING)}


def test_verify_gives_a_verdict_on_true_and_false_proofs(
    client: ServiceClient, features: list[int]
) -> None:
    view = client.prove(Wanted.of_features("quick", features), timeout_s=300)
    assert view.result
    proof = Proof.from_json(view.result.proof.model_dump_json())
    assert client.verify(proof) == (True, "")
    forged = Proof(proof.circuit, proof.inputs, (proof.outputs[0] + 1, 0), proof.proof)
    assert client.verify(forged)[0] is False


def test_circuits_are_listed_and_their_public_files_served(
    client: ServiceClient, http: httpx.Client
) -> None:
    listed = {model for circuit in client.circuits() for model in circuit["models"]}
    assert listed == {"quick", "slow"}
    digest = fake_digest("quick")
    assert http.get(f"/v1/circuits/{digest}").json()["input_count"] == 4
    assert client.artifact(digest, "verifier.sol") == f"verifier.sol of {digest}\n".encode()


@pytest.mark.parametrize("name", ["proving-key", "circuit.pk", "..%2f..%2fcircuit.pk"])
def test_proving_keys_cannot_be_downloaded(http: httpx.Client, name: str) -> None:
    assert http.get(f"/v1/circuits/{fake_digest('quick')}/{name}").status_code in (404, 422)


def test_health_readiness_and_metrics(http: httpx.Client, fleet: Fleet) -> None:
    assert http.get("/healthz").json()["status"] == "ok"
    eventually(lambda: http.get("/readyz").json()["workers"] == 1)
    text = http.get("/metrics").text
    for stage in ("waiting", "proving", "verifying", "total"):
        assert f'zkagent_stage_seconds_bucket{{le="+Inf",stage="{stage}"}}' in text
    for kind in Failure:
        assert f'zkagent_failures_total{{kind="{kind}"}}' in text
    for name in ("queue_length", "queue_oldest_seconds", "workers", "slots", "memory_bytes"):
        assert re.search(rf"^zkagent_{name}\b", text, re.MULTILINE), name
    done = next(
        line for line in text.splitlines() if line.startswith('zkagent_proofs{state="done"')
    )
    with fleet.client() as client:
        assert float(done.split()[1]) == len(list(client.proofs(State.DONE)))


def test_what_callers_make_up_is_no_label_of_a_metric(http: httpx.Client) -> None:
    for number in range(20):
        http.request(f"ODD{number}", "/v1/proofs")
        http.request("GET", f"/odd{number}", headers={"host": f"odd{number}"})
        http.request(f"ODD{number}", f"/v1/proofs/odd{number}?odd{number}=odd{number}")
    text = http.get("/metrics").text
    assert 'method="other"' in text
    assert "odd" not in text.lower()


BAD_BODIES = {
    "no body": (b"", 422),
    "no JSON": (b'{"model": "quick"', 400),
    "not an object": (b"[1, 2]", 422),
    "null": (b"null", 422),
    "NaN": (b'{"model": "quick", "features": [1, 2, 3, NaN]}', 422),
    "infinite": (b'{"model": "quick", "features": [1, 2, 3, 1e999]}', 422),
    "fraction": (b'{"model": "quick", "features": [1, 2, 3, 4.5]}', 422),
    "whole fraction": (b'{"model": "quick", "features": [1, 2, 3, 4.0]}', 422),
    "boolean": (b'{"model": "quick", "features": [1, 2, 3, true]}', 422),
    "text": (b'{"model": "quick", "features": [1, 2, 3, "4"]}', 422),
    "too wide": (b'{"model": "quick", "features": [1, 2, 3, 9223372036854775808]}', 422),
    "huge": (b'{"model": "quick", "features": [1, 2, 3, ' + b"9" * 5000 + b"]}", 400),
    "too few": (b'{"model": "quick", "features": [1, 2, 3]}', 422),
    "too many": (b'{"model": "quick", "features": [1, 2, 3, 4, 5]}', 422),
    "none": (b'{"model": "quick", "features": []}', 422),
    "nested": (b'{"model": "quick", "features": [[1, 2, 3, 4]]}', 422),
    "deep": (b"[" * 100_000, 400),
    "unknown field": (b'{"model": "quick", "features": [1, 2, 3, 4], "prioirty": "bulk"}', 422),
    "two of one": (b'{"model": "a", "circuit": "' + b"0" * 64 + b'", "features": [1]}', 422),
    "unknown model": (b'{"model": "nobody", "features": [1, 2, 3, 4]}', 404),
    "unknown circuit": (b'{"circuit": "' + b"0" * 64 + b'", "features": [1]}', 404),
    "circuit's name": (b'{"circuit": "quick", "features": [1, 2, 3, 4]}', 422),
    "past deadline": (b'{"model": "quick", "features": [1, 2, 3, 4], "deadline_s": -1}', 422),
    "NaN deadline": (b'{"model": "quick", "features": [1, 2, 3, 4], "deadline_s": NaN}', 422),
    "twice": (b'{"model": "quick", "features": [1, 2, 3, 4], "features": [5, 6, 7, 8]}', 400),
    "UTF-16": ('{"model": "quick", "features": [1, 2, 3, 4]}'.encode("utf-16"), 400),
    "not UTF-8": (b'{"model": "\xff\xfe", "features": [1, 2, 3, 4]}', 400),
}


@pytest.mark.parametrize(("body", "status"), BAD_BODIES.values(), ids=BAD_BODIES.keys())
def test_a_bad_body_is_one_problem_and_queues_nothing(
    http: httpx.Client, fleet: Fleet, body: bytes, status: int
) -> None:
    before = count(fleet)
    answer = http.post("/v1/proofs", content=body, headers=JSON)
    assert answer.status_code == status, answer.text
    problem(answer, status, answer.json()["type"].rpartition(":")[2])
    assert count(fleet) == before


def test_errors_name_the_place_and_not_the_other_forms(http: httpx.Client) -> None:
    body = {"model": "quick", "features": [1, 2, "x", 4]}
    document = problem(http.post("/v1/proofs", json=body), 422, "invalid-request")
    assert [error["where"] for error in document["errors"]] == ["body.model.features.2"]


def test_an_oversized_body_is_refused(http: httpx.Client, fleet: Fleet) -> None:
    before = count(fleet)
    problem(http.post("/v1/proofs", content=b" " * (3 << 20), headers=JSON), 413, "too-large")
    assert count(fleet) == before


def test_a_body_without_a_length_is_refused_before_it_is_read(http: httpx.Client) -> None:
    chunks = (b" " * (1 << 20) for _ in range(3))
    problem(http.post("/v1/proofs", content=chunks, headers=JSON), 411, "length-required")


@pytest.mark.parametrize("name", ["x-forwarded-for", "forwarded", "via", "x-real-ip"])
def test_without_keys_a_proxys_callers_are_no_local_ones(http: httpx.Client, name: str) -> None:
    answer = http.get("/v1/proofs", headers={name: "203.0.113.9"})
    problem(answer, 421, "behind-a-proxy")


def test_without_keys_the_http_of_a_proxy_that_says_nothing_else_is_refused(fleet: Fleet) -> None:
    answer = _drip(fleet, b"GET /v1/proofs HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n", 20)
    assert answer.startswith(b"HTTP/1.1 421")
    assert b"urn:zkagent:problem:behind-a-proxy" in answer


def test_other_media_types_are_refused(http: httpx.Client) -> None:
    answer = http.post("/v1/proofs", content=b"{}", headers={"content-type": "text/plain"})
    problem(answer, 415, "not-json")


def test_a_foreign_host_name_is_refused(http: httpx.Client) -> None:
    answer = http.get("/v1/proofs", headers={"host": "evil.example:8642"})
    problem(answer, 421, "foreign-host")


def test_unknown_proofs_pages_and_methods_are_problems(http: httpx.Client) -> None:
    problem(http.get(f"/v1/proofs/{'0' * 64}"), 404, "unknown-proof")
    problem(http.delete(f"/v1/proofs/{'0' * 64}"), 404, "unknown-proof")
    problem(http.get(f"/v1/proofs/{'0' * 64}/events"), 404, "unknown-proof")
    problem(http.get("/v2/proofs"), 404, "no-such-page")
    answer = http.delete("/v1/proofs")
    problem(answer, 405, "wrong-method")
    assert answer.headers["allow"]
    problem(http.get("/v1/proofs", params={"cursor": "!!"}), 422, "invalid-request")


def test_slow_heads_and_bodies_are_ended_with_a_problem(fleet: Fleet) -> None:
    head = b"POST /v1/proofs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    starts = (head + b"content-length: 50\r\n\r\n{", b"GET /v1/proofs HTTP/1.1\r\nhost: 127")
    with ThreadPoolExecutor() as threads:
        for answer in threads.map(lambda start: _drip(fleet, start, 30), starts):
            assert answer.startswith(b"HTTP/1.1 408")
            assert b"urn:zkagent:problem:too-slow" in answer


def test_what_is_not_http_is_a_problem(fleet: Fleet) -> None:
    answer = _drip(fleet, b"\x16\x03\x01 hello\r\n\r\n", 20)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"urn:zkagent:problem:not-http" in answer


def _drip(fleet: Fleet, start: bytes, timeout_s: float) -> bytes:
    """Send the beginning of a request and wait for what comes."""
    with socket.create_connection(("127.0.0.1", fleet.port), timeout_s) as connection:
        connection.sendall(start)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return answer


def test_a_crashing_request_becomes_poison_and_the_others_go_on(
    client: ServiceClient, features: list[int]
) -> None:
    bad = client.submit(Wanted.of_features("quick", [Order.CRASH, *features[1:]]))
    client.prove(Wanted.of_features("quick", features), timeout_s=300)
    eventually(lambda: client.get(bad.id).state is State.POISON)
    failure = client.get(bad.id).failure
    assert failure
    assert "SIGKILL" in failure.reason


def test_a_child_that_crashes_once_is_replaced(client: ServiceClient, features: list[int]) -> None:
    wanted = Wanted.of_features("quick", [Order.CRASH_ONCE, *features[1:]])
    view = client.prove(wanted, timeout_s=300)
    assert (view.state, view.attempts) == (State.DONE, 2)


def test_a_refused_input_is_never_tried_again(client: ServiceClient, features: list[int]) -> None:
    view = client.submit(Wanted.of_features("quick", [Order.REFUSE, *features[1:]]))
    eventually(lambda: client.get(view.id).state is State.FAILED)
    found = client.get(view.id)
    assert found.attempts == 1
    assert found.failure
    assert found.failure.kind == "input"


def test_a_deadline_ends_a_proof_that_takes_too_long(
    client: ServiceClient, features: list[int]
) -> None:
    wanted = Wanted.of_features("quick", [Order.SLOW, 1, *features[2:]], deadline_s=1.0)
    view = client.submit(wanted)
    eventually(lambda: client.get(view.id).state is State.EXPIRED)
