"""The long forms of tests run seldom: at least each of them starts."""

import re
import subprocess
import sys

import pytest

from tests.fuzz import fuzz_contexts
from tests.support.checkout import ROOT

MODULES = re.findall(r"-m (tests\.[\w.]+)", (ROOT / "Makefile").read_text())


def test_make_has_long_forms() -> None:
    assert {"tests.fuzz", "tests.assurance.contract_mutants"} <= set(MODULES)


@pytest.mark.parametrize("module", sorted(set(MODULES)))
def test_a_long_form_can_be_loaded(module: str) -> None:
    load = f"import importlib; importlib.import_module({module!r})"
    done = subprocess.run(
        [sys.executable, "-c", load], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("toolchain")
def test_a_round_of_contexts_runs(capsys: pytest.CaptureFixture[str]) -> None:
    fuzz_contexts(seed=1, contexts=5)
    assert "5 contexts agree" in capsys.readouterr().out
