"""Agents that read their tools, from `agent new --kind reader` to an audit, by commands."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from zkagent.executor.cli.options import VERDICT_CODES
from zkagent.verifier_contracts.chain.local import Anvil

pytestmark = [pytest.mark.chain, pytest.mark.slow]


@pytest.fixture
def place(chain: Anvil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    pytest.importorskip("groth16py")
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(bytes(chain.accounts[0].key).hex())
    return ["--rpc", chain.rpc_url]


def test_from_nothing_to_a_proven_call_and_an_audit(
    place: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, signing = tmp_path / "Game", [*place, "--key-file", "key", "--yes"]
    assert exit_code("agent", "new", "Game", "--kind", "reader") == 0
    capsys.readouterr()
    assert exit_code("agent", "run", folder, "sleep and regain your strength", *signing) == 1
    assert "deployed.json is not there: deploy Game first" in one_line_error(capsys)
    assert exit_code("agent", "deploy", folder, *signing) == 0
    assert (
        exit_code(
            "agent",
            "run",
            folder,
            "sleep and regain your strength",
            *signing,
            "--receipt",
            "one.json",
        )
        == 0
    )
    shown = capsys.readouterr().out
    assert "1  Rest()  [proven" in shown
    assert "You feel well again." in shown
    assert exit_code("verify-run", "one.json") == 0
    capsys.readouterr()
    online = ["verify-run", "one.json", *place]
    assert exit_code(*online) == VERDICT_CODES["unknown"]
    agent = json.loads((folder / "deployed.json").read_text())["agent"]
    assert f"--trust agent={agent.lower()} vouches for it" in capsys.readouterr().out
    assert exit_code(*online, "--trust", f"agent={agent}") == 0
    capsys.readouterr()
    assert exit_code("agent", "audit", folder, *place) == 0
    found = capsys.readouterr().out
    assert "\nsound: " in found
    assert "UNKNOWN" not in found
    assert "same: tool 'Rest': " in found
    yaml = folder / "tools.yaml"
    yaml.write_text(yaml.read_text().replace("  - rest\n", "  - rest a bit\n"))
    assert exit_code("agent", "audit", folder, *place) == 1
    assert "is not what tools.yaml and tuned.json say" in one_line_error(capsys)
    assert exit_code("agent", "build", folder) == 0
    capsys.readouterr()
    assert exit_code("agent", "audit", folder, *place) == VERDICT_CODES["rejected"]
    assert "by another constructor" in capsys.readouterr().out
