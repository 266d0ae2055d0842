"""docs/errors.md names every error, docs/receipt.md every field."""

import importlib
import inspect
import re

import pytest
from pydantic import BaseModel

from tests.support.checkout import DOCS
from zkagent.executor.chain import abi
from zkagent.executor.receipts import format as receipts
from zkagent.verifier_contracts.toolchain.compile import compile_all
from zkagent.verifier_contracts.toolchain.install import Toolchain

MODULES = (
    "zkagent.models.errors",
    "zkagent.circuits.errors",
    "zkagent.prover.errors",
    "zkagent.prover.service.errors",
    "zkagent.verifier_contracts.errors",
    "zkagent.executor.errors",
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
    assert len(methods) > 15
    for method in methods:
        kinds = {
            kind
            for kind in ("function", "error", "event")
            if f"{kind} {method.signature}" in selectors
        }
        assert kinds, method.signature


def test_hand_written_results_are_those_of_the_contracts(toolchain: Toolchain) -> None:
    found = {
        _signature(entry): tuple(map(_type, entry["outputs"]))
        for contract in compile_all().values()
        for entry in contract.abi
        if entry["type"] == "function"
    }
    for method in vars(abi).values():
        if isinstance(method, abi.Method) and method.outputs:
            assert found[method.signature] == method.outputs, method.signature


def _signature(entry: dict) -> str:  # type: ignore[type-arg]
    return f"{entry['name']}({','.join(map(_type, entry['inputs']))})"


def _type(item: dict) -> str:  # type: ignore[type-arg]
    if not item["type"].startswith("tuple"):
        return str(item["type"])
    inner = ",".join(map(_type, item["components"]))
    return f"({inner}){item['type'].removeprefix('tuple')}"
