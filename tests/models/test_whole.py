"""What is written is there as a whole, or what was there is as it was."""

import errno
import os
import secrets
import socket
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import zkagent.models.whole
from tests.support.disks import file_limit, fill, small_disk
from zkagent.executor.errors import PlaceRefused
from zkagent.executor.places import check_place, write_whole
from zkagent.models.folders import write_folder
from zkagent.models.whole import put_file, write_file

OLD = {"a.bin": b"old", "manifest.json": b"old, too"}
FRESH = {"a.bin": b"n" * 100_000, "manifest.json": b"fresh"}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def write_one(folder: Path) -> None:
    write_file(folder / "a.bin", FRESH["a.bin"])


def write_all(folder: Path) -> None:
    write_folder(folder, FRESH)


def write_text(path: Path, data: bytes) -> None:
    write_whole(path, data.decode())


def write_named(path: Path, data: bytes) -> None:
    write_folder(path.parent, {path.name: data})


def write_result(path: Path, data: bytes) -> None:
    write_whole(check_place(path, replaceable=lambda _: True), data.decode())


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

    def noted(do: Any, fresh: str, name: str, **at: Any) -> None:
        named.append(name)
        do(fresh, name, **at)

    for way in ("link", "replace"):
        monkeypatch.setattr(os, way, partial(noted, getattr(os, way)))
    for _ in range(2):  # the first time, nothing is there
        write_folder(tmp_path, FRESH)
    assert named == [*FRESH, *FRESH]


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


@pytest.mark.parametrize("held", [b"", b"somebody's"])
@pytest.mark.parametrize("write", [put_file, write_file, write_text, write_named, write_result])
@pytest.mark.parametrize(
    ("mask", "theirs", "result"),
    [(0o077, 0o666, 0o600), (0o022, 0o6777, 0o644), (0o022, 0o600, 0o600), (0o022, 0, 0o600)],
)
def test_another_account_s_file_does_not_decide_who_may_write(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    held: bytes,
    write: Callable[[Path, bytes], object],
    mask: int,
    theirs: int,
    result: int,
) -> None:
    path = tmp_path / "result"
    path.write_bytes(held)
    path.chmod(0o666)
    whole = zkagent.models.whole
    uid, seen = path.stat().st_uid, whole.stat_of

    def of_another(name: Path | str, at: int | None = None) -> os.stat_result | None:
        if not (found := seen(name, at)) or path.name != Path(name).name:
            return found
        kind = stat.S_IFMT(found.st_mode)
        return os.stat_result((kind | theirs, *found[1:4], uid + 1, *found[5:]))

    monkeypatch.setattr(whole, "stat_of", of_another)
    before = os.umask(mask)
    try:
        write(path, b"x")
    finally:
        os.umask(before)
    assert path.read_bytes() == b"x"
    assert stat.S_IMODE(path.stat().st_mode) == result


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_an_empty_file_that_another_account_laid_does_not_either(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    path = tmp_path / "result"
    path.touch()
    path.chmod(0o666)
    os.chown(path, 65534, 65534)
    write_whole(check_place(path), "x")
    assert path.stat().st_uid == 0
    assert not path.stat().st_mode & 0o022


def link(place: Path, victim: Path) -> None:
    place.symlink_to(victim)


def dangling(place: Path, victim: Path) -> None:
    place.symlink_to(victim.with_name("nobody"))


def folder(place: Path, victim: Path) -> None:
    place.mkdir()


def pipe(place: Path, victim: Path) -> None:
    os.mkfifo(place)


def hard(place: Path, victim: Path) -> None:
    place.hardlink_to(victim)


def whole(folder: Path) -> None:
    write_whole(folder / "a.bin", "n" * 100_000)


LAID = [link, dangling, folder, pipe, hard]
WRITE = [write_one, write_all, whole]


@pytest.mark.parametrize("write", WRITE)
@pytest.mark.parametrize("lay", LAID)
def test_what_others_lay_under_names_of_ours_is_not_written_into(
    write: Callable[[Path], None], lay: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    """Who made a folder foresees which process writes into it, and that files are written aside."""
    victim, place = tmp_path / "key", tmp_path / "model"
    victim.write_bytes(b"mine")
    place.mkdir()
    for name in FRESH:
        for number in range(os.getpid() - 2, os.getpid() + 3):
            lay(place / f".{name}.{number}", victim)
        lay(place / f".{name}.new", victim)
    write(place)
    assert (place / "a.bin").read_bytes() == FRESH["a.bin"]
    assert not (place / "a.bin").is_symlink()
    assert victim.read_bytes() == b"mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["key", "model"]


@pytest.mark.parametrize("write", WRITE)
@pytest.mark.parametrize("lay", LAID)
def test_not_even_who_guesses_the_name_is_believed(
    write: Callable[[Path], None],
    lay: Callable[[Path, Path], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    victim, place = tmp_path / "key", tmp_path / "model"
    victim.write_bytes(b"mine")
    place.mkdir()
    monkeypatch.setattr(secrets, "token_hex", lambda count: "0" * 2 * count)
    lay(place / f".zkagent-{'0' * 16}.new", victim)
    with pytest.raises(OSError, match="model"):
        write(place)
    assert victim.read_bytes() == b"mine"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["key", "model"]
    assert not (place / "a.bin").exists()


@pytest.mark.parametrize("lay", [link, dangling, pipe, hard])
def test_what_lies_in_the_place_itself_is_replaced_and_not_written_into(
    lay: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    victim, place = tmp_path / "key", tmp_path / "model"
    victim.write_bytes(b"mine")
    place.mkdir()
    lay(place / "manifest.json", victim)
    write_all(place)
    assert tree(place) == FRESH
    assert victim.read_bytes() == b"mine"


def bytes_into(path: Path) -> None:
    put_file(path, b"result")


def text_into(path: Path) -> None:
    write_whole(path, "result")


def file_into(path: Path) -> None:
    (source := path.parent / "source").write_bytes(b"result")
    with source.open("rb") as file:
        put_file(path, file)


PUT = [bytes_into, text_into, file_into]


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_that_a_user_names_gets_the_result_and_stays(
    put: Callable[[Path], None], linked: bool, tmp_path: Path
) -> None:
    pipe, named = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    named.symlink_to(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        put(named if linked else pipe)
        assert os.read(reader, 100) == b"result"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert named.readlink() == pipe


@pytest.mark.parametrize("put", PUT)
def test_an_end_of_a_pipe_that_has_no_name_gets_the_result(
    put: Callable[[Path], None], tmp_path: Path
) -> None:
    """As `--out /dev/stdout` and `>(command)` lead to one."""
    reader, writer = os.pipe()
    (link := tmp_path / "stdout").symlink_to(f"/proc/self/fd/{writer}")
    put(link)
    os.close(writer)
    assert os.read(reader, 100) == b"result"
    os.close(reader)
    assert link.is_symlink()


@pytest.mark.parametrize("put", PUT)
def test_a_link_that_a_user_names_leads_to_the_result_and_stays(
    put: Callable[[Path], None], tmp_path: Path
) -> None:
    (link := tmp_path / "link").symlink_to(tmp_path / "file")
    for _ in range(2):  # the first time, nothing is there
        put(link)
        assert (tmp_path / "file").read_bytes() == b"result"
        assert link.is_symlink()


@pytest.mark.parametrize("put", PUT)
def test_what_is_neither_file_nor_pipe_is_refused_and_stays(
    put: Callable[[Path], None], tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    for place, reason in ((tmp_path / "folder", "directory"), (tmp_path / "socket", "a socket")):
        before = place.lstat()
        with pytest.raises(OSError, match=reason) as caught:
            put(place)
        assert caught.value.filename == str(place)
        with pytest.raises(PlaceRefused, match="cannot be written"):
            check_place(place)
        assert os.path.samestat(before, place.lstat())


def test_a_disk_is_no_place_for_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path := tmp_path / "disk").write_bytes(b"a file system")
    found = os.stat_result([stat.S_IFBLK | 0o666, *path.stat()[1:]])
    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", lambda *_, **__: found)
        with pytest.raises(OSError, match="it is a disk"):
            put_file(path, b"result")
    assert path.read_bytes() == b"a file system"


def test_a_folder_in_a_files_place_leaves_all_files_as_they_are(tmp_path: Path) -> None:
    write_file(tmp_path / "a.bin", OLD["a.bin"])
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        write_all(tmp_path)
    assert tree(tmp_path) == {"a.bin": OLD["a.bin"]}


@pytest.mark.parametrize("write", WRITE)
def test_what_killed_processes_left_goes_after_a_day(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    names = (f".zkagent-{'a' * 16}.new", f".zkagent-{'b' * 16}.new", ".zkagent-notes.new")
    left, recent, other = (tmp_path / name for name in names)
    for each in (left, recent, other):
        each.write_bytes(b"half")
    for each in (left, other):
        os.utime(each, (1, 1))
    write(tmp_path)
    assert [each.exists() for each in (left, recent, other)] == [False, True, True]
