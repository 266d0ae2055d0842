"""deployment.json: it reads back, and nothing else reads as one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from zkagent.verifier_contracts.deployment.record import (
    Deployment,
    ModelContracts,
    Token,
    load_deployment,
)
from zkagent.verifier_contracts.errors import DeploymentFileError

DEPLOYMENT = Deployment(
    chain_id=31337,
    block=30,
    model="wallet",
    manifest_digest="a" * 64,
    circuit="b" * 64,
    development_srs=True,
    owner="0xowner",
    contracts=ModelContracts(("0x1", "0x2"), "0x3", "0x4", "0x5", "0x6"),
    registry="0x7",
    model_id=1,
    executor="0x8",
    pool="0x9",
    symbol_book="0xa",
    tokens=(Token("USDC", "0xb", 6),),
    agent="0xc",
    wallet="0xd",
    tools=(("ViewBalance", "0xe"),),
)


def test_it_reads_back_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "deployment.json").write_text(DEPLOYMENT.to_json())
    assert load_deployment(tmp_path / "deployment.json") == DEPLOYMENT


def test_tokens_and_tools_are_found_by_name() -> None:
    assert DEPLOYMENT.token("USDC").decimals == 6
    assert DEPLOYMENT.tool("ViewBalance") == "0xe"
    assert DEPLOYMENT.contracts.components == ("0x1", "0x2", "0x3")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace("zkagent-deployment-1", "zkagent-deployment-9"),
        lambda text: text.replace('"pool"', '"lake"'),
        lambda text: text.replace('"decimals"', '"digits"'),
        lambda text: text.replace('"encoder"', '"coder"'),
    ],
)
def test_anything_else_is_refused_and_named(tmp_path: Path, change: Callable[[str], str]) -> None:
    path = tmp_path / "other.json"
    path.write_text(change(DEPLOYMENT.to_json()))
    with pytest.raises(DeploymentFileError, match=r"other\.json is not a deployment file"):
        load_deployment(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DeploymentFileError, match="nowhere"):
        load_deployment(tmp_path / "nowhere")
