// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice That one agent takes another's place, signed by the guard's owner (EIP-712).
struct Succession {
    address predecessor;
    address successor;
    /// @notice Tools of the one, and in the same order those of the other that take their places.
    address[] oldTools;
    address[] newTools;
    /// @notice How many successions there were before.
    uint256 nonce;
    /// @notice The last second, since 1970, at which it may happen.
    uint256 deadline;
}

/// @title A new version of an agent takes the place of the old one
/// @notice Budgets with what was spent, the rate, rules and counts of runs go on; nothing is copied, for
///   the guard stays. A manifest is for one agent and is void; so are calls that wait.
interface ISuccession {
    /// @notice The guard is of another agent.
    event AgentSucceeded(address indexed predecessor, address indexed successor, uint256 nonce);

    /// @notice A tool has the rule and the count of another, which is not allowed any longer.
    event ToolSucceeded(address indexed oldTool, address indexed newTool);

    /// @notice The guard is of another agent than the one that is to be succeeded.
    error NotThePredecessor(address expected, address received);

    /// @notice As many old tools as new ones.
    error ToolCountMismatch(uint256 oldTools, uint256 newTools);

    /// @notice The nonce is not the next one.
    error SuccessionNonceMismatch(uint256 expected, uint256 received);

    /// @notice The deadline has passed.
    error SuccessionTooLate(uint256 deadline, uint256 blockTime);

    /// @notice The guard's owner did not sign this, for this guard on this chain.
    error SuccessionSignatureInvalid(bytes32 digest);

    /// @notice The new tool has a rule of its own already.
    error ToolHasARule(address tool);

    /// @notice Makes the successor the guarded agent. Anyone may bring it; where the guard has a delay, once
    ///   the owner has announced the very call (`IDelayedChanges`).
    function succeed(Succession calldata succession, bytes calldata signature) external;

    /// @notice What the owner signs.
    function successionDigest(Succession calldata succession) external view returns (bytes32);

    /// @notice How many successions there were.
    function successions() external view returns (uint256);
}
