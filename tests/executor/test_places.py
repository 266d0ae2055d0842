"""Places for results: what is refused before the work begins, and that nothing is left there."""

import errno
import fcntl
import os
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from tests.support.disks import file_limit, mounted_alone
from zkagent.executor import places
from zkagent.executor.cli.deploying import write_new
from zkagent.executor.errors import FileInTheWay, PlaceRefused
from zkagent.executor.places import (
    HeldFile,
    check_folder,
    check_place,
    held_files,
    write_whole,
)
from zkagent.models import files
from zkagent.models.files import open_regular, read_limited
from zkagent.models.whole import Place, place_of


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


@pytest.mark.parametrize("held", ["", "mine"])
def test_a_file_that_is_mounted_by_itself_is_refused(tmp_path: Path, held: str) -> None:
    """No other gets its name, whoever may write into it."""
    (tmp_path / "a b").mkdir()
    place, link = tmp_path / "a b" / "result", tmp_path / "link"
    place.write_text(held)
    link.symlink_to(place)
    with mounted_alone(place):
        for named in (place, link):
            with pytest.raises(PlaceRefused, match="mounted by itself: mount the folder"):
                check_place(named, replaceable=lambda _: True)
    write_whole(check_place(place, replaceable=lambda _: True), "result")
    assert place.read_text() == "result"


@pytest.mark.parametrize("held", ["", "mine"])
def test_what_only_another_account_may_replace_is_refused(
    tmp_path: Path, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a file that somebody else has laid in /tmp, though all may write into it."""
    place = tmp_path / "result"
    place.write_text(held)
    own = os.getuid()
    for sticky, account, refused in ((1, own + 1, True), (1, own, False), (0, own + 1, False)):
        tmp_path.chmod(0o1777 if sticky else 0o777)
        monkeypatch.setattr(os, "geteuid", lambda account=account: account)
        if refused:
            with pytest.raises(PlaceRefused, match="somebody else's, who alone may replace it"):
                check_place(place, replaceable=lambda _: True)
        else:
            check_place(place, replaceable=lambda _: True)


def test_a_file_in_a_folder_that_takes_no_others_is_refused() -> None:
    with pytest.raises(PlaceRefused, match="cannot be written"):
        check_place(Path("/proc/self/comm"), replaceable=lambda _: True)


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


def test_what_a_full_disk_cut_off_goes_too(tmp_path: Path) -> None:
    for most in (0, 100, None):
        with held_files(tmp_path / "folder", "a", "b") as (a, b):
            b.write("x" * 50)
            if most is None:
                a.write("x" * 5000)
                assert a.path.read_text() == "x" * 5000
            else:
                with file_limit(most), pytest.raises(OSError, match="File too large"):
                    a.write("x" * 5000)
                assert a.path.stat().st_size == most
        assert list(tmp_path.iterdir()) == []


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


def linked(place: Path, victim: Path) -> None:
    place.symlink_to(victim)


def dangling(place: Path, victim: Path) -> None:
    place.symlink_to(victim.with_name("not there"))


def hard(place: Path, victim: Path) -> None:
    place.hardlink_to(victim)


def through_another(place: Path, victim: Path) -> None:
    (between := place.with_name("between")).symlink_to(victim)
    place.symlink_to(between)


def filled(place: Path, victim: Path) -> None:
    place.write_text("somebody's result")


def piped(place: Path, victim: Path) -> None:
    os.mkfifo(place)


def made_folder(place: Path, victim: Path) -> None:
    place.mkdir()


LAID = [linked, dangling, hard, through_another, filled, piped, made_folder]


@pytest.fixture(params=[True, False], ids=["hard links", "no hard links"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the file system has them."""
    if not request.param:

        def refuse(source: Path, target: Path, **at: object) -> None:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), source, None, target)

        monkeypatch.setattr(os, "link", refuse)
    return bool(request.param)


@pytest.mark.parametrize("named_by_a_link", [False, True])
@pytest.mark.parametrize("lay", LAID)
def test_what_gets_the_name_while_we_work_stays_and_leads_nowhere(
    tmp_path: Path, lay: Callable[[Path, Path], None], links: bool, named_by_a_link: bool
) -> None:
    victim, place, link = tmp_path / "key", tmp_path / "result", tmp_path / "link"
    if not links and lay is hard:
        pytest.skip("there are none")
    victim.write_text("the only copy")
    link.symlink_to(place)
    found = check_place(link if named_by_a_link else place)
    lay(place, victim)
    before = place.lstat()
    with pytest.raises(FileInTheWay):
        write_whole(found, "result")
    with pytest.raises(FileInTheWay):
        write_new(found, "result")
    assert victim.read_text() == "the only copy"
    assert os.path.samestat(before, place.lstat())
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert not (tmp_path / "not there").exists()


@pytest.mark.parametrize("lay", LAID)
def test_what_may_be_replaced_is_and_a_link_in_its_place_leads_nowhere(
    tmp_path: Path, lay: Callable[[Path, Path], None]
) -> None:
    victim, place = tmp_path / "key", tmp_path / "result"
    victim.write_text("the only copy")
    victim.chmod(0o640)
    place.write_text("mine")
    found = check_place(place, replaceable=lambda text: text == "mine")
    place.unlink()
    lay(place, victim)
    if lay is made_folder:
        with pytest.raises(IsADirectoryError):
            write_whole(found, "result")
    else:
        write_whole(found, "result")
        assert (place.read_text(), place.is_symlink()) == ("result", False)
    assert (victim.read_text(), victim.stat().st_nlink) == ("the only copy", 1)


@pytest.mark.parametrize("filled_before", [False, True])
def test_of_two_results_for_one_place_the_second_is_refused(
    tmp_path: Path, links: bool, filled_before: bool
) -> None:
    place = tmp_path / "result"
    if filled_before:
        place.touch(mode=0o600)
    first, second = check_place(place), check_place(place)
    write_whole(first, "first")
    with pytest.raises(FileInTheWay):
        write_whole(second, "second")
    assert place.read_text() == "first"
    assert place.stat().st_mode & 0o777 == (0o600 if filled_before else 0o666 & ~umask())
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


STEPS = [(os, each) for each in ("open", "link", "stat", "replace", "unlink")] + [(fcntl, "flock")]


@pytest.mark.parametrize("filled_before", [False, True])
@pytest.mark.parametrize("step", range(12))
def test_of_two_at_the_same_moment_one_is_told_that_it_has_no_place(
    tmp_path: Path, links: bool, filled_before: bool, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second writes all of its own before this step of the first."""
    place = tmp_path / "result"
    if filled_before:
        place.touch()
    first, second = check_place(place), check_place(place)
    steps = count()
    told: list[str] = []

    def write(found: Place, text: str) -> None:
        try:
            write_whole(found, text)
            told.append(text)
        except FileInTheWay:
            pass

    def noted(do: Callable[..., object], *given: object, **named: object) -> object:
        if next(steps) == step:
            write(second, "second")
        return do(*given, **named)

    with monkeypatch.context() as patch:
        for module, name in STEPS:
            patch.setattr(module, name, partial(noted, getattr(module, name)))
        write(first, "first")
    if "second" not in told:
        write(second, "second")
    assert told == [place.read_text()]
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


def umask() -> int:
    os.umask(mask := os.umask(0o022))
    return mask


def test_a_pipe_that_became_a_file_is_not_followed(tmp_path: Path) -> None:
    victim, place = tmp_path / "key", tmp_path / "pipe"
    victim.write_text("the only copy")
    os.mkfifo(place)
    found = check_place(place)
    place.unlink()
    place.symlink_to(victim)
    with pytest.raises(OSError, match="gone"):
        write_whole(found, "result")
    assert victim.read_text() == "the only copy"


def to_a_file(place: Path, victim: Path) -> None:
    place.symlink_to(victim)


def to_another_pipe(place: Path, victim: Path) -> None:
    os.mkfifo(place)


def to_a_device(place: Path, victim: Path) -> None:
    place.symlink_to(os.devnull)


@pytest.mark.parametrize("lay", [to_a_file, to_another_pipe, to_a_device])
@pytest.mark.parametrize("at_the_last_moment", [True, False])
def test_a_pipe_is_the_one_that_was_found(
    tmp_path: Path,
    lay: Callable[[Path, Path], None],
    at_the_last_moment: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    victim, place = tmp_path / "key", tmp_path / "pipe"
    victim.write_text("the only copy")
    os.mkfifo(place)
    reading = [os.open(place, os.O_RDWR | os.O_NONBLOCK)]
    found, really = check_place(place), os.open

    def meddle() -> None:
        place.rename(tmp_path / "moved")
        lay(place, victim)
        if place.is_fifo():
            reading.append(really(place, os.O_RDWR | os.O_NONBLOCK))

    def opened(path: Path, *given: int, **named: int) -> int:
        if path == place:
            meddle()
        return really(path, *given, **named)

    if at_the_last_moment:
        monkeypatch.setattr(os, "open", opened)
    else:
        meddle()
    with pytest.raises(OSError, match="gone"):
        write_whole(found, "result")
    assert victim.read_text() == "the only copy"
    for each in reading:
        with pytest.raises(BlockingIOError):  # nothing was written
            os.read(each, 10)
        os.close(each)


def test_a_pipe_that_is_laid_in_a_files_place_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "result"
    place.write_text("mine")

    def piped(read: Callable[..., object], path: Path, *given: int) -> object:
        path.unlink()
        os.mkfifo(path)
        return read(path, *given)

    found = place_of(place)
    with monkeypatch.context() as patch:
        patch.setattr(places, "read_limited", partial(piped, read_limited))
        with pytest.raises(PlaceRefused, match="no regular file"):
            check_place(place, replaceable=lambda _: True)
    place.unlink()
    place.write_text("mine")
    monkeypatch.setattr(files, "open_regular", partial(piped, open_regular))
    with pytest.raises(OSError, match="no regular file"):
        write_new(found, "record")


@pytest.mark.parametrize("place", ["itself", "there", "itself/below", "there/below"])
def test_links_that_lead_in_a_circle_are_no_place(tmp_path: Path, place: str) -> None:
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    (tmp_path / "there").symlink_to(tmp_path / "back")
    (tmp_path / "back").symlink_to(tmp_path / "there")
    before = sorted(tmp_path.iterdir())
    for replaceable in (True, False):
        with pytest.raises(PlaceRefused, match="cannot be written"):
            check_place(tmp_path / place, replaceable=lambda _, may=replaceable: may)
    with pytest.raises(OSError, match=place):
        write_whole(tmp_path / place, "result")
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "itself").is_symlink()
