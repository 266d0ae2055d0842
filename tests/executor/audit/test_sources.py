"""With what an audit compares: the committed model, or an error that names those there are, and
circuits that are built here when the committed ones are not the model's."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.fakes.memory_agent import SYSTEM_ID, batch_circuit, memory_identity
from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.progress import Told
from zkagent.circuits.systems import GROTH16, system_id
from zkagent.executor.audit import sources
from zkagent.executor.chain.agent import AgentModel
from zkagent.executor.errors import CannotVerify, OtherModel
from zkagent.models.catalogue import Model, load_model

AGENT, CHAIN_ID, CIRCUIT = "0x" + "a1" * 20, 31337, "c1" * 32


class System(bytes):
    """By its id."""

    repeatable = True


@pytest.fixture
def bound(drain: Model) -> AgentModel:
    return memory_identity(drain, AGENT, CHAIN_ID, CIRCUIT, (2, 4)).model


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was looked for and what was built, in order."""
    found: list[tuple[Any, ...]] = []
    monkeypatch.setattr(sources, "find_system", System)

    def find(model: Model, digest: str, system: bytes, *rest: Any, progress: Told) -> str:
        found.append(("found", digest, system, rest[1]))
        progress("building")
        return digest

    monkeypatch.setattr(sources, "find_circuit", find)
    return found


def test_the_committed_model_is_taken_by_its_digest(
    bound: AgentModel, drain: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    wallet = load_model("wallet", Model)
    there = [wallet, drain]
    monkeypatch.setattr(sources, "shipped_deciders", lambda: iter(there))
    assert sources.committed_model(bound) is drain
    there.remove(drain)
    with pytest.raises(OtherModel) as refused:
        sources.committed_model(bound)
    assert f"are wallet {wallet.digest[:16]}" in str(refused.value)
    assert f"wallet {wallet.digest[:17]}" not in str(refused.value)
    assert drain.digest[:16] in str(refused.value)


def test_committed_circuits_are_looked_for_by_size(
    bound: AgentModel, drain: Model, asked: list[tuple[Any, ...]]
) -> None:
    told: list[str] = []
    wanted = {1: CIRCUIT, 2: batch_circuit(2), 4: batch_circuit(4)}
    for size, digest in wanted.items():
        assert sources.own_circuit(bound, drain, None, told.append, size) == digest
    assert asked == [("found", wanted[size], SYSTEM_ID, size) for size in (1, 2, 4)]
    assert sources.own_circuit(bound, drain, None, lambda stage: None) == wanted[1]
    said = ("looking for the committed one", "building")
    assert told == [f"circuit for {size} decisions: {what}" for size in (1, 2, 4) for what in said]


@pytest.mark.parametrize("error", [CannotVerify("not here"), ValueError("another")])
def test_what_is_not_the_models_is_built_to_show_the_difference(
    bound: AgentModel,
    drain: Model,
    asked: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    def find(*wanted: object, progress: object) -> None:
        raise error

    def build(model: Model, size: int, srs: object, stage: object, system: object) -> str:
        asked.append(("built", size, system))
        return "built"

    monkeypatch.setattr(sources, "find_circuit", find)
    monkeypatch.setattr(sources, "batch_circuit", build)
    assert sources.own_circuit(bound, drain, None, lambda stage: None, 2) == "built"
    assert asked == [("built", 2, SYSTEM_ID)]


@pytest.mark.parametrize("error", [CannotVerify("copy its folder"), ValueError("copy its folder")])
def test_no_other_keys_are_made_to_show_a_difference_that_they_make(
    bound: AgentModel, drain: Model, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A Groth16 circuit that is not here is none that differs. Whoever owns a registry can name one
    of another network, which is here."""

    def find(*wanted: object, progress: object) -> None:
        raise error

    keyed = replace(bound, proof_system_id=system_id(GROTH16.name))
    monkeypatch.setattr(sources, "find_circuit", find)
    monkeypatch.setattr(sources, "batch_circuit", lambda *_: pytest.fail("a circuit was built"))
    with pytest.raises(CircuitError, match="copy its folder"):
        sources.own_circuit(keyed, drain, None, lambda stage: None)
