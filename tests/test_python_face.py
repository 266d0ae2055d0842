"""`import zkagent`: quick, typed, documented, and nothing but the names that it lists."""

import ast
import inspect
import json
import re
import subprocess
import sys

import pytest

import zkagent
from tests.support.checkout import DOCS, ROOT
from tests.support.documents import printed, promised, python_blocks

HEAVY = ("click", "ezkl", "httpx", "numpy", "onnx", "onnxruntime", "pydantic", "rich", "web3")
MEASURED = f"""
import json, sys, time
began = time.process_time()
import zkagent
seconds = time.process_time() - began
print(json.dumps([seconds, [name for name in {HEAVY} if name in sys.modules]]))
"""
FUNCTIONS = [name for name in zkagent.__all__ if inspect.isfunction(getattr(zkagent, name))]
REFERENCE = (DOCS / "python.md").read_text()


def test_importing_it_is_quick_and_loads_nothing_heavy() -> None:
    for _ in range(10):  # until nothing else on the machine disturbs it
        answer = subprocess.check_output([sys.executable, "-c", MEASURED], cwd=ROOT)
        seconds, loaded = json.loads(answer)
        assert loaded == []
        if seconds < 0.15:
            break
    assert seconds < 0.15


def test_what_type_checkers_see_is_what_is_loaded() -> None:
    tree = ast.parse((ROOT / "zkagent" / "__init__.py").read_text())
    (branch,) = (node for node in tree.body if isinstance(node, ast.If))
    imported = {
        alias.name: node.module
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == vars(zkagent)["_MODULES"]
    assert sorted({*imported, "ZkagentError"}) == zkagent.__all__


def test_names_are_found_by_completion_and_others_are_refused() -> None:
    assert set(zkagent.__all__) <= set(dir(zkagent))
    with pytest.raises(AttributeError, match="module 'zkagent' has no attribute 'nonsense'"):
        zkagent.nonsense  # noqa: B018


@pytest.mark.parametrize("name", zkagent.__all__)
def test_every_name_is_documented(name: str) -> None:
    assert re.search(rf"^### {name}\b", REFERENCE, re.MULTILINE)
    assert f"`{name}`" in REFERENCE or name == "ZkagentError"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_stands_in_the_reference(name: str) -> None:
    (heading,) = re.findall(rf"^### {name}\((.*)\)", REFERENCE, re.MULTILINE)
    written = [argument.strip().partition("=")[0] for argument in heading.split(", ")]
    assert [word for word in written if word != "\\*"] == [
        *inspect.signature(getattr(zkagent, name)).parameters
    ]


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"load_model", "verify"}))
def test_every_function_has_an_example(name: str) -> None:
    assert ">>> " in inspect.getdoc(getattr(zkagent, name))  # type: ignore[operator]


def test_every_error_of_the_library_is_a_zkagenterror() -> None:
    from zkagent.circuits.errors import CircuitError
    from zkagent.executor.errors import ExecutorError
    from zkagent.models.errors import ModelError
    from zkagent.prover.errors import ProverError
    from zkagent.verifier_contracts.errors import ContractsError

    for root in (ModelError, CircuitError, ProverError, ContractsError, ExecutorError):
        assert issubclass(root, zkagent.ZkagentError)


def test_what_the_reference_says_of_models_and_errors_is_so() -> None:
    quick = [b for b in python_blocks(DOCS / "python.md") if b.section in ("", "Models", "Errors")]
    assert len(quick) > 4
    assert printed(quick) == promised(quick)
