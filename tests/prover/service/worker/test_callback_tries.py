"""Tries of a callback: when they are repeated, when not, and that nobody can hold up another's."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from tests.prover.service.receiver import receiving
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claims
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.store import Store, end_as
from zkagent.prover.service.queue.tables import handles
from zkagent.prover.service.wire.states import Failure, State
from zkagent.prover.service.worker import callbacks, posting
from zkagent.prover.service.worker.callback_rules import CallbackRules
from zkagent.prover.service.worker.callback_shares import AT_ONCE, AT_ONCE_PER_HOST, AT_ONCE_PER_KEY
from zkagent.prover.service.worker.callbacks import TRIES, Callbacks, wait_s

INPUTS = (1, 2, 3, 4)
PROOF = Request(fake_digest("quick"), INPUTS).id


def finished(store: Store, url: str, key: str = "alice", number: int = 4) -> str:
    """A proof of the key's that has failed, of which it is to be told."""
    request = Request(fake_digest("quick"), (1, 2, 3, number), callback_url=url)
    store.submit(key, request)
    claims = Claims(store.database, store.queue, "one")
    claim = claims.claim(request.id, 1)
    assert claim
    claims.fail(claim, Failure.INPUT, "told so")
    return request.id


def state(database: Database, key: str = "alice") -> str | None:
    callback = Views(database).proof(key, PROOF).callback
    assert callback
    return callback.state


def row(database: Database) -> sa.Row[tuple[object, ...]]:
    with database.read() as connection:
        return connection.execute(sa.select(handles).where(handles.c.proof_id == PROOF)).one()


def hurry(database: Database) -> float:
    """Let the next try be due now; in how many seconds it was."""
    before = float(str(row(database).callback_due)) - time.time()
    with database.write() as connection:
        connection.execute(sa.update(handles).values(callback_due=time.time()))
    return before


def open_callbacks(store: Store, *origins: str, private: bool = True) -> Callbacks:
    return Callbacks(store.database, CallbackRules(origins, private))


def test_a_call_that_is_answered_is_delivered(store: Store) -> None:
    with receiving() as receiver:
        finished(store, f"{receiver.origin}/done")
        calls = open_callbacks(store, receiver.origin)
        assert (calls.once(), calls.once()) == (1, 0)
    assert receiver.paths == ["/done"]
    assert state(store.database) == "delivered"


@pytest.mark.parametrize("given_up", [False, True])
def test_what_others_do_with_what_was_set_aside_changes_no_message(
    store: Store, given_up: bool
) -> None:
    """Somebody else asks for it again before the message is sent, and may give it up."""
    with receiving() as receiver:
        store.submit("alice", Request(fake_digest("quick"), INPUTS, callback_url=receiver.url))
        with store.database.write() as connection:
            values = {"failure": Failure.CRASH, "reason": "signal SIGSEGV"}
            end_as(connection, PROOF, State.POISON, **values)
        store.submit("bob", Request(fake_digest("quick"), INPUTS))
        if given_up:
            store.cancel("bob", PROOF)
            store.submit("bob", Request(fake_digest("quick"), INPUTS))
        assert open_callbacks(store, receiver.origin).once() == 1
    told = json.loads(receiver.calls[0][1])["data"]
    assert (told["state"], told["failure"]) == ("poison", "crash")
    assert told["reason"] == "signal SIGSEGV"
    seen = Views(store.database).proof("alice", PROOF)
    assert seen.failure
    assert (seen.state, seen.failure.reason) == (State.POISON, "signal SIGSEGV")


def test_a_message_tells_how_it_was_when_it_ended(store: Store) -> None:
    """Whatever a try of others came to before the message is sent."""
    with receiving() as receiver:
        store.submit("alice", Request(fake_digest("quick"), INPUTS, callback_url=receiver.url))
        with store.database.write() as connection:
            values = {"failure": Failure.TIMEOUT, "reason": "no proof within 300 s"}
            end_as(connection, PROOF, State.POISON, **values)
        store.submit("bob", Request(fake_digest("quick"), INPUTS))
        with store.database.write() as connection:
            values = {"failure": Failure.CRASH, "reason": "signal SIGSEGV"}
            end_as(connection, PROOF, State.POISON, **values)
        assert open_callbacks(store, receiver.origin).once() == 1
    told = json.loads(receiver.calls[0][1])["data"]
    assert (told["failure"], told["reason"]) == ("timeout", "no proof within 300 s")


@pytest.mark.parametrize("answer", [301, 307, 400, 404, 500])
def test_any_answer_but_a_2xx_leads_to_a_later_try_and_no_redirect_is_followed(
    store: Store, answer: int
) -> None:
    with receiving() as receiver:
        receiver.answers = [answer]
        finished(store, f"{receiver.origin}/done")
        calls = open_callbacks(store, receiver.origin)
        assert (calls.once(), calls.once()) == (1, 0)
    assert receiver.paths == ["/done"]
    assert state(store.database) == "waiting"


def test_tries_are_ever_farther_apart_and_end_after_a_day(store: Store) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{closed.getsockname()[1]}"
        finished(store, f"{origin}/")
        calls, waits = open_callbacks(store, origin), []
        while calls.once():
            if state(store.database) == "waiting":
                waits.append(hurry(store.database))
    assert state(store.database) == "failed"
    assert waits == pytest.approx([wait_s(tries) for tries in range(1, TRIES)], abs=2)
    assert 24 < sum(waits) / 3600 < 30


def test_what_nobody_expected_of_a_receiver_is_a_try_that_failed(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it makes our libraries raise; else it would be called for ever."""

    async def post(*_: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(posting, "post", post)
    finished(store, "http://127.0.0.1:9/")
    calls, count = open_callbacks(store, "http://127.0.0.1:9"), 0
    while count <= TRIES and calls.once():
        count += 1
        hurry(database)
    assert count == TRIES
    assert state(database) == "failed"


def test_every_try_has_the_messages_id_and_no_other_message_has_it(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    with receiving() as receiver:
        receiver.answers = [500]
        finished(store, f"{receiver.origin}/")
        calls = open_callbacks(store, receiver.origin)
        calls.once()
        hurry(database)
        calls.once()
        with database.write() as connection:  # as the operator, after a repair
            connection.exec_driver_sql("update zkagent_proof set state = 'poison'")
        store.retry(PROOF)
        claims = Claims(database, queue, "one")
        claim = claims.claim(PROOF, queue.runs[-1].generation)
        assert claim
        claims.fail(claim, Failure.INPUT, "told so")
        calls.once()
    first, again, other = (headers["webhook-id"] for headers, _ in receiver.calls)
    assert first == again != other
    assert {json.loads(body)["data"]["id"] for _, body in receiver.calls} == {PROOF}


def test_an_address_that_is_private_by_now_is_not_called(store: Store) -> None:
    with receiving() as receiver:
        finished(store, f"{receiver.origin}/done")
        calls = open_callbacks(store, receiver.origin, private=False)
        assert (calls.once(), calls.once()) == (1, 0)
    assert receiver.calls == []
    assert state(store.database) == "failed"


def test_an_older_message_is_not_sent_any_more(store: Store) -> None:
    with receiving() as receiver:
        finished(store, f"{receiver.origin}/old")
        calls = open_callbacks(store, receiver.origin)
        (old,) = calls.take()
        again = Request(fake_digest("quick"), INPUTS, callback_url=f"{receiver.origin}/new")
        store.submit("alice", again)
        assert calls._body(old) is None
        calls.once()
    assert receiver.paths == ["/new"]


def test_a_revoked_key_is_told_nothing(store: Store, database: Database) -> None:
    keys = Keys(database)
    key_id = keys.create("mallory").split("_")[1]
    with receiving() as receiver:
        finished(store, f"{receiver.origin}/", key_id)
        calls = open_callbacks(store, receiver.origin)
        (taken,) = calls.take()
        keys.revoke(key_id)
        assert calls._body(taken) is None
        assert calls.once() == 0
    assert receiver.calls == []


def test_who_took_a_message_and_died_is_replaced_when_its_time_is_over(
    store: Store, database: Database
) -> None:
    with receiving() as receiver:
        finished(store, f"{receiver.origin}/")
        assert len(open_callbacks(store, receiver.origin).take()) == 1
        calls = open_callbacks(store, receiver.origin)
        assert calls.once() == 0
        assert 0 < hurry(database) <= callbacks.TAKEN_FOR_S
        assert calls.once() == 1
    assert state(database) == "delivered"


@pytest.mark.parametrize("tries", [0, 1, 8, TRIES - 1])
def test_a_clock_that_was_set_back_puts_nothing_off_for_longer_than_was_planned(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch, tries: int
) -> None:
    """By however much, and wherever a message is: just due, taken, or put off."""
    planned, now = wait_s(tries) if tries else 0.0, time.time()
    finished(store, "http://127.0.0.1:9/")
    with database.write() as connection:
        values = {"callback_tries": tries, "callback_due": now + planned}
        connection.execute(sa.update(handles).values(values))
    calls = open_callbacks(store, "http://127.0.0.1:9")
    assert bool(due_at(calls, monkeypatch, now)) is (tries == 0)
    for back_s in (70.0, 3600.0, 3.9 * 3600, 5 * 3600, 3 * 86_400):
        waits = 0.0
        while not due_at(calls, monkeypatch, now + waits - back_s):
            waits += 10 + planned / 10
            assert waits <= max(planned, callbacks.TAKEN_FOR_S) + 10 + planned / 10


def due_at(calls: Callbacks, monkeypatch: pytest.MonkeyPatch, now: float) -> int:
    """How many messages are due, by what the clock that all share says."""
    with monkeypatch.context() as patch:
        patch.setattr(callbacks, "shared_clock", lambda _: now)
        return len(calls._due())


@contextmanager
def hanging() -> Iterator[str]:
    """An address that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_host_that_hangs_holds_up_no_other(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callbacks, "TIMEOUT_S", 600.0)
    with hanging() as bad, receiving() as good:
        for number in range(100):
            finished(store, f"{bad}/{number}", number=number)
        calls = open_callbacks(store, bad, good.origin)
        calls.start()
        try:
            wait_for(lambda: calls._shares.count == AT_ONCE_PER_HOST)
            finished(store, f"{good.origin}/good", number=1000)
            wait_for(lambda: good.paths)
            assert calls._shares.count >= AT_ONCE_PER_HOST  # who hang there do so still
        finally:
            calls.stop()


def test_made_up_names_of_one_key_hold_up_no_other_key(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where asking for their addresses hangs, whatever time a call may take."""
    monkeypatch.setattr(callbacks, "TIMEOUT_S", 0.2)
    let_go = threading.Event()
    resolve = CallbackRules.resolve

    def hang(self: CallbackRules, url: str) -> str:
        return resolve(self, url) if "127.0.0.1" in url else str(let_go.wait(600))

    monkeypatch.setattr(CallbackRules, "resolve", hang)
    with receiving() as good:
        for number in range(AT_ONCE + 6):
            finished(store, f"https://h{number}.tenants.test/", "mallory", number)
        calls = open_callbacks(store, "*.tenants.test", good.origin)
        calls.start()
        try:
            wait_for(lambda: calls._shares.count >= AT_ONCE_PER_KEY)
            time.sleep(0.5)
            finished(store, f"{good.origin}/good", number=1000)
            wait_for(lambda: good.paths)
            assert calls._shares.count >= AT_ONCE_PER_KEY  # who hang there do so still
        finally:
            let_go.set()
            calls.stop()


def test_a_database_that_breaks_while_messages_are_taken_loses_none_of_them(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiving() as receiver:
        for number in range(AT_ONCE_PER_HOST):
            finished(store, f"{receiver.origin}/{number}", number=number)
        calls, is_taken, broken = open_callbacks(store, receiver.origin), Callbacks._is_taken, [2]

        def break_once(self: Callbacks, message: callbacks.Message) -> bool:
            broken[0] -= 1
            if broken[0] == 0:
                raise sa.exc.OperationalError("update", {}, Exception("connection lost"))
            return is_taken(self, message)

        monkeypatch.setattr(Callbacks, "_is_taken", break_once)
        assert [calls.once(), calls.once()] == [1, AT_ONCE_PER_HOST - 1]
        assert calls._shares.count == 0
    assert len(receiver.paths) == AT_ONCE_PER_HOST


def test_of_a_proof_that_was_asked_for_again_no_end_is_told_before_there_is_one(
    store: Store, database: Database
) -> None:
    with receiving() as receiver:
        finished(store, f"{receiver.origin}/")
        with database.write() as connection:
            connection.exec_driver_sql("update zkagent_proof set state = 'waiting'")
            connection.exec_driver_sql("update zkagent_handle set state = 'open'")
        calls = open_callbacks(store, receiver.origin)
        assert calls.once() == 1
        assert receiver.paths == []
        with database.write() as connection:
            connection.exec_driver_sql("update zkagent_proof set state = 'done'")
            connection.exec_driver_sql("update zkagent_handle set state = 'done'")
        assert hurry(database) > 0
        calls.once()
    assert receiver.paths == ["/"]


def wait_for(condition: Callable[[], object], timeout_s: float = 120) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_receiver_that_answers_a_byte_at_a_time_is_given_up_in_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callbacks, "TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                for byte in b"HTTP/1.1 204 No Content\r\n" * 100:
                    connection.sendall(bytes([byte]))
                    time.sleep(0.05)

        thread = threading.Thread(target=drip)
        thread.start()
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        finished(store, origin)
        began = time.monotonic()
        open_callbacks(store, origin).once()
        took = time.monotonic() - began
        thread.join()
    assert took < 60
    assert row(store.database).callback_tries == 1
