"""One try of a callback: when it is repeated, when it is not, and that nobody can hold it up."""

import socket
import threading
import time

import pytest

from tests.prover.service.listed_runs import ListedRuns
from tests.prover.service.receiver import receiving
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.fakes.catalogue import fake_digest
from zkagent.prover.service.queue.claims import Claims
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import CallbackRun, Request
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.wire.states import Failure
from zkagent.prover.service.worker import callbacks
from zkagent.prover.service.worker.callbacks import FIRST_WAIT_S, TRIES, CallbackRules, Callbacks

INPUTS = (1, 2, 3, 4)
PROOF = Request(fake_digest("quick"), INPUTS).id


def finished(store: Store, queue: ListedRuns, url: str) -> CallbackRun:
    """A proof of Alice's that has failed, and the call that tells her."""
    store.submit("alice", Request(fake_digest("quick"), INPUTS, callback_url=url))
    claims = Claims(store.database, queue, "one")
    claim = claims.claim(PROOF, 1)
    assert claim
    claims.fail(claim, Failure.ENGINE, "told so")
    (run,) = queue.callbacks
    queue.callbacks.clear()
    return run


def state(database: Database) -> str | None:
    callback = Views(database).proof("alice", PROOF).callback
    assert callback
    return callback.state


def open_callbacks(store: Store, origin: str, *, private: bool = True) -> Callbacks:
    return Callbacks(store.database, CallbackRules((origin,), private), store.queue)


def test_a_call_that_is_answered_is_delivered(store: Store, queue: ListedRuns) -> None:
    with receiving() as receiver:
        run = finished(store, queue, f"{receiver.origin}/done")
        open_callbacks(store, receiver.origin).deliver(run)
    assert (receiver.paths, queue.callbacks) == (["/done"], [])
    assert state(store.database) == "delivered"


@pytest.mark.parametrize("answer", [301, 307, 400, 404, 500])
def test_any_answer_but_a_2xx_leads_to_a_later_try_and_no_redirect_is_followed(
    store: Store, queue: ListedRuns, answer: int
) -> None:
    with receiving() as receiver:
        receiver.answers = [answer]
        run = finished(store, queue, f"{receiver.origin}/done")
        open_callbacks(store, receiver.origin).deliver(run)
    assert receiver.paths == ["/done"]
    assert queue.callbacks == [CallbackRun("alice", PROOF, 1, 2, FIRST_WAIT_S)]
    assert state(store.database) == "waiting"


def test_tries_are_ever_farther_apart_and_end(store: Store, queue: ListedRuns) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{closed.getsockname()[1]}"
        run, waits = finished(store, queue, f"{origin}/"), []
        while True:
            open_callbacks(store, origin).deliver(run)
            if not queue.callbacks:
                break
            run = queue.callbacks.pop()
            waits.append(run.delay_s)
    assert run.attempt == TRIES
    assert waits == [FIRST_WAIT_S * 2**n for n in range(TRIES - 1)]
    assert state(store.database) == "failed"


def test_an_address_that_is_private_by_now_is_not_called(store: Store, queue: ListedRuns) -> None:
    with receiving() as receiver:
        run = finished(store, queue, f"{receiver.origin}/done")
        open_callbacks(store, receiver.origin, private=False).deliver(run)
    assert (receiver.calls, queue.callbacks) == ([], [])
    assert state(store.database) == "failed"


def test_an_older_message_is_not_sent_any_more(store: Store, queue: ListedRuns) -> None:
    with receiving() as receiver:
        old = finished(store, queue, f"{receiver.origin}/old")
        again = Request(fake_digest("quick"), INPUTS, callback_url=f"{receiver.origin}/new")
        store.submit("alice", again)
        calls = open_callbacks(store, receiver.origin)
        for run in (old, *queue.callbacks):
            calls.deliver(run)
    assert receiver.paths == ["/new"]


def test_a_receiver_that_answers_a_byte_at_a_time_is_given_up_in_time(
    store: Store, queue: ListedRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callbacks, "TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                try:
                    for byte in b"HTTP/1.1 204 No Content\r\n" * 100:
                        connection.sendall(bytes([byte]))
                        time.sleep(0.05)
                except OSError:
                    pass

        thread = threading.Thread(target=drip)
        thread.start()
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        run = finished(store, queue, origin)
        began = time.monotonic()
        open_callbacks(store, origin).deliver(run)
        took = time.monotonic() - began
        thread.join()
    assert took < 20
    assert [later.attempt for later in queue.callbacks] == [2]
