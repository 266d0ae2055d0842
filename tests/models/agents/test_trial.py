"""The prompts of a tools.yaml as `agent test` reads them: what calls nothing is told, with why."""

from pathlib import Path

import pytest

from zkagent.models.agents.reader import ReaderModel
from zkagent.models.agents.trial import Misfilled, Unread, context_of, read_by, try_prompts
from zkagent.models.catalogue import load_decider
from zkagent.models.reader.agent_tools import load_agent_tools
from zkagent.verifier_contracts.scaffold import project

TOOLS = (project.HERE / "reader" / "tools.yaml").read_text()
BREAD = "what is the price of bread"
RESTS = "make camp and get some sleep"


@pytest.fixture(scope="module")
def reader() -> ReaderModel:
    model = load_decider("reader")
    assert isinstance(model, ReaderModel)
    return model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    more = f"      - {RESTS}\n      - {BREAD}\n"
    (tmp_path / "tools.yaml").write_text(TOOLS.replace(f"      - {RESTS}\n", more))
    return tmp_path


def test_each_prompt_that_means_a_tool_calls_it_or_another_or_is_told(
    reader: ReaderModel, folder: Path
) -> None:
    trial = try_prompts(reader, folder)
    wrongly_called = [each for each in trial.wrong if each.means is not None]
    assert trial.meant == 31
    assert trial.acted + len(wrongly_called) + len(trial.unread) == trial.meant
    said = load_agent_tools(folder)
    meant = {(text, tool.tool) for tool in said.tools for text in tool.means}
    assert {(each.prompt, each.means) for each in trial.unread} <= meant


def test_what_is_told_is_what_the_agent_would_answer(reader: ReaderModel, folder: Path) -> None:
    trial = try_prompts(reader, folder)
    said = load_agent_tools(folder)
    examples = [tool.means[:8] for tool in said.tools]
    called, answer = read_by(reader, context_of(said, examples, 0, BREAD))
    assert called is None
    assert answer
    assert Unread(BREAD, "Rest", answer) in trial.unread
    called, answer = read_by(reader, context_of(said, examples, 0, "sleep for a while"))
    assert (called, answer) == ("Rest", "")
    assert "sleep for a while" not in [each.prompt for each in trial.unread]


def test_lines_and_json_name_them(reader: ReaderModel, folder: Path) -> None:
    trial = try_prompts(reader, folder)
    lines = [line for line in trial.lines() if line.startswith("no call ")]
    assert len(lines) == len(trial.unread)
    answer = next(each.answer for each in trial.unread if each.prompt == BREAD)
    assert f"no call {BREAD!r} means Rest, and is answered {answer!r}" in lines
    shown = trial.to_json()["unread"]
    assert {tuple(each) for each in shown} == {("prompt", "means", "answer")}
    assert [each["prompt"] for each in shown] == [each.prompt for each in trial.unread]


ARGUMENTS = """\
      - prompt: walk 6 steps east
        arguments:
          direction: East
          steps: 6
      - prompt: run two steps west
        arguments:
          steps: 2
"""
MARCH = "walk 6 steps east"


def with_arguments(folder: Path, written: str = ARGUMENTS) -> Path:
    before = "      - move three steps north\n"
    (folder / "tools.yaml").write_text(TOOLS.replace(before, before + written))
    return folder


def test_arguments_are_compared_where_prompts_say_them(reader: ReaderModel, folder: Path) -> None:
    """As they stand in the prompt, in any case, or by what they come to."""
    trial = try_prompts(reader, with_arguments(folder))
    assert (trial.compared, trial.misfilled, trial.failed) == (2, (), False)
    assert "filled  2 of 2 calls as tools.yaml says" in trial.lines()
    shown = trial.to_json()
    assert (shown["compared"], shown["misfilled"]) == (2, [])


@pytest.mark.parametrize(
    ("parameter", "expected"), [("steps", "7"), ("steps", "-6"), ("direction", "west")]
)
def test_a_call_with_another_argument_fails(
    reader: ReaderModel, folder: Path, parameter: str, expected: str
) -> None:
    written = f"      - prompt: {MARCH}\n        arguments:\n          {parameter}: {expected}\n"
    trial = try_prompts(reader, with_arguments(folder, written))
    given = {"steps": "6", "direction": "east"}[parameter]
    assert trial.misfilled == (Misfilled(MARCH, "Move", parameter, expected, given),)
    assert trial.failed
    (line,) = [line for line in trial.lines() if line.startswith("WRONG")]
    assert f"calls Move with {parameter} {given!r}, and means {expected!r}" in line
    assert "filled  0 of 1 calls as tools.yaml says" in trial.lines()


def test_prompts_with_arguments_are_examples_and_learned_from_as_others_are(folder: Path) -> None:
    """And what was fitted before stays fitted: arguments are for tests alone."""
    plain = load_agent_tools(with_arguments(folder, f"      - {MARCH}\n"))
    said = load_agent_tools(
        with_arguments(folder, f"      - prompt: {MARCH}\n        arguments:\n          steps: 6\n")
    )
    assert [tool.means for tool in said.tools] == [tool.means for tool in plain.tools]
    assert said.model_dump(mode="json") == plain.model_dump(mode="json")
    assert said.tools[1].expected == {MARCH: {"steps": "6"}}
