"""Long lists, however many are asked for, keep nobody from anything else, and take bounded room."""

import asyncio
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.fleet import Fleet
from zkagent.prover.service.api.application import Service
from zkagent.prover.service.api.guard import GuardRules
from zkagent.prover.service.api.keys_in_turn import MOST_PER_KEY
from zkagent.prover.service.api.lists import PIECE_BYTES, Lists, PiecewiseResponse
from zkagent.prover.service.api.server import SENT_BYTES, listen
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.errors import ListsBusy, QuotaExceeded
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import prepare_engine
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.wire.schemas import ProofPage
from zkagent.prover.service.worker.callback_rules import CallbackRules

SOON_S = 120.0


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(f"sqlite:///{tmp_path}/service.sqlite")
    opened.prepare()
    prepare_engine(opened)
    yield opened
    opened.close()


class SlowViews:
    """Pages of a database that answers when it may, and in which thread each was made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.let_go = threading.Event()
        self.begun: list[str | None] = []
        self.written: list[threading.Thread] = []
        monkeypatch.setattr(Views, "page", self.page)
        monkeypatch.setattr(ProofPage, "model_dump_json", self.write)

    def page(self, key_id: str | None, *_: object) -> ProofPage:
        self.begun.append(key_id)
        assert self.let_go.wait(600)
        return ProofPage(proofs=[], next=None)

    def write(self) -> str:
        self.written.append(threading.current_thread())
        return "{}"


def test_lists_that_take_long_keep_nobody_from_anything_but_lists(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    views = SlowViews(monkeypatch)
    keys = [Keys(database).create(name) for name in ("one", "other")]
    one, other = ({"authorization": f"Bearer {key}"} for key in keys)
    catalogue, rules = FakeCatalogue(tmp_path, {"quick": 0.0}), (CallbackRules(), GuardRules())
    service = Service(database, catalogue, *rules, keys_needed=True, least_free_bytes=0)
    transport = httpx.ASGITransport(service.app)

    async def ask() -> None:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

            async def listed(key: dict[str, str]) -> httpx.Response:
                return await client.get("/v1/proofs?limit=500", headers=key)

            asked = [asyncio.create_task(listed(one)) for _ in range(60)]
            async with asyncio.timeout(SOON_S):
                while sum(task.done() for task in asked) < len(asked) - MOST_PER_KEY:
                    await asyncio.sleep(0.01)
            refused = [task.result().status_code for task in asked if task.done()]
            assert Counter(refused) == {429: 60 - MOST_PER_KEY}
            last = asyncio.create_task(listed(other))
            async with asyncio.timeout(SOON_S):
                body = {"model": "quick", "features": [1, 2, 3, 4]}
                posted = await client.post("/v1/proofs", json=body, headers=other)
            assert posted.status_code == 202
            assert len(views.begun) == 1
            views.let_go.set()
            answers = await asyncio.gather(last, *(task for task in asked if not task.done()))
            assert {answer.status_code for answer in answers} == {200}
            assert (await listed(one)).status_code == 200

    asyncio.run(ask())
    service.close()
    first, second = (key.split("_")[1] for key in keys)
    assert views.begun[:3] == [first, first, second] or views.begun[:2] == [first, second]
    assert threading.main_thread() not in views.written


def test_whose_turn_does_not_come_is_told_so() -> None:
    async def ask() -> None:
        line, held = Lists(patience_s=0.05), threading.Event()
        first = asyncio.create_task(line.make("one", lambda: held.wait(600)))
        await asyncio.sleep(0)
        with pytest.raises(ListsBusy, match=r"no list after 0.05 s"):
            await line.make("other", lambda: None)
        held.set()
        await first

    asyncio.run(ask())


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES, 3 * PIECE_BYTES + 1])
@pytest.mark.parametrize("is_gone", [False, True])
def test_a_list_has_its_place_until_all_of_it_was_taken(size: int, is_gone: bool) -> None:
    lists, stack = Lists(), ExitStack()
    stack.enter_context(lists.place("one"))
    content = bytes(index % 251 for index in range(size))
    taken: list[bytes] = []
    ended: list[bool] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            assert (b"content-length", str(size).encode()) in message["headers"]
            return
        assert lists._places == {"one": 1}
        assert len(message["body"]) <= PIECE_BYTES
        if is_gone:
            raise ConnectionError
        taken.append(message["body"])
        ended.append(not message.get("more_body", False))

    async def respond() -> None:
        response: Any = PiecewiseResponse(content, stack, "application/json")
        await response({}, None, send)

    if is_gone:
        with pytest.raises(ConnectionError):
            asyncio.run(respond())
    else:
        asyncio.run(respond())
        assert b"".join(taken) == content
        assert ended == [False] * (len(ended) - 1) + [True]
        assert taken[-1] == b""  # asked for only when what came before it was taken
    assert not lists._places


def test_a_key_that_takes_none_of_its_lists_has_so_many_and_no_more() -> None:
    lists = Lists()
    with ExitStack() as held:
        for _ in range(MOST_PER_KEY):
            held.enter_context(lists.place("one"))
        with pytest.raises(QuotaExceeded, match=f"{MOST_PER_KEY} lists at once per key"):
            lists.place("one").__enter__()


def test_the_system_keeps_little_of_an_answer_that_nobody_takes() -> None:
    """Linux gives twice of what is asked for; what is not limited grows to megabytes."""
    with listen("127.0.0.1", 0) as listener:
        listener.setblocking(True)
        with socket.create_connection(listener.getsockname(), 120), listener.accept()[0] as ours:
            size = ours.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
            assert 0 < size <= 2 * SENT_BYTES
            ours.setblocking(False)
            sent, end = 0, time.monotonic() + 2
            while time.monotonic() < end and sent < 16 << 20:
                try:
                    sent += ours.send(b"x" * (1 << 16))
                except BlockingIOError:
                    time.sleep(0.05)
            assert sent < 8 << 20  # with what the other side's system has taken in


def test_what_a_list_says_is_what_the_api_describes(fleet: Fleet, features: list[int]) -> None:
    with fleet.client() as client:
        body = {"model": "quick", "features": features}
        view = httpx.post(f"{fleet.url}/v1/proofs", json=body).json()
        client.wait(view["id"], timeout_s=300)
    answer = httpx.get(f"{fleet.url}/v1/proofs", params={"limit": 1})
    assert answer.headers["content-type"] == "application/json"
    page = ProofPage.model_validate(answer.json())
    assert [proof.id for proof in page.proofs] == [view["id"]]
    now = httpx.get(f"{fleet.url}/v1/proofs/{view['id']}").json()
    assert {name: now[name] for name in answer.json()["proofs"][0]} == answer.json()["proofs"][0]
