"""Several requests in one proof, with fake circuits that have batch forms."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.fleet import Fleet, eventually
from zkagent.circuits.artifacts import Proof
from zkagent.circuits.networks.batch import own_row
from zkagent.prover.client import Wanted
from zkagent.prover.service.catalogue.catalogue import BatchForm
from zkagent.prover.service.fakes.catalogue import FakeCatalogue, Order, fake_digest, fake_outputs
from zkagent.prover.service.queue.claims import Claim
from zkagent.prover.service.wire.states import State
from zkagent.prover.service.worker import batching
from zkagent.prover.service.worker.batching import Batching, BatchSettings, lay_out

FORMS = [BatchForm(fake_digest("c", n), n) for n in (8, 2, 4)]


def claim_of(count: int, waited_s: float = 3600.0) -> Claim:
    members = {f"id{n}": (n, n, n, n) for n in range(count)}
    return Claim("token", fake_digest("c"), members, waited_s, alone=False)


def test_one_request_is_proven_in_the_circuit_itself() -> None:
    work = lay_out(claim_of(1), FORMS)
    assert (work.circuit, work.inputs) == (fake_digest("c"), (0, 0, 0, 0))


def test_several_go_into_the_smallest_form_and_the_last_fills_it() -> None:
    work = lay_out(claim_of(3), FORMS)
    assert work.circuit == fake_digest("c", 4)
    assert work.inputs == (0,) * 4 + (1,) * 4 + (2,) * 4 + (2,) * 4
    assert work.positions == {"id0": 0, "id1": 1, "id2": 2}


def test_a_row_is_only_read_for_the_inputs_that_it_is_about() -> None:
    proof = Proof("ab" * 32, (1, 2, 3, 4), (10, 20, 30, 40), b"")
    assert own_row(proof, (3, 4), 1) == (30, 40)
    for inputs, position in (((3, 4), 0), ((3, 5), 1), ((1, 2, 3), 0), ((3, 4), 2)):
        with pytest.raises(ValueError, match="other inputs"):
            own_row(proof, inputs, position)


class Arrivals(threading.Event):
    """A queue from which `join` takes what has arrived by then, by a clock of its own that goes on
    while somebody waits for an arrival."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *times: float) -> None:
        super().__init__()
        self.times, self.now = list(times), 0.0
        clock = SimpleNamespace(monotonic=lambda: 1000.0 + self.now)
        monkeypatch.setattr(batching, "time", clock)

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout
        self.now += timeout
        return False

    def join(self, claim: Claim, room: int) -> Claim:
        here = [t for t in self.times if t <= self.now][:room]
        self.times = [t for t in self.times if t not in here]
        count = len(claim.members) + len(here)
        return replace(claim, members=claim_of(count).members)


def gather(arrivals: Arrivals, linger_s: float, waited_s: float = 0.0) -> tuple[int, float]:
    """(members, seconds)."""
    catalogue = FakeCatalogue(None, {"c": 0.0}, (2, 4, 8))  # type: ignore[arg-type]
    gathering = Batching(BatchSettings(4, linger_s), arrivals.join)
    gathering._arrival = arrivals
    gathered = gathering.gather(claim_of(1, waited_s), catalogue.card(fake_digest("c")))
    return len(gathered.members), arrivals.now


def test_a_full_batch_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gather(Arrivals(monkeypatch, 0, 0, 0, 0, 0), linger_s=5) == (4, 0)


def test_a_lone_request_waits_no_longer_than_the_linger(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gather(Arrivals(monkeypatch), linger_s=0.3) == (1, pytest.approx(0.3))


def test_those_who_come_during_the_linger_join(monkeypatch: pytest.MonkeyPatch) -> None:
    found = gather(Arrivals(monkeypatch, 0.1, 0.15, 0.45), linger_s=0.4)
    assert found == (3, pytest.approx(0.4))


def test_a_request_that_has_waited_enough_does_not_linger(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gather(Arrivals(monkeypatch), linger_s=5, waited_s=6) == (1, 0)


def test_a_request_from_the_future_lingers_no_longer_than_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clock was set back, or that of the machine where it was asked for is ahead."""
    found = gather(Arrivals(monkeypatch), linger_s=0.1, waited_s=-3600)
    assert found == (1, pytest.approx(0.1))


BY_FOUR = ("--linger", "0.3", "--batch-size", "4")


@pytest.fixture(scope="module")
def batching_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    home = tmp_path_factory.mktemp("batching")
    catalogue = FakeCatalogue(home, {"slow": 0.3}, (2, 4))
    fleet = Fleet(home, f"sqlite:///{home}/service.sqlite", catalogue)
    fleet.serve(*BY_FOUR)
    yield fleet
    fleet.end()


def test_waiting_requests_share_proofs_and_each_gets_its_own_outputs(
    tmp_path: Path, features: list[int]
) -> None:
    catalogue = FakeCatalogue(tmp_path, {"slow": 0.3}, (2, 4))
    fleet = Fleet(tmp_path, f"sqlite:///{tmp_path}/service.sqlite", catalogue)
    fleet.serve(slots=0)
    with fleet.client() as client:
        mine = [[number, *features[1:]] for number in range(8)]
        ids = [client.submit(Wanted.of_features("slow", x)).id for x in mine]
        fleet.work(*BY_FOUR)
        results = [client.wait(proof_id, timeout_s=300).result for proof_id in ids]
    for x, result in zip(mine, results, strict=True):
        assert result
        proof = Proof.from_json(result.proof.model_dump_json())
        assert catalogue.verify(proof)
        assert own_row(proof, x, result.position) == tuple(result.outputs)
        assert tuple(result.outputs) == fake_outputs("", x)
    assert len({result.proof.proof for result in results if result}) == 2
    assert {result.rows for result in results if result} == {4}
    fleet.end()


def test_whoever_wants_no_batch_gets_none(batching_fleet: Fleet, features: list[int]) -> None:
    with batching_fleet.client() as client:
        wanted = [
            Wanted.of_features("slow", [number, *features[1:]], batch="never")
            for number in range(3)
        ]
        ids = [client.submit(one).id for one in wanted]
        results = [client.wait(proof_id, timeout_s=300).result for proof_id in ids]
    assert [result.rows for result in results if result] == [1, 1, 1]


def test_one_bad_request_does_not_spoil_the_batch(
    batching_fleet: Fleet, features: list[int]
) -> None:
    with batching_fleet.client() as client:
        bad = client.submit(Wanted.of_features("slow", [Order.REFUSE, *features[1:]]))
        good = [
            client.submit(Wanted.of_features("slow", [number, *features[1:]]))
            for number in range(3)
        ]
        for view in good:
            assert client.wait(view.id, timeout_s=300).state is State.DONE
        eventually(lambda: client.get(bad.id).state is State.FAILED)
