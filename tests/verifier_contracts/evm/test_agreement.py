"""One function, three ways: onnxruntime, the circuit's witness and the contract, bit for bit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.classifiers import random_weights
from tests.support.evaluated_numbers import evaluated
from tests.support.integer_networks import infer, relu, samples
from zkagent.circuits.bn254.field import to_field
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import make_plan
from zkagent.circuits.halo2.settings import default_arguments
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.program.reader import read_program
from zkagent.models.catalogue import load_decider, load_model
from zkagent.models.classifier.export import export_classifier
from zkagent.models.examples.squares import export_square_network, train_square_network
from zkagent.verifier_contracts.chain.local import Anvil, call
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.evm import deploy_evm_model, generate_evm_model


def wallet() -> bytes:
    return load_model("wallet").onnx_path.read_bytes()


def classifier_s() -> bytes:
    """Of seven intents, with random weights."""
    return export_classifier(random_weights(labels=7, seed=6))


def squares() -> bytes:
    return export_square_network(train_square_network(steps=20))


def reader() -> bytes:
    return load_decider("reader").onnx_path.read_bytes()


def witness_of(onnx: bytes, folder: Path) -> Callable[[list[int]], list[int]]:
    """The circuit as it is built, but without keys."""
    network, settings, compiled = (folder / name for name in ("net.onnx", "settings", "compiled"))
    network.write_bytes(onnx)
    plan = make_plan(read_network(network), default_arguments(integer=True))
    settings.write_bytes(plan.settings_bytes)
    ezkl_engine.compile_network(network, settings, compiled)
    return lambda x: list(ezkl_engine.evaluate(compiled, [x], folder / "witness.json"))


@pytest.mark.parametrize(
    ("network", "bits"), [(wallet, 16), (classifier_s, 16), (squares, 8), (relu, 16)]
)
def test_onnxruntime_circuit_and_contract_compute_the_same_numbers(
    chain: Anvil, tmp_path: Path, network: Callable[[], bytes], bits: int
) -> None:
    onnx = network()
    model = generate_evm_model(onnx, input_bits=bits)
    functions = deploy_evm_model(chain.web3, model, chain.accounts[0]).contract.functions
    witness = witness_of(onnx, tmp_path)
    for x in samples(model.program.inputs, bits=bits):
        y = infer(onnx, x)
        assert witness(x) == y
        assert call(chain.web3, functions.evaluate(x)) == y
        instances = [to_field(v) for v in (*x, *y)]
        call(chain.web3, functions.verify(b"", instances))
        for wrong in (0, len(y) - 1):
            lie = list(instances)
            lie[model.program.inputs + wrong] = to_field(y[wrong] + 1)
            with pytest.raises(RevertError, match="OutputMismatch"):
                call(chain.web3, functions.verify(b"", lie))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("network", "bits"), [(wallet, 16), (classifier_s, 16), (squares, 8), (reader, 16)]
)
def test_the_contract_and_a_groth16_witness_agree_on_a_thousand_inputs(
    chain: Anvil, network: Callable[[], bytes], bits: int
) -> None:
    onnx = network()
    model = generate_evm_model(onnx, input_bits=bits)
    contract = deploy_evm_model(chain.web3, model, chain.accounts[0]).contract
    compiled = compile_program(read_program(onnx, bits))
    for x in samples(model.program.inputs, count=499, bits=bits):
        y = compiled.outputs_of(compiled.witness(x))
        assert evaluated(chain, contract.address, x) == y
