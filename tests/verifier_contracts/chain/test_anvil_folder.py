"""Anvil runs nothing that a folder names, whichever the command is started in."""

import tempfile
from pathlib import Path

import pytest

from zkagent.verifier_contracts.chain.local import Anvil


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
