"""Who wants verdicts, however many, keeps nobody from anything else."""

import asyncio
import random
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from zkagent.circuits.artifacts import Proof
from zkagent.prover.service.api.application import Service
from zkagent.prover.service.api.guard import GuardRules
from zkagent.prover.service.api.verifications import MOST_PER_KEY, PATIENCE_S, Verifications
from zkagent.prover.service.catalogue.catalogue import Card
from zkagent.prover.service.catalogue.verifier_process import TIMEOUT_S
from zkagent.prover.service.errors import QuotaExceeded, VerifierBusy
from zkagent.prover.service.fakes.catalogue import FakeCatalogue, fake_digest
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import prepare_engine
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.worker.callback_rules import CallbackRules
from zkagent.prover.verification import Verdict

PROOF = Proof(fake_digest("quick"), (1, 2, 3, 4), (0, 0), b"\0")
SOON_S = 120.0


def test_keys_have_their_verdicts_in_turn() -> None:
    async def ask() -> list[str]:
        line, order = Verifications(), []

        async def one(key: str) -> None:
            await line.decide(key, lambda: order.append(key))

        many = [asyncio.create_task(one("many")) for _ in range(6)]
        await asyncio.sleep(0)
        few = [asyncio.create_task(one(key)) for key in ("few", "one", "few")]
        await asyncio.gather(*many, *few)
        assert (line._lines, line._busy) == ({}, False)
        return order

    first, *rest = asyncio.run(ask())
    assert first == "many"
    assert rest == ["many", "few", "one", "many", "few", "many", "many", "many"]


def test_a_key_has_so_many_places_and_gets_them_back() -> None:
    line = Verifications()
    for _ in range(2):
        held = [line.place("one") for _ in range(MOST_PER_KEY)]
        for place in held:
            place.__enter__()
        with pytest.raises(QuotaExceeded), line.place("one"):
            pass
        with line.place("other"):
            pass
        for place in held:
            place.__exit__(None, None, None)
    assert not line._places


@pytest.mark.parametrize("leaving", ["patience", "cancelled"])
def test_who_leaves_the_line_holds_up_nobody(leaving: str) -> None:
    async def ask() -> None:
        line = Verifications(patience_s=0.1 if leaving == "patience" else SOON_S)
        hold = threading.Event()
        first = asyncio.create_task(line.decide("one", lambda: hold.wait(600)))
        await asyncio.sleep(0.01)
        waiting = [asyncio.create_task(line.decide(key, bool)) for key in ("one", "one", "two")]
        await asyncio.sleep(0.01)
        if leaving == "cancelled":
            for task in waiting:
                task.cancel()
        ended = await asyncio.gather(*waiting, return_exceptions=True)
        expected = VerifierBusy if leaving == "patience" else asyncio.CancelledError
        assert {type(end) for end in ended} == {expected}
        line._patience_s = SOON_S
        last = asyncio.create_task(line.decide("two", lambda: True))
        hold.set()
        assert await last
        assert await first
        assert (line._lines, line._busy) == ({}, False)

    asyncio.run(ask())


def test_who_is_called_in_the_moment_of_leaving_passes_the_turn_on() -> None:
    async def ask() -> None:
        line = Verifications()
        line._busy = True  # by somebody who is done below
        first, second = (asyncio.create_task(line.decide("one", lambda: True)) for _ in "12")
        await asyncio.sleep(0.01)
        line._pass_on()
        first.cancel()
        assert await asyncio.wait_for(second, SOON_S)
        assert first.cancelled()
        assert (line._lines, line._busy) == ({}, False)

    asyncio.run(ask())


def test_a_turn_that_is_passed_on_while_somebody_gives_up_goes_to_the_next() -> None:
    """Its future is cancelled at once, and it leaves the line when it runs next."""

    async def ask() -> None:
        line = Verifications()
        line._busy = True  # by somebody who is done below
        tasks = [asyncio.create_task(line.decide(key, lambda: True)) for key in ("one", "one", "a")]
        await asyncio.sleep(0.01)
        gone, same, other = tasks
        gone.cancel()
        line._pass_on()
        assert await asyncio.wait_for(asyncio.gather(same, other), SOON_S) == [True, True]
        assert gone.cancelled()
        assert (line._lines, line._busy) == ({}, False)
        assert await line.decide("one", lambda: True)

    asyncio.run(ask())


def test_where_all_give_up_as_the_turn_is_passed_on_the_next_who_comes_has_it() -> None:
    async def ask() -> None:
        line = Verifications()
        line._busy = True
        tasks = [asyncio.create_task(line.decide(key, lambda: True)) for key in ("one", "one", "a")]
        await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        line._pass_on()
        assert not line._busy
        assert await asyncio.wait_for(line.decide("one", lambda: True), SOON_S)
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (line._lines, line._busy) == ({}, False)

    asyncio.run(ask())


@pytest.mark.parametrize("seed", range(20))
def test_whoever_comes_and_goes_at_whatever_moment_one_at_a_time_has_a_turn(seed: int) -> None:
    """Turns that are held for some steps of the loop, by keys of which some give up, some for lack
    of patience, some in the step in which the turn is passed on."""
    chance = random.Random(seed)
    holding: list[str] = []
    served: list[str] = []

    async def ask() -> None:
        line = Verifications(patience_s=chance.choice([0.0, 0.0005, SOON_S]))

        async def one(key: str) -> None:
            async with line._turn(key):
                assert not holding
                holding.append(key)
                try:
                    for _ in range(chance.randrange(3)):
                        await asyncio.sleep(0)
                finally:
                    holding.remove(key)
                served.append(key)
                if chance.random() < 0.2:
                    raise ZeroDivisionError
                if chance.random() < 0.3:  # in the moment in which it is passed on
                    chance.choice(tasks).cancel()

        tasks: list[asyncio.Task[None]] = []
        for _ in range(120):
            tasks.append(asyncio.create_task(one(chance.choice("abc"))))
            if chance.random() < 0.5:
                chance.choice(tasks).cancel()
            for _ in range(chance.randrange(3)):
                await asyncio.sleep(0)
        async with asyncio.timeout(SOON_S):
            ends = await asyncio.gather(*tasks, return_exceptions=True)
        known = (asyncio.CancelledError, VerifierBusy, ZeroDivisionError, type(None))
        assert [end for end in ends if not isinstance(end, known)] == []
        assert (line._lines, line._busy) == ({}, False)
        assert await line.decide("a", lambda: True)

    asyncio.run(ask())
    assert served


def test_nobody_gives_up_in_the_moment_in_which_a_verdict_is_late() -> None:
    assert PATIENCE_S > 1.2 * TIMEOUT_S


@dataclass(frozen=True)
class Hanging(FakeCatalogue):
    """Verdicts, and lists of circuits, that come when `let_go` is set."""

    let_go: threading.Event = field(default_factory=threading.Event)
    verifying: list[int] = field(default_factory=list)

    def verify(self, proof: Proof) -> Verdict:
        self.verifying.append(threading.get_ident())
        assert self.let_go.wait(600)
        return super().verify(proof)

    def card(self, digest: str) -> Card:
        if digest == "f" * 64:
            assert self.let_go.wait(600)
        return super().card(digest)


@pytest.fixture
def hanging(tmp_path: Path) -> Hanging:
    return Hanging(tmp_path, {"quick": 0.0})


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(f"sqlite:///{tmp_path}/service.sqlite")
    opened.prepare()
    prepare_engine(opened)
    yield opened
    opened.close()


@asynccontextmanager
async def served(
    database: Database, catalogue: Hanging, *, keys_needed: bool
) -> AsyncIterator[httpx.AsyncClient]:
    rules = CallbackRules(), GuardRules()
    service = Service(database, catalogue, *rules, keys_needed=keys_needed, least_free_bytes=0)
    transport = httpx.ASGITransport(service.app)
    try:
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", timeout=600
        ) as client:
            yield client
    finally:
        catalogue.let_go.set()
        service.close()


def test_a_verifier_that_hangs_keeps_nobody_from_anything_but_verdicts(
    database: Database, hanging: Hanging
) -> None:
    """60 verdicts of one key and some of another: 8 of each wait, the rest are told to come
    again; requests and `/readyz` are answered."""
    one, other = (bearer(Keys(database).create(name)) for name in ("one", "other"))

    async def ask() -> None:
        async with served(database, hanging, keys_needed=True) as client:

            async def verdict(key: dict[str, str]) -> httpx.Response:
                headers = key | {"content-type": "application/json"}
                return await client.post("/v1/verify", content=PROOF.to_json(), headers=headers)

            asked = [asyncio.create_task(verdict(one)) for _ in range(60)]
            async with asyncio.timeout(SOON_S):
                while sum(task.done() for task in asked) < len(asked) - MOST_PER_KEY:
                    await asyncio.sleep(0.01)
            done = [task for task in asked if task.done()]
            waiting = [task for task in asked if not task.done()]
            assert Counter(task.result().status_code for task in done) == {429: 60 - MOST_PER_KEY}
            assert {task.result().headers["retry-after"] for task in done} == {"1"}
            asked_by_other = asyncio.create_task(verdict(other))
            async with asyncio.timeout(SOON_S):
                body = {"model": "quick", "features": [1, 2, 3, 4]}
                posted = await client.post("/v1/proofs", json=body, headers=other)
                assert posted.status_code == 202
                assert (await client.get("/readyz")).json()["troubles"]
                assert (await client.get("/v1/proofs", headers=one)).status_code == 200
            assert len(hanging.verifying) == 1
            hanging.let_go.set()
            answers = await asyncio.gather(asked_by_other, *waiting)
            assert {answer.status_code for answer in answers} == {200}
            assert (await verdict(one)).status_code == 200

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ((100_000, 2), "100000 inputs, expected 4"),
        ((4, 100_000), "100000 outputs, expected 2"),
        ((3, 2), "3 inputs, expected 4"),
        ((4, 0), "0 outputs, expected 2"),
    ],
)
def test_numbers_that_the_circuit_has_no_place_for_are_counted_and_not_read(
    database: Database,
    hanging: Hanging,
    monkeypatch: pytest.MonkeyPatch,
    counts: tuple[int, int],
    reason: str,
) -> None:
    text = Proof(PROOF.circuit, (1,) * counts[0], (0,) * counts[1], b"\0").to_json()

    def read(_: str) -> Proof:
        raise AssertionError

    async def ask() -> None:
        async with served(database, hanging, keys_needed=False) as client:
            headers = {"content-type": "application/json"}
            answer = await client.post("/v1/verify", content=text, headers=headers)
            assert answer.json() == {"valid": False, "reason": f"it has {reason}"}

    monkeypatch.setattr(Proof, "from_json", read)
    asyncio.run(ask())
    assert hanging.verifying == []


def test_readiness_needs_no_thread(database: Database, hanging: Hanging) -> None:
    """While everything that may wait does: a disk that hangs under circuits, say."""

    async def ask() -> None:
        async with served(database, hanging, keys_needed=False) as client:
            stuck = [asyncio.create_task(client.get(f"/v1/circuits/{'f' * 64}")) for _ in range(60)]
            await asyncio.sleep(0.3)
            async with asyncio.timeout(SOON_S):
                assert (await client.get("/readyz")).json()["troubles"]
            hanging.let_go.set()
            assert {answer.status_code for answer in await asyncio.gather(*stuck)} == {404}

    asyncio.run(ask())


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}
