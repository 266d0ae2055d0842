"""A file given with --srs is looked at by every command, also where the cache makes it needless."""

from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from zkagent.circuits.bn254.srs_file import PTAU_REMEDY, file_size

COMMANDS = {
    "circuit build": ("circuit", "build", "wallet"),
    "prove": ("prove", "wallet", "--prompt", "withdraw 5 USDC"),
    "prove of a digest": ("prove", "f" * 64, "--prompt", "withdraw 5 USDC"),
    "verify": ("verify", "proof.json"),
    "deploy": ("deploy", "--rpc", "http://127.0.0.1:9", "--key-file", "nowhere"),
    "chain": ("chain",),
    "run": ("run", "withdraw 5 USDC"),
    "verify-run": ("verify-run", "receipt.json"),
    "demo": ("demo",),
    "model audit": ("model", "audit", "1", "--rpc", "http://127.0.0.1:9"),
    "model evaluate-classifier": ("model", "evaluate-classifier", "intents", "--test", "t.jsonl"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "it cannot be read (No such file or directory)"),
        (b"", "0 bytes are less than its header"),
        (b"ptau\1\0\0\0" + bytes(64), PTAU_REMEDY),
        (b"garbage", "k = 1651663207 in its header, expected at most 28"),
        (b"\x0c\0\0\0 cut off", f"12 bytes, expected {file_size(12)} for k = 12"),
    ],
)
def test_a_file_that_is_no_set_up_is_refused(
    command: str,
    content: bytes | None,
    reason: str,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = home.parent / "set-up"
    if content is not None:
        path.write_bytes(content)
    assert exit_code(*COMMANDS[command], "--srs", path) == 1
    assert one_line_error(capsys) == f"error: {path} is no usable set-up file: {reason}\n"
    assert not home.exists()
