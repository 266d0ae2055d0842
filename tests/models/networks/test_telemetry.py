"""Nobody is told that a model computes something, and nothing is kept about it."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.checkout import ROOT

DECIDE = "import zkagent; zkagent.decide('wallet', 'withdraw 5 USDC')"


def test_deciding_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if "ORT_" not in name}
    places = {"HOME": str(tmp_path), "ZKAGENT_HOME": str(tmp_path / "zkagent")}
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        environment.pop(name, None)
    ran = subprocess.run(
        [sys.executable, "-c", DECIDE],
        env=environment | places,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == ""
    assert list(tmp_path.rglob("*")) == []


def test_nobody_else_loads_what_would_tell() -> None:
    loads = re.compile(r"^ *(?:import|from) onnxruntime", re.MULTILINE)
    rooms = ("models", "circuits", "prover", "verifier_contracts", "executor", "zkagent")
    found = {
        path.relative_to(ROOT).as_posix()
        for room in rooms
        for path in (ROOT / room).rglob("*.py")
        if loads.search(path.read_text())
    }
    assert found == {"models/networks/inference.py"}
