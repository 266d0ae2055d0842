"""Text of strangers never acts on a terminal, and never looks like a line of ours."""

import ast
import logging
from pathlib import Path
from typing import Any

import click
import pytest

from tests.support.checkout import ROOT
from tests.support.command_line import exit_code
from zkagent.errors import ZkagentError
from zkagent.executor.audit.report import Audit
from zkagent.executor.cli import audit, main, output, progress, run_output
from zkagent.executor.errors import NoAgentThere
from zkagent.executor.receipts.verdicts import Check
from zkagent.executor.runs.errors import RunReverted, RunUnsettled
from zkagent.models.errors import UnknownModel
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.chain.transactions import revert_error
from zkagent.verifier_contracts.errors import AnswerRefused, ChainError, CompileError

HOSTILE = "\x1b[2J\x1b[H\nsound: agent 0x00\r\x9b8m\u202e\x07\x00\u2028"
PRINTERS = {"output.py", "completion.py"}  # the latter prints what click makes for a shell


def harmless(text: str, lines: int = 1) -> bool:
    return text.replace("\n", "").isprintable() and text.count("\n") <= lines


def test_no_command_prints_by_other_means() -> None:
    for path in sorted((ROOT / "executor" / "cli").glob("*.py")):
        if path.name in PRINTERS:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert called not in {"click.echo", "click.secho", "print", "sys.stdout.write"}, path


ERRORS: dict[str, Exception] = {
    "a reason": revert_error(b"", hint=HOSTILE),
    "what a node says": ChainError(f"the node refused: {HOSTILE}"),
    "an answer": AnswerRefused("eth_call", HOSTILE, "bytes"),
    "a contract": NoAgentThere("0x00", HOSTILE),
    "a run": RunReverted(HOSTILE, "", {}),
    "an unsettled run": RunUnsettled("run", "0x00", 1, HOSTILE),
    "a model": UnknownModel(HOSTILE, ["wallet"], HOSTILE),
}


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_errors_are_one_harmless_line(error: Exception) -> None:
    assert str(error).isprintable()
    assert "sound" not in str(error).splitlines()[0][:5]


def test_a_reason_that_is_decoded_is_harmless() -> None:
    from eth_abi.abi import encode

    data = bytes.fromhex("08c379a0") + encode(["string"], [HOSTILE])
    assert parse_revert(data, ()) is not None
    assert str(revert_error(data)).isprintable()


def test_solc_keeps_its_lines_and_nothing_else() -> None:
    assert str(CompileError("a\nb\x1b[2J")) == "a\nb\\x1b[2J"


@pytest.mark.parametrize("verbose", [[], ["-v"]])
def test_whatever_ends_a_command_is_printed_harmlessly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verbose: list[str]
) -> None:
    for raised in (*ERRORS.values(), click.UsageError(HOSTILE), RuntimeError(HOSTILE)):

        def fail(*arguments: Any, raised: Exception = raised, **named: Any) -> None:
            raise raised

        monkeypatch.setattr(main.command, "main", fail)
        code, printed = exit_code(*verbose), capsys.readouterr().err
        assert printed.replace("\n", "").isprintable()
        if not verbose and isinstance(raised, ZkagentError):
            assert printed.count("\n") == 1
        assert (code == main.CRASHED) == isinstance(raised, RuntimeError)


def test_an_audit_is_printed_harmlessly(capsys: pytest.CaptureFixture[str]) -> None:
    """A symbol, a tool's name, what they answer, an owner."""
    found = Audit(HOSTILE, (Check(f"token {HOSTILE}", HOSTILE, HOSTILE),), {"owner": HOSTILE})
    with pytest.raises(SystemExit):
        audit._end(found, as_json=False)
    printed = capsys.readouterr().out
    assert harmless(printed, lines=3)
    assert not any(line.startswith("sound") for line in printed.splitlines())
    sound = Audit("agent", (Check("token", "", "", note=HOSTILE),))
    audit._end(sound, as_json=False)
    assert harmless(capsys.readouterr().out, lines=2)


def test_a_preview_is_printed_harmlessly(capsys: pytest.CaptureFixture[str]) -> None:
    step = {
        "action": HOSTILE,
        "arguments": {"asset": HOSTILE},
        "proven_together": [1],
        "prove_seconds": 1.0,
        "observation": HOSTILE,
    }
    shown = {"iterations": [step], "answer": HOSTILE, "prompt": HOSTILE}
    run_output._print_steps(shown)
    run_output.print_answer({"answer": HOSTILE})
    for line in run_output._effects([HOSTILE]):
        output.show(line)
    printed = capsys.readouterr().out
    assert harmless(printed, lines=6)
    assert not any(line.startswith("sound") for line in printed.splitlines())


def test_stages_and_log_lines_are_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    work = progress.Work()
    work.stage(HOSTILE)
    assert work._lines._stage.isprintable()
    main._show_progress(logging.INFO)
    logging.getLogger("zkagent.test").warning("%s", HOSTILE)
    assert capsys.readouterr().err.replace("\n", "").isprintable()


def test_log_lines_show_no_keys_of_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    main._show_progress(logging.INFO)
    log = logging.getLogger("zkagent.test")
    log.warning("%s", ValueError("asked https://u:SECRET@h/v2/SECRET: 429"))
    try:
        raise ValueError("http://h:8545/SECRET")
    except ValueError:
        log.exception("failed at https://h/v2/SECRET")
    printed = capsys.readouterr().err
    assert "asked https://h/...: 429" in printed
    assert "ValueError: http://h:8545/..." in printed
    assert "SECRET" not in printed


def test_lines_of_ours_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    output.show("one\n  two: 1,000 é")
    assert capsys.readouterr().out == "one\n  two: 1,000 é\n"
    assert Path(output.__file__).name in PRINTERS
