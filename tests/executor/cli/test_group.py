"""A mistyped command is answered with what was probably meant, in every group."""

import pytest

from tests.support.command_line import exit_code


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        (("verfy",), "No such command 'verfy': did you mean verify or verify-run?"),
        (("dmo",), "No such command 'dmo': did you mean demo?"),
        (("circuit", "biuld"), "No such command 'biuld': did you mean build?"),
        (("model", "trian"), "No such command 'trian': did you mean train?"),
        (("model", "adit"), "No such command 'adit': did you mean audit?"),
        (("bench", "comapre"), "No such command 'comapre': did you mean compare?"),
        (("key", "revok"), "No such command 'revok': did you mean revoke?"),
        (("jobs", "zzz"), "No such command 'zzz'."),
    ],
)
def test_a_mistyped_command_gets_a_suggestion(
    arguments: tuple[str, ...], end: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1] == f"Error: {end}"


def test_a_mistyped_option_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("prove", "wallet", "--promt", "deposit 5 USDC") == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert "'--promt'" in last
    assert "'--prompt'" in last


def test_an_unknown_option_of_a_group_is_not_taken_for_a_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("circuit", "--hlp") == 2
    assert "No such option" in capsys.readouterr().err.splitlines()[-1]
