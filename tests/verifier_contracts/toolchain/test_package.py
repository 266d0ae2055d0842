"""The Solidity sources as an npm package: a stranger's project, with npm's own layout and plain
forge, compiles and tests against it without a network."""

import json
import os
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from zkagent.circuits.support.npm import find_node, run_npm
from zkagent.verifier_contracts.toolchain.compile import SOURCES
from zkagent.verifier_contracts.toolchain.install import Toolchain

PACKAGE = ROOT / "verifier_contracts"
CONTENT = json.loads((PACKAGE / "package.json").read_text())
FOUNDRY = """
[profile.default]
src = "contracts"
test = "contracts"
libs = ["node_modules"]
auto_detect_remappings = false
evm_version = "cancun"
optimizer = true
"""
STRANGER = """
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;
import {AgentBase} from "zkagent/agents/AgentBase.sol";
import {AgentTool} from "zkagent/agents/ToolPins.sol";
import {IAgentExecutor} from "zkagent/interfaces/IAgentExecutor.sol";
import {IPriceFeed} from "zkagent/interfaces/IPriceFeed.sol";
import {PriceFeeds} from "zkagent/numeric/PriceFeeds.sol";

contract Mine is AgentBase {
    constructor(IAgentExecutor executor, bytes32 commitment)
        AgentBase(executor, "1", commitment, "Mine", "d", "i", "b", new AgentTool[](0), 1)
    {}
    function _authorize(address) internal view override {}
    function _authorizeModelChange(address) internal view override {}
}

contract Reading {
    function priceOf(IPriceFeed feed) external view returns (int256) {
        return PriceFeeds.priceOf(feed, 1 hours);
    }
}

contract Old is IPriceFeed {
    uint8 public constant decimals = 8;
    function latestRoundData() external pure returns (uint80, int256, uint256, uint256, uint80) {
        return (1, 5, 0, 0, 1);
    }
}

contract ReadingTest {
    function test_an_incomplete_round_is_refused() external {
        Reading reading = new Reading();
        Old old = new Old();
        try reading.priceOf(old) returns (int256) { revert("taken"); }
        catch (bytes memory why) {
            require(bytes4(why) == PriceFeeds.IncompleteRound.selector, "another error");
        }
    }
}
"""


def test_its_versions_are_those_that_everything_is_tested_with() -> None:
    pins = json.loads((PACKAGE / "toolchain" / "pins.json").read_text())["packages"]
    wanted = CONTENT["peerDependencies"]
    assert wanted == {name: pins[name]["version"] for name in wanted}
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert CONTENT["version"] == tomllib.load(file)["project"]["version"]


@pytest.mark.slow
def test_a_stranger_s_forge_project_builds_on_it(toolchain: Toolchain, tmp_path: Path) -> None:
    node = find_node()
    run_npm(node, tmp_path, f"pack {PACKAGE}", "the package", 60)
    (packed,) = tmp_path.glob("*.tgz")
    stranger = tmp_path / "stranger"
    modules, mine = stranger / "node_modules", stranger / "contracts"
    for folder in (modules, mine):
        folder.mkdir(parents=True)
    with tarfile.open(packed) as archive:
        archive.extractall(modules, filter="data")
    (modules / "package").rename(modules / CONTENT["name"])
    for name in ("@openzeppelin", "solady"):
        (modules / name).symlink_to(toolchain.node_modules / name)
    installed = modules / CONTENT["name"]
    there = {path.relative_to(installed / "src") for path in installed.rglob("*.sol")}
    assert there == {path.relative_to(SOURCES) for path in SOURCES.rglob("*.sol")}
    assert {path.name for path in installed.iterdir()} == {"src", "package.json"}
    (stranger / "remappings.txt").write_text((installed / "src" / "remappings.txt").read_text())
    (stranger / "foundry.toml").write_text(FOUNDRY)
    (mine / "Mine.t.sol").write_text(STRANGER)
    environment = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    words = [str(toolchain.forge), "test", "--use", str(toolchain.solc), "--offline", "--json"]
    done = subprocess.run(
        words, cwd=stranger, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (suite,) = json.loads(done.stdout).values()
    assert {each["status"] for each in suite["test_results"].values()} == {"Success"}
    assert (stranger / "out" / "Mine.t.sol" / "Mine.json").is_file()
