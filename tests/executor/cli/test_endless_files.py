"""Files that strangers give may have no end: one line, and no more memory than that."""

from pathlib import Path

import pytest

from tests.support.command_line import exit_code
from zkagent.models import files

ENDLESS = "/dev/zero"
COMMANDS: dict[str, list[str]] = {
    "a receipt": ["verify-run", ENDLESS],
    "a deployment": ["agent", "audit", "--deployment", ENDLESS, "--rpc", "http://127.0.0.1:1"],
    "a registry's": ["model", "audit", "1", "--deployment", ENDLESS, "--rpc", "http://127.0.0.1:1"],
    "a proof": ["verify", ENDLESS],
    "a key": ["deploy", "--key-file", ENDLESS, "--rpc", "http://127.0.0.1:1", "--yes"],
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_it_is_refused_in_one_line(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert exit_code(*arguments) != 0
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert "Error" not in line.partition(":")[0]
    assert line.startswith("error: ")


def test_a_file_of_the_greatest_length_is_read_and_one_more_byte_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert files.read_limited(path, 3) == b"abc"
    with pytest.raises(OSError, match="longer than 2 bytes"):
        files.read_limited(path, 2)
