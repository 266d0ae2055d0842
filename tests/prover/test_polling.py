"""Waiting for a proof: services that keep too many already, that answer at once, that lie."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.support.liars import CIRCUIT, FEATURES, view
from zkagent.prover import client as clients
from zkagent.prover.client import AsyncServiceClient, ServiceClient
from zkagent.prover.service.api import watchers
from zkagent.prover.service.errors import (
    NoProofYet,
    QuotaExceeded,
    ServiceAnswered,
)
from zkagent.prover.service.wire import exchange, polling
from zkagent.prover.service.wire.polling import Polls

URL = "http://service"
PROOF = "cd" * 32
Serve = Callable[[httpx.Request], Awaitable[httpx.Response]]


def says(status: int, document: dict[str, Any], **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = httpx.ByteStream(json.dumps(document).encode())
    return httpx.Response(status, headers=named, stream=body)


def too_many(retry_after: str) -> httpx.Response:
    problem = {"title": "Too Many Requests", "detail": "limit reached"}
    return says(429, problem, retry_after=retry_after)


def unfinished(proof: str = PROOF) -> dict[str, Any]:
    return view(id=proof, state="waiting") | {"result": None}


def by_thread(serve: Serve, wait: dict[str, Any]) -> None:
    with ServiceClient(URL, patience_s=0.2) as client:
        transport = httpx.MockTransport(lambda request: asyncio.run(serve(request)))
        client._http = httpx.Client(base_url=URL, transport=transport)
        client.wait(PROOF, **wait)


def by_asyncio(serve: Serve, wait: dict[str, Any]) -> None:
    async def ask() -> None:
        async with asynchronous(serve) as client:
            await client.wait(PROOF, **wait)

    asyncio.run(ask())


def asynchronous(serve: Serve, patience_s: float = 0.2, **given: Any) -> AsyncServiceClient:
    client = AsyncServiceClient(URL, patience_s=patience_s, **given)
    client._http = httpx.AsyncClient(base_url=URL, transport=httpx.MockTransport(serve))
    return client


@pytest.fixture(autouse=True)
def no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request to a service in memory has its time on a busy machine, however little patience."""
    monkeypatch.setattr(exchange, "SHORTEST_S", 60.0)


CLIENTS = pytest.mark.parametrize("ask", [by_thread, by_asyncio])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Its time is what the list holds."""
    now = [1000.0]
    monkeypatch.setattr(polling.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize("patience_s", [0.2, 60.0])
def test_more_than_may_wait_at_once_get_their_proofs_all_the_same(
    patience_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the service's own guard. It is no trouble, and nobody's patience is taken for it."""
    monkeypatch.setattr(watchers, "MOST_PER_KEY", 4)
    guard, turned_away, crowded = watchers.Watchers(), 0, asyncio.Event()
    proofs = {(number, 2, 3, 4): f"{number:064x}" for number in range(12)}

    def finished(proof: str) -> dict[str, Any]:
        inputs = next(x for x, name in proofs.items() if name == proof)
        return view(id=proof, proof={"inputs": list(inputs)})

    async def serve(request: httpx.Request) -> httpx.Response:
        nonlocal turned_away
        if request.method == "POST":
            asked = tuple(json.loads(request.content)["features"])
            return says(202, unfinished(proofs[asked]))
        proof, kept_s = request.url.path.split("/")[-1], float(request.url.params["wait_s"])
        try:
            if kept_s:
                with guard.following("local", "127.0.0.1"):
                    await asyncio.gather(asyncio.sleep(kept_s), crowded.wait())
        except QuotaExceeded as exc:
            turned_away += 1
            if turned_away == len(proofs) - watchers.MOST_PER_KEY:
                crowded.set()
            return says(429, {"title": "no", "detail": str(exc)}, retry_after="1")
        return says(200, finished(proof) if crowded.is_set() else unfinished(proof))

    trouble: list[str] = []

    async def ask() -> list[tuple[int, ...]]:
        async with asynchronous(serve, patience_s=patience_s, trouble=trouble.append) as client:
            made = (client.prove_features(CIRCUIT, x, timeout_s=300) for x in proofs)
            return [proof.inputs for proof in await asyncio.gather(*made)]

    assert asyncio.run(ask()) == list(proofs)
    assert turned_away >= 8
    assert not trouble


@CLIENTS
@pytest.mark.parametrize("retry_after", ["0", "1", "9" * 400, "soon"])
def test_who_is_turned_away_for_ever_waits_as_long_as_he_wanted(
    ask: Callable[[Serve, dict[str, Any]], None], retry_after: str
) -> None:
    async def serve(_: httpx.Request) -> httpx.Response:
        return too_many(retry_after)

    began = time.monotonic()
    with pytest.raises(NoProofYet, match="it goes on"):
        ask(serve, {"timeout_s": 0.4})
    assert 0.4 <= time.monotonic() - began < 30


@CLIENTS
def test_who_is_in_trouble_is_still_given_up_when_patience_ends(
    ask: Callable[[Serve, dict[str, Any]], None],
) -> None:
    async def serve(_: httpx.Request) -> httpx.Response:
        return says(503, {"title": "Service Unavailable", "detail": "database"})

    with pytest.raises(ServiceAnswered, match="answered 503"):
        ask(serve, {"timeout_s": 300})


def test_a_request_for_a_proof_is_given_up_when_patience_ends() -> None:
    """Here too many is no matter of waiting: it may be the quota of a day."""

    async def serve(_: httpx.Request) -> httpx.Response:
        return too_many("3600")

    async def ask() -> None:
        async with asynchronous(serve) as client:
            await client.prove_features(CIRCUIT, FEATURES, timeout_s=300)

    with pytest.raises(ServiceAnswered, match="answered 429") as refused:
        asyncio.run(ask())
    assert refused.value.retry_after_s == 3600


@CLIENTS
def test_a_service_that_answers_at_once_is_not_asked_without_pause(
    ask: Callable[[Serve, dict[str, Any]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, now = 0, [1000.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    async def sleep_async(seconds: float) -> None:
        now[0] += seconds

    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep)
    for module in (clients, exchange, polling):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(clients, "asyncio", SimpleNamespace(sleep=sleep_async))

    async def serve(_: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        return says(200, unfinished())

    with pytest.raises(NoProofYet):
        ask(serve, {"timeout_s": 1})
    assert 5 <= asked <= 6  # at 0, 0.1, 0.3, 0.7 and 1 s


def test_pauses_grow_and_end_when_a_service_keeps_its_word(clock: list[float]) -> None:
    polls = Polls(PROOF, None, None)
    pauses = []
    for _ in range(7):
        assert polls.wait_s() == 1
        pauses.append(polls.again_s())
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 2, 2]
    polls.wait_s()
    clock[0] += 1
    assert polls.again_s() == 0


def test_who_was_turned_away_looks_without_waiting_and_then_waits_again(
    clock: list[float],
) -> None:
    polls = Polls(PROOF, None, None)
    assert polls.wait_s() == 1
    for asked_s, away_s in ((0, 1), (3, 3), (float("inf"), 60)):
        error = ServiceAnswered(URL, 429, "no", "no", retry_after_s=asked_s)
        assert polls.refused_s(error) == away_s
    assert polls.wait_s() == 0
    assert polls.again_s() == 0
    assert polls.wait_s() == 1


def test_nothing_lasts_longer_than_the_caller_wants_to_wait(clock: list[float]) -> None:
    polls = Polls(PROOF, 1.5, clock[0] + 1.5)
    assert polls.wait_s() == 1
    clock[0] += 1.25
    error = ServiceAnswered(URL, 429, "no", "no", retry_after_s=30)
    assert (polls.refused_s(error), polls.again_s()) == (0.25, 0)
    clock[0] += 0.25
    for late in (polls.check_time, polls.again_s, lambda: polls.refused_s(error)):
        with pytest.raises(NoProofYet, match=r"after 1\.5 s"):
            late()
