"""The analysers of requirements.txt, in a virtual environment of their own (`make` fills it)."""

import sys
from pathlib import Path

from tests.support.checkout import ROOT

BIN = ROOT / ".venv-tools" / "bin"


def tool(name: str) -> Path:
    """The program `name`; ends this one when it is not installed."""
    path = BIN / name
    if not path.exists():
        sys.exit(f"{path} is missing: make .venv-tools installs it")
    return path


__all__ = ["BIN", "tool"]
