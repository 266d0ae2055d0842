"""Where this checkout is, for tests that read its documents or start processes in it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
