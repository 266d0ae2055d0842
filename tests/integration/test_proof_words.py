"""What a proof of the wallet model is about: said first, believed only when it follows."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import exit_code as run
from zkagent.circuits.artifacts import Circuit


def test_what_was_decided_is_said_first_and_believed_only_when_it_follows(
    wallet_circuit: Circuit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "proof.json"
    prompt, said = "deposit 5 USDC", "Deploy(asset=USDC, amount=5)"
    assert run("prove", "wallet", "--prompt", prompt, "--out", out) == 0
    line = f"wallet decides {said} about {prompt!r}"
    assert capsys.readouterr().out.splitlines()[0] == line
    assert run("verify", out) == run("verify", out, "--model", "wallet") == 0
    printed = capsys.readouterr().out.splitlines()
    assert (printed[0], printed[2]) == (line, line)
    assert printed[1].startswith("valid for circuit ")
    assert run("verify", out, "--json") == 0
    about = {"model": "wallet", "prompt": prompt, "decision": said}
    assert json.loads(capsys.readouterr().out)["about"] == about
    for name, other, reason in (
        ("prompt", "deposit 5 USDC now", "its inputs are not those of the text"),
        ("prompt", "caf\u00e9 \x1b[2J", r"the text 'café \x1b[2J' leads to no decision"),
    ):
        fields = json.loads(out.read_text())
        fields["about"][name] = other
        (tmp_path / "other.json").write_text(json.dumps(fields))
        assert run("verify", tmp_path / "other.json") == 1
        printed = capsys.readouterr().out.splitlines()
        assert len(printed) == 1
        assert printed[0].startswith("invalid: ")
        assert reason in printed[0]
    for name, other, untold in (
        ("model", "../wallet", "what '../wallet' decides is not known here"),
        ("decision", "Deploy(asset=USDC, amount=500)", f"the decision is {said!r} by this version"),
    ):
        fields = json.loads(out.read_text())
        fields["about"][name] = other
        (tmp_path / "other.json").write_text(json.dumps(fields))
        assert run("verify", tmp_path / "other.json") == 3
        printed = capsys.readouterr().out.splitlines()
        assert printed[0].startswith("y = [")  # and not what somebody says that it decides
        assert printed[2].startswith(f"not verified: {untold}")
        assert "amount=500" not in "".join(printed)
