"""`zkagent run` refuses what no agent can read before it starts or asks a chain."""

from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from zkagent.executor.api.decisions import decide
from zkagent.executor.runs.derivation import check_prompt
from zkagent.models.catalogue import load_model
from zkagent.models.errors import TooManyCandidates

NOWHERE = ("--rpc", "http://127.0.0.1:9", "--key-file", "nowhere")


@pytest.mark.parametrize("target", [(), ("--dry-run",), ("--batch",), NOWHERE])
@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("", "the prompt is empty"),
        (' "  ', "the prompt is empty"),
        ("$ () -% -", "the prompt is empty"),
        ("d" * 513, "513 characters, at most 512 are read"),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "byte at position 3 is not printable ASCII"),
        ("a " * 65, "more than 64 words"),
        ("1 2 3 4 5 6 7", "more than 6 amounts"),
        ("send 1 DAI to 0x" + "aB" * 20, "checksum"),
    ],
)
def test_an_unreadable_prompt_is_refused_before_any_work(
    prompt: str,
    reason: str,
    target: tuple[str, ...],
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code("run", prompt, *target, "--yes") == 1
    assert reason in one_line_error(capsys)
    assert not home.exists()


@pytest.mark.parametrize("prompt", ["...", ".", ",", ";", ":", "!", "?"])
def test_marks_alone_are_read_and_declined(prompt: str) -> None:
    wallet = load_model("wallet")
    check_prompt(wallet, prompt.encode())
    decision = decide(wallet, prompt)
    assert (decision.action, decision.kind) == ("answer", "decline")


def test_what_depends_on_the_agents_symbol_book_is_left_to_the_agent() -> None:
    wallet, prompt = load_model("wallet"), b"USDC DAI WETH WBTC USDC DAI WETH"
    check_prompt(wallet, prompt)
    with pytest.raises(TooManyCandidates):
        check_prompt(wallet, prompt + b" 1 2 3 4 5 6 7")
