"""A folder's name need not be text: whatever bytes the system takes, commands take."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from zkagent.models.catalogue import MANIFEST, Model, load_model


@pytest.mark.parametrize("name", [b"m\xff", b"\xc3(", "Müller".encode(), b"a\tb", b"a b"])
def test_a_models_folder_may_have_any_name(
    name: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / os.fsdecode(name)
    shutil.copytree(load_model("wallet", Model).directory, folder)
    assert exit_code("decide", folder, "deposit 5 USDC") == 0
    printed = capsys.readouterr()
    assert "Deploy" in printed.out
    source = tmp_path / os.fsdecode(name + b".sol")
    assert exit_code("model", "evm", folder, "--out", source) == 0
    assert source.exists()
    capsys.readouterr()
    damaged = folder.rename(tmp_path / os.fsdecode(name + b".damaged"))
    (damaged / MANIFEST).write_text("{}")
    assert exit_code("decide", damaged, "deposit 5 USDC") == 1
    assert f".damaged/{MANIFEST}: " in one_line_error(capsys)
