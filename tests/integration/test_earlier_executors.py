"""Agents whose executor is of a version that did not name the model it obeyed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import zkagent
from tests.support.evaluated_stage import Stage, evaluated_stage
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.chain import abi
from zkagent.executor.chain.web3_agent import EARLIER_EXECUTOR
from zkagent.executor.errors import NoAgentThere
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil


@pytest.fixture
def stage(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


def test_nothing_is_signed_for_an_agent_whose_runs_would_have_no_receipt(
    stage: Stage, tmp_path: Path, runs: Path
) -> None:
    """The executor's code as it is, but that its events have the earlier name."""
    chain = stage.chain
    code = bytes(chain.web3.eth.get_code(chain.deployment.executor))
    earlier = code.replace(abi.DECISION_VERIFIED.topic, abi.VERIFIED_EARLIER.topic)
    assert earlier != code
    chain.anvil.rpc("anvil_setCode", chain.deployment.executor, "0x" + earlier.hex())
    before = stage.mined_by_owner()
    key_file = tmp_path / "key"
    key_file.write_text(bytes(chain.owner.key).hex())
    with (
        pytest.raises(NoAgentThere, match=EARLIER_EXECUTOR.split(",", 1)[0]),
        zkagent.agent(chain.anvil.rpc_url, chain.deployment.agent, key_file=key_file) as agent,
    ):
        agent.run("deposit 5 USDC")
    assert stage.mined_by_owner() == before


def test_what_such_an_executor_says_is_no_verdict(
    stage: Stage, tmp_path: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = stage.chain
    key_file = tmp_path / "key"
    key_file.write_text(bytes(chain.owner.key).hex())
    with zkagent.agent(chain.anvil.rpc_url, chain.deployment.agent, key_file=key_file) as agent:
        receipt = agent.run("deposit 5 USDC").receipt
    from zkagent.executor.chain import web3_happened

    honest = dict(web3_happened.VERIFIED)
    kinds = honest.pop(abi.DECISION_VERIFIED.topic)
    read = abi.decode_canonical
    monkeypatch.setitem(web3_happened.VERIFIED, abi.DECISION_VERIFIED.topic, kinds[1:])
    monkeypatch.setattr(
        abi,
        "decode_canonical",
        lambda types, data: read(types, data[32:] if types == kinds[1:] else data),
    )
    report = zkagent.verify_receipt(receipt, rpc=chain.anvil.rpc_url)
    (problem,) = report.problems
    assert (report.verdict, problem.claim) == ("unknown", "every decision was verified")
