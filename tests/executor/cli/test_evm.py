"""`zkagent model evm` as users call it."""

import json
from pathlib import Path

import pytest

from tests.support.integer_networks import mlp
from tests.support.small_networks import relu_network
from zkagent.executor.cli.main import main
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.evm import generate_evm_model
from zkagent.verifier_contracts.evm.model import AS_WRITTEN
from zkagent.verifier_contracts.evm.solidity import NAME
from zkagent.verifier_contracts.toolchain.compile import compile_source


@pytest.fixture
def onnx(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(mlp())
    return path


def test_the_file_compiles_by_itself_to_the_same_code(
    toolchain: object, onnx: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "Model.sol"
    main(["model", "evm", str(onnx), "--out", str(out)])
    printed = capsys.readouterr()
    assert printed.out.startswith("9 inputs of 16 bits -> 3 outputs, 84 multiply-adds\n")
    assert f"wrote {out}" in printed.err
    source = out.read_text()
    assert "import" not in source
    assert source.count("SPDX-License-Identifier") == 1
    code = compile_source(NAME, source, AS_WRITTEN).bytecode
    assert code == generate_evm_model(mlp()).contract.bytecode


def test_json_holds_what_deployment_needs_and_the_gas_it_takes(
    toolchain: object, onnx: Path, chain: Anvil, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["model", "evm", str(onnx), "--gas", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["parts"] == []
    assert printed["contracts"] == 1
    assert 2_000 < printed["evaluation_gas"] < 4_000
    sent = chain.web3.eth.send_transaction(
        {"from": chain.accounts[0].address, "data": printed["bytecode"]}
    )
    receipt = chain.web3.eth.wait_for_transaction_receipt(sent)
    assert receipt["gasUsed"] == printed["deployment_gas"]
    contract = chain.web3.eth.contract(address=receipt["contractAddress"], abi=printed["abi"])
    assert len(contract.functions.evaluate([1] * 9).call()) == 3


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read (No such file or directory)"),
        (b"no model", "not a valid ONNX model"),
        (relu_network(), "input 'x' is FLOAT, expected INT64: only integer networks"),
    ],
)
def test_bad_files_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, reason: str
) -> None:
    path, out = tmp_path / "bad.onnx", tmp_path / "Model.sol"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SystemExit):
        main(["model", "evm", str(path), "--out", str(out)])
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert reason in line
    assert not out.exists()
