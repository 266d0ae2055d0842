"""Attacks on circuits, mounted for real: against ezkl's defaults they work, against ours not."""

from pathlib import Path

import pytest

from tests.circuits.halo2.verifiers import Statement, Verifiers, encoded
from tests.support.small_networks import gathering_network, network, node
from zkagent.circuits.bn254.field import from_hex, to_field
from zkagent.circuits.errors import SettingsRefused
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.settings import RunArguments
from zkagent.executor.demo.attacks.ezkl_forgeries import (
    foreign_witness_forgery,
    freivalds_forgery,
)
from zkagent.verifier_contracts.chain.local import Anvil

X = [3, -1, 4, 1]


def test_freivalds_lets_a_prover_permute_the_outputs(tmp_path: Path) -> None:
    forgery = freivalds_forgery(tmp_path, disable_freivalds=False)
    assert forgery.accepted
    assert forgery.claimed != forgery.honest


def test_without_freivalds_permuted_outputs_are_rejected(tmp_path: Path) -> None:
    forgery = freivalds_forgery(tmp_path, disable_freivalds=True)
    assert not forgery.accepted
    assert forgery.claimed != forgery.honest


@pytest.mark.parametrize("disabled", [True, False])
def test_on_chain_permuted_outputs_fail_but_for_freivalds(
    chain: Anvil, tmp_path: Path, disabled: bool
) -> None:
    """Patched or not: no verifier can mend a circuit, which is why the build refuses it."""
    forgery = freivalds_forgery(tmp_path, disable_freivalds=disabled)
    honest, other, srs = tmp_path / "honest", tmp_path / "other", tmp_path / "srs"
    compiled, witness = other / "compiled", other / "witness.json"
    proof, instances = ezkl_engine.prove_witness(compiled, witness, honest / "pk", srs)
    generated = ezkl_engine.make_verifier(honest / "vk", honest / "settings.json", srs)
    public = tuple(to_field(from_hex(value)) for value in instances)
    assert public[-len(forgery.claimed) :] == forgery.claimed != forgery.honest
    verifiers = Verifiers(chain, Statement(generated, proof, public))
    assert verifiers.agreed(encoded(proof, public)) is not disabled


def test_a_build_with_freivalds_is_refused(square_onnx: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsRefused, match="disable_freivalds"):
        build_circuit(square_onnx, cache=tmp_path, arguments=RunArguments(disable_freivalds=False))


def test_gathered_inputs_stay_tied_to_the_public_ones(tmp_path: Path) -> None:
    """Gather costs no rows; what ties its result to x are copy constraints, tested here."""
    honest = gathering_network([2, 0])
    for name, other in (("swapped", [0, 2]), ("elsewhere", [3, 1]), ("doubled", [2, 2])):
        folder = tmp_path / name
        folder.mkdir()
        attack = (honest, gathering_network(other), X, RunArguments())
        forgery = foreign_witness_forgery(folder, *attack)
        assert forgery.claimed != forgery.honest
        assert not forgery.accepted


def test_the_witness_of_the_same_wiring_is_accepted(tmp_path: Path) -> None:
    """The attack above fails for its lie, not for its machinery."""
    honest = gathering_network([2, 0])
    forgery = foreign_witness_forgery(tmp_path, honest, honest, X, RunArguments())
    assert forgery.accepted
    assert forgery.claimed == forgery.honest == (4, 30)


def test_concatenated_outputs_cannot_be_swapped(tmp_path: Path) -> None:
    def halves(order: list[str]) -> bytes:
        nodes = [
            node("MatMul", ["x", "v"], "a"),
            node("MatMul", ["x", "w"], "b"),
            node("Concat", order, "y", axis=1),
        ]
        return network(nodes, {"v": [[1]] * 4, "w": [[1], [2], [3], [4]]})

    attack = (halves(["a", "b"]), halves(["b", "a"]), X, RunArguments())
    forgery = foreign_witness_forgery(tmp_path, *attack)
    assert (forgery.honest, forgery.claimed) == ((7, 17), (17, 7))
    assert not forgery.accepted


def test_other_weights_do_not_prove_under_the_key(tmp_path: Path) -> None:
    def weighted(weight: int) -> bytes:
        return network([node("MatMul", ["x", "w"], "y")], {"w": [[weight, 1]] * 4}, outputs=2)

    forgery = foreign_witness_forgery(tmp_path, weighted(2), weighted(3), X, RunArguments())
    assert (forgery.honest, forgery.claimed) == ((14, 7), (21, 7))
    assert not forgery.accepted


def test_private_weights_are_bound_to_nothing(tmp_path: Path) -> None:
    """As is said wherever they are chosen: any weights prove under the same key."""

    def weighted(weight: int) -> bytes:
        return network([node("MatMul", ["x", "w"], "y")], {"w": [[weight, 1]] * 4})

    arguments = RunArguments(parameter_visibility="private")
    forgery = foreign_witness_forgery(tmp_path, weighted(2), weighted(3), X, arguments)
    assert forgery.accepted
    assert forgery.claimed != forgery.honest
