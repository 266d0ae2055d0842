"""Commands refuse a place for their result before any work: no chain, no circuit, nothing written.

Work would be told of on stderr, so that one line there means that none was begun.
"""

from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error

COMMANDS = {
    "deploy": ("deploy", "--rpc", "http://127.0.0.1:9", "--key-file", "nowhere", "--yes", "--out"),
    "run": ("run", "withdraw 5 USDC", "--receipt"),
    "demo": ("demo", "--receipt"),
    "prove": ("prove", "wallet", "--prompt", "withdraw 5 USDC", "--out"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["missing/result.json", "file/result.json", "/proc/result.json"])
def test_a_place_that_cannot_be_written_is_refused_at_once(
    command: str, place: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert exit_code(*COMMANDS[command], tmp_path / place) == 1
    error = one_line_error(capsys)
    assert error.startswith(f"error: {tmp_path / place} cannot be written (")
    assert error.endswith("): choose another place\n")
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


@pytest.mark.parametrize("command", ["deploy", "run", "demo"])
def test_what_cannot_be_made_again_is_never_overwritten(
    command: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("mine")
    assert exit_code(*COMMANDS[command], tmp_path / "mine") == 1
    assert "is there already: name another file" in one_line_error(capsys)
    assert (tmp_path / "mine").read_text() == "mine"
    assert list(tmp_path.iterdir()) == [tmp_path / "mine"]


@pytest.mark.parametrize("name", ["deployment.json", "owner.key"])
def test_a_chain_to_keep_overwrites_neither_deployment_nor_key(
    name: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / name).write_text("mine")
    assert exit_code("chain", "--folder", folder) == 1
    assert f"{folder / name} is there already" in one_line_error(capsys)
    assert (folder / name).read_text() == "mine"
    assert list(folder.iterdir()) == [folder / name]


def test_a_wallet_is_not_trained_for_a_folder_that_cannot_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert exit_code("model", "train", "wallet", "--out", tmp_path / "file" / "wallet") == 1
    assert one_line_error(capsys).endswith("is a file): choose another place\n")


def test_a_chain_to_keep_needs_a_folder_that_can_be_made(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("chain", "--folder", "/proc/local-chain") == 1
    error = one_line_error(capsys)
    assert error.startswith("error: /proc/local-chain cannot be written (")
    assert error.endswith("): choose another place\n")
    assert not home.exists()
