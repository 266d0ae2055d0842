"""Circuits that hide something are not on offer: a service keeps what it is asked for."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.errors import NumbersHidden
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.prover.service.api.application import Service
from zkagent.prover.service.api.guard import GuardRules
from zkagent.prover.service.catalogue.built import BuiltCircuits
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import prepare_engine
from zkagent.prover.service.worker.callback_rules import CallbackRules

SHOWN = [{"inputs": "private"}, {"outputs": "hashed"}, {"weights": "private"}]
HIDDEN_X, X = [738291, -3, 4, 1], [592817, -3, 4, 1]


@pytest.fixture
def catalogue(
    session_cache: Path, hiding: Callable[..., Circuit]
) -> Iterator[tuple[BuiltCircuits, list[str], str]]:
    """What is offered, circuits that hide something, and one that does not."""
    hidden = [hiding(**shown).digest for shown in SHOWN]
    opened = BuiltCircuits(cache=session_cache)
    yield opened, hidden, hiding().digest
    opened.close()


def test_circuits_that_hide_something_are_not_on_offer(
    catalogue: tuple[BuiltCircuits, list[str], str], hiding: Callable[..., Circuit]
) -> None:
    circuits, hidden, shown = catalogue
    offered = {card.digest for card in circuits.cards()}
    assert shown in offered & circuits.offered()
    assert not set(hidden) & (offered | circuits.offered())
    for digest in hidden:
        with pytest.raises(NumbersHidden, match="prove with this one on your own machine"):
            circuits.card(digest)
        with pytest.raises(NumbersHidden):
            circuits.prover(digest, 60, None)
    proof = ezkl_engine.prove(hiding(**SHOWN[0]), [1, 2, 3, 4])
    with pytest.raises(NumbersHidden):
        circuits.verify(proof)


def test_a_service_keeps_nothing_of_a_request_for_one(
    catalogue: tuple[BuiltCircuits, list[str], str], tmp_path: Path
) -> None:
    circuits, (hidden, *_), shown = catalogue
    path = tmp_path / "service.sqlite"
    database = Database(f"sqlite:///{path}")
    database.prepare()
    prepare_engine(database)
    rules = CallbackRules(), GuardRules()
    service = Service(database, circuits, *rules, keys_needed=False, least_free_bytes=0)

    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(service.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            bodies = ({"circuit": hidden, "features": HIDDEN_X}, {"circuit": shown, "features": X})
            return [await client.post("/v1/proofs", json=body) for body in bodies]

    try:
        refused, taken = asyncio.run(ask())
    finally:
        service.close()
        database.close()
    assert (refused.status_code, taken.status_code) == (422, 202)
    assert refused.json()["type"] == "urn:zkagent:problem:numbers-hidden"
    assert str(HIDDEN_X[0]) not in refused.text
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert str(X[0]).encode() in kept
    assert str(HIDDEN_X[0]).encode() not in kept
