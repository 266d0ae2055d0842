"""What this project wrote itself for the reader to learn from."""

from collections import Counter
from pathlib import Path

import pytest

from zkagent.models.errors import DatasetError
from zkagent.models.reader import corpora
from zkagent.models.reader.corpora import Corpus, by_tool, rewordings
from zkagent.models.wallet.reading import TOOLS, development, held_out


@pytest.fixture
def own() -> Corpus:
    return corpora.own_services(())


def test_each_service_has_siblings_and_each_tool_is_asked_for(own: Corpus) -> None:
    count = Counter(tool.service for tool in own.tools)
    assert min(count.values()) >= 4
    asked = by_tool(own)
    assert {*asked} == {tool.key for tool in own.tools}
    assert min(map(len, asked.values())) >= 4
    assert all(tool.description for tool in own.tools)


def test_nothing_of_the_wallet_is_learned_from(own: Corpus) -> None:
    prompts = {row["prompt"].lower() for row in (*held_out(), *development())}
    assert not prompts & {row.prompt.lower() for row in own.asked}
    said = {tool.description.lower() for tool in own.tools}
    assert not said & {tool["description"].lower() for tool in TOOLS}


def test_a_service_that_is_held_out_is_left_out(own: Corpus) -> None:
    left = corpora.own_services({"chess"})
    assert {tool.service for tool in own.tools} - {tool.service for tool in left.tools} == {"chess"}
    assert "chess" not in {row.service for row in left.asked}


def test_another_name_and_description_stand_together() -> None:
    found = rewordings()
    assert ("Banks", "TransferMoney") in found
    assert all(name and description for others in found.values() for name, description in others)


def test_a_line_that_is_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "services.txt"
    monkeypatch.setattr(corpora, "SERVICES", file)
    file.write_text("[a]\nTool(uint x): does\n> do it\n")
    found = corpora.own_services(())
    assert found.tools[0].parameters[0].name == "x"
    assert found.asked[0].key == ("a", "Tool")
    for line in ("Tool: does", "do it", "> do it"):
        file.write_text(f"[a]\n{line}\n")
        with pytest.raises(DatasetError, match=r"services\.txt"):
            corpora.own_services(())
