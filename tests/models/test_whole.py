"""What is written is there as a whole, or what was there is as it was."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.disks import file_limit, fill, small_disk
from zkagent.models.whole import write_file, write_folder

OLD = {"a.bin": b"old", "manifest.json": b"old, too"}
FRESH = {"a.bin": b"n" * 100_000, "manifest.json": b"fresh"}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def write_one(folder: Path) -> None:
    write_file(folder / "a.bin", FRESH["a.bin"])


def write_all(folder: Path) -> None:
    write_folder(folder, FRESH)


@pytest.mark.parametrize("write", [write_one, write_all])
def test_a_limit_leaves_what_was_there(write: Callable[[Path], None], tmp_path: Path) -> None:
    write_folder(tmp_path / "model", OLD)
    with file_limit(50_000), pytest.raises(OSError, match=r"File too large.*/model") as caught:
        write(tmp_path / "model")
    assert caught.value.errno == errno.EFBIG
    assert tree(tmp_path / "model") == OLD
    write(tmp_path / "model")
    assert (tmp_path / "model" / "a.bin").read_bytes() == FRESH["a.bin"]


@pytest.mark.parametrize("write", [write_one, write_all])
def test_a_full_disk_leaves_what_was_there(write: Callable[[Path], None], tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        write_folder(disk / "model", OLD)
        free = fill(disk)
        with pytest.raises(OSError, match=r"No space left on device.*/model"):
            write(disk / "model")
        assert tree(disk / "model") == OLD
        free()


def test_a_folder_that_cannot_be_filled_is_not_made(tmp_path: Path) -> None:
    with file_limit(50_000), pytest.raises(OSError, match="File too large"):
        write_folder(tmp_path / "in" / "here", FRESH, new=True)
    assert not list(tmp_path.iterdir())
    write_folder(tmp_path / "in" / "here", FRESH, new=True)
    assert tree(tmp_path / "in" / "here") == FRESH
    with pytest.raises(FileExistsError):
        write_folder(tmp_path / "in" / "here", OLD, new=True)
    assert tree(tmp_path / "in" / "here") == FRESH


def test_the_manifest_gets_its_name_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []
    replace = Path.replace

    def noted(self: Path, target: Path) -> Path:
        named.append(Path(target).name)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", noted)
    write_folder(tmp_path, FRESH)
    assert named == list(FRESH)


def test_permissions_stay_and_what_is_private_is(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_bytes(b"")
    path.chmod(0o640)
    write_file(path, b"x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before = os.umask(0)
    try:
        write_file(tmp_path / "key", b"x", private=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
