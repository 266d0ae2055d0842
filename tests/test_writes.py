"""Which functions of the product write a file in its place: what they would cut is nobody's."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PARTS = ("circuits", "executor", "models", "prover", "verifier_contracts", "zkagent")

NEW = "into a file or a folder that was just made, and that gets its name when it is complete"
PASSING = "into a temporary folder"
LOCK = "a lock or a pipe, whose content is nothing"
LOG = "a log of a process of ours"
GIVEN = "what is no file, such as a pipe"
MEMORY = "into memory, which `models/whole.py` writes"
RELEASE = "what a release adds to the tree, which its maintainer has under version control"
APPENDED = "only ever appended to, but for a torn last line"
DATABASE = "a database, which its engine writes"
IN_PLACE = {
    "circuits/groth16/ceremony/files.py:_copy_file": NEW,
    "circuits/halo2/build.py:_prepared_file": NEW,
    "circuits/halo2/build.py:_write_files": NEW,
    "circuits/halo2/ezkl_engine.py:evaluate": PASSING,
    "circuits/halo2/ezkl_engine.py:verify_instances": PASSING,
    "circuits/halo2/ezkl_engine.py:write_default_settings": PASSING,
    "circuits/halo2/keyless.py:__init__": PASSING,
    "circuits/halo2/keyless.py:compile": PASSING,
    "circuits/halo2/report/content.py:gather": PASSING,
    "circuits/halo2/srs.py:import_srs": NEW,
    "circuits/halo2/srs.py:make": NEW,
    "circuits/halo2/tuning/measuring.py:start": PASSING,
    "circuits/networks/batch.py:batch_file": PASSING,
    "circuits/networks/batch.py:batch_network": PASSING,
    "circuits/snarkjs/install.py:_install": NEW,
    "circuits/support/child_process.py:__init__": LOG,
    "circuits/support/held_folders.py:__init__": PASSING,
    "executor/bench/agents.py:ours_kept": PASSING,
    "executor/bench/defaults.py:finish": PASSING,
    "executor/bench/plots.py:draw_all": MEMORY,
    "executor/bench/service.py:running": LOG,
    "executor/bench/subjects.py:saved": PASSING,
    "executor/demo/attacks/ezkl_forgeries.py:_compiled": PASSING,
    "executor/demo/attacks/preparation.py:perturbed_model": PASSING,
    "executor/operating/journal.py:held": LOCK,
    "executor/places.py:__init__": NEW,
    "executor/runs/journal.py:_open_lock": LOCK,
    "executor/runs/journal.py:write": NEW,
    "executor/runtime/permissions/audit/log.py:_locked": APPENDED,
    "executor/runtime/permissions/ledger.py:_make": DATABASE,
    "models/examples/networks.py:write": MEMORY,
    "models/whole.py:_opened": GIVEN,
    "models/whole.py:_replace_empty": LOCK,
    "models/whole.py:name_new": NEW,
    "models/whole.py:put": GIVEN,
    "models/whole.py:write_fresh": NEW,
    "prover/service/queue/open_file.py:__init__": LOCK,
    "prover/durable/leases.py:is_free": LOCK,
    "prover/durable/leases.py:take": LOCK,
    "prover/service/queue/wake.py:_opened": LOCK,
    "prover/service/queue/wake.py:_write": LOCK,
    "verifier_contracts/deployment/journal.py:_opened": LOCK,
    "verifier_contracts/deployment/release.py:main": RELEASE,
    "verifier_contracts/deployment/release.py:write_archive": RELEASE,
    "verifier_contracts/toolchain/anvil.py:__init__": PASSING,
    "verifier_contracts/toolchain/anvil.py:_start": LOG,
    "verifier_contracts/toolchain/install.py:_install": NEW,
    "verifier_contracts/toolchain/install.py:_npm_install": NEW,
    "zkagent/__main__.py:_open_streams": GIVEN,
}
CACHE = "a name of ours, in a folder of ours"
OURS = "a name of ours, in a folder that a user names"
LOG_AGAIN = "the name of SQLite's log, beside the database, where nothing is that counts"
#: Which functions give a file a name that another may have; what a user names is a `Place`.
NAMING = {
    "circuits/cleaning.py:_aside": CACHE,
    "circuits/groth16/build.py:_placed": CACHE,
    "circuits/groth16/build.py:_write_files": CACHE,
    "circuits/groth16/build.py:keys": CACHE,
    "circuits/groth16/ceremony/files.py:_compare": PASSING,
    "circuits/groth16/ceremony/files.py:_copied": CACHE,
    "circuits/groth16/ceremony/files.py:begin": OURS,
    "circuits/groth16/keys/development.py:write_files": PASSING,
    "circuits/groth16/proving/provers.py:prove": PASSING,
    "circuits/halo2/build.py:_build": CACHE,
    "circuits/halo2/srs.py:_noted": CACHE,
    "circuits/halo2/srs.py:import_srs": CACHE,
    "circuits/program/reader.py:read_node": "a graph's node, which is no file",
    "circuits/snarkjs/install.py:_install": CACHE,
    "circuits/support/sealed.py:write_sealed": CACHE,
    "executor/bench/networks/child.py:__init__": PASSING,
    "executor/bench/results.py:save": OURS,
    "executor/cli/bench.py:_publish": OURS,
    "executor/cli/bench_networks.py:networks_command": OURS,
    "executor/chain/contract_calls.py:_settle": CACHE,
    "executor/chain/contract_calls.py:_write": CACHE,
    "executor/operating/journal.py:write": CACHE,
    "executor/runs/journal.py:write": CACHE,
    "executor/runtime/permissions/audit/anchors.py:__call__": OURS,
    "executor/runtime/permissions/audit/chain.py:keep": OURS,
    "models/agents/instructions.py:save_instruction_model": OURS,
    "models/agents/steps.py:save_model": OURS,
    "models/classifier/files.py:save_classifier": OURS,
    "models/examples/networks.py:write": OURS,
    "models/reader/files.py:save_reader": OURS,
    "models/folders.py:_name": "where what is known is, or nothing",
    "models/loan/credit.py:train_credit": OURS,
    "models/loan/train.py:train_loan": OURS,
    "models/numeric/write.py:write_numeric_model": OURS,
    "models/wallet/reading.py:main": "into a folder that was not there",
    "models/wallet/train.py:with_accuracy": OURS,
    "models/whole.py:_replace_empty": "where an empty file is",
    "models/whole.py:name_new": "where nothing is",
    "models/whole.py:put": "where that led which a user names",
    "models/whole.py:write_file": "what its callers here name",
    "prover/service/fakes/catalogue.py:write": "a fake's",
    "prover/service/queue/wake.py:_opened": CACHE,
    "prover/service/queue/removed_log.py:keep_aside": CACHE,
    "prover/service/queue/removed_log.py:put_back": LOG_AGAIN,
    "verifier_contracts/scaffold/project.py:new_project": OURS,
    "verifier_contracts/scaffold/tools_source.py:write_tools_source": "a file of the agent's "
    "folder, if it says that it was made of another",
    "verifier_contracts/toolchain/compile.py:_cached_output": CACHE,
    "verifier_contracts/toolchain/forge.py:configuration": PASSING,
    "verifier_contracts/toolchain/install.py:_install": CACHE,
    "verifier_contracts/toolchain/install.py:_write_solc": CACHE,
    "verifier_contracts/toolchain/own_errors.py:remember_errors": CACHE,
    "verifier_contracts/toolchain/own_tests.py:_configuration": CACHE,
}
PLACING = {"write_file", "write_folder"}
RENAMING = {"replace", "rename", "move", "link", "hardlink_to", "symlink_to"}
WRITERS = {"write_text", "write_bytes", "copyfile", "copy2", "copytree", "savefig"}
WRITERS |= {"savez_compressed"}
UNFOLLOWED = ("O_NOFOLLOW", "O_EXCL", "EXCLUSIVELY")  # what is there already is not opened
OPENERS = {"open", "fdopen", "ZipFile", "NamedTemporaryFile"}


def writes(tree: ast.AST) -> Iterator[str]:
    """The names of the innermost functions that write."""
    yield from (within for within, call in calls(tree) if _writes(call))


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Each with the name of the innermost function that it is in."""
    within: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            within[child] = node.name if named else within.get(node, "")
        if isinstance(node, ast.Call):
            yield within[node], node


def _writes(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return name in WRITERS or (name in OPENERS and any(map(_is_to_write, given)))


def _is_to_write(argument: ast.expr) -> bool:
    """A mode or flags of a file that is opened."""
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        mode = set(argument.value)
        return mode <= set("rwxabt+") and bool(mode & set("wxa+"))
    return any(flag in ast.unparse(argument) for flag in ("O_WRONLY", "O_RDWR"))


def follows(tree: ast.AST) -> Iterator[str]:
    """Functions that open a file by its number to write into it, wherever a link of its name
    leads."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and "os.open(" in (body := ast.unparse(node)):
            writes = "O_WRONLY" in body or "O_RDWR" in body
            if writes and not any(flag in body for flag in UNFOLLOWED):
                yield node.name


def names(tree: ast.AST) -> Iterator[str]:
    """The names of the innermost functions that give a file a name, in place of whatever has it."""
    for within, call in calls(tree):
        named = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
        of_path = isinstance(call.func, ast.Attribute)
        one = len(call.args) == 1 and not call.keywords  # strings' `replace` takes two
        if named in PLACING or (named in RENAMING and of_path and (one or _is_systems(call))):
            yield within


def _is_systems(call: ast.Call) -> bool:
    return ast.unparse(call.func).split(".")[0] in ("os", "shutil")


def found(those: Callable[[ast.AST], Iterator[str]]) -> set[str]:
    return {
        f"{path.relative_to(ROOT)}:{function}"
        for part in PARTS
        for path in sorted((ROOT / part).rglob("*.py"))
        for function in those(ast.parse(path.read_text()))
    }


@pytest.mark.parametrize(
    "line",
    [
        "path.write_text(text)",
        "path.write_bytes(data)",
        'path.open("w")',
        'open(path, mode="ab")',
        'os.fdopen(number, "wb")',
        "os.open(path, os.O_WRONLY | os.O_CREAT)",
        "shutil.copyfile(here, there)",
        'zipfile.ZipFile(path, "w")',
    ],
)
def test_a_line_that_writes_is_noticed(line: str) -> None:
    assert list(writes(ast.parse(f"def f():\n    if x:\n        {line}"))) == ["f"]
    assert not list(writes(ast.parse("def f():\n    path.open()\n    open(path, 'rb')\n")))


@pytest.mark.parametrize(
    "line",
    [
        "fresh.replace(path)",
        "fresh.rename(path)",
        "os.replace(fresh, path)",
        "os.rename(fresh, path)",
        "shutil.move(fresh, path)",
        "write_file(path, data)",
        "whole.write_folder(path, files)",
    ],
)
def test_a_line_that_names_a_file_is_noticed(line: str) -> None:
    assert list(names(ast.parse(f"def f():\n    if x:\n        {line}"))) == ["f"]
    assert not list(names(ast.parse("def f():\n    a.replace('a', 'b')\n    replace(a, b=c)\n")))


def test_these_are_all_that_write_in_place() -> None:
    assert found(writes) == set(IN_PLACE)


def test_a_link_leads_nobody_into_another_file() -> None:
    """But where a link is meant to: a database elsewhere, what swallows everything, and the pipe or
    device that was found where a user named it."""
    assert found(follows) == {
        "models/whole.py:_opened",
        "prover/service/queue/open_file.py:__init__",
        "zkagent/__main__.py:_open_streams",
    }


def test_whoever_names_a_file_is_known() -> None:
    """So that what is no file, such as a device, is never replaced where a user names it."""
    assert found(names) == set(NAMING)
