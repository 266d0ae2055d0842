"""A stranger's agent on a chain of its own; what a test does is undone.

Neither agent nor client knows this repository: no symbol book, no owner, a model by its name,
amounts as INT, a tool without code, a balance without a unit
(`verifier_contracts/strangers/ErcWallet.sol`).
"""

from collections.abc import Iterator

import pytest

from tests.support.plain_stage import PlainStage, plain_stage
from tests.support.progress import quiet
from tests.support.scripted_reader import scripted_model
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import GROTH16
from zkagent.executor.runs.session import Session, open_embedded, open_session
from zkagent.models.catalogue import InstructionModel


@pytest.fixture(scope="package")
def model(tmp_path_factory: pytest.TempPathFactory) -> InstructionModel:
    return scripted_model(tmp_path_factory.mktemp("models") / "scripted")


@pytest.fixture(scope="package")
def circuit(model: InstructionModel) -> Circuit:
    pytest.importorskip("groth16py")
    return GROTH16.build(model.onnx_path)


@pytest.fixture(scope="package")
def opened(model: InstructionModel, circuit: Circuit) -> Iterator[PlainStage]:
    with open_embedded(model, circuit, quiet) as (_, chain):
        yield plain_stage(chain)


@pytest.fixture
def stage(opened: PlainStage) -> Iterator[PlainStage]:
    anvil = opened.chain.anvil
    snapshot = anvil.snapshot()
    yield opened
    anvil.revert(snapshot)


@pytest.fixture
def session(stage: PlainStage, model: InstructionModel, circuit: Circuit) -> Iterator[Session]:
    """Of the runner's owner."""
    chain = stage.chain
    with open_session(chain.web3, stage.runner, chain.owner, model, circuit) as found:
        yield found


@pytest.fixture
def deposit(stage: PlainStage) -> bytes:
    return f"deposit 5.5 {stage.token}".encode()
