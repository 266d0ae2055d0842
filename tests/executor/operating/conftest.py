"""A desk for each test, on the session's chain."""

from collections.abc import Iterator

import pytest

from tests.support.desk_stage import DeskStage, desk_stage
from zkagent.circuits.systems import EVALUATED
from zkagent.models.catalogue import Model, load_model
from zkagent.verifier_contracts.chain.local import Anvil


@pytest.fixture(scope="module")
def deployed(anvil: Anvil) -> Iterator[DeskStage]:
    model = load_model("wallet", Model)
    with desk_stage(anvil, model, EVALUATED.build(model.onnx_path)) as stage:
        yield stage


@pytest.fixture
def stage(deployed: DeskStage) -> Iterator[DeskStage]:
    snapshot = deployed.anvil.snapshot()
    yield deployed
    deployed.anvil.rpc("evm_setAutomine", True)
    deployed.anvil.revert(snapshot)


@pytest.fixture(scope="module")
def deployed_late(anvil: Anvil) -> Iterator[DeskStage]:
    model = load_model("wallet", Model)
    with desk_stage(anvil, model, EVALUATED.build(model.onnx_path), late=True) as stage:
        yield stage


@pytest.fixture
def late(deployed_late: DeskStage) -> Iterator[DeskStage]:
    snapshot = deployed_late.anvil.snapshot()
    yield deployed_late
    deployed_late.anvil.rpc("evm_setAutomine", True)
    deployed_late.anvil.revert(snapshot)
