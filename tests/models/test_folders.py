"""Folders of results: what was not found there when they were opened stays as it is."""

import errno
import os
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from tests.support.disks import file_limit
from zkagent.models.folders import Folder, open_folder, write_folder

NAMES = ("a.bin", "manifest.json")
STEPS = ("open", "link", "stat", "replace", "unlink", "scandir", "fsync")


def tree(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in folder.iterdir()}


def of(writer: str) -> dict[str, bytes]:
    return dict.fromkeys(NAMES, writer.encode())


@pytest.fixture(params=[True, False], ids=["hard links", "no hard links"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the file system has them."""
    if not request.param:

        def refuse(source: str, target: str, **at: object) -> None:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), source, None, target)

        monkeypatch.setattr(os, "link", refuse)
    return bool(request.param)


@pytest.mark.parametrize("empty", [(), NAMES[:1], NAMES])
@pytest.mark.parametrize("step", range(40))
def test_of_two_at_the_same_moment_one_has_all_the_files(
    tmp_path: Path,
    links: bool,
    empty: tuple[str, ...],
    step: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second writes all of its own before this step of the first."""
    steps = count()
    told: list[str] = []
    refused: list[Path] = []
    with open_folder(tmp_path / "out", NAMES) as first, open_folder(tmp_path / "out", NAMES) as two:
        for name in empty:
            (tmp_path / "out" / name).touch()

        def put(folder: Folder, writer: str) -> None:
            try:
                folder.put(of(writer))
                told.append(writer)
            except FileExistsError as exc:
                refused.append(Path(exc.filename).parent)

        def noted(do: Callable[..., object], *given: object, **named: object) -> object:
            if next(steps) == step:
                put(two, "second")
            return do(*given, **named)

        with monkeypatch.context() as patch:
            for name in STEPS:
                patch.setattr(os, name, partial(noted, getattr(os, name)))
            put(first, "first")
        if "second" not in told:
            put(two, "second")
    assert (len(told), set(refused)) == (1, {tmp_path / "out"})
    assert tree(tmp_path / "out") == dict.fromkeys(NAMES, told[0])


def test_what_was_put_there_is_put_there_again(tmp_path: Path, links: bool) -> None:
    with open_folder(tmp_path / "out", NAMES) as folder:
        for writer in ("one", "two", "three, longer"):
            folder.put(of(writer))
            assert tree(tmp_path / "out") == dict.fromkeys(NAMES, writer)
        (tmp_path / "out" / NAMES[1]).unlink()
        folder.put(of("four"))
        (tmp_path / "out" / NAMES[1]).write_text("somebody's")
        with pytest.raises(FileExistsError, match="manifest"):
            folder.put(of("five"))
    assert tree(tmp_path / "out") == {NAMES[0]: "four", NAMES[1]: "somebody's"}


def test_what_was_found_is_replaced_and_no_other(tmp_path: Path, links: bool) -> None:
    for name in NAMES:
        (tmp_path / name).write_text("old")
    (tmp_path / NAMES[0]).chmod(0o640)
    with open_folder(tmp_path, NAMES) as folder:
        folder.put(of("ours"))
    assert tree(tmp_path) == dict.fromkeys(NAMES, "ours")
    assert (tmp_path / NAMES[0]).stat().st_mode & 0o777 == 0o640
    with open_folder(tmp_path, NAMES) as folder:
        (tmp_path / "other").write_text("another's")
        (tmp_path / "other").replace(tmp_path / NAMES[1])
        with pytest.raises(FileExistsError):
            folder.put(of("ours, again"))
    assert tree(tmp_path) == {NAMES[0]: "ours", NAMES[1]: "another's"}


def test_a_folder_that_got_another_name_gets_the_files(tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    with open_folder(tmp_path / "out", NAMES) as folder:
        (tmp_path / "out").rename(tmp_path / "moved")
        (tmp_path / "out").symlink_to(other)
        folder.put(of("ours"))
    assert (tree(tmp_path / "moved"), tree(other)) == (dict.fromkeys(NAMES, "ours"), {})


def test_a_folder_into_which_nothing_came_is_as_it_was(tmp_path: Path) -> None:
    with file_limit(10), pytest.raises(OSError, match="File too large"):
        write_folder(tmp_path / "in" / "out", of("n" * 100))
    assert not list(tmp_path.iterdir())
    with open_folder(tmp_path / "in" / "out", NAMES):
        (tmp_path / "in" / "mine").touch()
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["mine"]
