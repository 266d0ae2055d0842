"""A batch's proof names the inputs of all its rows: no key sees in one what only others asked."""

import random

import pytest
import sqlalchemy as sa

from tests.prover.service.listed_runs import ListedRuns
from zkagent.circuits.artifacts import Proof
from zkagent.circuits.networks.batch import rows_of
from zkagent.prover.service.api.views import Views
from zkagent.prover.service.fakes.catalogue import fake_digest, fake_outputs, fake_proof
from zkagent.prover.service.queue import claims as claims_module
from zkagent.prover.service.queue.claims import Claim, Claims, Limits, Outcome
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.jobs import Request
from zkagent.prover.service.queue.store import Store
from zkagent.prover.service.queue.tables import proofs
from zkagent.prover.service.wire.states import UNFINISHED, State

CIRCUIT = fake_digest("quick")
FIRST, SECOND, THIRD = (Request(CIRCUIT, (number, 2, 3, 4)) for number in (1, 2, 3))


@pytest.fixture
def one(database: Database, queue: ListedRuns) -> Claims:
    return Claims(database, queue, "one", Limits(backoff_s=0))


def ask(store: Store, keys: str, *requests: Request) -> str:
    """Each of these keys asks for each of these; what the last was given."""
    tickets = [store.submit(key, request) for key in keys.split() for request in requests]
    return tickets[-1].proof_id


def claimed(claims: Claims, request: Request) -> Claim:
    claim = claims.claim(request.id, 1)
    assert claim
    return claim


def outcome(claim: Claim) -> Outcome:
    rows = list(claim.members.values())
    circuit = fake_digest("quick", len(rows))
    x = tuple(value for row in rows for value in row)
    y = fake_outputs(circuit, x)
    document = Proof(circuit, x, y, fake_proof(circuit, x, y)).to_json()
    return Outcome(document, {name: row for row, name in enumerate(claim.members)}, 0.5, 0.1, 1)


def seen(database: Database, key: str, proof_id: str) -> set[tuple[int, ...]]:
    """The rows that a key is shown when it asks for this proof's result."""
    result = Views(database).proof(key, proof_id).result
    return set(rows_of(result.proof.inputs, result.rows)) if result else set()


def test_proofs_of_other_keys_are_no_company(store: Store, one: Claims) -> None:
    ask(store, "alice", FIRST)
    ask(store, "bob", SECOND)
    ask(store, "alice bob", THIRD)
    assert list(one.join(claimed(one, FIRST), 9).members) == [FIRST.id]


def test_proofs_that_the_same_keys_want_are(store: Store, one: Claims) -> None:
    ask(store, "alice bob", FIRST, THIRD)
    ask(store, "alice", SECOND)
    assert list(one.join(claimed(one, FIRST), 9).members) == [FIRST.id, THIRD.id]


def test_others_in_line_do_not_take_the_room(store: Store, one: Claims) -> None:
    ask(store, "alice", FIRST)
    for key in "bcdef":
        ask(store, key, Request(CIRCUIT, (ord(key), 0, 0, 0)))
    ask(store, "alice", THIRD)
    assert list(one.join(claimed(one, FIRST), 1).members) == [FIRST.id, THIRD.id]


@pytest.mark.parametrize("attached_to", [FIRST, SECOND])
def test_whoever_attaches_before_the_company_is_chosen_counts(
    store: Store, one: Claims, attached_to: Request
) -> None:
    ask(store, "alice", FIRST, SECOND)
    claim = claimed(one, FIRST)
    assert ask(store, "bob", attached_to) == attached_to.id
    assert list(one.join(claim, 9).members) == [FIRST.id]


def test_whoever_attached_while_a_row_was_being_locked_counts(
    store: Store, one: Claims, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The query that finds company is as old as its beginning."""
    monkeypatch.setattr(claims_module, "wanted_by_just", lambda _: sa.true())
    ask(store, "alice", FIRST, THIRD)
    ask(store, "alice bob", SECOND)
    assert list(one.join(claimed(one, FIRST), 9).members) == [FIRST.id, THIRD.id]


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("wanted", [FIRST, SECOND])
def test_whoever_asks_for_a_row_of_a_batch_gets_a_proof_of_its_own(
    store: Store, database: Database, one: Claims, wanted: Request, done: bool
) -> None:
    ask(store, "alice", FIRST, SECOND)
    claim = one.join(claimed(one, FIRST), 9)
    if done:
        assert one.settle(claim, outcome(claim)) == 2
    own = ask(store, "bob", wanted)
    assert own not in claim.members
    assert ask(store, "bob", wanted) == own
    mine = one.join(one.claim(own, 1) or claim, 9)
    one.settle(mine, outcome(mine))
    assert seen(database, "bob", own) == {wanted.inputs}
    if not done:
        one.settle(claim, outcome(claim))
    assert seen(database, "alice", wanted.id) == {FIRST.inputs, SECOND.inputs}


def test_whoever_asked_for_all_of_a_batchs_rows_shares_it(
    store: Store, database: Database, one: Claims
) -> None:
    ask(store, "alice", FIRST, SECOND)
    ask(store, "bob", Request(CIRCUIT, THIRD.inputs))
    claim = one.join(claimed(one, FIRST), 9)
    one.settle(claim, outcome(claim))
    assert ask(store, "alice", FIRST) == FIRST.id
    assert seen(database, "alice", FIRST.id) == {FIRST.inputs, SECOND.inputs}


def test_a_proof_that_was_made_alone_is_shared(
    store: Store, database: Database, one: Claims
) -> None:
    ask(store, "alice", FIRST)
    claim = claimed(one, FIRST)
    assert ask(store, "bob", FIRST) == FIRST.id
    one.settle(claim, outcome(claim))
    assert ask(store, "carol", FIRST) == FIRST.id
    assert seen(database, "bob", FIRST.id) == seen(database, "carol", FIRST.id) == {FIRST.inputs}


def test_nobody_joins_once_a_key_has_given_up_a_part(store: Store, one: Claims) -> None:
    ask(store, "alice bob", FIRST, SECOND)
    claim = one.join(claimed(one, FIRST), 9)
    store.cancel("bob", FIRST.id)
    ask(store, "alice", THIRD)
    assert one.join(claim, 9).members == claim.members


def test_a_batch_that_an_earlier_version_made_of_several_keys_is_shown_to_none_of_them(
    store: Store, database: Database, one: Claims, queue: ListedRuns
) -> None:
    ask(store, "alice", FIRST)
    ask(store, "bob", SECOND)
    claim = claimed(one, FIRST)
    with database.write() as connection:  # as it did
        one._take(connection, SECOND.id, claim.token, FIRST.id)
        connection.execute(sa.update(proofs).values(batch=FIRST.id))
    claim.members[SECOND.id] = SECOND.inputs
    assert one.settle(claim, outcome(claim)) == 2
    for key, request in (("alice", FIRST), ("bob", SECOND)):
        view = Views(database).proof(key, request.id)
        assert (view.state, view.result) == (State.POISON, None)
        assert view.failure
        assert "ask for it again" in view.failure.reason
        assert ask(store, key, request) not in claim.members


@pytest.mark.parametrize("seed", range(2))
def test_whatever_keys_do_they_see_what_they_asked_and_no_more(
    store: Store, database: Database, one: Claims, queue: ListedRuns, seed: int
) -> None:
    """Two keys ask and give up, one worker claims, finds company, settles; in any order."""
    chance, asked, claims, shared = random.Random(seed), set(), list[Claim](), 0
    deeds = ["ask"] * 6 + ["give up", "claim", "join", "join", "settle"]
    for _ in range(80):
        key, number = chance.choice("aab"), chance.randrange(6)
        request = Request(CIRCUIT, (number, 0, 0, 0))
        match chance.choice(deeds):
            case "ask":
                asked.add((key, store.submit(key, request).proof_id, request.inputs))
            case "give up":
                for who, proof_id, _ in sorted(asked):
                    if who == key and Views(database).version(key, proof_id)[1] in UNFINISHED:
                        store.cancel(key, proof_id)
                        break
            case "claim":
                turns = (one.claim(run.proof_id, run.generation) for run in reversed(queue.runs))
                claims += [found for found in [next(filter(None, turns), None)] if found]
            case "join" if claims:
                claims[-1] = one.join(claims[-1], 2)
                shared += len(claims[-1].members) > 1
            case "settle" if claims:
                one.settle(claim := claims.pop(), outcome(claim))
    for claim in claims:
        one.settle(claim, outcome(claim))
    for who, proof_id, _ in asked:
        assert Views(database).proof(who, proof_id).state is not State.POISON
        own = {inputs for other, _, inputs in asked if other == who}
        assert seen(database, who, proof_id) <= own
    assert shared
