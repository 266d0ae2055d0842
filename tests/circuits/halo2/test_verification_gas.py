"""What the patched verifier saves per public value, and that it is measured rightly."""

import dataclasses
from pathlib import Path

import pytest
from web3 import Web3

from tests.support.small_networks import network, node
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import build_circuit
from zkagent.executor.bench.verification_gas import verification_gas
from zkagent.verifier_contracts.chain.local import Anvil, deploy, send
from zkagent.verifier_contracts.deployment.verifier import compile_verifier
from zkagent.verifier_contracts.errors import RevertError

MOST_OF_STOCK = 0.45


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("squares")


def squares(folder: Path, count: int) -> tuple[Circuit, Proof]:
    """A circuit of count inputs and as many outputs, each one's square, with a proof."""
    onnx = folder / f"{count}.onnx"
    onnx.write_bytes(network([node("Mul", ["x", "x"], "y")], {}, inputs=count, outputs=count))
    circuit = build_circuit(onnx, cache=folder)
    return circuit, ezkl_engine.prove(circuit, range(-3, count - 3))


def test_a_public_value_costs_less_than_45_percent_of_what_it_does_with_ezkl(
    chain: Anvil, folder: Path
) -> None:
    few, many = squares(folder, 50), squares(folder, 80)
    assert few[0].facts.logrows == many[0].facts.logrows  # they differ in public values alone
    small, large = verification_gas(*few, chain), verification_gas(*many, chain)
    more = large.instances - small.instances
    stock = (large.stock - small.stock) / more
    hardened = (large.hardened - small.hardened) / more
    print(f"{small}\n{large}\nper public value: {stock:.0f} with ezkl's, {hardened:.0f} with ours")
    assert more == 60
    assert 600 < stock < 900
    assert 0 < hardened <= MOST_OF_STOCK * stock


def test_it_is_the_receipt_s_gas_without_calldata(
    chain: Anvil, circuit: Circuit, proof: Proof
) -> None:
    source = circuit.verifier_source.read_text()
    contract = deploy(chain.web3, compile_verifier(source), chain.accounts[0])
    call = contract.functions.verify(proof.proof, list(proof.instances))
    receipt = send(chain.web3, call, chain.accounts[0])
    data = Web3.to_bytes(hexstr=call.build_transaction({"gas": 1, "gasPrice": 1})["data"])
    calldata = sum(16 if byte else 4 for byte in data)
    measured = verification_gas(circuit, proof, chain)
    assert measured.hardened == receipt["gasUsed"] - 21_000 - calldata


def test_even_a_small_circuit_costs_less(chain: Anvil, circuit: Circuit, proof: Proof) -> None:
    gas = verification_gas(circuit, proof, chain)
    assert gas.instances == 6
    assert 0 < gas.saved_percent < 100


def test_a_false_proof_has_no_gas_figure(chain: Anvil, circuit: Circuit, proof: Proof) -> None:
    false = dataclasses.replace(proof, outputs=(0, 0))
    with pytest.raises(RevertError, match="verifyProof rejects the proof"):
        verification_gas(circuit, false, chain)
