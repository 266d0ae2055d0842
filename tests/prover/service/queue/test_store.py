"""Requests, handles, quotas: the requesters' side of the queue, without an engine."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.errors import KeyRefused, NotRetried, ProofUnknown, QuotaExceeded
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import (
    HandleState,
    Priority,
    Request,
    content_id,
)
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.store import TOLD_WITHIN_S, Quota, Store, end_as, lock_if_there
from zkagent.prover.service.queue.tables import handles, proofs, usage
from zkagent.prover.service.wire.states import State

CIRCUIT = "ab" * 32
WANTED = Request(CIRCUIT, (1, -2, 3))


def state_of(database: Database, proof_id: str) -> str:
    with database.read() as connection:
        query = sa.select(proofs.c.state).where(proofs.c.id == proof_id)
        return str(connection.execute(query).scalar_one())


def waiting_callbacks(database: Database) -> list[str]:
    with database.read() as connection:
        query = sa.select(handles.c.key_id).where(handles.c.callback_state == "waiting")
        return list(connection.execute(query).scalars())


def finish(database: Database, proof_id: str, state: State) -> None:
    with database.write() as connection:
        end_as(connection, proof_id, state)


def test_a_proof_is_named_by_its_content() -> None:
    assert content_id(CIRCUIT, [1, -2, 3]) == WANTED.id
    others = {content_id(CIRCUIT, [1, -2, 4]), content_id("cd" * 32, [1, -2, 3])}
    assert WANTED.id not in others | {content_id(CIRCUIT, [1, -2, 3], alone=True)}


def test_the_same_request_attaches_to_the_same_proof(store: Store, queue: ListedRuns) -> None:
    first, second = store.submit("alice", WANTED), store.submit("bob", WANTED)
    assert first.proof_id == second.proof_id
    assert (first.attached, second.attached) == (False, True)
    assert [run.proof_id for run in queue.runs] == [WANTED.id]


def test_a_request_for_a_finished_proof_queues_nothing(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    finish(database, WANTED.id, State.DONE)
    store.submit("bob", WANTED)
    assert len(queue.runs) == 1


def test_a_late_callback_to_a_finished_proof_goes_out_at_once(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    finish(database, WANTED.id, State.DONE)
    store.submit("bob", Request(CIRCUIT, (1, -2, 3), callback_url="https://bob.example/"))
    assert waiting_callbacks(database) == ["bob"]


def test_work_stops_only_when_the_last_handle_goes(store: Store, database: Database) -> None:
    store.submit("alice", WANTED)
    store.submit("bob", WANTED)
    assert store.cancel("alice", WANTED.id)
    assert state_of(database, WANTED.id) == State.WAITING
    assert store.cancel("bob", WANTED.id)
    assert state_of(database, WANTED.id) == State.CANCELLED


def test_a_cancelled_handle_sees_its_own_state_while_the_proof_goes_on(
    store: Store, database: Database
) -> None:
    store.submit("alice", WANTED)
    store.submit("bob", WANTED)
    store.cancel("alice", WANTED.id)
    views = Views(database)
    assert views.proof("alice", WANTED.id).state is State.CANCELLED
    assert views.proof("bob", WANTED.id).state is State.WAITING


def test_cancelling_twice_changes_nothing_the_second_time(store: Store) -> None:
    store.submit("alice", WANTED)
    assert store.cancel("alice", WANTED.id)
    assert not store.cancel("alice", WANTED.id)


def test_a_key_knows_only_its_own_proofs(store: Store, database: Database) -> None:
    store.submit("alice", WANTED)
    with pytest.raises(ProofUnknown):
        store.cancel("mallory", WANTED.id)
    with pytest.raises(ProofUnknown):
        Views(database).proof("mallory", WANTED.id)
    assert Views(database).page("mallory", None, 10, None).proofs == []


def test_asking_again_for_a_cancelled_proof_queues_it_again(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    store.cancel("alice", WANTED.id)
    store.submit("alice", WANTED)
    assert state_of(database, WANTED.id) == State.WAITING
    assert [run.generation for run in queue.runs] == [1, 2]


def test_a_more_urgent_request_moves_a_waiting_proof_forward(
    store: Store, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    store.submit("bob", Request(CIRCUIT, (1, -2, 3), priority=Priority.URGENT))
    store.submit("carol", Request(CIRCUIT, (1, -2, 3), priority=Priority.BULK))
    assert [run.priority for run in queue.runs] == [Priority.NORMAL, Priority.URGENT]
    assert len({run.generation for run in queue.runs}) == 1


def test_a_passed_deadline_expires_the_handle_and_ends_the_work(
    store: Store, database: Database
) -> None:
    store.submit("alice", Request(CIRCUIT, (1, -2, 3), deadline=time.time() - 1))
    assert store.expire() == [WANTED.id]
    assert state_of(database, WANTED.id) == State.CANCELLED
    assert Views(database).proof("alice", WANTED.id).state is State.EXPIRED


def test_deadlines_of_finished_proofs_do_not_stand_before_others(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkagent.prover.service.queue.store.EXPIRED_AT_ONCE", 1)
    past = time.time() - 1
    for number in range(3):
        done = store.submit("alice", Request(CIRCUIT, (number,), deadline=past)).proof_id
        finish(database, done, State.DONE)
    store.submit("alice", Request(CIRCUIT, (9,), deadline=past))
    assert store.expire() == [Request(CIRCUIT, (9,)).id]
    assert store.expire() == []


def test_another_handle_without_a_deadline_keeps_the_work_going(
    store: Store, database: Database
) -> None:
    store.submit("alice", Request(CIRCUIT, (1, -2, 3), deadline=time.time() - 1))
    store.submit("bob", WANTED)
    store.expire()
    assert state_of(database, WANTED.id) == State.WAITING


def test_a_quota_of_unfinished_proofs_is_kept_and_nothing_is_queued_beyond(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    quota = Quota(unfinished=2, per_day=100)
    for number in range(2):
        store.submit("alice", Request(CIRCUIT, (number,)), quota)
    with pytest.raises(QuotaExceeded):
        store.submit("alice", Request(CIRCUIT, (9,)), quota)
    assert len(queue.runs) == 2
    with database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(proofs)).scalar_one() == 2
    finish(database, Request(CIRCUIT, (0,)).id, State.DONE)
    store.submit("alice", Request(CIRCUIT, (9,)), quota)


def test_a_proof_that_is_asked_for_again_counts_against_the_quota(
    store: Store, queue: ListedRuns, database: Database
) -> None:
    quota = Quota(unfinished=1, per_day=100)
    for number in range(2):
        store.submit("alice", Request(CIRCUIT, (number,)), quota)
        store.cancel("alice", Request(CIRCUIT, (number,)).id)
    store.submit("alice", Request(CIRCUIT, (0,)), quota)
    for key in ("alice", "bob"):
        store.submit("bob", Request(CIRCUIT, (9,)), quota)
        with pytest.raises(QuotaExceeded):
            store.submit(key, Request(CIRCUIT, (1,)), quota)
    assert state_of(database, Request(CIRCUIT, (1,)).id) == State.CANCELLED
    assert len(queue.runs) == 4
    store.submit("alice", Request(CIRCUIT, (0,)), quota)  # what it waits for already costs nothing


def test_a_daily_quota_counts_finished_proofs_too(store: Store, database: Database) -> None:
    quota = Quota(unfinished=10, per_day=1)
    store.submit("alice", WANTED, quota)
    finish(database, WANTED.id, State.DONE)
    with pytest.raises(QuotaExceeded):
        store.submit("alice", Request(CIRCUIT, (4,)), quota)
    store.submit("bob", Request(CIRCUIT, (4,)), quota)
    store.submit("alice", WANTED, quota)  # its own again costs nothing


def test_what_was_asked_while_the_clock_was_ahead_fills_no_day_of_now(
    store: Store, database: Database
) -> None:
    ahead = {"key_id": "alice", "hour": int(time.time() // 3600) + 720, "count": 5}
    with database.write() as connection:
        connection.execute(sa.insert(usage).values(ahead))
    quota = Quota(unfinished=10, per_day=1)
    store.submit("alice", WANTED, quota)
    with pytest.raises(QuotaExceeded):
        store.submit("alice", Request(CIRCUIT, (4,)), quota)


@pytest.mark.parametrize("state", [State.FAILED, State.POISON])
def test_the_operator_can_retry_what_failed(
    store: Store, database: Database, queue: ListedRuns, state: State
) -> None:
    store.submit("alice", WANTED)
    finish(database, WANTED.id, state)
    store.retry(WANTED.id)
    assert state_of(database, WANTED.id) == State.WAITING
    assert len(queue.runs) == 2


def test_a_verdict_on_the_inputs_is_final_and_what_was_set_aside_gets_one_more_try(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    finish(database, WANTED.id, State.FAILED)
    store.submit("alice", WANTED)
    assert (state_of(database, WANTED.id), len(queue.runs)) == (State.FAILED, 1)
    finish(database, WANTED.id, State.POISON)
    store.submit("bob", WANTED)
    assert (state_of(database, WANTED.id), len(queue.runs)) == (State.WAITING, 2)


def test_a_retry_does_not_reopen_what_a_key_gave_up(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    store.submit("alice", Request(CIRCUIT, (1, -2, 3), callback_url="https://a.example/"))
    store.submit("bob", WANTED)
    store.cancel("alice", WANTED.id)
    finish(database, WANTED.id, State.FAILED)
    store.retry(WANTED.id)
    assert Views(database).proof("alice", WANTED.id).state is State.CANCELLED
    assert Views(database).proof("bob", WANTED.id).state is State.WAITING
    store.cancel("bob", WANTED.id)
    store.retry(WANTED.id)  # now nobody wants it but the operator
    assert Views(database).proof("bob", WANTED.id).state is State.WAITING


def test_a_finished_proof_cannot_be_retried(store: Store, database: Database) -> None:
    store.submit("alice", WANTED)
    finish(database, WANTED.id, State.DONE)
    with pytest.raises(NotRetried):
        store.retry(WANTED.id)


def test_purging_forgets_what_finished_long_ago_and_nothing_else(
    store: Store, database: Database
) -> None:
    store.submit("alice", WANTED)
    store.submit("alice", Request(CIRCUIT, (4,)))
    finish(database, WANTED.id, State.DONE)
    assert store.purge(time.time() - 60) == 0
    assert store.purge(time.time() + 1) == 1
    left = Views(database).page("alice", None, 10, None).proofs
    assert [proof.id for proof in left] == [Request(CIRCUIT, (4,)).id]


@pytest.mark.parametrize("by", ["deadline", "start"])
def test_a_handle_that_an_earlier_version_left_open_says_how_its_proof_ended(
    store: Store, database: Database, by: str
) -> None:
    for key in ("alice", "bob"):
        store.submit(key, replace(WANTED, deadline=time.time() - 1))
    store.cancel("bob", WANTED.id)
    finish(database, WANTED.id, State.FAILED)
    with database.write() as connection:
        left = handles.c.state == "failed"
        connection.execute(sa.update(handles).where(left).values(state="open"))
    if by == "deadline":
        assert store.expire() == [WANTED.id]
    else:
        database.prepare()
    assert Views(database).proof("alice", WANTED.id).state is State.FAILED
    assert store.expire() == []
    with database.read() as connection:
        states = sa.select(handles.c.key_id, handles.c.state)
        assert dict(connection.execute(states).all()) == {"alice": "failed", "bob": "cancelled"}


def test_what_somebody_is_still_to_be_told_of_is_not_forgotten(
    store: Store, database: Database
) -> None:
    store.submit("alice", WANTED)
    store.submit("bob", replace(WANTED, callback_url="https://hooks.example/done"))
    finish(database, WANTED.id, State.DONE)
    assert store.purge(time.time() + 1) == 0
    with database.write() as connection:
        connection.execute(sa.update(handles).values(callback_state="done"))
    assert store.purge(time.time() + 1) == 1


def test_what_somebody_should_long_have_been_told_of_is_forgotten(
    store: Store, database: Database
) -> None:
    """Each message is given up after a day: one that never was keeps nothing for good."""
    store.submit("bob", replace(WANTED, callback_url="https://hooks.example/done"))
    finish(database, WANTED.id, State.DONE)
    assert store.purge(time.time() + TOLD_WITHIN_S - 60) == 0
    assert store.purge(time.time() + TOLD_WITHIN_S + 1) == 1


def test_a_request_for_what_is_being_purged_is_a_new_one(store: Store, database: Database) -> None:
    store.submit("alice", WANTED)
    finish(database, WANTED.id, State.DONE)
    with ThreadPoolExecutor(1) as thread:
        with database.write() as connection:
            lock_if_there(connection, WANTED.id)
            asked = thread.submit(store.submit, "bob", WANTED)
            with pytest.raises(TimeoutError):
                asked.result(timeout=0.3)  # it waits for the lock
            connection.execute(sa.delete(handles))
            connection.execute(sa.delete(proofs))
        assert not asked.result(timeout=120).attached
    assert state_of(database, WANTED.id) == State.WAITING


def test_pages_cover_everything_once_and_filter_by_state(store: Store, database: Database) -> None:
    ids = {store.submit("alice", Request(CIRCUIT, (n,))).proof_id for n in range(7)}
    views, seen, cursor = Views(database), [], None
    while True:
        page = views.page("alice", State.WAITING, 3, cursor)
        seen += [proof.id for proof in page.proofs]
        if (cursor := page.next) is None:
            break
    assert (len(seen), set(seen)) == (7, ids)
    assert views.page("alice", State.DONE, 3, None).proofs == []


def test_a_handle_that_was_given_up_gets_no_callback(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    store.submit("alice", Request(CIRCUIT, (1, -2, 3), callback_url="https://a.example/"))
    store.submit("bob", WANTED)
    store.cancel("alice", WANTED.id)
    with database.read() as connection:
        states = dict(connection.execute(sa.select(handles.c.key_id, handles.c.state)).all())
    assert states == {"alice": HandleState.CANCELLED, "bob": HandleState.OPEN}
    assert waiting_callbacks(database) == []


def test_a_second_key_learns_no_time_from_before_it_asked(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    store.submit("alice", WANTED)
    hour = 3600.0
    early = time.time() - hour
    with database.write() as connection:
        times = {"created_at": early, "queued_at": early + 1, "started_at": early + 2}
        values = {**times, "finished_at": early + 3, "state": State.CANCELLED, "generation": 5}
        connection.execute(sa.update(proofs).values(values))
        connection.execute(sa.update(handles).values(created_at=early))
    finish(database, WANTED.id, State.FAILED)
    with database.write() as connection:
        connection.execute(sa.update(proofs).values(finished_at=early + 3, failure="input"))
    before = time.time()
    store.submit("bob", WANTED)
    view = Views(database).proof("bob", WANTED.id)
    (listed,) = Views(database).page("bob", None, 10, None).proofs
    for seen in (view, listed):
        for when in (seen.created_at, seen.started_at, seen.finished_at):
            assert when
            assert when.timestamp() >= before - 1
        assert seen.attempts == 1
    timings = view.timings
    assert (timings.proving_s, timings.verifying_s) == (None, None)
    for seconds in (timings.waiting_s, timings.total_s, view.progress.elapsed_s):
        assert seconds is not None
        assert seconds < 1
    mine = Views(database).proof("alice", WANTED.id)
    assert mine.started_at
    assert mine.started_at.timestamp() == pytest.approx(early + 2)


def test_a_key_that_was_revoked_after_it_was_let_in_asks_in_vain(
    store: Store, database: Database, queue: ListedRuns
) -> None:
    """Between the head of a request, which names the key, and its body, seconds may pass."""
    key_id = Keys(database).create("alice").split("_")[1]
    store.submit(key_id, WANTED)
    Keys(database).revoke(key_id)
    with pytest.raises(KeyRefused):
        store.submit(key_id, replace(WANTED, inputs=(4, 4, 4)))
    with database.read() as connection:
        assert connection.execute(sa.select(proofs.c.state)).scalars().all() == ["cancelled"]
    assert len(queue.runs) == 1


def test_a_list_reads_no_inputs(store: Store, database: Database) -> None:
    store.submit("alice", WANTED)
    said: list[str] = []
    sa.event.listen(database.engine, "before_cursor_execute", lambda *words: said.append(words[2]))
    assert len(Views(database).page("alice", None, 10, None).proofs) == 1
    assert said
    assert not any("inputs" in words for words in said)
