"""Foreign tools and tokens that are something else when the blocks around a run are over: what
happened has its receipt, by pins and signed facts."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import zkagent
from tests.support.evaluated_stage import Stage, evaluated_stage
from tests.support.lying_node import lying_node
from zkagent.circuits.systems import EVALUATED
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil

#: 1 to whatever it is asked, but so much and 1 when asked for its decimals.
TELLS = "5f3560e01c63313ce5671460{:02x}0260010 15f5260205ff3".replace(" ", "")


@pytest.fixture(scope="module")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@pytest.fixture
def stage(opened: Stage) -> Iterator[Stage]:
    snapshot = opened.chain.anvil.snapshot()
    yield opened
    opened.chain.anvil.rpc("evm_setAutomine", True)
    opened.chain.anvil.revert(snapshot)


def around(
    stage: Stage, away: Callable[[], None], back: Callable[[], None], behind: bool
) -> Callable[[Callable[[], Any]], Any]:
    """When the run is handed in: a block that ends `away`, and then the run. behind: its block ends
    `away`, too."""

    def hand_in(honest: Callable[[], Any]) -> Any:
        away()
        stage.chain.anvil.rpc("evm_mine")
        back()
        name = honest()
        if behind:
            stage.chain.web3.eth.wait_for_transaction_receipt(name, timeout=30)
            away()
        return name

    return hand_in


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_token_that_was_another_one_when_the_block_before_was_over(
    stage: Stage, tmp_path: Path, runs: Path, interrupted: bool, behind: bool
) -> None:
    """The decimals that count are in the signed facts, which the executor looked at."""
    token = "0x" + "7a" * 20
    anvil = stage.chain.anvil

    def has(decimals: int) -> Callable[[], None]:
        return lambda: anvil.rpc("anvil_setCode", token, "0x" + TELLS.format(decimals - 1))

    has(6)()
    anvil.rpc("evm_mine")
    key_file = tmp_path / "key"
    key_file.write_text(bytes(stage.chain.owner.key).hex())
    with lying_node(anvil.rpc_url) as node:
        node.lies["eth_sendRawTransaction"] = around(stage, has(18), has(6), behind)
        with zkagent.agent(node.url, stage.chain.deployment.agent, key_file=key_file) as agent:
            if interrupted:
                agent.carrier._remember = lambda record, preview: None  # type: ignore[method-assign]
            run = agent.run(f"send 1.5 {token} to {stage.chain.friend.address}")
    assert zkagent.verify_receipt(run.receipt).accepted
    report = zkagent.verify_receipt(run.receipt, rpc=anvil.rpc_url)
    broken = {check.claim for check in report.checks if not check.held}
    assert "the context was there" not in broken
