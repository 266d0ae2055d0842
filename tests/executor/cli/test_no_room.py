"""No room on a disk, by a quota or a limit on files: one line, and what was there is as it was."""

import errno
import os
from pathlib import Path

import pytest

from tests.models.test_whole import tree
from tests.support.command_line import exit_code, one_line_error
from tests.support.disks import file_limit
from zkagent.executor.cli.main import _one_line as one_line

SETTINGS = "# mine\n" + "".join(f"# {i}\n" for i in range(100)) + 'rpc = "http://a"\n'


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "user" / "zkagent.toml"
    path.parent.mkdir()
    path.write_text(SETTINGS)
    monkeypatch.setenv("ZKAGENT_CONFIG", str(path))
    monkeypatch.chdir(tmp_path)
    return path


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("config set --user chain-id 31337", "user/zkagent.toml"),
        ("config unset --user rpc", "user/zkagent.toml"),
        ("config set chain-id 31337", "zkagent.toml"),
        ("config trust", "user/"),
        ("agent init Mine", "Mine"),
        ("agent init Mine --folder in/a/folder", "in/a/folder"),
        ("model evm wallet --out Model.sol", "Model.sol"),
    ],
)
def test_what_was_there_is_as_it_was(
    words: str, place: str, user: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if words == "config trust":
        Path("zkagent.toml").write_text('rpc = "http://b"\n')
    before = tree(tmp_path)
    with file_limit(16):
        assert exit_code(*words.split()) == 1
    error = one_line_error(capsys)
    assert place in error
    assert "cannot be read or written (File too large): make room" in error
    assert tree(tmp_path) == before
    assert not [path for path in tmp_path.rglob("*") if path.is_dir() and path != user.parent]
    assert exit_code(*words.split()) == 0
    assert tree(tmp_path) != before


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
@pytest.mark.parametrize("path", ["/some/where", None])
def test_no_room_is_told_in_a_line(code: int, path: str | None) -> None:
    line = one_line(OSError(code, os.strerror(code), path))
    assert line is not None
    assert f"({os.strerror(code)}): make room or choose another place" in line
    assert path is None or line.startswith(path)


def test_an_agents_name_is_looked_at_before_the_folder_of_that_name(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("agent", "init", "") == 1
    assert "'' cannot be an agent's name: it has to be 1 to 64" in one_line_error(capsys)
    assert exit_code("agent", "init", "A") == 0
    assert "contract A is" in Path("A/A.sol").read_text()
