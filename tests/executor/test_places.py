"""Places for results: what is refused before the work begins, and that nothing is left there."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from zkagent.executor.cli.deploying import write_new
from zkagent.executor.errors import FileInTheWay, PlaceRefused
from zkagent.executor.places import (
    HeldFile,
    check_folder,
    check_place,
    held_files,
    write_whole,
)


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


def test_held_files_are_there_from_the_beginning_and_go_with_their_block(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with held_files(folder, "a", "b") as (a, b):
        assert (a.path, b.path) == (folder / "a", folder / "b")
        assert [path.read_bytes() for path in (a.path, b.path)] == [b"", b""]
        assert b.path.stat().st_mode & 0o077 == 0
        for name in ("a", "b"):
            with pytest.raises(FileInTheWay, match=f"{name} is there already"):
                HeldFile(folder / name)
        with pytest.raises(FileInTheWay), held_files(folder, "c", "a"):
            raise AssertionError("somebody else's place was taken")
        assert sorted(folder.iterdir()) == [folder / "a", folder / "b"]
        a.write("one")
        b.write("two")
        assert [path.read_text() for path in (a.path, b.path)] == ["one", "two"]
    assert list(tmp_path.iterdir()) == []


def written_into(path: Path) -> None:
    path.write_text("my own")


def put_there(path: Path) -> None:
    path.unlink()
    path.write_text("my own")


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("meddle", [written_into, put_there])
def test_what_somebody_else_put_into_a_held_place_stays(
    tmp_path: Path, meddle: Callable[[Path], None], early: bool
) -> None:
    with held_files(tmp_path / "folder", "a", "b") as (a, b):
        b.write("two")
        if not early:
            a.write("one")
        meddle(a.path)
        if early:
            with pytest.raises(FileInTheWay):
                a.write("one")
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["a"]
    assert a.path.read_text() == "my own"


def interrupted(held: HeldFile) -> None:
    held.write("one")
    raise KeyboardInterrupt


def test_what_fails_within_leaves_no_held_file(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    with pytest.raises(KeyboardInterrupt), held_files(tmp_path, "a", "b") as (a, _):
        interrupted(a)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    with pytest.raises(PlaceRefused), held_files(tmp_path / "kept" / "below", "a", "b"):
        pass
    with held_files(tmp_path, "a", "b") as (a, _):
        a.path.unlink()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full"])
def test_a_record_is_compared_with_a_file_alone(device: str, tmp_path: Path) -> None:
    """A device may have no end, and nothing that was ever written."""
    link = tmp_path / "Fresh.json"
    link.symlink_to(device)
    if device == "/dev/zero":
        write_new(link, "record")
    else:
        with pytest.raises(OSError, match="No space left"):
            write_new(link, "record")
    file = tmp_path / "own"
    for _ in range(2):
        write_new(file, "record")
    with pytest.raises(FileInTheWay):
        write_new(file, "other")
    assert file.read_text() == "record"
