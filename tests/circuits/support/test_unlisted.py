"""Files that no folder lists."""

import os
from pathlib import Path

import pytest

from zkagent.circuits.support import unlisted
from zkagent.circuits.support.unlisted import unlisted_file


def test_a_file_is_written_and_read_by_its_path_and_gone_after_the_block() -> None:
    with unlisted_file() as one, unlisted_file() as other:
        one.write_text("secret")
        assert (one.read_text(), other.read_text()) == ("secret", "")
        one.write_text("less")
        assert one.read_text() == "less"
    assert not one.exists()


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="files in memory are Linux's")
def test_no_folder_lists_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with unlisted_file() as path:
        path.write_text("secret")
        assert list(tmp_path.iterdir()) == []


def test_elsewhere_it_lies_in_a_folder_for_the_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(unlisted, "DESCRIPTORS", tmp_path / "none")
    with unlisted_file() as path:
        path.write_text("secret")
        assert path.parent.stat().st_mode & 0o077 == 0
        assert path.parent.parent == tmp_path
    assert list(tmp_path.iterdir()) == []
