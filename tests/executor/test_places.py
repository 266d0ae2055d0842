"""Places for results: what is refused before the work begins, and that nothing is left there."""

import errno
import os
from pathlib import Path

import pytest

from zkagent.executor.errors import FileInTheWay, PlaceRefused
from zkagent.executor.places import check_folder, check_place, write_whole


def test_a_new_file_in_a_folder_is_fine_and_nothing_is_left_there(tmp_path: Path) -> None:
    check_place(tmp_path / "new.json")
    check_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_may_be_replaced_only_when_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("mine")
    with pytest.raises(FileInTheWay, match=r"mine is there already: name another file"):
        check_place(path)
    check_place(path, replaceable=lambda text: text == "mine")
    with pytest.raises(FileInTheWay):
        check_place(path, replaceable=lambda text: text != "mine")
    assert path.read_text() == "mine"


def test_what_is_written_is_there_as_a_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, link = tmp_path / "mine", tmp_path / "link"
    link.symlink_to(path)
    write_whole(link, "first")
    assert (path.read_text(), link.is_symlink()) == ("first", True)

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device.*link"):
        write_whole(link, "second")
    assert path.read_text() == "first"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "mine"]


def test_what_swallows_everything_is_no_file_in_the_way() -> None:
    check_place(Path(os.devnull))


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("missing/new", "there is no folder "),
        ("file/new", "there is no folder "),
        ("folder", "it is a folder"),
        ("dangling", "there is no folder "),
        ("n" * 300, "File name too long"),
        ("/proc/new", "No such file or directory"),
    ],
)
def test_what_cannot_be_written_is_refused(
    tmp_path: Path, place: str, reason: str, replace: bool
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "missing" / "new")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(PlaceRefused) as refused:
        check_place(tmp_path / place, replaceable=lambda _: replace)
    assert str(refused.value).startswith(f"{tmp_path / place} cannot be written ({reason}")
    assert str(refused.value).endswith("): choose another place")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_what_is_write_protected_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch(mode=0o400)
    with pytest.raises(PlaceRefused, match="write-protected"):
        check_place(file, replaceable=lambda _: True)
    tmp_path.chmod(0o500)
    with pytest.raises(PlaceRefused, match="Permission denied"):
        check_place(tmp_path / "new")


def test_a_folder_that_takes_no_files_is_refused() -> None:
    with pytest.raises(PlaceRefused, match=r"^/proc cannot be written"):
        check_folder(Path("/proc"))
