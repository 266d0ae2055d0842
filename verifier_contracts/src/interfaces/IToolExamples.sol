// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title A tool that says how people ask for it
/// @notice Stands beside the ERC's `IERCAgentTool`, and a tool that has it says so by ERC-165. Whoever reads
///   tools reads examples once, with name and description, and pins them with those: a change makes another
///   tool of it.
interface IToolExamples {
    /// @notice Prompts that mean this tool, such as "hit the dragon with my sword". Of more than eight the
    ///   first eight count, of each the first 2,000 bytes.
    function examples() external view returns (string[] memory);
}
