"""An agent of one's own: deployed by a command, and on a chain that a command keeps."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.schemas import problems, shipped
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.cli.main import main

COMMAND = (sys.executable, "-m", "zkagent")


@pytest.fixture
def key(embedded: EmbeddedChain, tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(bytes(embedded.owner.key).hex())
    return path


def test_a_deployed_agent_obeys_its_owner(
    embedded: EmbeddedChain, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deployment.json"
    where = ["--rpc", embedded.anvil.rpc_url, "--key-file", str(key)]
    main(["deploy", *where, "--out", str(out), "--yes"])
    deployed = json.loads(out.read_text())
    schema = shipped("zkagent.verifier_contracts.deployment", "deployment.schema.json")
    assert problems(deployed, schema) == []
    assert deployed["agent"] != embedded.deployment.agent
    assert deployed["agent"] in capsys.readouterr().out
    receipt = ["--receipt", str(tmp_path / "receipt.json")]
    main(["run", "deposit 5 USDC", "--yes", *where, "--deployment", str(out), "--json", *receipt])
    done = json.loads(capsys.readouterr().out)
    assert done["iterations"][0]["action"] == "Deploy"
    kept = json.loads((tmp_path / "receipt.json").read_text())
    assert problems(kept, shipped("zkagent.executor.receipts", "receipt.schema.json")) == []


def test_nothing_is_deployed_for_more_than_the_caps(
    embedded: EmbeddedChain, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deployment.json"
    before = embedded.web3.eth.get_transaction_count(embedded.owner.address)
    where = ["--rpc", embedded.anvil.rpc_url, "--key-file", str(key), "--out", str(out), "--yes"]
    with pytest.raises(SystemExit) as ended:
        main(["deploy", *where, "--max-fee", "0.000000001"])
    assert ended.value.code == 1
    assert "--max-fee" in capsys.readouterr().err.splitlines()[-1]
    assert embedded.web3.eth.get_transaction_count(embedded.owner.address) == before
    assert not out.exists()


def test_a_deployment_that_is_there_is_never_overwritten(
    embedded: EmbeddedChain, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deployment.json"
    out.write_text("mine")
    before = embedded.web3.eth.block_number
    with pytest.raises(SystemExit):
        main(["deploy", "--rpc", embedded.anvil.rpc_url, "--key-file", str(key), "--out", str(out)])
    assert capsys.readouterr().err == (
        f"error: {out} is there already: name another file, or move it away\n"
    )
    assert out.read_text() == "mine"
    assert embedded.web3.eth.block_number == before


def test_a_receipt_of_another_run_is_never_overwritten(
    embedded: EmbeddedChain, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    receipt, before = tmp_path / "receipt.json", embedded.web3.eth.block_number
    receipt.write_text("of another run")
    where = ["--rpc", embedded.anvil.rpc_url, "--key-file", str(key)]
    agent = ["--agent", embedded.deployment.agent]
    with pytest.raises(SystemExit):
        main(["run", "deposit 5 USDC", *where, *agent, "--yes", "--receipt", str(receipt)])
    assert "is there already" in capsys.readouterr().err
    assert receipt.read_text() == "of another run"
    assert embedded.web3.eth.block_number == before


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_a_chain_stays_until_it_is_ended_and_leaves_nothing(
    wallet_circuit: object, tmp_path: Path, end: signal.Signals
) -> None:
    folder = tmp_path / "a chain"
    with _chain(folder) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("the chain ends"):
                break
        assert (folder / "owner.key").stat().st_mode & 0o077 == 0
        (pasted,) = re.findall(r"^try     zkagent (.+)", "".join(lines), re.MULTILINE)
        run = [*COMMAND, *shlex.split(pasted)]
        planned = subprocess.run([*run, "--dry-run", "--json"], capture_output=True, check=True)
        assert json.loads(planned.stdout)["iterations"][0]["action"] == "Deploy"
        process.send_signal(end)
        assert process.wait(120) == 130
    assert not folder.exists()


@contextmanager
def _chain(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    words = [*COMMAND, "chain", "--folder", str(folder)]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()
