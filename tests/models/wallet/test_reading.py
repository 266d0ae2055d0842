"""The wallet's prompts as rows for a reader."""

import json
import re
from pathlib import Path

from zkagent.models.reader.labelled import load_asked, load_tools
from zkagent.models.wallet import reading

ROOT = Path(__file__).parents[3]
CONTRACT = ROOT / "verifier_contracts" / "src" / "agents" / "WalletTools.sol"


def test_tools_say_what_the_contracts_say() -> None:
    said = CONTRACT.read_text()
    for tool in reading.TOOLS:
        assert f'"{tool["name"]}"' in said
        assert f'"{tool["description"]}"' in said
        for description in tool["parameters"].values():
            (what,) = re.findall("(?:address of the |amount of )?(.+)", description)
            assert f'"{what}"' in said


def test_rows_mean_a_tool_or_none(tmp_path: Path) -> None:
    rows = [*reading.held_out(), *reading.development()]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "t.json").write_text(json.dumps(reading.tools()))
    known = {tool.name for tool in load_tools(tmp_path / "t.json")}
    asked = load_asked(tmp_path / "p.jsonl")
    assert {row.tool for row in asked} == {*known, None}
    assert all(row.may == (() if row.tool else ("ViewBalance",)) for row in asked)
    assert not any("{" in row.prompt or "<" in row.prompt for row in asked)
    plain = [row for row in asked if row.kind == "plain"]
    assert len(plain) == 106
