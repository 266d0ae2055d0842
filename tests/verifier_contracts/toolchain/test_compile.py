"""Compiling: the right bytes, once, and errors in solc's words."""

import dataclasses
import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes import ended, environment, started
from zkagent.verifier_contracts.errors import CompileError
from zkagent.verifier_contracts.toolchain import compile as compiling
from zkagent.verifier_contracts.toolchain import install as installing
from zkagent.verifier_contracts.toolchain.compile import (
    Settings,
    compile_all,
    compile_source,
    compile_sources,
    default_settings,
    error_abi,
    imports_of,
    resolve,
)
from zkagent.verifier_contracts.toolchain.install import Toolchain

BOX = """
pragma solidity ^0.8.28;
contract Box {
    error Closed(uint256 since);
    uint256 public immutable size;
    constructor(uint256 size_) { size = size_; }
    function open() external view { revert Closed(size); }
}
"""


@pytest.fixture
def cache(tmp_path: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty compiler cache; the toolchain stays the installed one."""
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    monkeypatch.setattr(compiling, "toolchain", lambda: toolchain)
    return tmp_path / "solc"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """The jobs that really went to solc."""
    jobs: list[Mapping[str, Any]] = []
    run = compiling._run_solc

    def counted(job: Mapping[str, Any], tools: Toolchain) -> dict[str, Any]:
        jobs.append(job)
        return run(job, tools)

    monkeypatch.setattr(compiling, "_run_solc", counted)
    return jobs


def test_code_abi_and_immutables_come_out(toolchain: Toolchain) -> None:
    box = compile_source("Box", BOX)
    assert box.bytecode.endswith(box.deployed_bytecode)
    (places,) = box.immutables.values()
    assert [box.deployed_bytecode[at : at + 32] for at in places] == [bytes(32), bytes(32)]
    assert [entry["name"] for entry in error_abi({"Box": box})] == ["Closed"]


def test_code_carries_no_metadata(toolchain: Toolchain) -> None:
    commented = compile_source("Box", BOX + "// a comment changes solc's metadata hash")
    assert commented.deployed_bytecode == compile_source("Box", BOX).deployed_bytecode


def test_libraries_and_own_sources_can_be_imported(toolchain: Toolchain) -> None:
    user = """
    pragma solidity ^0.8.28;
    import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
    import {LibString} from "solady/src/utils/LibString.sol";
    import {Box} from "./Box.sol";
    contract User is Ownable(msg.sender) {
        function name() external pure returns (string memory) {
            return LibString.toString(uint256(7));
        }
    }
    """
    compiled = compile_sources({"a/User.sol": user, "a/Box.sol": BOX})
    assert sorted(compiled) == ["Box", "User"]


def test_every_source_of_the_project_compiles(toolchain: Toolchain) -> None:
    for name, contract in compile_all().items():
        assert contract.name == name
        assert len(contract.deployed_bytecode) <= 24_576, "EIP-170"


def test_the_same_job_is_compiled_once(cache: Path, runs: list[Any]) -> None:
    first, second = compile_source("Box", BOX), compile_source("Box", BOX)
    assert first == second
    assert len(runs) == 1
    faster = Settings(1, via_ir=False, evm_version=default_settings().evm_version)
    compile_source("Box", BOX, faster)
    assert len(runs) == 2


@pytest.mark.parametrize("damage", ["truncated", "altered", "emptied"])
def test_a_damaged_cache_entry_is_rebuilt(cache: Path, runs: list[Any], damage: str) -> None:
    expected = compile_source("Box", BOX)
    (path,) = cache.glob("*.json")
    whole = path.read_text()
    entry = json.loads(whole)
    (unit,) = entry["output"]["contracts"].values()
    unit["Box"]["evm"]["bytecode"]["object"] = "00"
    path.write_text({"truncated": whole[:-9], "altered": json.dumps(entry), "emptied": ""}[damage])
    assert compile_source("Box", BOX) == expected
    assert len(runs) == 2


def test_errors_are_those_of_solc(toolchain: Toolchain) -> None:
    with pytest.raises(CompileError, match=r"generated/Bad\.sol:1"):
        compile_source("Bad", "contract Bad { uin x; }")
    with pytest.raises(CompileError, match=r"import 'nowhere/X\.sol' not found"):
        compile_source("Bad", 'import "nowhere/X.sol"; contract Bad {}')
    with pytest.raises(CompileError, match="no contract Other in the source; it has Box"):
        compile_source("Other", BOX)
    with pytest.raises(CompileError, match="two contracts are named Box"):
        compile_sources({"a.sol": BOX, "b.sol": BOX})


def test_imports_are_read_in_all_their_forms() -> None:
    text = """
    import "./A.sol"; // import "no.sol";
    import {B, C as D} from "../B.sol"; /* import "no.sol"; */
    import {
        E
    } from 'lib/E.sol';
    import * as F from "src/F.sol";
    """
    units = [resolve("src/x/Y.sol", path) for path in imports_of(text)]
    assert units == ["src/x/A.sol", "src/B.sol", "lib/E.sol", "src/F.sol"]


def test_the_adapter_is_a_compiler_command(toolchain: Toolchain) -> None:
    def solc(*arguments: str, given: str = "") -> "subprocess.CompletedProcess[str]":
        command = [str(toolchain.solc), *arguments]
        return subprocess.run(command, input=given, capture_output=True, text=True, check=False)

    assert f"Version: {toolchain.solc_version}\n" in solc("--version").stdout
    assert json.loads(solc("--standard-json", given="{}").stdout)["errors"]
    assert solc("--bin").returncode == 1


COMPILING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where pytest runs aside
from pathlib import Path
from types import SimpleNamespace
from zkagent.verifier_contracts.toolchain import compile as compiling
tools = SimpleNamespace(solc=Path(sys.argv[1]))
sources = {"A.sol": {"content": ""}}
compiling._run_solc({"language": "Solidity", "sources": sources, "settings": {}}, tools)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_the_compiler_ends_with_whoever_has_it_compile(tmp_path: Path, end: signal.Signals) -> None:
    node, place = tmp_path / "node", tmp_path / "numbers"
    says = "echo 'Version: 0.8.30+commit.1'"
    node.write_text(
        f'#!/bin/sh\ncase "$*" in *--version*) {says}; exit;; esac\n'
        f'echo "$$" >{place}\nexec sleep 77\n'
    )
    node.chmod(0o755)
    words = [sys.executable, "-c", COMPILING, str(installing._write_solc(tmp_path, node))]
    with subprocess.Popen(words, env=environment(), stderr=subprocess.DEVNULL) as parent:
        processes = started(place)
        parent.send_signal(end)
        parent.wait(120)
        assert ended(processes)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo no >&2; exit 3", "solc ended with 3: no"),
        ("echo '{}'; echo lost >&2; exit 1", "solc ended with 1: lost"),
        ("head -c 1000 /dev/zero", "solc gave no output"),
    ],
)
def test_a_compiler_that_does_not_answer_as_one_is_told_of(
    tmp_path: Path, toolchain: Toolchain, script: str, said: str
) -> None:
    solc = tmp_path / "solc"
    version = "case $* in *--version*) echo Version: 0.8.30+commit.1; exit;; esac"
    solc.write_text(f"#!/bin/sh\n{version}\ncat >/dev/null\n{script}\n")
    solc.chmod(0o755)
    job = {"language": "Solidity", "sources": {"A.sol": {"content": ""}}, "settings": {}}
    with pytest.raises(CompileError, match=said):
        compiling._run_solc(job, dataclasses.replace(toolchain, solc=solc))


def test_syntax_trees_are_asked_for_once_and_not_of_what_goes_by_yul() -> None:
    """With them solc makes Yul of all contracts: minutes, and one that is too deep for it fails."""
    by_yul, usual = "src/guards/Guard.sol", "src/wallet/SymbolBook.sol"
    for units, asked in (
        ((by_yul, usual), [(True, False), (False, True)]),
        ((by_yul,), [(True, True)]),
        ((usual,), [(False, True)]),
    ):
        jobs = list(compiling._jobs(units, None))
        assert [(settings.via_ir, trees) for settings, _, trees in jobs] == asked
        for settings, wanted, trees in jobs:
            outputs = settings.standard_json(wanted, trees=trees)["outputSelection"]
            assert ("ast" in outputs.get("*", {}).get("", ())) == trees
