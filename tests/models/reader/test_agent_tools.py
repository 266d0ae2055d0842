"""tools.yaml: what it says, and what is refused with the place, the value and the remedy."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from zkagent.models.errors import ToolsRefused
from zkagent.models.reader.agent_tools import TYPES, AgentTools, load_agent_tools
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.tuned import TUNED_FILE, examples_of, load_tuned, tuned_of

MOVE = {
    "tool": "Move",
    "description": "Walk",
    "parameters": [{"name": "steps", "type": "uint", "description": "how many"}],
    "means": ["go", "walk on"],
}


def written(folder: Path, content: Any) -> Path:
    each_apart = json.loads(json.dumps(content))  # what stands twice is no anchor then
    text = content if isinstance(content, str) else yaml.safe_dump(each_apart)
    (folder / "tools.yaml").write_text(text)
    return folder


def said(**changes: Any) -> dict[str, Any]:
    return {"tools": [MOVE | changes], "nothing": ["hello"]}


def test_tools_prompts_and_names_are_read(tmp_path: Path) -> None:
    content = said() | {"contacts": ["alice"], "symbols": {"DAI": 18}}
    found = load_agent_tools(written(tmp_path, content))
    (tool,) = found.tools
    assert (tool.tool, tool.description, tool.means) == ("Move", "Walk", ("go", "walk on"))
    assert [p.param_type for p in tool.parameters] == [ParamType.UINT]
    assert (found.nothing, found.contacts, found.symbols) == (("hello",), ("alice",), {"dai": 18})


def test_the_types_are_the_ten_of_the_erc() -> None:
    assert sorted(TYPES.values()) == sorted(ParamType(number) for number in range(10))
    for name, kind in TYPES.items():
        assert kind.name == name.upper().replace("[]", "_ARRAY")


def test_lists_with_nothing_in_them_are_empty(tmp_path: Path) -> None:
    text = "tools:\n  - tool: Rest\n    description: Sleep\n    parameters:\n    means:\nnothing:\n"
    found = load_agent_tools(written(tmp_path, text))
    assert (found.tools[0].parameters, found.tools[0].means, found.nothing) == ((), (), ())


def parameter(**changes: Any) -> dict[str, Any]:
    return said(parameters=[{"name": "a", "type": "uint"} | changes])


def tools(*names: str) -> dict[str, Any]:
    return {"tools": [{"tool": name, "description": "x"} for name in names]}


REFUSED: dict[str, tuple[Any, str]] = {
    "nothing at all": ("", "it is no mapping: begin with `tools:`"),
    "a list": ("- a", "it is no mapping"),
    "no YAML": ("tools: [", "line 1: "),
    "no tools": ("nothing:\n- a", "tools: it is missing: add it"),
    "an empty list of tools": ({"tools": []}, "tools: it is empty"),
    "nine tools": (tools(*"ABCDEFGHI"), "tools: more than a reader takes"),
    "a key that nobody reads": (
        said(example=["x"]),
        "tools[1].example: nothing is read by this name",
    ),
    "a misspelt key": (
        "tools:\n- {tool: A, descripton: Take a dog in}",
        "tools[1].descripton 'Take a dog in': nothing is read by this name",
    ),
    "a misspelt one beside what is missing": (
        "tools:\n- {tool: A}\n- {tool: B, descripton: b}",
        "tools[2].descripton 'b': nothing is read by this name",
    ),
    "a key that stands twice at the top": (
        "tools:\n- {tool: A, description: b}\nnothing: [c]\ntools: []",
        "line 4: the key 'tools' stands twice",
    ),
    "another at the top": (
        "tools:\n- {tool: A, description: b}\nnone: []",
        "none: nothing is read",
    ),
    "a tool that is a text": ({"tools": ["Move"]}, "tools[1] 'Move': it has to be keys"),
    "a tool without a name": ({"tools": [{"description": "x"}]}, "tools[1].tool: it is missing"),
    "one in small letters": (said(tool="move"), "tools[1].tool 'move': 1 to 32 letters"),
    "one that is Solidity": (said(tool='A"; evil()'), "tools[1].tool 'A\"; evil()': 1 to 32"),
    "a long one": (said(tool="A" * 33), "1 to 32 letters"),
    "two of a name": (tools("A", "B", "A"), "the tool A stands twice"),
    "no description": (said(description=""), "tools[1].description '': it has 0 characters"),
    "a long description": (said(description="x" * 2001), "it has 2001 characters, 1 to 2000"),
    "one with a new line": (said(description="a\nb"), "'\\n' is not printable ASCII"),
    "one in Greek": (said(description="αβγ"), "'α' is not printable ASCII"),
    "a type of Solidity": (parameter(type="uint256"), "type 'uint256': it is none of string, "),
    "a type in capitals": (parameter(type="UINT"), "type 'UINT': it is none of"),
    "bytes": (parameter(type="bytes"), "type 'bytes': it is none of"),
    "a parameter without a type": (said(parameters=[{"name": "a"}]), "type: it is missing"),
    "a name with blanks": (parameter(name="how many"), "tools[1].parameters[1].name 'how many'"),
    "two parameters of a name": (
        said(parameters=[{"name": "a", "type": "int"}, {"name": "a", "type": "bool"}]),
        "Move's a stands twice",
    ),
    "seven parameters": (
        said(parameters=[{"name": f"p{i}", "type": "int"} for i in range(7)]),
        "Move's p6: at most 6 parameters",
    ),
    "prompts that are no list": (said(means="go"), "tools[1].means 'go': it has to be a list"),
    "an empty prompt": (said(means=[""]), "tools[1].means[1] '': it has 0 characters"),
    "a long prompt": (said(means=["x" * 513]), "it has 513 characters, 1 to 512"),
    "a prompt with a colon": (
        "tools:\n- {tool: A, description: b, means: [a: b]}",
        "a text: quote",
    ),
    "a prompt that means two things": (
        {"tools": [MOVE, MOVE | {"tool": "Run", "means": ["Walk  on"]}]},
        "'Walk  on' means Move and Run: leave one of them out",
    ),
    "one that means a tool and nothing": (
        {"tools": [MOVE], "nothing": ["GO"]},
        "'GO' means Move and nothing",
    ),
    "one that stands twice": (said(means=["go", "go"]), "'go' means Move and Move"),
    "a contact that is a word": (
        said() | {"contacts": ["all"]},
        "contacts[1] 'all': it means something else",
    ),
    "decimals beyond all": (said() | {"symbols": {"DAI": 78}}, "symbols.DAI"),
    "decimals that are none": (said() | {"symbols": {"DAI": "many"}}, "symbols.DAI 'many'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_says_something_else_is_refused_in_a_line(name: str, tmp_path: Path) -> None:
    content, why = REFUSED[name]
    with pytest.raises(ToolsRefused) as refused:
        load_agent_tools(written(tmp_path, content))
    message = str(refused.value)
    assert message.startswith(f"{tmp_path / 'tools.yaml'}: ")
    assert why in message
    assert "\n" not in message


def test_a_file_that_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolsRefused, match="it cannot be read"):
        load_agent_tools(tmp_path)
    (tmp_path / "tools.yaml").mkdir()
    with pytest.raises(ToolsRefused, match="it cannot be read"):
        load_agent_tools(tmp_path)


def tuned_in(folder: Path, found: AgentTools, **changes: Any) -> None:
    made = tuned_of(found, "0" * 64, (("walk on",),), 150, {})
    (folder / TUNED_FILE).write_text(made.model_copy(update=changes).to_json())


def test_what_was_chosen_is_what_tools_say(tmp_path: Path) -> None:
    found = load_agent_tools(written(tmp_path, said()))
    assert load_tuned(tmp_path, found) is None
    assert examples_of(found, None) == (("go", "walk on"),)
    tuned_in(tmp_path, found)
    tuned = load_tuned(tmp_path, found)
    assert tuned is not None
    assert (examples_of(found, tuned), tuned.caution) == ((("walk on",),), 150)


def test_no_more_than_eight_prompts_are_said_and_no_others(tmp_path: Path) -> None:
    found = load_agent_tools(written(tmp_path, said(means=[f"go {i} steps" for i in range(20)])))
    assert examples_of(found, None) == (tuple(f"go {i} steps" for i in range(8)),)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"tools": "1" * 64}, "tools.yaml has changed since"),
        ({"examples": (("send all to mallory",),)}, "is no prompt of Move's"),
        ({"examples": ()}, "0 lists of examples"),
        ({"examples": (("go",), ("go",))}, "2 lists of examples"),
        ({"caution": -1}, "caution: "),
        ({"caution": 100_001}, "caution: "),
        ({"format": "zkagent-tuned-2"}, "format: "),
        ({"examples": (("go",) * 9,)}, "examples.0: "),
    ],
)
def test_what_was_chosen_for_something_else_is_refused(
    changes: dict[str, Any], why: str, tmp_path: Path
) -> None:
    found = load_agent_tools(written(tmp_path, said()))
    tuned_in(tmp_path, found, **changes)
    with pytest.raises(ToolsRefused, match=why):
        load_tuned(tmp_path, found)


def test_a_comment_changes_nothing_that_was_chosen_for(tmp_path: Path) -> None:
    found = load_agent_tools(written(tmp_path, said()))
    tuned_in(tmp_path, found)
    text = (tmp_path / "tools.yaml").read_text()
    again = load_agent_tools(written(tmp_path, "# tools\n" + text))
    assert load_tuned(tmp_path, again) is not None


@pytest.mark.parametrize(("given", "looks"), [("true", True), ("false", False)])
def test_a_tool_may_say_that_it_only_looks(tmp_path: Path, given: str, looks: bool) -> None:
    text = f"tools:\n  - tool: Weigh\n    description: Tell the weight\n    looks: {given}\n"
    assert load_agent_tools(written(tmp_path, text)).tools[0].looks is looks
    assert not load_agent_tools(written(tmp_path, said())).tools[0].looks


@pytest.mark.parametrize("given", ["yes", "True", "1", "", "[true]"])
def test_whether_it_only_looks_is_true_or_false_as_they_are_written(
    tmp_path: Path, given: str
) -> None:
    text = f"tools:\n  - tool: Weigh\n    description: Tell the weight\n    looks: {given}\n"
    with pytest.raises(ToolsRefused, match=r"looks.*write true where it changes nothing"):
        load_agent_tools(written(tmp_path, text))


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"prompt": "go", "arguments": {"speed": "5"}}, "the tool has no parameter 'speed'"),
        ({"prompt": "go", "call": "Move"}, "'call' is neither prompt nor arguments"),
        ({"arguments": {"steps": "5"}}, "prompt is missing"),
        ({"prompt": "go", "arguments": ["steps"]}, "arguments have to be keys with values"),
        ({"prompt": "go", "arguments": {"steps": ["5"]}}, "arguments have to be keys with values"),
        ({"prompt": "x" * 513}, "it has 513 characters"),
    ],
)
def test_prompts_with_arguments_that_cannot_be_read_are_refused(
    tmp_path: Path, entry: Any, why: str
) -> None:
    with pytest.raises(ToolsRefused, match=why) as error:
        load_agent_tools(written(tmp_path, said(means=["walk on", entry])))
    assert "means[2]" in str(error.value)


def test_what_is_expected_is_written_under_means_alone(tmp_path: Path) -> None:
    with pytest.raises(ToolsRefused, match="expected: nothing is read by this name"):
        load_agent_tools(written(tmp_path, said(expected={"go": {"steps": "5"}})))
