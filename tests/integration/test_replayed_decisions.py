"""What a run on recorded decisions costs above what its decisions cost to make."""

from collections.abc import Iterator

import pytest
from web3.types import RPCEndpoint

from tests.integration.test_gas_budget import PROMPT
from tests.support.evaluated_stage import Stage, evaluated_stage
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.chain import abi
from zkagent.executor.chain.gas_report import Frame, from_trace
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.chain.local import Anvil, send
from zkagent.verifier_contracts.deployment.wallet import at

#: Gas of a decision, above that of looking up the model, encoding and decoding.
REPLAY_BUDGET = 20_000


@pytest.fixture(scope="module")
def stage(anvil: Anvil) -> Iterator[Stage]:
    model = load_model("wallet", Model)
    with evaluated_stage(anvil, model, EVALUATED.build(model.onnx_path)) as made:
        yield made


def trace(stage: Stage, transaction: str) -> Frame:
    tracer = [transaction, {"tracer": "callTracer"}]
    return stage.chain.web3.manager.request_blocking(  # type: ignore[no-any-return]
        RPCEndpoint("debug_traceTransaction"), tracer
    )


def deciding(frame: Frame) -> Iterator[tuple[int, int]]:
    """Of each decision in it, its gas and that of what it calls."""
    if str(frame["input"]).startswith("0x" + abi.RUN_NEXT_ITERATION.selector.hex()):
        calls = sum(int(each["gasUsed"], 16) for each in frame["calls"])
        yield int(frame["gasUsed"], 16), calls
    for each in frame.get("calls", ()):
        yield from deciding(each)


@pytest.mark.chain
def test_replaying_a_recorded_decision_costs_little_above_deciding(stage: Stage) -> None:
    web3, deployment = stage.chain.web3, stage.chain.deployment
    snapshot = stage.chain.anvil.snapshot()
    completed = stage.runner.run(PROMPT)
    plan = completed.proven.plan
    proven = list(deciding(trace(stage, completed.inclusion.hash)))
    stage.chain.anvil.revert(snapshot)
    executor = at(web3, "AgentExecutor", deployment.executor).functions
    for made in plan.decisions:
        features = abi.pack(made.x, abi.FEATURE_BYTES)
        claim = made.claim
        function = executor.recordDecision(claim.model_id, features, claim.output, b"")
        send(web3, function, stage.chain.stranger)
    agent = at(web3, "WalletAgent", deployment.agent).functions
    receipt = send(web3, agent.run(abi.prompt_input(PROMPT), abi.NO_HANDLER), stage.chain.owner)
    traced = trace(stage, "0x" + bytes(receipt["transactionHash"]).hex())
    replayed = list(deciding(traced))
    assert len(replayed) == len(proven) == 3
    for (gas, calls), (claimed, _) in zip(replayed, proven, strict=True):
        print(f"replayed {gas}, of which {calls} are calls; claimed in a frame {claimed}")
        assert gas - calls <= REPLAY_BUDGET
        assert gas - claimed <= REPLAY_BUDGET
    told = from_trace(traced, plan.identity)
    assert [each.decide for each in told] == [gas for gas, _ in replayed]
    assert {each.verify for each in told} == {0}
