"""An agent that no chain makes is refused by name and size before anything is built or sent."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import exit_code, without_progress
from zkagent.executor.chain.embedded import EmbeddedChain

LARGE = 'contract Large {{ bytes public text; constructor() {{ text = hex"{}"; }} }}'


def large(folder: Path, size: int) -> Path:
    path = folder / "Large.sol"
    path.write_text(f"pragma solidity ^0.8.30;\n{LARGE.format('ab' * size)}\n")
    return path


def refusal(capsys: pytest.CaptureFixture[str]) -> str:
    """The last line of what was said; results may stand before it."""
    *_, last = without_progress(capsys.readouterr().err).splitlines()
    assert last.startswith("error: ")
    return last


def test_neither_build_nor_deploy_takes_what_is_too_large_to_be_made(
    embedded: EmbeddedChain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, key = large(tmp_path, 50_000), tmp_path / "key"
    key.write_text(bytes(embedded.owner.key).hex())
    assert exit_code("agent", "build", source) == 1
    said = refusal(capsys)
    assert "Large is too large to be deployed" in said
    assert "49,152 are allowed (EIP-3860)" in said
    before = embedded.web3.eth.get_transaction_count(embedded.owner.address)
    chain = ("--rpc", embedded.anvil.rpc_url, "--key-file", key)
    deploy = ("agent", "deploy", source, *chain, "--out", tmp_path / "Large.json", "--yes")
    assert exit_code(*deploy) == 1
    assert refusal(capsys) == said
    assert embedded.web3.eth.get_transaction_count(embedded.owner.address) == before
    assert exit_code("agent", "build", large(tmp_path, 40_000)) == 0
    assert "of 49,152" in capsys.readouterr().out


@pytest.mark.slow
def test_a_reader_that_says_too_much_is_refused_when_it_is_built_and_when_it_was_fitted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], toolchain: Any
) -> None:
    folder = tmp_path / "Game"
    assert exit_code("agent", "new", "Game", "--kind", "reader", "--folder", folder) == 0
    capsys.readouterr()
    assert exit_code("agent", "build", folder) == 0
    tools = folder / "tools.yaml"
    assert tools.read_text().count(" description: ") == 6
    long = "Long ago by the fire " * 90  # 1,890 letters of 2,000
    tools.write_text(tools.read_text().replace(" description: ", f" description: {long}"))
    for words in (("agent", "build"), ("model", "train", "--agent")):
        capsys.readouterr()
        assert exit_code(*words, folder) == 1
        error = refusal(capsys)
        assert "Game is too large to be deployed" in error
        assert "fewer or shorter prompts under `means`" in error
    assert (folder / "tuned.json").exists()
