// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title A tool that may say that it only looks, so that questions may call it
/// @notice Stands beside the ERC's `IERCAgentTool`, and a tool that has it says so by ERC-165. Whoever reads
///   tools reads this once, with name and description, and pins it with those. No tool is believed: an agent
///   calls one that says so by a static call, in which whatever would change anything reverts.
interface IToolLooks {
    /// @notice Whether a run of the tool changes nothing, on any contract, and emits nothing.
    function onlyLooks() external view returns (bool);
}
