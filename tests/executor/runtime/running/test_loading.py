"""Agents of a file or a module: found by name, and refused in one line."""

import sys
from pathlib import Path

import pytest

from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.running.loading import load_agents, one_agent

AGENTS = """
from zkagent.executor.runtime import Agent, AgentConfig, PlanStep, ScriptedPlanner

def made(name):
    return Agent(AgentConfig(name, "Do it.", planner=ScriptedPlanner([PlanStep("finish")])))

agents = [made("one"), made("two")]
single = made("three")
twice = [made("one"), made("one")]
nothing = []
number = 7
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(AGENTS)
    return path


def test_agents_are_found_by_the_usual_name_and_by_one_that_is_given(file: Path) -> None:
    assert [agent.config.id for agent in load_agents(str(file))] == ["one", "two"]
    assert [agent.config.id for agent in load_agents(f"{file}:single")] == ["three"]
    assert one_agent(f"{file}:single").config.id == "three"
    assert one_agent(str(file), "two").config.id == "two"


def test_a_module_is_taken_from_where_the_command_is_called(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    assert [agent.config.id for agent in load_agents("mine:single")] == ["three"]
    monkeypatch.delitem(sys.modules, "mine")


def test_what_stands_beside_the_file_can_be_imported_and_nothing_afterwards(file: Path) -> None:
    (file.parent / "beside_mine.py").write_text("WORD = 'say it'\n")
    file.write_text("import beside_mine\n" + AGENTS)
    before = list(sys.path)
    assert load_agents(str(file))
    assert sys.path == before
    del sys.modules["beside_mine"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (":twice", "has two agents one: rename one"),
        (":nothing", "is nothing: an Agent is needed"),
        (":number", "is int: an Agent is needed"),
        (":absent", "has no absent: name what has the agents, as FILE.py:NAME"),
    ],
)
def test_what_are_no_agents_is_refused(file: Path, name: str, words: str) -> None:
    with pytest.raises(AgentConfigRefused, match=words):
        load_agents(f"{file}{name}")


def test_one_of_several_has_to_be_named(file: Path) -> None:
    with pytest.raises(AgentConfigRefused, match="has more than one agent, so name one: one, two"):
        one_agent(str(file))
    with pytest.raises(AgentConfigRefused, match="has no agent 'four'; it has one, two"):
        one_agent(str(file), "four")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise ValueError('\\nno \\x1b[2J')", r"line 1 of .*mine.py: ValueError: \\nno \\x1b\[2J"),
        ("import sys; sys.exit(0)", "ends the program: 0"),
        ("def (", "SyntaxError"),
        ("import absent_module", "No module named 'absent_module'"),
    ],
)
def test_a_file_that_fails_is_told_in_one_line(file: Path, source: str, words: str) -> None:
    file.write_text(source)
    with pytest.raises(AgentConfigRefused, match=words) as caught:
        load_agents(str(file))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("where", ["none.py", "./none", "no_such_module", "", "..", ":agents"])
def test_what_is_not_there_is_refused(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgentConfigRefused):
        load_agents(where)


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("mine.py", "a = 1\nb = = 2\n", r"line 2 of \S+mine\.py: SyntaxError"),
        ("mine.py", "a = 1\n\nraise ValueError('no')\n", r"line 3 of \S+mine\.py: ValueError: no"),
        (
            "beside_broken.py",
            "a = 1\nb = = 2\n",
            r"line 1 of \S+mine\.py \(line 2 of \S+beside_broken\.py\): SyntaxError",
        ),
        (
            "beside_broken.py",
            "a = 1\nb = 1 / 0\n",
            r"line 1 of \S+mine\.py \(line 2 of \S+beside_broken\.py\): ZeroDivisionError",
        ),
        ("mine.py", "x = 1\nimport absent_91\n", r"line 2 of \S+mine\.py: ModuleNotFoundError"),
        ("mine.py", "x = '\0'\n", r"cannot be loaded: (line \d+ of \S+mine\.py: )?\w+Error: \w+"),
    ],
)
def test_a_file_with_an_error_is_told_by_its_own_line(
    file: Path, name: str, content: str, line: str
) -> None:
    file.write_text("import beside_broken\n" + AGENTS)
    (file.parent / name).write_text(content)
    with pytest.raises(AgentConfigRefused, match=line) as caught:
        load_agents(str(file))
    assert "frozen" not in str(caught.value)


#: What Python 3.11 makes of an interruption while a class is being made.
INTERRUPTED = """
class Field:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt
try:
    class Owner:
        field = Field()
except KeyboardInterrupt as exc:  # later versions leave it as it is
    raise RuntimeError("Error calling __set_name__") from exc
"""


def test_an_interruption_while_a_file_is_loaded_is_one(file: Path) -> None:
    file.write_text(INTERRUPTED)
    with pytest.raises(KeyboardInterrupt):
        load_agents(str(file))
