"""Anvil runs nothing that a folder names, whichever the command is started in, and gets none of
our settings."""

import tempfile
from pathlib import Path

import pytest

from zkagent.circuits.support.cache import cache_root
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.deployment.rehearsal import rehearse
from zkagent.verifier_contracts.errors import AnvilError
from zkagent.verifier_contracts.toolchain.anvil import IN_MEMORY, MOST_STATES, AnvilProcess


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of somebody else: whatever is started there as a compiler leaves a mark."""
    mark, tool = tmp_path / "mark", tmp_path / "tool.sh"
    tool.write_text(f"#!/bin/sh\necho \"$ZKAGENT_KEY\" >> '{mark}'\nexit 1\n")
    tool.chmod(0o755)
    (tmp_path / "foundry.toml").write_text(f'[profile.default]\nsolc = "{tool}"\n')
    (tmp_path / ".env").write_text(f"FOUNDRY_SOLC={tool}\nDAPP_SOLC={tool}\n")
    return tmp_path


@pytest.mark.parametrize("where", ["here", "below", "temporary", "environment"])
def test_what_a_folder_names_as_the_compiler_is_not_run(
    folder: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = folder / "below"
    below.mkdir()
    if where == "temporary":
        monkeypatch.setattr(tempfile, "tempdir", str(below))
    elif where == "environment":
        monkeypatch.setenv("FOUNDRY_SOLC", str(folder / "tool.sh"))
    else:
        monkeypatch.chdir(folder if where == "here" else below)
    with Anvil() as chain:
        assert chain.rpc("web3_clientVersion").startswith("anvil")
    assert not (folder / "mark").exists()


def test_anvil_gets_neither_our_settings_nor_a_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it asks is on this machine."""
    anvil = tmp_path / "anvil"
    anvil.write_text("#!/bin/sh\nenv\nexit 1\n")
    anvil.chmod(0o755)
    names = ["ZKAGENT_KEY_PASSWORD", "FOUNDRY_ETH_RPC_URL", "DAPP_SOLC", "http_proxy"]
    for name in [*names, "HTTPS_PROXY", "All_Proxy"]:
        monkeypatch.setenv(name, "s3cr3t")
    monkeypatch.setenv("NOBODY_S_SETTING", "kept")
    monkeypatch.setattr(AnvilProcess, "log_tail", lambda self: self.log_path.read_text())
    with pytest.raises(AnvilError, match="NOBODY_S_SETTING=kept") as caught:
        AnvilProcess(anvil, (), 5)
    assert "s3cr3t" not in str(caught.value)


ACCOUNT = "0x" + "11" * 20


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's, with the cache that is there."""
    monkeypatch.setenv("ZKAGENT_HOME", str(cache_root()))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_states_of_older_blocks_are_in_a_folder_of_ours_and_go_with_it(home: Path) -> None:
    """The last ones, however many blocks there are."""
    with Anvil() as chain:
        states = chain.process.states_path
        chain.rpc("anvil_mine", 3_000)
        chain.rpc("anvil_setBalance", ACCOUNT, "0x7")
        chain.rpc("anvil_mine", 900)
        assert 0 < len(list(states.rglob("*.json"))) <= MOST_STATES
        assert chain.rpc("eth_getBalance", ACCOUNT, hex(3_001)) == "0x7"
    assert not states.exists()
    assert not list(home.rglob("*.json"))


def test_in_memory_states_of_reverted_blocks_push_none_out(home: Path) -> None:
    with Anvil(states=IN_MEMORY) as chain:
        chain.rpc("anvil_setBalance", ACCOUNT, "0x7")
        chain.rpc("anvil_mine", 1)
        for _ in range(15):
            snapshot = chain.snapshot()
            chain.rpc("anvil_mine", 300)
            assert chain.rpc("eth_getBalance", ACCOUNT, "0x1") == "0x7"
            chain.revert(snapshot)
        assert chain.rpc("eth_getBalance", ACCOUNT, "0x1") == "0x7"
        assert not chain.process.states_path.exists()
    assert not list(home.rglob("*.json"))


def test_the_session_s_chain_refuses_what_would_limit_its_states_for_good(chain: Anvil) -> None:
    with pytest.raises(ValueError, match="start an Anvil for this test alone"):
        chain.rpc("evm_setIntervalMining", 1)


def test_what_anvil_said_last_is_one_line_that_hides_no_line_s_end(tmp_path: Path) -> None:
    anvil = tmp_path / "anvil"
    anvil.write_text("#!/bin/sh\nprintf 'Error: no\\n\\nContext:\\n- HTTP error 429\\n'\nexit 1\n")
    anvil.chmod(0o755)
    with pytest.raises(AnvilError) as caught:
        AnvilProcess(anvil, (), 5)
    said = "anvil ended with code 1; its log: Error: no | Context: | - HTTP error 429"
    assert str(caught.value) == said


def test_a_rehearsal_that_the_node_refuses_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Anvil) -> Anvil:
        raise AnvilError("anvil ended with code 1; its log: HTTP error 429")

    monkeypatch.setattr(Anvil, "start", refuse)
    with pytest.raises(AnvilError, match=r"429: if the node refused.*ask another node"):
        rehearse(1, "0x" + "11" * 20, lambda carrier: None, "http://127.0.0.1:1")
    with pytest.raises(AnvilError, match=r"^anvil ended with code 1; its log: HTTP error 429$"):
        rehearse(1, "0x" + "11" * 20, lambda carrier: None)
