"""`model evaluate --prompts`: one's own prompts, figures by kind, and what went wrong in a file."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.scripted_reader import scripted_model

WITHDRAW = [{"action": "Withdraw", "asset": "usdc", "amount": "40"}]
HELD = {"USDC": {"pool": "40", "wallet": "0"}}
ROWS = (
    {"prompt": "withdraw all my USDC", "kind": "all", "calls": WITHDRAW, "balances": HELD},
    {"prompt": "deposit 5 USDC", "kind": "not\x1bso", "calls": []},
    {"prompt": "hello there", "kind": "all", "calls": WITHDRAW},
)


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    path = tmp_path / "prompts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_figures_by_kind_and_what_was_not_right(
    prompts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = tmp_path / "errors.jsonl"
    call = ("model", "evaluate", "wallet", "--prompts", prompts, "--errors", errors)
    for _ in range(2):  # its own file may be written again
        assert exit_code(*call, "--json") == 0
        assert json.loads(capsys.readouterr().out) == {
            "kinds": {
                "not\x1bso": {"rows": 1, "right": 0, "safe": 0, "wrong_act": 1},
                "all": {"rows": 2, "right": 1, "safe": 1, "wrong_act": 0},
            }
        }
    found = [json.loads(line) for line in errors.read_text().splitlines()]
    assert [(each["outcome"], each["prompt"]) for each in found] == [
        ("wrong_act", "deposit 5 USDC"),
        ("safe", "hello there"),
    ]
    assert found[0]["made"] == [{"action": "Deploy", "asset": "USDC", "amount": "5"}]
    assert exit_code(*call) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert [line.split()[0] for line in shown.splitlines()[2:4]] == ["all", "together"]


def test_nothing_of_others_is_written_over(
    prompts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ("model", "evaluate", "wallet", "--prompts", prompts, "--errors")
    before = prompts.read_text()
    assert exit_code(*call, prompts) == 1
    assert "is there already" in one_line_error(capsys)
    assert prompts.read_text() == before


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--errors", "e.jsonl"), "--errors is for --prompts"),
        (("--clinc150", ".", "--prompts", "p.jsonl"), "exclude each other"),
    ],
)
def test_options_that_do_not_go_together_are_named(
    options: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("model", "evaluate", "wallet", *options) == 2
    assert why in capsys.readouterr().err


def test_caution_is_for_models_that_are_told_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One call of the scripted model is worth 3.125 log-odds."""
    path, folder = tmp_path / "prompts.jsonl", scripted_model(tmp_path / "scripted").directory
    call = {"action": "Transfer", "asset": "DAI", "amount": "3", "recipient": "bob"}
    path.write_text(json.dumps({"prompt": "send 3 DAI to Bob", "kind": "p", "calls": [call]}))
    right = {}
    for caution in ((), ("--caution", "3.12"), ("--caution", "3.13")):
        assert exit_code("model", "evaluate", folder, "--prompts", path, *caution, "--json") == 0
        right[caution[1:]] = json.loads(capsys.readouterr().out)["kinds"]["p"]["right"]
    assert right == {(): 1, ("3.12",): 1, ("3.13",): 0}
    assert exit_code("model", "evaluate", "wallet", "--prompts", path, "--caution", "1") == 2
    assert "--caution says nothing to wallet" in capsys.readouterr().err
    assert exit_code("model", "evaluate", folder, "--caution", "1") == 2
    assert "--caution is for --prompts" in capsys.readouterr().err


def test_the_held_out_set_is_one_for_it_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It knows four verbs; the set was written to have others."""
    folder = scripted_model(tmp_path / "scripted").directory
    assert exit_code("model", "evaluate", folder, "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["injections_succeeded"] == 0
    assert 0 < figures["whole_runs"] < 100


def test_prompts_of_several_instructions_are_generated_and_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted_model(tmp_path / "scripted")
    call = ("model", "evaluate", tmp_path / "scripted", "--compounds", 300, "--seed", 4)
    assert exit_code(*call, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["prompts"] == 300
    assert found["calls"] >= found["acted_on"] > 0
    assert found["joined"] == len(found["joins"])
    assert exit_code(*call) == 0
    assert f"{found['calls']} calls" in capsys.readouterr().out


def test_one_kind_of_evaluation_is_asked_for(
    prompts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("model", "evaluate", "wallet", "--prompts", prompts, "--compounds", 5) == 2
    assert "exclude each other" in capsys.readouterr().err
