"""Whose circuit a decision is proven by, where one maker of proofs serves several models."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from zkagent.circuits.support.cache import file_digest
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.planners import proofs
from zkagent.executor.runtime.planners.proofs import LocalProofs, ServiceProofs
from zkagent.models.catalogue import Model, load_model


def circuit_of(model: Model) -> Any:
    return SimpleNamespace(
        digest=f"circuit of {model.name}", origin=SimpleNamespace(onnx=file_digest(model.onnx_path))
    )


@dataclass
class Prover:
    """Says by which circuit it proved."""

    circuit: Any
    closed: list[str] = field(default_factory=list)

    def prove(self, x: Any) -> str:
        return f"by the {self.circuit.digest}"

    def close(self) -> None:
        self.closed.append(self.circuit.digest)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> tuple[Model, Model]:
    monkeypatch.setattr(proofs, "_built", lambda model, system: circuit_of(model))
    monkeypatch.setattr(proofs, "open_prover", lambda circuit, opener: opener(circuit))
    return load_model("wallet", Model), load_model("wallet-text", Model)


def test_each_model_is_proven_by_its_own_circuit(models: tuple[Model, Model]) -> None:
    closed: list[str] = []
    with LocalProofs(opener=lambda circuit: Prover(circuit, closed)) as made:  # type: ignore[arg-type, return-value]
        for model in (*models, *models):
            named = made.named(model, (1,), "about")
            assert named.digest == f"circuit of {model.name}"
            proof: Any = made.make(model, (1,), named).proof
            assert proof == f"by the circuit of {model.name}"
        assert closed == []
    assert sorted(closed) == ["circuit of wallet", "circuit of wallet-text"]


def test_a_service_is_asked_for_each_models_own_circuit(models: tuple[Model, Model]) -> None:
    asked = ServiceProofs("http://127.0.0.1:1", key="k")
    found = [asked.named(model, (1,), "about") for model in models]
    assert [one.digest for one in found] == ["circuit of wallet", "circuit of wallet-text"]
    assert found[0].proof_id != found[1].proof_id


def test_a_circuit_that_is_given_is_of_its_model_and_no_other(models: tuple[Model, Model]) -> None:
    wallet, reader = models
    given = circuit_of(wallet)
    made = LocalProofs(circuit=given)
    assert made.circuit(wallet) is given
    with pytest.raises(AgentConfigRefused, match="is not of wallet-text: give the model's own"):
        made.circuit(reader)
