"""A ZKAGENT_HOME that cannot be used is refused by name, whoever asks for a folder of it first."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.homes import BAD_HOMES, bad_home
from zkagent.circuits.errors import HomeRefused, HomeUnknown
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.store import list_circuits
from zkagent.circuits.support.cache import cache_folder, cache_root, refused_below
from zkagent.executor.cli.main import _one_line
from zkagent.executor.config.files import find_files, user_path
from zkagent.executor.config.trust import trust
from zkagent.executor.receipts.file import check_place
from zkagent.executor.runs.journal import Journal
from zkagent.prover.service.queue.database import data_folder
from zkagent.verifier_contracts.toolchain.install import toolchain

ASKS: dict[str, Callable[[], object]] = {
    "a circuit": list_circuits,
    "a set-up": lambda: development_srs(5),
    "a receipt's place": lambda: check_place(None),
    "the service's folder": data_folder,
    "the toolchain": toolchain,
}


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("kind", BAD_HOMES)
def test_a_home_that_cannot_be_is_refused_by_name(
    kind: str, ask: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = bad_home(kind, tmp_path)
    monkeypatch.setenv("ZKAGENT_HOME", home)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(HomeRefused) as caught:
        ASKS[ask]()
    assert str(caught.value).startswith(f"ZKAGENT_HOME is {home!r}, and that cannot be used (")
    assert str(caught.value).endswith(
        "set ZKAGENT_HOME to the absolute path of a folder that can be written"
    )
    assert sorted(tmp_path.rglob("*")) == before


def test_a_home_may_begin_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ZKAGENT_HOME", "~/zk")
    assert cache_root() == tmp_path / "zk"
    assert cache_folder("circuits") == tmp_path / "zk" / "circuits"
    assert (tmp_path / "zk" / "circuits").is_dir()


def test_the_platform_s_folder_is_named_when_it_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ZKAGENT_HOME", raising=False)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(HomeRefused, match=r"our folder is .*/file/zkagent, and that cannot"):
        list_circuits()


ELSEWHERE = "choose another place"
PLATFORM = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZKAGENT_CONFIG", "ZKAGENT_HOME")
COMMANDS = (
    "circuit list",
    "decide wallet deposit",
    "prove wallet --prompt deposit",
    "verify proof.json",
    "verify-run receipt.json",
    "runs pending",
    "key list",
    "jobs list",
    "config show",
    "config path",
)


@pytest.fixture(params=[None, "", "relative/home"])
def nobody_s(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str | None:
    """HOME, of an account that the system does not know."""

    def unknown(uid: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    for name in PLATFORM:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    if request.param is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", request.param)
    monkeypatch.chdir(tmp_path)
    given: str | None = request.param
    return given


def test_an_account_without_a_home_is_told_so_in_one_line(
    nobody_s: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subject = "HOME is not set" if nobody_s is None else f"HOME is {nobody_s!r}"
    for words in COMMANDS:
        assert exit_code(*words.split()) == 1, words
        error = one_line_error(capsys)
        assert subject in error, words
        assert "set HOME, or ZKAGENT_HOME, to the absolute path of a folder" in error, words
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ask", ASKS)
def test_nothing_is_kept_where_no_home_is_known(nobody_s: str | None, ask: str) -> None:
    with pytest.raises(HomeUnknown):
        ASKS[ask]()


def test_a_file_of_others_is_named_without_a_home(nobody_s: str | None, tmp_path: Path) -> None:
    """Which is asked for once more in saying whose file it is."""
    trouble = PermissionError(13, "Permission denied", str(tmp_path / "file"))
    assert refused_below(trouble) is None
    said = _one_line(trouble)
    assert said == f"{tmp_path / 'file'} cannot be read or written (Permission denied): {ELSEWHERE}"


def test_zkagent_home_alone_has_room_for_all_of_it(
    nobody_s: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home, project = tmp_path / "zk", tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("ZKAGENT_HOME", str(home))
    assert (list_circuits(), Journal().look()) == ([], ((), ()))
    assert data_folder() == home / "service"
    assert user_path() == home / "zkagent.toml"
    assert exit_code("config", "set", "--user", "chain-id", "31337") == 0
    assert exit_code("config", "set", "rpc", "http://127.0.0.1:9") == 0
    assert exit_code("config", "trust") == 0
    capsys.readouterr()
    for file in find_files():
        trust(file)
    assert [file.values for file in find_files()] == [
        {"rpc": "http://127.0.0.1:9"},
        {"chain-id": 31337},
    ]
    assert exit_code("key", "create", "alice") == 0
    assert exit_code("key", "list") == 0
    assert "alice" in capsys.readouterr().out
    assert exit_code("circuit", "list") == exit_code("runs", "pending") == 0
    there = {path.name for path in home.iterdir()}
    assert there == {"circuits", "service", "trusted.json", "zkagent.toml"}
    assert [path.name for path in project.iterdir()] == ["zkagent.toml"]


def test_the_user_s_settings_stay_where_a_home_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ZKAGENT_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "zk"))
    assert user_path() == tmp_path / "config" / "zkagent" / "zkagent.toml"
