"""Commands refuse a place for their result before any work: no chain, no circuit, nothing written.

Work would be told of on stderr, so that one line there means that none was begun.
"""

import ast
import os
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.command_tree import TREE
from zkagent.executor.cli import evm

ROOT = Path(__file__).parents[3]

COMMANDS = {
    "deploy": ("deploy", "--rpc", "http://127.0.0.1:9", "--key-file", "nowhere", "--yes", "--out"),
    "run": ("run", "withdraw 5 USDC", "--receipt"),
    "demo": ("demo", "--receipt"),
    "prove": ("prove", "wallet", "--prompt", "withdraw 5 USDC", "--out"),
}


KEY = ("--rpc", "http://127.0.0.1:9", "--key-file", "nowhere", "--yes")
ORIGIN = ("--model", "wallet", "--ptau", "nowhere")
#: All that write one file where a user says.
WRITING = COMMANDS | {
    "agent build": ("agent", "build", "nowhere.sol", "--out"),
    "agent deploy": ("agent", "deploy", "nowhere.sol", *KEY, "--out"),
    "agent run": ("agent", "run", ROOT / "examples/agents/thermostat", *KEY, "--receipt"),
    "ceremony contribute": ("ceremony", "contribute", "k", "--name", "A", *ORIGIN, "--out"),
    "model import": ("model", "import", __file__, "--out"),
    "model evm": ("model", "evm", "wallet", "--out"),
}


@pytest.mark.parametrize("command", WRITING)
@pytest.mark.parametrize("linked", [False, True])
def test_what_is_neither_file_nor_pipe_nor_device_is_refused_and_stays(
    command: str, linked: bool, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, link = tmp_path / "socket", tmp_path / "link"
    link.symlink_to(place)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
    named = link if linked else place
    assert exit_code(*WRITING[command], named) == 1
    error = one_line_error(capsys)
    assert error == f"error: {named} cannot be written (it is a socket): choose another place\n"
    assert (place.is_socket(), link.is_symlink()) == (True, True)
    assert sorted(tmp_path.iterdir()) == [link, place]


def writers() -> set[str]:
    """Commands that take one file to write, by their options."""
    return {
        name.removeprefix("zkagent ")
        for name, command in TREE.items()
        for option in command.params
        if option.name in ("out", "receipt_path") and not _is_folder(option)
    }


def _is_folder(option: click.Parameter) -> bool:
    assert isinstance(option, click.Option)
    told = f"{option.metavar} {option.help}".lower()
    return "folder" in told


def test_all_commands_that_write_one_file_are_tried() -> None:
    looking_for_the_run_first = {"runs replace", "runs resume"}
    assert writers() == set(WRITING) | looking_for_the_run_first


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_gets_the_result_and_stays(linked: bool, tmp_path: Path) -> None:
    place, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(place)
    link.symlink_to(place)
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(place.read_text)
        assert exit_code("model", "evm", "wallet", "--out", link if linked else place) == 0
        assert "contract " in reading.result(60)
    assert (place.is_fifo(), link.is_symlink()) == (True, True)
    assert sorted(tmp_path.iterdir()) == [link, place]


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


#: What follows after such a look decides anew, by a place of its own or by what it holds.
LOOKING = {
    ("executor/api/agents.py", "_wanted_and_has_a_place"),
    ("executor/cli/ceremony.py", "contribute_command"),
    ("executor/cli/deploy.py", "chain_command"),
    ("executor/cli/deploying.py", "agree"),
    ("executor/cli/run.py", "carry_out"),
}


def test_whoever_looks_at_a_place_writes_where_that_led() -> None:
    """A link that is laid there while the work is done leads to another file."""
    dropped = {
        (str(path.relative_to(ROOT)), function)
        for path in sorted((ROOT / "executor").rglob("*.py"))
        for function, statement in statements(ast.parse(path.read_text()))
        if isinstance(statement, ast.Expr)
        and re.search(r"\b(check|_?record)_place\(", ast.unparse(statement))
    }
    assert dropped == LOOKING


def statements(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Each of a function, with the function's name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from ((node.name, each) for each in ast.walk(node) if isinstance(each, ast.stmt))


def test_a_link_that_is_laid_while_a_command_works_has_no_other_file_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, key, generate = tmp_path / "model.sol", tmp_path / "key", evm._generated

    def lay(*given: Any) -> Any:
        place.symlink_to(key)
        return generate(*given)

    key.write_text("the only copy")
    monkeypatch.setattr(evm, "_generated", lay)
    assert exit_code("model", "evm", "wallet", "--out", place) == 1
    assert "model.sol is there already" in one_line_error(capsys)
    assert key.read_text() == "the only copy"
