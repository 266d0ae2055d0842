"""What a proof of the wallet model is about: said first, believed only when it follows."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import zkagent
from tests.support.command_line import exit_code as run
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.api.readings import objection
from zkagent.executor.errors import CannotVerify


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
        assert printed[1].startswith("the numbers hold for circuit ")
        assert printed[2].startswith(f"not verified: {untold}")
        assert "amount=500" not in "".join(printed)
        assert run("verify", tmp_path / "other.json", "--json") == 3
        told = json.loads(capsys.readouterr().out)
        assert told["valid"] is None
        assert told["reason"].startswith(untold)
        assert "about" not in told


def test_a_verdict_in_python_is_one_on_the_numbers_alone(
    wallet_circuit: Circuit, tmp_path: Path
) -> None:
    """What the file says of them is told apart by who asks for it: `objection`."""
    out = tmp_path / "proof.json"
    assert run("prove", "wallet", "--prompt", "deposit 5 USDC", "--out", out) == 0
    proof = zkagent.Proof.from_json(out.read_text())
    assert proof.about is not None
    for rewritten in (
        replace(proof.about, decision="Deploy(asset=USDC, amount=500)"),
        replace(proof.about, model="another"),
    ):
        forged = replace(proof, about=rewritten)
        assert zkagent.verify(forged, wallet_circuit)
        with pytest.raises(CannotVerify):
            objection(forged, wallet_circuit)
    assert objection(proof, wallet_circuit) == ""
    retold = replace(proof, about=replace(proof.about, prompt="deposit 5 USDC now"))
    assert zkagent.verify(retold, wallet_circuit)
    assert "its inputs are not those of the text" in objection(retold, wallet_circuit)
