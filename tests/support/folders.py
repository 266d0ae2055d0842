"""Folders that cannot be listed, in every way in which that may be."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

#: What the system says, where it takes another user or a broken disk to have it say so.
REFUSALS = {
    "not ours to list": errno.EACCES,
    "on a broken disk": errno.EIO,
    "on a server that is gone": errno.ESTALE,
}
UNLISTABLE = (*REFUSALS, "not ours to enter", "a file", "a link to nowhere", "a circle of links")


def make_unlistable(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder, if it is there, is moved aside where something else has to be in its place."""
    if kind in REFUSALS:
        _refuse(monkeypatch, "iterdir", folder, REFUSALS[kind])
    elif kind == "not ours to enter":
        _refuse(monkeypatch, "stat", folder / "..", errno.EACCES)
    else:
        if folder.exists():
            folder.rename(folder.with_name(f"{folder.name} aside"))
        folder.parent.mkdir(parents=True, exist_ok=True)
        if kind == "a file":
            folder.write_text("")
        else:
            folder.symlink_to("nowhere" if kind == "a link to nowhere" else folder.name)


def _refuse(monkeypatch: pytest.MonkeyPatch, name: str, path: Path, number: int) -> None:
    real = getattr(Path, name)

    def refusing(self: Path, **how: bool) -> "os.stat_result | Iterator[Path]":
        if self == path:
            raise OSError(number, os.strerror(number), str(path))
        return real(self, **how)  # type: ignore[no-any-return]

    monkeypatch.setattr(Path, name, refusing)


__all__ = ["UNLISTABLE", "make_unlistable"]
