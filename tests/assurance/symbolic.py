"""Halmos over the `check_` functions of test/symbolic: for all arguments, not for random ones.

`make symbolic`. Each check is told with its paths and seconds; one that does not pass ends it with
an error and halmos' own words. What is bounded stands in the checks' comments.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.assurance.tools import BIN, tool
from zkagent.verifier_contracts.toolchain.compile import SOURCES
from zkagent.verifier_contracts.toolchain.forge import configuration
from zkagent.verifier_contracts.toolchain.install import toolchain

CHECKS = SOURCES.parent / "test" / "symbolic"
OPTIONS = ("--storage-layout", "generic", "--loop", "8", "--solver-timeout-assertion", "300000")
TIMEOUT_S = 1800


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "checks").symlink_to(CHECKS)
        sys.exit(check(project, sys.argv[1:]))


def check(project: Path, more: list[str]) -> int:
    """halmos' exit code; its report goes to ours. Only what the checks import is compiled."""
    tools = toolchain()
    text = configuration(project, tools).read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("out =", "cache_path ="))]
    config = project / "foundry.toml"
    text = "\n".join(lines).replace('src = "src"', 'src = "checks"') + "\n"
    config.write_text(text.replace('test = "test"', 'test = "checks"'))
    path = os.pathsep.join((str(tools.forge.parent), str(BIN), os.environ.get("PATH", "")))
    done = subprocess.run(
        [str(tool("halmos")), "--root", str(project), *OPTIONS, *more],
        env={**os.environ, "PATH": path, "FOUNDRY_CONFIG": str(config)},
        timeout=TIMEOUT_S,
        check=False,
    )
    return done.returncode


if __name__ == "__main__":
    main()
