"""docs/memory.md: its example runs, and its lists are those of the code."""

import re
import subprocess
import sys
from pathlib import Path

from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.support.checkout import DOCS
from tests.support.processes import environment
from zkagent.executor.runtime.prompts.filters import filters, hide
from zkagent.executor.runtime.prompts.language import TESTS

TEXT = (DOCS / "memory.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_example_finds_what_it_keeps(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EXAMPLES[0]],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[{'text': 'the loan was repaid in March'}] [{'role': 'lender'}]\n"
    assert {file.name for file in tmp_path.iterdir()} == {"agent.key", "agent.db"}


def test_tests_and_filters_are_those_of_the_language() -> None:
    text = " ".join(TEXT.split())
    assert f"the tests `{' '.join(sorted(TESTS))}`" in text
    assert f"the filters `{' '.join(sorted(filters(hide)))}`" in text
    assert set(ImmutableSandboxedEnvironment().tests) >= TESTS
