// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Whether an agent acts on a decision only once it is proven
/// @notice Others act at once, and everything is undone if a proof turns out false when the frame ends.
///   Whoever uses tools that watchers outside of the chain follow, such as bridges, wants no action on
///   an unproven decision, however revertible.
interface IStrictAgent {
    /// @notice Whether the agent has each decision proven before it calls the tool or answers. In a
    ///   simulation nothing is proven.
    function strict() external view returns (bool);

    /// @notice Whether frames in which this agent runs have to have their proofs at hand
    ///   (`IAgentExecutor.runInStrictFrame`): it is strict, or one of its tools said so when it was made.
    function needsProofs() external view returns (bool);
}
