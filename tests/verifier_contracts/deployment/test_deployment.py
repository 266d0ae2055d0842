"""deployment.json: it reads back, and nothing else reads as one."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.schemas import accepted_neighbours, problems, shipped
from zkagent.verifier_contracts.deployment.own_agent import (
    OwnAgent,
    OwnContract,
    is_agent,
    load_agent,
)
from zkagent.verifier_contracts.deployment.record import (
    Deployment,
    ModelContracts,
    Token,
    load_deployment,
)
from zkagent.verifier_contracts.errors import DeploymentFileError
from zkagent.verifier_contracts.toolchain.compile import Contract


def address(number: int) -> str:
    return f"0x{number:040X}"


DEPLOYMENT = Deployment(
    chain_id=31337,
    block=30,
    model="wallet",
    manifest_digest="a" * 64,
    circuit="b" * 64,
    development_srs=True,
    owner=address(15),
    contracts=ModelContracts(
        (address(1), address(2)), address(3), address(4), address(5), address(6)
    ),
    registry=address(7),
    model_id=1,
    executor=address(8),
    pool=address(9),
    symbol_book=address(10),
    tokens=(Token("USDC", address(11), 6),),
    agent=address(12),
    wallet=address(13),
    tools=(("ViewBalance", address(14)),),
)


def test_it_reads_back_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "deployment.json").write_text(DEPLOYMENT.to_json())
    assert load_deployment(tmp_path / "deployment.json") == DEPLOYMENT


def test_a_deployment_file_fits_its_schema_and_its_neighbours_do_not() -> None:
    schema = shipped("zkagent.verifier_contracts.deployment", "deployment.schema.json")
    document = json.loads(DEPLOYMENT.to_json())
    assert problems(document, schema) == []
    assert accepted_neighbours(document, schema) == []
    for change in ({"agent": "0x1"}, {"circuit": "b" * 63}, {"tools": [["ViewBalance"]]}):
        assert problems(document | change, schema)


def test_what_the_agent_was_made_to_obey_is_recorded_and_earlier_records_say_nothing_of_it() -> (
    None
):
    schema = shipped("zkagent.verifier_contracts.deployment", "deployment.schema.json")
    pinned = replace(DEPLOYMENT, commitment="0x" + "c" * 64)
    document = json.loads(pinned.to_json())
    assert problems(document, schema) == []
    assert Deployment.from_json(pinned.to_json()) == pinned
    assert "commitment" not in json.loads(DEPLOYMENT.to_json())
    assert Deployment.from_json(DEPLOYMENT.to_json()).commitment == ""
    assert problems(document | {"commitment": "c" * 64}, schema)


def test_the_record_of_an_agent_of_one_s_own_fits_its_schema_and_its_neighbours_do_not(
    tmp_path: Path,
) -> None:
    schema = shipped("zkagent.verifier_contracts.deployment", "agent.schema.json")
    record = OwnAgent(31337, 7, "Allowance", address(12), address(10))
    (tmp_path / "Allowance.json").write_text(record.to_json())
    assert load_agent(tmp_path / "Allowance.json") == record
    document = json.loads(record.to_json())
    assert problems(document, schema) == []
    assert accepted_neighbours(document, schema) == []
    for change in ({"agent": "0x1"}, {"format": "zkagent-agent-2"}, {"block": -1}):
        assert problems(document | change, schema)


def test_the_record_of_what_is_no_agent_is_not_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "Gold.json"
    path.write_text(OwnContract(31337, 7, "Gold", address(12), address(10)).to_json())
    with pytest.raises(DeploymentFileError, match="it records a contract that is no agent"):
        load_agent(path)


FUNCTIONS = ("run", "runWithProofs", "agentExecutor", "owner")


@pytest.mark.parametrize(
    ("functions", "others", "expected"),
    [
        (FUNCTIONS, (), True),
        (("runWithProofs", "agentExecutor"), ("constructor", "event"), True),
        (("owner",), ("fallback",), True),
        (("runWithProofs",), ("receive",), False),
        (("agentExecutor", "run"), (), False),
        (("totalSupply", "transfer"), ("constructor",), False),
    ],
)
def test_an_agent_is_known_by_what_runs_call(
    functions: tuple[str, ...], others: tuple[str, ...], *, expected: bool
) -> None:
    abi: list[dict[str, str]] = [{"type": "function", "name": name} for name in functions]
    abi += [{"type": kind} for kind in others]
    assert is_agent(Contract("C", "C.sol", tuple(abi), b"\0", b"\0", {})) is expected


def test_tokens_and_tools_are_found_by_name() -> None:
    assert DEPLOYMENT.token("USDC").decimals == 6
    assert DEPLOYMENT.tool("ViewBalance") == address(14)
    assert DEPLOYMENT.contracts.components == (address(1), address(2), address(3))


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
