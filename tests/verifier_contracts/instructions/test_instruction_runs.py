"""Whole runs of an agent that reads instructions, with encoder, decoder, executor and key as they
are: the network alone is scripted."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.support.instructed_stage import InstructedStage, instructed_stage
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.embedded import balance
from zkagent.executor.chain.gas_report import iteration_gas
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.errors import RevertError

#: Of three decisions, the first run of its agent, terms and calldata included.
RUN_BUDGET = 628_000


@pytest.fixture(scope="module")
def opened(anvil: Anvil) -> Iterator[InstructedStage]:
    with instructed_stage(anvil) as made:
        yield made


@pytest.fixture
def stage(opened: InstructedStage) -> Iterator[InstructedStage]:
    snapshot = opened.chain.anvil.snapshot()
    yield opened
    opened.chain.anvil.revert(snapshot)


def refusal(stage: InstructedStage, call: RunCall) -> str | None:
    with pytest.raises(RevertError) as error:
        stage.sender.estimate_gas(call)
    return error.value.name


def test_three_decisions_of_one_instruction_take_one_proof(stage: InstructedStage) -> None:
    before = balance(stage.chain, "USDC")
    call = stage.withdrawal(1)
    assert len(set(call.claims)) == 1
    assert [len(proof) for proof in call.proofs] == [256, 0, 0]
    inclusion = stage.sender.send(call, 2_000_000)
    after = balance(stage.chain, "USDC")
    assert before.pool > 0
    assert (after.pool, after.wallet) == (0, before.wallet + before.pool)
    used = inclusion.result.gas_used
    found = iteration_gas(
        stage.chain.web3, inclusion.hash, stage.agent.identity(stage.agent.head()), [(0, 1, 2)]
    )
    print(f"a run of three decisions: {used} gas, {found}")
    assert used <= RUN_BUDGET


def test_a_proof_for_each_is_taken_and_costs_more(stage: InstructedStage) -> None:
    inclusion = stage.sender.send(stage.withdrawal(3), 2_000_000)
    used = inclusion.result.gas_used
    print(f"a proof for each of three: {used} gas")
    assert used > RUN_BUDGET + 50_000


def test_a_false_proof_and_a_lie_bounce(stage: InstructedStage) -> None:
    call = stage.withdrawal(1)
    (first, second, third), (proof, *none) = call.claims, call.proofs
    changed = proof[:-1] + bytes([proof[-1] ^ 1])
    assert refusal(stage, replace(call, proofs=(changed, *none))) == "PairingRefused"
    assert refusal(stage, replace(call, proofs=(b"", proof, b""))) == "WrongProofSize"
    assert refusal(stage, replace(call, proofs=(b"",) * 3)) == "WrongProofSize"
    surer = replace(second, output=bytes(6) + b"\x01\xf5" + second.output[8:])
    assert surer != second
    lie = replace(call, claims=(first, surer, third))
    assert refusal(stage, lie) == "NoBatchVerifier"
    assert refusal(stage, replace(lie, proofs=(proof, proof, b""))) == "ProofsFalse"
    assert refusal(stage, replace(call, claims=(surer,) * 3)) == "ProofsFalse"
