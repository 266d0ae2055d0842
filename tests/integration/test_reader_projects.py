"""Agents that read their tools, from `agent new --kind reader` to an audit, by commands."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from eth_utils.address import to_checksum_address

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


def changed_field_is_found(chain: Anvil, field: str, audited: Callable[[], int]) -> None:
    """That of the rules, at which the agent's tools are made to call."""
    code = bytearray(chain.web3.eth.get_code(to_checksum_address(field)))
    code[len(code) // 2] ^= 1
    chain.rpc("anvil_setCode", field, f"0x{code.hex()}")
    assert audited() == VERDICT_CODES["unknown"]
    code[len(code) // 2] ^= 1
    chain.rpc("anvil_setCode", field, f"0x{code.hex()}")


def test_from_nothing_to_a_proven_call_and_an_audit(
    place: list[str], chain: Anvil, tmp_path: Path, capsys: pytest.CaptureFixture[str]
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
    (field,) = re.findall(r"same: tool contract: (0x\w{40}) is Game", found)
    assert f"tools call: {field}, which the agent made" in found
    changed_field_is_found(chain, field, lambda: exit_code("agent", "audit", folder, *place))
    assert "UNKNOWN: tool contract: " in capsys.readouterr().out
    yaml = folder / "tools.yaml"
    yaml.write_text(yaml.read_text().replace("  - rest\n", "  - rest a bit\n"))
    assert exit_code("agent", "audit", folder, *place) == 1
    assert "is not what tools.yaml and tuned.json say" in one_line_error(capsys)
    assert exit_code("agent", "build", folder) == 0
    capsys.readouterr()
    assert exit_code("agent", "audit", folder, *place) == VERDICT_CODES["rejected"]
    assert "by another constructor" in capsys.readouterr().out
