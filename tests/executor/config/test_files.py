"""Where config files are looked for, and what they may hold."""

from pathlib import Path

import pytest

from zkagent.executor.config.files import Owner, find_files, project_path, read_file
from zkagent.executor.errors import ConfigRefused, ConfigUnreadable


def read(path: Path, text: str) -> dict[str, object]:
    path.write_text(text)
    return dict(read_file(path, Owner.USER).values)


def test_the_project_s_file_is_the_nearest_one_above(project: Path) -> None:
    assert project_path() is None
    project.write_text("")
    assert project_path() == project
    nearer = Path.cwd() / "zkagent.toml"
    nearer.write_text("")
    assert project_path() == nearer


def test_the_user_s_own_file_is_no_project_s(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user.write_text("chain-id = 5")
    monkeypatch.chdir(user.parent)
    assert [file.owner for file in find_files()] == [Owner.USER]


def test_a_working_directory_that_is_gone_has_no_project(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert project_path() is None


def test_paths_are_meant_from_the_file_s_folder_on(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    found = read(user, 'deployment = "on/chain.json"\nkey-file = "~/key"\nsrs = "/k.srs"')
    assert found == {
        "deployment": str(user.parent / "on/chain.json"),
        "key-file": "/home/me/key",
        "srs": "/k.srs",
    }


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('rcp = "http://x"', "rcp is 'http://x', there is no such setting"),
        ("[rpc]\nurl = 1", "rpc is {'url': 1}, expected an address in quotes"),
        ('rpc = "localhost:8545"', "expected an address in quotes that begins with http://"),
        ('rpc = "https://"', "expected an address"),
        ('service = "http://["', "expected an address"),
        ('rpc = "http://x/\\u001b[2K"', "rpc is 'http://x/\\x1b[2K', expected"),
        (
            'chain-id = "1"',
            "chain-id is '1', expected a whole number from 1 to 9223372036854775807",
        ),
        ("chain-id = true", "chain-id is True, expected"),
        ("chain-id = 0", "chain-id is 0, expected"),
        ("key-file = 7", "key-file is 7, expected the path of a file"),
        ('srs = ""', "srs is '', expected the path of a file"),
    ],
)
def test_what_is_no_setting_is_refused_by_name_and_value(
    user: Path, line: str, reason: str
) -> None:
    with pytest.raises(ConfigRefused) as caught:
        read(user, line)
    assert f"config file {user}: " in str(caught.value)
    assert reason in str(caught.value)


@pytest.mark.parametrize("content", [b"rpc = ", b"\xff", b"a = " + b"[" * 9999])
def test_what_is_no_toml_is_refused(user: Path, content: bytes) -> None:
    user.write_bytes(content)
    with pytest.raises(ConfigUnreadable, match="it is not TOML"):
        find_files()


def test_a_file_that_cannot_be_read_is_named(user: Path) -> None:
    user.unlink()
    user.mkdir()
    with pytest.raises(ConfigUnreadable, match=r"zkagent.toml cannot be read \(Is a directory\)"):
        find_files()


def test_a_user_s_file_that_nobody_lets_us_look_for_is_not_taken_for_none(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.stat

    def refuse(path: Path, **how: bool) -> object:
        if path == user:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **how)

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(ConfigUnreadable, match="Permission denied"):
        find_files()
