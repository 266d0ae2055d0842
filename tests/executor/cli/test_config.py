"""Settings from option, environment, project and user: which one wins, and whom a project may lead
where."""

import json
from pathlib import Path

import click
import pytest

from tests.support.bad_values import Files, call
from tests.support.command_line import exit_code, one_line_error
from tests.support.command_tree import TREE
from zkagent.executor.cli.options import SettingOption
from zkagent.executor.config.settings import SETTINGS

NAMES = {name.replace("-", "_"): name for name in SETTINGS}


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's file; empty."""
    path = tmp_path / "user.toml"
    path.touch()
    monkeypatch.setenv("ZKAGENT_CONFIG", str(path))
    return path


@pytest.fixture
def project(tmp_path: Path, user: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the project around the working directory; not there yet."""
    path = tmp_path / "project" / "zkagent.toml"
    (path.parent / "below").mkdir(parents=True)
    monkeypatch.chdir(path.parent / "below")
    return path


@click.command()
@click.option("--rpc", cls=SettingOption)
@click.option("--chain-id", cls=SettingOption, type=int)
@click.option("--key-file", cls=SettingOption, type=click.Path(path_type=Path))
@click.option("--service", cls=SettingOption)
def probe(**settings: object) -> None:
    """Shows what a command is given."""
    click.echo(json.dumps(settings, default=str))


def given(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    """Of the settings, those that a command is given."""
    capsys.readouterr()
    probe.main(list(arguments), standalone_mode=False)
    found = json.loads(capsys.readouterr().out)
    return {name: value for name, value in found.items() if value is not None}


def trusted(path: Path, text: str) -> None:
    path.write_text(text)
    assert exit_code("config", "trust") == 0


def test_each_source_wins_over_those_below(
    project: Path, user: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert given(capsys) == {}
    user.write_text('rpc = "http://user"')
    assert given(capsys) == {"rpc": "http://user"}
    trusted(project, 'rpc = "http://project"')
    assert given(capsys) == {"rpc": "http://project"}
    monkeypatch.setenv("ZKAGENT_RPC", "http://environment")
    assert given(capsys) == {"rpc": "http://environment"}
    assert given(capsys, "--rpc", "http://option") == {"rpc": "http://option"}


@pytest.mark.parametrize("where", ["option", "environment", "project", "user"])
def test_none_is_as_if_nobody_had_given_one(
    where: str,
    project: Path,
    user: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    user.write_text(f'service = "{"none" if where == "user" else "http://user"}"')
    if where == "project":
        trusted(project, 'service = "none"')
    if where == "environment":
        monkeypatch.setenv("ZKAGENT_SERVICE", "none")
    assert given(capsys, *(["--service", "none"] if where == "option" else [])) == {}


def test_without_an_rpc_nothing_says_whom_to_talk_to(
    user: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    user.write_text('chain-id = 5\nkey-file = "key"\nservice = "http://s"')
    monkeypatch.setenv("ZKAGENT_CHAIN_ID", "6")
    assert given(capsys) == {"service": "http://s"}
    assert given(capsys, "--key-file", "mine") == {"service": "http://s", "key_file": "mine"}
    everything = {"rpc": "http://r", "chain_id": 6, "key_file": str(user.parent / "key")}
    assert given(capsys, "--rpc", "http://r") == {"service": "http://s", **everything}


def test_run_uses_an_embedded_chain_when_the_rpc_is_none(
    user: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An --agent is refused there; the rest, which the file says, is not taken for the user's."""
    user.write_text('rpc = "http://127.0.0.1:9"\nchain-id = 5\nkey-file = "k"\ndeployment = "d"')
    assert exit_code("run", "deposit 5 USDC", "--rpc", "none", "--agent", "0x0") == 1
    assert "--agent says whom to talk to, but not where" in one_line_error(capsys)
    assert exit_code("run", "deposit 5 USDC", "--yes", "--agent", "0x0") == 1
    assert "cannot read the key file" in one_line_error(capsys)


def test_a_required_option_may_come_from_a_file_but_not_be_none(
    user: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user.write_text('rpc = "http://127.0.0.1:9"\nkey-file = "nowhere.key"')
    assert exit_code("deploy", "--yes") == 1
    assert f"cannot read the key file {user.parent / 'nowhere.key'}" in one_line_error(capsys)
    assert exit_code("deploy", "--rpc", "none") == 2
    assert "Missing option '--rpc'" in capsys.readouterr().err


def test_nothing_of_a_project_is_used_that_nobody_trusts(
    project: Path, user: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user.write_text('rpc = "http://127.0.0.1:9"\nkey-file = "mine"')
    for line in ('rpc = "http://evil"', 'service = "http://evil"', 'deployment = "evil"'):
        project.write_text(line)
        assert exit_code("run", "deposit 5 USDC") == 1
        error = one_line_error(capsys)
        assert f"{project} sets {line.split()[0]}, and you have not trusted it" in error
        assert "`zkagent config trust`" in error


def test_trust_ends_with_the_next_change(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trusted(project, 'rpc = "http://one"')
    assert given(capsys) == {"rpc": "http://one"}
    project.write_text('rpc = "http://two"')
    assert exit_code("verify", "proof.json") == 1  # asks for no rpc, so that is not its error
    assert "config" not in one_line_error(capsys)
    assert exit_code("deploy", "--key-file", "k") == 1
    assert "you have not trusted it as it is now" in one_line_error(capsys)
    assert exit_code("config", "trust") == 0
    assert exit_code("config", "trust", "--revoke") == 0
    capsys.readouterr()
    assert exit_code("deploy", "--key-file", "k") == 1
    assert "you have not trusted it" in one_line_error(capsys)


def test_what_a_trusted_project_gives_is_told_without_secrets(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trusted(project, 'rpc = "https://me:secret@node.example:8545/v3/secret"')
    capsys.readouterr()
    probe.main([], standalone_mode=False)
    printed = capsys.readouterr()
    assert printed.err == f"--rpc https://node.example:8545/...  (from {project})\n"
    assert json.loads(printed.out)["rpc"] == "https://me:secret@node.example:8545/v3/secret"


def test_options_and_environment_make_a_stranger_s_file_harmless(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write_text('rpc = "http://evil"\nkey-file = "evil"\nservice = "http://evil"')
    monkeypatch.setenv("ZKAGENT_SERVICE", "http://mine")
    mine = {"rpc": "http://mine", "key_file": "mine", "service": "http://mine"}
    assert given(capsys, "--rpc", "http://mine", "--key-file", "mine") == mine


def test_show_says_where_each_value_is_from(
    project: Path, user: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    user.write_text('rpc = "http://user"\nchain-id = 5')
    project.write_text('rpc = "http://project"')
    monkeypatch.setenv("ZKAGENT_SRS", "k.srs")
    assert exit_code("config", "show") == 0
    words = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    untrusted = f"project's file: {project}  (not trusted: `zkagent config trust`)"
    assert words[0] == ["rpc", "http://project", untrusted]
    assert words[1] == ["chain-id", "5", f"user's file: {user}"]
    assert words[2] == ["deployment", "none", "built in"]
    assert words[5] == ["srs", "k.srs", "environment: ZKAGENT_SRS"]


def test_show_and_path_as_json(
    project: Path, user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.write_text("chain-id = 5")
    assert exit_code("config", "show", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert list(shown) == list(SETTINGS)
    expected = {"value": 5, "origin": "project", "source": str(project), "trusted": False}
    assert shown["chain-id"] == expected
    assert exit_code("config", "path", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"user": str(user), "project": str(project)}


def test_set_and_unset_change_the_file_that_is_meant(
    project: Path, user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("config", "set", "rpc", "http://user", "--user") == 0
    assert exit_code("config", "set", "rpc", "http://here") == 0
    assert given(capsys) == {"rpc": "http://here"}
    assert exit_code("config", "unset", "rpc") == 0
    assert given(capsys) == {"rpc": "http://user"}
    assert exit_code("config", "set", "rcp", "http://x") == 2
    assert "'rcp' is not one of 'rpc', 'chain-id'" in capsys.readouterr().err


def test_a_broken_file_is_one_line_of_every_command_that_takes_a_setting(
    user: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`decide`, too: the agent that a setting names has a symbol book of its own."""
    (tmp_path / "files").mkdir()
    files, concerned = Files(tmp_path / "files"), set()
    user.write_text('rcp = "http://x"')
    for path, found in TREE.items():
        words = call(path, found, files, {"directory": str(files.folder)})
        settings = [p.opts[0] for p in found.params if isinstance(p, SettingOption)]
        if set(settings) <= set(words):
            continue
        concerned.add(path)
        assert exit_code(*words) == 1, path
        error = one_line_error(capsys)
        assert f"config file {user}: rcp is 'http://x', there is no such setting" in error, path
    assert {f"zkagent {name}" for name in ("decide", "demo", "run", "prove", "deploy")} <= concerned


def test_a_file_that_the_user_names_and_that_is_not_there_is_one_line(
    user: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user.unlink()
    told = f"there is no config file {user}, which ZKAGENT_CONFIG names: `zkagent config set --user"
    for words in (["config", "show"], ["run", "deposit 5 USDC"], ["circuit", "build", "wallet"]):
        assert exit_code(*words) == 1, words
        assert told in one_line_error(capsys), words
    assert exit_code("config", "path") == 0
    assert exit_code("config", "set", "chain-id", "5", "--user") == 0
    assert exit_code("config", "show") == 0


def test_a_broken_file_is_nothing_to_other_commands(
    user: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user.write_text('rcp = "http://x"')
    for words in (["completion", "bash"], ["run", "--help"], ["circuit", "list"]):
        assert exit_code(*words) == 0, words
        assert str(user) not in capsys.readouterr().err, words


def options(command: click.Command, path: str = "zkagent") -> list[tuple[str, click.Parameter]]:
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        found = [(name, command.get_command(ctx, name)) for name in command.list_commands(ctx)]
        return [o for name, inner in found if inner for o in options(inner, f"{path} {name}")]
    return [(path, parameter) for parameter in command.params]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('deployment = "~nobody-at-all/x"', "~nobody-at-all/x is in no home folder that is known"),
        ('"a\\nerror: all is well\\u001b[2K" = 1', "'a\\nerror: all is well\\x1b[2K' is 1"),
    ],
)
def test_a_stranger_s_file_says_nothing_on_the_terminal_but_one_line(
    project: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    project.write_text(text)
    assert exit_code("config", "show") == 1
    assert told in one_line_error(capsys)


@pytest.mark.parametrize("number", ["0", "9" * 30, "9" * 5000, "five", ""])
def test_what_is_no_chain_id_is_not_written(
    user: Path, capsys: pytest.CaptureFixture[str], number: str
) -> None:
    assert exit_code("config", "set", "chain-id", number, "--user") == 1
    assert "expected a whole number from 1 to 9223372036854775807" in one_line_error(capsys)
    assert user.read_text() == ""


def test_every_option_that_is_called_like_a_setting_is_one() -> None:
    """But for the --rpc of verdicts: what one is about is said on the command line."""
    from zkagent.executor.cli.main import command

    plain = {
        (path, parameter.name)
        for path, parameter in options(command)
        if parameter.name in NAMES and not isinstance(parameter, SettingOption)
    }
    assert plain == {("zkagent verify-run", "rpc"), ("zkagent runs audit", "rpc")}
