"""The contract that evaluates a model: bit for bit what onnxruntime computes, and nothing else."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.support.integer_networks import NETWORKS, infer, mlp, samples
from tests.support.operator_networks import OPERATORS, fields
from zkagent.circuits.bn254.field import R, from_field, to_field
from zkagent.circuits.program.reader import read_program
from zkagent.circuits.systems import EVALUATED, system_id
from zkagent.verifier_contracts.chain.gas import call_gas
from zkagent.verifier_contracts.chain.local import Anvil, call
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.evm import (
    EvmModel,
    deploy_evm_model,
    evaluation_gas,
    generate_evm_model,
)
from zkagent.verifier_contracts.evm.model import place

INPUTS, OUTPUTS = 9, 3  # of the mlp


@pytest.fixture(scope="module")
def network(anvil: Anvil) -> Iterator[Any]:
    """The mlp's contract; calls only."""
    snapshot = anvil.snapshot()
    yield deployed(anvil, placed(mlp(), outside=False))
    anvil.revert(snapshot)


def placed(onnx: bytes, *, outside: bool) -> EvmModel:
    """With all layers in the contract, or each in parts of its own."""
    program = read_program(onnx)
    model = place(onnx, program, frozenset(range(len(program.steps)) if outside else ()))
    assert model is not None
    return model


def deployed(chain: Anvil, model: EvmModel) -> Any:
    return deploy_evm_model(chain.web3, model, chain.accounts[0]).contract


def verify(chain: Anvil, contract: Any, instances: list[int], proof: bytes = b"") -> None:
    call(chain.web3, contract.functions.verify(proof, instances))


def honest(x: list[int]) -> list[int]:
    """Instances of the mlp."""
    return [to_field(v) for v in [*x, *infer(mlp(), x)]]


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("name", [*NETWORKS, "sums", "bits", "fields"])
def test_the_contract_agrees_with_onnxruntime(chain: Anvil, name: str, outside: bool) -> None:
    onnx = (NETWORKS | OPERATORS | {"fields": fields})[name]()
    model = placed(onnx, outside=outside)
    contract = deployed(chain, model)
    for x in samples(model.program.inputs):
        y = infer(onnx, x)
        assert call(chain.web3, contract.functions.evaluate(x)) == y
        verify(chain, contract, [to_field(v) for v in [*x, *y]])
        with pytest.raises(RevertError, match="OutputMismatch"):
            verify(chain, contract, [to_field(v) for v in [*x, *y[:-1], y[-1] + 1]])


@pytest.mark.parametrize("index", range(OUTPUTS))
def test_a_changed_output_is_refused_with_what_it_should_be(
    anvil: Anvil, network: Any, index: int
) -> None:
    instances = honest([5] * INPUTS)
    expected = infer(mlp(), [5] * INPUTS)[index]
    instances[INPUTS + index] = to_field(expected - 1)
    with pytest.raises(RevertError) as error:
        verify(anvil, network, instances)
    assert error.value.name == "OutputMismatch"
    received = to_field(expected - 1)
    assert error.value.arguments == {"index": index, "expected": expected, "received": received}


@pytest.mark.parametrize("index", [0, INPUTS - 1, INPUTS, INPUTS + OUTPUTS - 1])
@pytest.mark.parametrize("x", [[5] * INPUTS, [-5] * INPUTS])
def test_a_number_plus_the_field_order_is_refused(
    anvil: Anvil, network: Any, index: int, x: list[int]
) -> None:
    instances = honest(x)
    instances[index] += R
    with pytest.raises(RevertError, match="NotCanonical") as error:
        verify(anvil, network, instances)
    assert error.value.arguments["index"] == index


@pytest.mark.parametrize("value", [1 << 15, R - (1 << 15) - 1, R >> 1, R - (1 << 20)])
def test_an_input_beyond_16_bits_is_refused(anvil: Anvil, network: Any, value: int) -> None:
    instances = honest([1] * INPUTS)
    instances[3] = value
    with pytest.raises(RevertError, match="InputOutOfRange") as error:
        verify(anvil, network, instances)
    assert error.value.arguments == {"index": 3, "value": from_field(value)}


@pytest.mark.parametrize("value", [1 << 15, -(1 << 15) - 1, (1 << 255) - 1, R, -R])
def test_evaluation_refuses_what_verification_does(anvil: Anvil, network: Any, value: int) -> None:
    with pytest.raises(RevertError, match="InputOutOfRange"):
        call(anvil.web3, network.functions.evaluate([0, value, *[0] * (INPUTS - 2)]))
    with pytest.raises(RevertError, match="WrongCount"):
        call(anvil.web3, network.functions.evaluate([0] * (INPUTS - 1)))


def test_narrow_inputs_are_held_to_their_width(chain: Anvil) -> None:
    contract = deployed(chain, generate_evm_model(mlp(), input_bits=5))
    for limit in (15, -16):
        x = [limit] * INPUTS
        verify(chain, contract, honest(x))
        x[4] += 1 if limit > 0 else -1
        with pytest.raises(RevertError, match="InputOutOfRange"):
            verify(chain, contract, honest(x))


@pytest.mark.parametrize("value", [R, (1 << 256) - 1, (1 << 256) - 5])
def test_an_input_that_is_no_field_element_is_refused(
    anvil: Anvil, network: Any, value: int
) -> None:
    instances = honest([1] * INPUTS)
    instances[3] = value
    with pytest.raises(RevertError, match="NotCanonical"):
        verify(anvil, network, instances)


def test_too_few_or_too_many_instances_are_refused(anvil: Anvil, network: Any) -> None:
    for instances in (honest([1] * INPUTS)[:-1], [*honest([1] * INPUTS), 0], []):
        with pytest.raises(RevertError, match="WrongCount"):
            verify(anvil, network, instances)


def test_a_proof_is_refused(anvil: Anvil, network: Any) -> None:
    with pytest.raises(RevertError, match="ProofNotEmpty"):
        verify(anvil, network, honest([1] * INPUTS), proof=b"\0")


def test_layers_that_do_not_fit_the_code_become_contracts(chain: Anvil) -> None:
    onnx = mlp(inputs=70, hidden=90, outputs=20)
    model = generate_evm_model(onnx)
    assert len(model.parts) > 1
    contract = deployed(chain, model)
    for x in samples(70, count=1):
        verify(chain, contract, [to_field(v) for v in [*x, *infer(onnx, x)]])
    code = chain.web3.eth.get_code
    assert tuple(map(code, model.parts_of(code(contract.address)))) == model.parts


def test_other_parts_than_those_of_the_source_are_refused(chain: Anvil) -> None:
    forged = placed(mlp(hidden=8), outside=True).parts
    with pytest.raises(RevertError, match="WrongPart"):
        deployed(chain, replace(placed(mlp(), outside=True), parts=forged))


def test_a_part_that_was_replaced_is_refused(chain: Anvil) -> None:
    """Whoever made it may have had its constructor destroy it."""
    model = placed(mlp(), outside=True)
    contract = deployed(chain, model)
    parts = model.parts_of(chain.web3.eth.get_code(contract.address))
    delegation = bytes.fromhex("ef0100") + bytes(19) + b"\1"
    assert len(parts) > 1
    for part, genuine in zip(parts, model.parts, strict=True):
        for code in (b"", b"\0", delegation):
            chain.rpc("anvil_setCode", part, f"0x{code.hex()}")
            with pytest.raises(RevertError, match="WrongPart"):
                verify(chain, contract, honest([1] * INPUTS))
            with pytest.raises(RevertError, match="WrongPart"):
                call(chain.web3, contract.functions.evaluate([1] * INPUTS))
        chain.rpc("anvil_setCode", part, f"0x{genuine.hex()}")
        verify(chain, contract, honest([1] * INPUTS))


def test_gas_is_what_a_call_from_another_contract_uses(chain: Anvil) -> None:
    """The receipt's figure less the transaction's own agrees with the node's trace of the call."""
    made = deploy_evm_model(chain.web3, generate_evm_model(mlp()), chain.accounts[0])
    x = [5] * INPUTS
    gas = evaluation_gas(chain.web3, made, chain.accounts[0], x)
    function = made.contract.functions.verify(b"", honest(x))
    assert gas == call_gas(chain.web3, function, chain.accounts[0])
    owner, data = chain.accounts[0].address, made.contract.encode_abi("verify", [b"", honest(x)])
    traced = {"from": owner, "to": made.contract.address, "data": data}
    frame = chain.rpc("debug_traceCall", traced, "latest", {"tracer": "callTracer"})
    calldata = sum(16 if byte else 4 for byte in bytes.fromhex(data.removeprefix("0x")))
    assert gas == int(frame["gasUsed"], 16) - 21_000 - calldata
    assert 2_000 < gas < 4_000
    assert 21_000 + 32 * 4 + gas < made.gas


def test_the_proof_system_has_its_own_number() -> None:
    assert system_id(EVALUATED.name).hex() == "21aef62c"  # by another Keccak library
