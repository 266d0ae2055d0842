"""The Solidity tests, and that forge's verdicts arrive."""

import shutil
from pathlib import Path

import pytest

from tests.support.named_tests import not_passed_by_forge
from zkagent.verifier_contracts.errors import ForgeError
from zkagent.verifier_contracts.toolchain.compile import FOUNDRY_TOML, default_settings
from zkagent.verifier_contracts.toolchain.forge import configuration, run_tests
from zkagent.verifier_contracts.toolchain.install import Toolchain

FAILING = """
pragma solidity ^0.8.28;
import {Test} from "forge-std/Test.sol";

contract FailingTest is Test {
    function testFuzz_small(uint256 number) public pure { assertLt(number, 5, "not small"); }
    function test_right() public pure { assertEq(uint256(2) + 2, 4); }
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for folder in ("src", "test"):
        (tmp_path / folder).mkdir()
    return tmp_path


def test_the_solidity_tests_pass(toolchain: Toolchain) -> None:
    report = run_tests()
    assert report.failed == ()
    assert report.passed
    assert list(not_passed_by_forge(report.passed)) == [], "docs/seeds.md names them"


def test_a_failing_solidity_test_is_told_with_its_counterexample(
    toolchain: Toolchain, project: Path
) -> None:
    (project / "test" / "Failing.t.sol").write_text(FAILING)
    report = run_tests(root=project, fuzz_runs=16)
    assert report.passed == ("FailingTest.test_right()",)
    (failed,) = report.failed
    assert failed.startswith("FailingTest.testFuzz_small(uint256): not small")
    assert "counterexample: " in failed


def test_sources_that_do_not_compile_are_an_error(toolchain: Toolchain, project: Path) -> None:
    (project / "test" / "Broken.t.sol").write_text("pragma solidity ^0.8.28; contract X { uin y; }")
    with pytest.raises(ForgeError, match="Identifier not found"):
        run_tests(root=project)


def test_forge_and_compile_use_the_same_settings(toolchain: Toolchain, tmp_path: Path) -> None:
    shutil.copy(FOUNDRY_TOML, tmp_path)
    text = configuration(tmp_path, toolchain).read_text()
    settings = default_settings()
    assert f"optimizer_runs = {settings.optimizer_runs:_}" in text
    assert f'evm_version = "{settings.evm_version}"' in text
    assert f'solc = "{toolchain.solc}"' in text
