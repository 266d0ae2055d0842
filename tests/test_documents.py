"""docs/errors.md names every error, docs/receipt.md every field, and what any document names is
there."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.support.checkout import DOCS, ROOT
from zkagent.executor.chain import abi
from zkagent.executor.demo.attacks.catalogue import ATTACKS
from zkagent.executor.receipts import format as receipts
from zkagent.verifier_contracts.toolchain.compile import compile_all
from zkagent.verifier_contracts.toolchain.install import Toolchain

MODULES = (
    "zkagent.models.errors",
    "zkagent.circuits.errors",
    "zkagent.prover.errors",
    "zkagent.prover.durable.errors",
    "zkagent.prover.service.errors",
    "zkagent.verifier_contracts.errors",
    "zkagent.executor.errors",
    "zkagent.executor.runs.errors",
    "zkagent.executor.operating.errors",
    "zkagent.executor.runtime.core.errors",
)
#: What people read. A path in backticks begins with one of FOLDERS or FILES.
DOCUMENTS = tuple(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("verifier_contracts/**/*.md"))
    if "node_modules" not in path.parts
)
FOLDERS = (
    r"(?:models|circuits|prover|executor|verifier_contracts|tests|docs|examples|zkagent|\.ci)/"
)


@pytest.fixture(scope="module")
def named_errors() -> set[str]:
    rows = [
        line for line in (DOCS / "errors.md").read_text().splitlines() if line.startswith("| `")
    ]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}


@pytest.mark.parametrize("module", MODULES)
def test_every_python_error_is_explained(module: str, named_errors: set[str]) -> None:
    defined = {
        name
        for name, value in vars(importlib.import_module(module)).items()
        if inspect.isclass(value) and issubclass(value, Exception) and value.__module__ == module
    }
    assert defined - named_errors == set()


def test_every_solidity_error_is_explained(toolchain: Toolchain, named_errors: set[str]) -> None:
    defined = {
        entry["name"]
        for contract in compile_all().values()
        for entry in contract.abi
        if entry["type"] == "error"
    }
    assert defined - named_errors == set()


def test_nothing_is_explained_that_does_not_exist(
    toolchain: Toolchain, named_errors: set[str]
) -> None:
    python = {name for module in MODULES for name in vars(importlib.import_module(module))}
    solidity = {
        entry["name"]
        for contract in compile_all().values()
        for entry in contract.abi
        if entry["type"] == "error"
    }
    assert named_errors - python - solidity == {"DevelopmentSetup"}  # of generated verifiers


def test_every_field_of_a_receipt_is_explained() -> None:
    text = (DOCS / "receipt.md").read_text()
    records = [
        value
        for value in vars(receipts).values()
        if inspect.isclass(value) and issubclass(value, BaseModel)
    ]
    fields = {name for record in records for name in record.model_fields}
    assert {name for name in fields if not re.search(rf"\b{name}\b", text)} == set()


def test_hand_written_signatures_are_those_of_the_contracts(toolchain: Toolchain) -> None:
    compiled = compile_all()
    selectors = {
        f"{entry['type']} {_signature(entry)}"
        for contract in compiled.values()
        for entry in contract.abi
        if entry["type"] in {"function", "error", "event"}
    }
    methods = [value for value in vars(abi).values() if isinstance(value, abi.Method)]
    methods.remove(abi.VERIFIED_EARLIER)  # which no contract of this version has
    assert len(methods) > 15
    for method in methods:
        kinds = {
            kind
            for kind in ("function", "error", "event")
            if f"{kind} {method.signature}" in selectors
        }
        assert kinds, method.signature


def test_hand_written_results_are_those_of_the_contracts(toolchain: Toolchain) -> None:
    """Books of symbols and of contacts have a function of one name each."""
    found = {
        (_signature(entry), tuple(map(_type, entry["outputs"])))
        for contract in compile_all().values()
        for entry in contract.abi
        if entry["type"] == "function"
    }
    for method in vars(abi).values():
        if isinstance(method, abi.Method) and method.outputs:
            assert (method.signature, method.outputs) in found, method.signature


def _signature(entry: dict) -> str:  # type: ignore[type-arg]
    return f"{entry['name']}({','.join(map(_type, entry['inputs']))})"


def _type(item: dict) -> str:  # type: ignore[type-arg]
    if not item["type"].startswith("tuple"):
        return str(item["type"])
    inner = ",".join(map(_type, item["components"]))
    return f"({inner}){item['type'].removeprefix('tuple')}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_is_there(document: str) -> None:
    text = (ROOT / document).read_text()
    named = re.findall(rf"`({FOLDERS}[^`\s<>]*)`", text)
    assert [path for path in named if not (ROOT / path.partition("::")[0]).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_in_a_document_leads_somewhere(document: str) -> None:
    path = ROOT / document
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text())
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (path.parent / link).exists()] == []


def test_pre_commit_checks_what_ci_checks_before_the_tests() -> None:
    ci = re.search(r"for name in ([a-z ]+); do step", (ROOT / ".ci/run").read_text())
    hooks = re.findall(r"entry: make .*?(\w+)\n", (ROOT / ".pre-commit-config.yaml").read_text())
    assert ci
    assert hooks == ci[1].split()


FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def walked() -> list[tuple[str, str]]:
    """(file, function) of each step in docs/architecture.md."""
    steps = re.split(r"^\d+\. ", (DOCS / "architecture.md").read_text(), flags=re.MULTILINE)[1:]
    found = []
    for step in steps:
        path, *names = re.findall(r"`([^`\s]+)`", step.split("\n\n")[0])
        found += [(path, name) for name in names if "/" not in name and "--" not in name]
    return found


@pytest.mark.parametrize(("path", "name"), walked())
def test_every_function_on_the_walks_is_where_the_architecture_says(path: str, name: str) -> None:
    assert name in defined_in(ROOT / path)


def defined_in(path: Path) -> set[str]:
    """Functions and classes of a file, methods and fields as Class.name."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{x.name}" for x in node.body if isinstance(x, FUNCTION)}
        if isinstance(node, ast.ClassDef | FUNCTION):
            names.add(node.name)
    return names


def test_every_test_that_the_findings_name_is_there() -> None:
    named = re.findall(r"`([\w/.]+)::(\w+)`", (DOCS / "findings.md").read_text())
    assert len(named) > 50
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not re.search(rf"(def|function) {name}\(", (ROOT / path).read_text())
    ]
    assert missing == []


def test_attacks_have_the_numbers_that_the_demo_gives_them() -> None:
    told = re.findall(r"^ ?(\d+)\. (.+): bounced$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert told
    for number, name in told:
        assert f'"{name}"' in inspect.getsource(ATTACKS[int(number) - 1]), name
