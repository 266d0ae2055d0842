"""The clients: progress, time-outs, services that come and go, answers to something else."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.fleet import Fleet
from zkagent.circuits.artifacts import Proof
from zkagent.prover.client import (
    AsyncServiceClient,
    ServiceClient,
    ServiceProver,
    Wanted,
    proof_of,
)
from zkagent.prover.service.errors import (
    NoProofYet,
    ProofNotMade,
    RequestRefused,
    ServiceAnswered,
    ServiceGarbled,
    ServiceUnreachable,
)
from zkagent.prover.service.fakes.catalogue import RELEASED, FakeCatalogue, Order, fake_outputs
from zkagent.prover.service.wire.states import State


def test_waiting_tells_progress(client: ServiceClient, features: list[int]) -> None:
    seen: list[State] = []
    wanted = Wanted.of_features("slow", features)
    client.prove(wanted, timeout_s=300, listener=lambda view: seen.append(view.state))
    assert seen[-1] is State.DONE


def test_waiting_ends_in_time_and_the_proof_goes_on(
    client: ServiceClient, fleet: Fleet, features: list[int]
) -> None:
    view = client.submit(Wanted.of_features("quick", [Order.HELD, *features[1:]]))
    with pytest.raises(NoProofYet, match="it goes on"):
        client.wait(view.id, timeout_s=0.05)
    (fleet.home / RELEASED).touch()
    try:
        assert client.wait(view.id, timeout_s=300).state is State.DONE
    finally:
        (fleet.home / RELEASED).unlink()


def test_a_failed_proof_is_an_error_with_its_reason(
    client: ServiceClient, features: list[int]
) -> None:
    with pytest.raises(ProofNotMade, match="told to refuse") as failed:
        client.prove(Wanted.of_features("quick", [Order.REFUSE, *features[1:]]), timeout_s=300)
    assert failed.value.failure == "input"


def test_a_refusal_is_an_error_that_says_what_is_wrong(client: ServiceClient) -> None:
    with pytest.raises(ServiceAnswered, match="2 features given") as refused:
        client.submit(Wanted.of_features("quick", [1, 2]))
    assert refused.value.status == 422


@pytest.mark.parametrize("value", [0.5, 4.0, True, "4", None])
def test_nothing_but_integers_is_sent(value: Any) -> None:
    with pytest.raises(RequestRefused, match="expected integers"):
        Wanted.of_features("quick", [1, 2, 3, value])


def test_nobody_there_is_an_error_after_some_patience(free_port: int) -> None:
    began = time.monotonic()
    with (
        ServiceClient(f"http://127.0.0.1:{free_port}", patience_s=0.5) as client,
        pytest.raises(ServiceUnreachable, match="zkagent serve"),
    ):
        client.circuits()
    assert time.monotonic() - began < 60


def test_a_url_that_can_never_work_is_refused_at_once() -> None:
    for url in ("127.0.0.1:8081", "http://[", "nonsense"):
        with pytest.raises(ServiceUnreachable, match="expected an address"):
            ServiceClient(url)


def test_a_client_outlives_a_restart_of_the_service(
    tmp_path: Path, catalogue: FakeCatalogue, features: list[int]
) -> None:
    fleet = Fleet(tmp_path, f"sqlite:///{tmp_path}/service.sqlite", catalogue)
    service = fleet.serve(slots=0)
    with fleet.client() as client:
        view = client.submit(Wanted.of_features("slow", features))
        restart = threading.Thread(target=lambda: (service.kill(), fleet.serve()))
        restart.start()
        assert client.wait(view.id, timeout_s=300).state is State.DONE
        restart.join()
    fleet.end()


def test_the_asynchronous_client_proves_many_at_once(fleet: Fleet, features: list[int]) -> None:
    async def ask() -> list[State]:
        async with AsyncServiceClient(fleet.url) as client:
            wanted = [Wanted.of_features("quick", [n, *features[1:]]) for n in range(20)]
            return [v.state for v in await asyncio.gather(*map(client.prove, wanted))]

    assert asyncio.run(ask()) == [State.DONE] * 20


def test_the_executors_prover_returns_the_proof_of_its_inputs(
    fleet: Fleet, catalogue: FakeCatalogue, features: list[int]
) -> None:
    prover = ServiceProver(fleet.url, "quick")
    proof = prover.prove(features)
    prover.close()
    assert (proof.inputs, proof.outputs) == (tuple(features), fake_outputs("", features))
    assert catalogue.verify(proof)


def test_a_proof_of_something_else_is_refused(client: ServiceClient, features: list[int]) -> None:
    view = client.prove(Wanted.of_features("quick", features), timeout_s=300)
    assert isinstance(proof_of(view, features), Proof)
    with pytest.raises(ServiceGarbled, match="something else"):
        proof_of(view, [0, *features[1:]])
