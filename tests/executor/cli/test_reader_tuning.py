"""`zkagent model train --agent`, and the prompts of tools.yaml in `agent test`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import exit_code, one_line_error

pytestmark = pytest.mark.chain


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], toolchain: Any) -> Path:
    place = tmp_path / "Game"
    assert exit_code("agent", "new", "Game", "--kind", "reader", "--folder", place) == 0
    capsys.readouterr()
    return place


def test_what_was_chosen_is_what_the_contracts_say(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("model", "train", "--agent", folder, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    tuned = json.loads((folder / "tuned.json").read_text())
    assert tuned["examples"] == found["examples"]
    source = (folder / "GameTools.sol").read_text()
    assert f"CAUTION = {found['caution']};" in source
    assert [line for line in source.splitlines() if "examples[" in line and " = " in line] == [
        f'        examples[{at}] = "{text}";'
        for each in found["examples"]
        for at, text in enumerate(each)
    ]
    assert found["after"]["nothing"] == 15
    assert exit_code("model", "train", "--agent", folder) == 0  # in place of its own file
    assert "first choice" in capsys.readouterr().out


def test_a_file_that_is_not_its_own_is_not_replaced(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "tuned.json").write_text("mine")
    assert exit_code("model", "train", "--agent", folder) == 1
    assert "tuned.json" in one_line_error(capsys)
    assert (folder / "tuned.json").read_text() == "mine"


@pytest.mark.parametrize(
    "words",
    [
        ("reader", "--agent", "Game"),
        ("--agent", "Game", "--out", "x"),
        ("--agent", "Game", "--vectors", "x"),
        (),
        ("wallet", "--json"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: tuple[str, ...]) -> None:
    assert exit_code("model", "train", *words) == 2


def test_an_agent_without_tools_of_its_own_has_nothing_to_learn_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], toolchain: Any
) -> None:
    wallet = tmp_path / "Allowance"
    assert exit_code("agent", "new", "Allowance", "--folder", wallet) == 0
    capsys.readouterr()
    assert exit_code("model", "train", "--agent", wallet) == 2
    assert "it has no tools.yaml" in capsys.readouterr().err


@pytest.mark.slow
def test_a_prompt_that_calls_what_it_does_not_mean_fails_the_test(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("agent", "test", folder, "--json") == 0
    read = json.loads(capsys.readouterr().out)["read"]
    assert (read["meant"], read["nothing"], read["wrong"]) == (30, 15, [])
    assert read["acted"] >= 6
    place = folder / "tools.yaml"
    place.write_text(place.read_text() + "  - rest and recover your strength\n")
    assert exit_code("agent", "test", folder) == 1
    shown = capsys.readouterr().out
    assert "WRONG   'rest and recover your strength' calls Rest, and means nothing: " in shown


def test_a_tools_yaml_that_is_none_stops_what_compiles(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "tools.yaml").write_text("tools: []\n")
    for words in (("build",), ("test",)):
        assert exit_code("agent", *words, folder) == 1
        assert "tools.yaml: tools: it is empty" in one_line_error(capsys)
