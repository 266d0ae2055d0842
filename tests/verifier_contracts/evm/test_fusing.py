"""What a contract computes at once: where bits, products and layers become other steps, and where
they stay."""

from typing import Any

import numpy as np
import pytest

from tests.support.evaluated_numbers import evaluated
from tests.support.integer_networks import NETWORKS, infer, samples
from tests.support.operator_networks import OPERATORS, bits, fields
from tests.support.reading_inputs import reading_samples
from zkagent.circuits.bn254.field import to_field
from zkagent.circuits.program.program import Mask, Sign
from zkagent.circuits.program.reader import read_program
from zkagent.models.catalogue import load_decider
from zkagent.verifier_contracts.chain.local import Anvil, call
from zkagent.verifier_contracts.errors import EvmModelError, RevertError
from zkagent.verifier_contracts.evm import deploy_evm_model, evaluation_gas, generate_evm_model
from zkagent.verifier_contracts.evm.fusing import Chains, Field, Fields, Sums, fused
from zkagent.verifier_contracts.evm.model import LOOPS, place
from zkagent.verifier_contracts.evm.rolling import rolled, straight

#: Measured 97,403 without candidates, 104,591 with six, 152,515 with all.
DECISION_BUDGET, MOST_BUDGET, DEPLOYMENT_BUDGET = 108_000, 158_000, 5_000_000


def reader() -> bytes:
    return load_decider("reader").onnx_path.read_bytes()


def steps_of(onnx: bytes, kind: type) -> list[Any]:
    return [step for step in fused(read_program(onnx)) if isinstance(step, kind)]


@pytest.mark.parametrize("name", [*NETWORKS, "sums"])
def test_networks_of_layers_and_arithmetic_stay_as_they_are(name: str) -> None:
    """Contracts of them stand on chains, and an audit generates the very code again."""
    program = read_program((NETWORKS | OPERATORS)[name]())
    assert fused(program) is program.steps


def test_halves_of_features_are_read_from_them() -> None:
    found = [field for step in steps_of(fields(), Fields) for field in step.fields]
    halves = [Field(at, low, 8, signed=True) for at in range(24) for low in (8, 0)]
    assert found == [*halves, Field(3, 1, 3, signed=False), Field(3, 1, 3, signed=True)]


def test_bits_that_are_no_field_stay_bits() -> None:
    """Of three bits each: in another order, one left out, twice another worth, of two features."""
    (masks,) = {step.outputs.size for step in steps_of(fields(), Mask)}
    assert (masks, len(steps_of(fields(), Mask))) == (3, 5)
    assert not steps_of(bits(), Fields)
    assert steps_of(bits(), Sign)


def test_the_readers_features_are_not_taken_apart() -> None:
    onnx = reader()
    halves = sum(len(step.fields) for step in steps_of(onnx, Fields))
    assert halves == 9 * 64 + 48 * 6
    assert sum(step.outputs.size for step in steps_of(onnx, Mask)) == 8 + 15
    assert {len(step.chains) for step in steps_of(onnx, Chains)} == {2}
    assert any(term.right for step in steps_of(onnx, Sums) for of in step.terms for term in of)


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("content", [fields(), bits()])
def test_with_loops_and_without_the_same_is_computed(
    chain: Anvil, content: bytes, loops: int | None
) -> None:
    model = place(content, read_program(content), frozenset(), loops=loops)
    assert model
    made = deploy_evm_model(chain.web3, model, chain.accounts[0]).contract
    for x in samples(model.program.inputs, count=3):
        assert call(chain.web3, made.functions.evaluate(x)) == infer(content, x)


@pytest.mark.slow
def test_the_contract_decides_as_onnxruntime_does_on_1500_inputs(chain: Anvil) -> None:
    """Any numbers, both ends of the range, and what encoders write: tools and candidates that are
    absent are zeros. Of each every tenth is claimed, and with one output another one."""
    onnx = reader()
    made = deploy_evm_model(chain.web3, generate_evm_model(onnx), chain.accounts[0]).contract
    inputs = [*samples(434, count=250), *reading_samples(1_000, seed=29)]
    rng = np.random.default_rng(31)
    for number, x in enumerate(inputs):
        y = infer(onnx, x)
        assert evaluated(chain, made.address, x) == y
        if number % 10 == 0:
            instances = [to_field(v) for v in (*x, *y)]
            call(chain.web3, made.functions.verify(b"", instances))
            which = int(rng.integers(len(y)))
            instances[434 + which] = to_field(y[which] + int(rng.choice([-1, 1])))
            with pytest.raises(RevertError, match="OutputMismatch") as error:
                call(chain.web3, made.functions.verify(b"", instances))
            assert error.value.arguments["index"] == which
    print(f"{len(inputs)} inputs, extreme ones among them: contract and onnxruntime agree")


def test_a_readers_decision_takes_so_much_gas(chain: Anvil) -> None:
    onnx = reader()
    made = deploy_evm_model(chain.web3, generate_evm_model(onnx), chain.accounts[0])
    found = {}
    for tools, pairs in ((8, 0), (8, 6), (3, 4), (8, 48)):
        (x,) = reading_samples(1, seed=1, tools=tools, pairs=pairs)
        assert call(chain.web3, made.contract.functions.evaluate(x)) == infer(onnx, x)
        found[tools, pairs] = evaluation_gas(chain.web3, made, chain.accounts[0], x)
    print(f"deployed for {made.gas}, tools and pairs: {found}")
    assert max(found[8, 0], found[8, 6], found[3, 4]) <= DECISION_BUDGET
    assert found[8, 48] <= MOST_BUDGET
    assert made.gas <= DEPLOYMENT_BUDGET


@pytest.mark.parametrize("place_of_x", [0, 288, 433])
@pytest.mark.parametrize("value", [1 << 15, -(1 << 15) - 1])
def test_a_readers_input_beyond_16_bits_is_refused(
    chain: Anvil, place_of_x: int, value: int
) -> None:
    """Also where all beside it are zeros, and are not written."""
    made = deploy_evm_model(chain.web3, generate_evm_model(reader()), chain.accounts[0]).contract
    x = [0] * 434
    instances = [to_field(v) for v in (*x, *infer(reader(), x))]
    call(chain.web3, made.functions.verify(b"", instances))
    instances[place_of_x] = to_field(value)
    with pytest.raises(RevertError, match="InputOutOfRange") as error:
        call(chain.web3, made.functions.verify(b"", instances))
    assert error.value.arguments == {"index": place_of_x, "value": value}
    instances[place_of_x] = to_field(0) + to_field(-1) + 1  # the field's order
    with pytest.raises(RevertError, match="NotCanonical"):
        call(chain.web3, made.functions.verify(b"", instances))


def test_what_never_fits_a_chain_is_refused_without_trying_each_layer() -> None:
    with pytest.raises(EvmModelError, match="outside of layers would need more than 24576 bytes"):
        generate_evm_model(load_decider("wallet-text").onnx_path.read_bytes())


def test_statements_that_repeat_become_a_loop_where_it_spares_enough() -> None:
    lines = [f"mstore(<{32 * i:#x}>, mload(<{64 * i + 4096:#x}>))" for i in range(16)]
    lines += ["stop()"]
    assert straight(lines)[1] == "mstore(0x20, mload(0x1040))"
    assert rolled(lines, 10_000) == straight(lines)
    written = "\n".join(rolled(lines, 0))
    assert written.startswith("for { let p0 := 0 let p1 := 0 } lt(p0, 0x200) {")
    assert written.endswith("}\nstop()")


def test_what_repeats_too_seldom_or_goes_back_is_no_loop() -> None:
    few = [f"mstore(<{32 * i:#x}>, 1)" for i in range(7)]
    back = [f"mstore(<{3200 - 32 * i:#x}>, 1)" for i in range(16)]
    same = ["mstore(<0x80>, 1)"] * 16
    for lines in (few, back, same):
        assert rolled(lines, 0) == straight(lines)
