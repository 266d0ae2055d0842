"""Solidity that is made of tools.yaml."""

from pathlib import Path

import pytest

from zkagent.models.reader.agent_tools import AgentTools
from zkagent.verifier_contracts.errors import ToolsSourceInTheWay, ToolsSourceOld
from zkagent.verifier_contracts.scaffold import load_project, new_project
from zkagent.verifier_contracts.scaffold.tools_source import (
    MARK,
    check_tools_source,
    source_of,
    write_tools_source,
)
from zkagent.verifier_contracts.toolchain.own import compile_file

HOSTILE = '"); selfdestruct(payable(msg.sender)); //\\'


@pytest.fixture
def folder(tmp_path: Path, toolchain: object) -> Path:
    new_project(tmp_path / "Game", "Game", "reader")
    return tmp_path / "Game"


pytestmark = pytest.mark.chain


def test_it_is_made_anew_where_tools_yaml_changed(folder: Path) -> None:
    check_tools_source(folder, "Game")
    place, yaml = folder / "GameTools.sol", folder / "tools.yaml"
    before = place.read_text()
    yaml.write_text(yaml.read_text().replace("Strike a creature", "Hit a beast"))
    with pytest.raises(ToolsSourceOld, match="agent build"):
        check_tools_source(folder, "Game")
    assert place.read_text() == before
    load_project(folder).make_tools()
    assert '"Hit a beast with a weapon"' in place.read_text()
    load_project(folder).check_tools()


def test_what_somebody_wrote_by_hand_stays(folder: Path) -> None:
    place = folder / "GameTools.sol"
    place.write_text("// mine\n")
    with pytest.raises(ToolsSourceInTheWay, match="move it away"):
        write_tools_source(folder, "Game")
    assert place.read_text() == "// mine\n"
    place.unlink()
    write_tools_source(folder, "Game")
    assert MARK in place.read_text()


def test_a_file_that_was_changed_by_hand_is_not_what_tools_yaml_says(folder: Path) -> None:
    place = folder / "GameTools.sol"
    place.write_text(place.read_text().replace("CAUTION = 0", "CAUTION = 1"))
    with pytest.raises(ToolsSourceOld):
        check_tools_source(folder, "Game")


@pytest.mark.slow
def test_texts_stay_texts_and_names_of_solidity_are_no_trouble(tmp_path: Path) -> None:
    """A description is a stranger's: whatever it says, no code comes of it."""
    said = AgentTools.model_validate(
        {
            "tools": [
                {
                    "tool": name,
                    "description": HOSTILE,
                    "parameters": [
                        {"name": "return_", "type": "uint[]", "description": HOSTILE},
                        {"name": "b", "type": "bool"},
                    ],
                    "means": [f"{HOSTILE} {name}", r"\u0041 \x"],
                    "looks": name == "If",
                }
                for name in ("Delete", "Return", "If")
            ]
        }
    )
    source = source_of("Odd", said, [tool.means for tool in said.tools], 250)
    path = tmp_path / "OddTools.sol"
    path.write_text(source)
    compiled = compile_file(path)
    assert set(compiled) == {"OddTools"}
    assert "selfdestruct(payable" not in source.replace('\\"); selfdestruct', "")
    assert "CAUTION = 250;" in source
    assert source.count("IERCAgentTool.ParamType.UINT_ARRAY") == 3
    assert (source.count("new ExampleTool("), source.count("new LookingTool(")) == (2, 1)
