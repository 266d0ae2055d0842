// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title An owner's tokens, moved by the tools of the owner's agent
interface IAgentWallet {
    /// @notice The tools that may move tokens were fixed.
    event ToolsBound(address[] tools);

    /// @notice The owner has the wallet obey other tools, and some no longer.
    event ToolsReplaced(address[] oldTools, address[] newTools);

    /// @notice The owner took tokens back.
    event Rescued(address indexed asset, uint256 amount, address indexed recipient);

    /// @notice Only the tools that the agent bound may move tokens.
    error CallerIsNotATool(address caller);

    /// @notice Only the wallet's owner may rescue tokens.
    error CallerIsNotTheWalletOwner(address caller, address owner);

    /// @notice Only the agent that made the wallet binds its tools, once.
    error ToolsCannotBeBound(address caller);

    /// @notice Puts tokens of the wallet into the pool.
    function deploy(address asset, uint256 amount) external;

    /// @notice Takes tokens out of the pool into the wallet.
    function withdraw(address asset, uint256 amount) external;

    /// @notice Sends tokens of the wallet away.
    function transfer(address asset, uint256 amount, address recipient) external;

    /// @notice The wallet's tokens: in the pool, and held.
    /// @return asset_ The asset, so that the result can be read on its own.
    function balances(address asset)
        external
        view
        returns (address asset_, uint256 pool, uint256 held);

    /// @notice Fixes the tools. Only for the agent that made the wallet, once.
    function bindTools(address[] calldata tools) external;

    /// @notice Lets the owner have another agent's tools move the tokens, in place of those of the agent
    ///   before.
    function replaceTools(address[] calldata oldTools, address[] calldata newTools) external;

    /// @notice Lets the owner take out tokens without the agent.
    function rescue(address asset, uint256 amount, address recipient) external;

    /// @notice Lets the owner take tokens out of the pool into the wallet without the agent.
    function rescueFromPool(address asset, uint256 amount) external;

    /// @notice Whose tokens these are.
    function owner() external view returns (address);
}
