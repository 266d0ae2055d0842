"""Changing one setting leaves the rest of a file as it is."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from zkagent.executor.config import editing
from zkagent.executor.config.editing import set_value, unset_value
from zkagent.executor.config.files import Owner, read_file
from zkagent.executor.config.trust import is_trusted, trust
from zkagent.executor.errors import ConfigError, FileInTheWay

WRITTEN = '# mine\nrpc = "http://a"  # here\n\nchain-id = 1'

SPREAD = 'deployment = """\\\na.json"""\n'


def test_a_line_is_replaced_and_comments_stay(user: Path) -> None:
    user.write_text(WRITTEN)
    set_value(Owner.USER, "rpc", "http://b")
    set_value(Owner.USER, "service", "http://c")
    assert user.read_text() == '# mine\nrpc = "http://b"\n\nchain-id = 1\nservice = "http://c"\n'


def test_lines_keep_the_ends_that_they_have(user: Path) -> None:
    user.write_bytes(b'# mine\r\nrpc = "http://a"\r\nchain-id = 1')
    set_value(Owner.USER, "rpc", "http://b")
    set_value(Owner.USER, "service", "http://c")
    written = b'# mine\r\nrpc = "http://b"\r\nchain-id = 1\r\nservice = "http://c"\r\n'
    assert user.read_bytes() == written
    unset_value(Owner.USER, "rpc")
    assert user.read_bytes() == written.replace(b'rpc = "http://b"\r\n', b"")


def test_a_line_is_taken_away(user: Path) -> None:
    user.write_text(WRITTEN)
    unset_value(Owner.USER, "chain-id")
    assert user.read_text() == '# mine\nrpc = "http://a"  # here\n\n'
    with pytest.raises(ConfigError, match="does not set chain-id"):
        unset_value(Owner.USER, "chain-id")


def test_a_file_is_made_where_there_is_none(project: Path) -> None:
    written = set_value(Owner.PROJECT, "chain-id", "31337")
    assert written.path == Path.cwd() / "zkagent.toml"
    assert written.path.read_text() == "chain-id = 31337\n"
    assert is_trusted(written)


def test_a_typed_path_is_meant_from_the_working_directory_on(project: Path) -> None:
    project.write_text("")
    set_value(Owner.PROJECT, "key-file", "owner.key")
    assert project.read_text() == 'key-file = "below/owner.key"\n'
    set_value(Owner.PROJECT, "key-file", "/elsewhere/owner.key")
    assert project.read_text() == 'key-file = "/elsewhere/owner.key"\n'


def test_a_stranger_s_file_does_not_become_trusted_by_a_change(project: Path) -> None:
    project.write_text('rpc = "http://stranger"\n')
    assert not is_trusted(set_value(Owner.PROJECT, "chain-id", "5"))


STRANGERS = b'rpc = "http://stranger"\nservice = "http://stranger"\n'
#: As it lies there, and with what the user changed.
OF_THEIRS = STRANGERS, STRANGERS.replace(b"service = ", b"srs = "), b'rpc = "http://stranger"\n'
OF_THEIRS += (OF_THEIRS[2] + b'service = "http://mine"\n',)


@pytest.mark.parametrize("command", ["set", "unset", "set anew"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "step", ["read_file", "is_trusted", "parse", "_with_line", "_check", "write_whole", "trust"]
)
def test_what_a_stranger_lays_there_meanwhile_is_not_trusted(
    project: Path, monkeypatch: pytest.MonkeyPatch, step: str, when: str, command: str
) -> None:
    """Nor with the user's own change in it: nobody read the rest."""
    path = Path.cwd() / "zkagent.toml" if command == "set anew" else project
    if command != "set anew":
        path.write_text('rpc = "http://mine"\nservice = "http://own"\n')
        trust(read_file(path, Owner.PROJECT))
    real = getattr(editing, step)

    def meddled(*given: object, **named: object) -> object:
        if when == "before":
            path.write_bytes(STRANGERS)
        done = real(*given, **named)
        path.write_bytes(STRANGERS)
        return done

    monkeypatch.setattr(editing, step, meddled)
    with suppress(ConfigError, FileInTheWay):
        if command == "unset":
            unset_value(Owner.PROJECT, "service")
        else:
            set_value(Owner.PROJECT, "service", "http://mine")
    for text in OF_THEIRS:
        path.write_bytes(text)
        assert not is_trusted(read_file(path, Owner.PROJECT))


def test_what_lies_there_by_now_is_not_replaced_by_a_new_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = editing._check

    def meddled(*given: Any) -> None:
        real(*given)
        (Path.cwd() / "zkagent.toml").write_bytes(STRANGERS)

    monkeypatch.setattr(editing, "_check", meddled)
    with pytest.raises(FileInTheWay):
        set_value(Owner.PROJECT, "chain-id", "5")
    assert (Path.cwd() / "zkagent.toml").read_bytes() == STRANGERS


def test_what_cannot_be_changed_by_lines_is_left_alone(user: Path) -> None:
    user.write_text(SPREAD)
    with pytest.raises(ConfigError, match="edit the file"):
        set_value(Owner.USER, "deployment", "b")
    assert user.read_text() == SPREAD


@pytest.mark.parametrize(
    ("name", "value"), [("chain-id", "one"), ("chain-id", "-1"), ("rpc", "x"), ("srs", "")]
)
def test_a_value_of_another_form_is_not_written(user: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} cannot be '{value}': expected"):
        set_value(Owner.USER, name, value)
    assert user.read_text() == ""


@pytest.mark.parametrize("name", ["rpc", "chain-id", "srs"])
def test_none_can_be_written_for_every_setting(user: Path, name: str) -> None:
    assert set_value(Owner.USER, name, "none").values == {name: "none"}
    assert read_file(user, Owner.USER).values == {name: "none"}


@pytest.mark.parametrize("owner", Owner)
@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_no_file_to_write_settings_into(
    user: Path, project: Path, owner: Owner, linked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody reads it, so that whoever opened it would wait for ever."""
    monkeypatch.chdir(project.parent)
    path = user if owner is Owner.USER else project
    path.unlink(missing_ok=True)
    pipe = path.with_name("pipe") if linked else path
    os.mkfifo(pipe)
    if linked:
        path.symlink_to(pipe)
    with pytest.raises(ConfigError, match=f"{path} cannot be read .it is a pipe or a device"):
        set_value(owner, "chain-id", "8")
    with pytest.raises(ConfigError, match=f"{path} does not set chain-id"):
        unset_value(owner, "chain-id")


def test_a_pipe_that_came_while_we_looked_is_not_written_into(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.write_text(WRITTEN)
    before = read_file(user, Owner.USER)
    user.unlink()
    os.mkfifo(user)
    monkeypatch.setattr(editing, "read_file", lambda *_: before)
    monkeypatch.setattr(Path, "is_file", lambda _: True)
    with pytest.raises(ConfigError, match="it is a pipe or a device"):
        set_value(Owner.USER, "chain-id", "8")


def test_settings_are_not_thrown_into_a_device(user: Path) -> None:
    user.unlink()
    user.symlink_to("/dev/null")
    with pytest.raises(ConfigError, match="it is a pipe or a device"):
        set_value(Owner.USER, "chain-id", "8")
