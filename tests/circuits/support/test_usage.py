"""A folder that is worked with is told from one that is not."""

import subprocess
import sys
from pathlib import Path

from tests.support.checkout import ROOT
from zkagent.circuits.support.usage import unused

HOLDER = (
    "import sys; from pathlib import Path; from zkagent.circuits.support.usage import hold;"
    "hold(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
)


def test_a_folder_is_in_use_as_long_as_its_process_lives(tmp_path: Path) -> None:
    with unused(tmp_path) as free:
        assert free
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=str(ROOT),
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        with unused(tmp_path) as free:
            assert not free
        process.communicate()
    with unused(tmp_path) as free:
        assert free
