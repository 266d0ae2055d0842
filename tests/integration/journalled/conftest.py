"""One agent for the tests of this folder; what a test does to its chain is undone."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.journalled.world import FIVE, World
from tests.support.evaluated_stage import Stage, evaluated_stage
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.runs import settlement
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil


@pytest.fixture(scope="package")
def opened(anvil: Anvil, wallet: Model) -> Iterator[Stage]:
    with evaluated_stage(anvil, wallet, EVALUATED.build(wallet.onnx_path)) as made:
        yield made


@pytest.fixture
def world(
    opened: Stage, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    monkeypatch.setattr(settlement, "TAKEN_S", 0.3)
    monkeypatch.setattr(settlement, "REBROADCAST_S", 0.3)
    (tmp_path / "key").write_text(bytes(opened.chain.owner.key).hex())
    snapshot = opened.chain.anvil.snapshot()
    yield World(opened, tmp_path / "key", runs)
    opened.chain.anvil.rpc("evm_setAutomine", True)
    opened.chain.anvil.revert(snapshot)


@pytest.fixture
def deposited(world: World) -> Callable[[], tuple[int, int]]:
    """How often five USDC were deposited since, and how many transactions the owner had mined."""
    pool, mined = world.stage.usdc().pool, world.stage.mined_by_owner()
    return lambda: (
        (world.stage.usdc().pool - pool) // FIVE,
        world.stage.mined_by_owner() - mined,
    )


@pytest.fixture
def target(world: World, tmp_path: Path) -> list[str]:
    (tmp_path / "deployment.json").write_text(world.stage.chain.deployment.to_json())
    where = ["--rpc", world.anvil.rpc_url, "--key-file", str(world.key)]
    return [*where, "--deployment", str(tmp_path / "deployment.json")]
