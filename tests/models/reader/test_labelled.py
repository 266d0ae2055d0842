"""Files of prompts and tools: what they hold, what is refused, and which candidates are drawn."""

import gzip
import json
from pathlib import Path

import pytest

from zkagent.models.errors import DatasetError
from zkagent.models.reader.labelled import Asked, Drawing, Tool, kind_of, load_asked, load_tools

ROW = {"prompt": "book it", "service": "Hotels_1", "tool": "Reserve"}
TOOLS = [
    Tool(name=name, service=service)
    for service in ("Hotels_1", "Hotels_2", "Banks_1", "Music_1")
    for name in ("Find", "Reserve")
]


def test_prompts_are_read_plain_and_packed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    plain.write_text(json.dumps(ROW) + "\n")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert load_asked(plain) == load_asked(packed) == [Asked(**ROW)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "has no prompts"),
        (b"{", "line 1 is not JSON"),
        (b"[]", "line 1"),
        (b'{"prompt": 5, "service": "a", "tool": "b"}', "prompt"),
        (b'{"prompt": "x", "prompt": "y", "service": "a", "tool": "b"}', "line 1"),
        (b"\xff", "not UTF-8"),
        (b"\x1f\x8b\x08damaged", "damaged gzip"),
    ],
)
def test_other_prompts_are_refused_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)
    with pytest.raises(DatasetError, match=said) as caught:
        load_asked(tmp_path / "a.jsonl")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "has no tools"),
        ("[]", "no object"),
        ('{"a": {}}', "a list of tools"),
        ('{"a": [5]}', "a: "),
        ('{"a": [{"description": "x"}]}', "name"),
        ('{"a": [{"name": "x"}, {"name": "x"}]}', "a.x twice"),
        ("{", "not JSON"),
    ],
)
def test_other_tools_are_refused(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "t.json").write_text(content)
    with pytest.raises(DatasetError, match=said):
        load_tools(tmp_path / "t.json")


def test_candidates_are_the_tool_its_service_and_others_the_same_for_a_seed() -> None:
    first, again, other = (
        [Drawing(TOOLS, 4, seed).with_tool(Asked(**ROW)) for _ in range(2)] for seed in (1, 1, 2)
    )
    assert first == again != other
    for draw in first:
        assert draw.right is not None
        assert TOOLS[draw.tools[draw.right]].key == ("Hotels_1", "Reserve")
        assert 0 in draw.tools
        assert len({*draw.tools}) == 4


def test_a_tool_is_absent_with_all_versions_of_its_service() -> None:
    draw = Drawing(TOOLS, 8, 1).without_service(Asked(**ROW))
    assert {TOOLS[place].service for place in draw.tools} == {"Banks_1", "Music_1"}
    assert draw.right is None


def test_tools_of_other_services_may_be_of_another_version_but_never_of_its_own() -> None:
    drawing = Drawing(TOOLS, 3, 1)
    drawn = [drawing.of_others(Asked(**ROW)) for _ in range(50)]
    services = {TOOLS[place].service for draw in drawn for place in draw.tools}
    assert services == {"Hotels_2", "Banks_1", "Music_1"}
    assert {(len({*draw.tools}), draw.right) for draw in drawn} == {(3, None)}


def test_what_else_is_asked_changes_no_draw() -> None:
    alone, both = Drawing(TOOLS, 4, 1), Drawing(TOOLS, 4, 1)
    for _ in range(5):
        both.of_others(Asked(**ROW))
        assert alone.with_tool(Asked(**ROW)) == both.with_tool(Asked(**ROW))


def test_who_means_no_tool_is_shown_all_of_the_service() -> None:
    none = Asked(prompt="hello", service="Hotels_1", tool=None)
    draw = Drawing(TOOLS, 3, 1).of_service(none)
    assert {0, 1} < {*draw.tools}
    assert draw.right is None
    with pytest.raises(DatasetError, match="Trains, of 'hello', has no tools"):
        Drawing(TOOLS, 3, 1).of_service(none.model_copy(update={"service": "Trains"}))


def test_a_row_without_tool_has_to_say_so(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(ROW | {"tool": None}))
    assert load_asked(file)[0].tool is None
    file.write_text('{"prompt": "x", "service": "y"}')
    with pytest.raises(DatasetError, match="tool"):
        load_asked(file)


def test_siblings_are_there_without_the_tool_itself() -> None:
    draw = Drawing(TOOLS, 3, 1).with_siblings(Asked(**ROW))
    assert draw is not None
    assert 0 in draw.tools
    assert 1 not in draw.tools


def test_a_prompt_whose_tool_is_not_in_the_file_is_named() -> None:
    with pytest.raises(DatasetError, match=r"Hotels_1\.Cancel"):
        Drawing(TOOLS, 3, 1).with_tool(Asked(**(ROW | {"tool": "Cancel"})))


def test_versions_of_a_service_are_told_by_their_number() -> None:
    assert [kind_of(s) for s in ("Hotels_12", "Hotels", "a_b", "_1")] == [
        "Hotels",
        "Hotels",
        "a_b",
        "",
    ]
