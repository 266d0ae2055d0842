// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What the owner says of a tool. Words are the 32 bytes of a call's parameters, from 0; 255 for
///   none.
struct ToolRule {
    /// @notice What the tool wraps, as its `wiring()` tells, or as the owner vouches.
    address target;
    /// @notice The function of `target` that it calls.
    bytes4 selector;
    /// @notice The hooks are called by the tool itself, a `GuardedTool`, and not by the agent.
    bool wrapped;
    /// @notice In supervised mode, the call waits for nobody: for tools that only look.
    bool unattended;
    /// @notice The word that names the asset which a call spends: it needs a budget.
    uint8 assetWord;
    /// @notice The word with the amount of it, which counts even where the balance does not show it.
    uint8 amountWord;
    /// @notice The word that names whom the call is for, which a manifest has to name, too.
    uint8 targetWord;
    /// @notice Seconds between two calls.
    uint32 cooldown;
    /// @notice How many calls there may be in all; the highest number for no limit.
    uint32 maxRuns;
    /// @notice The tool tells nothing: target and selector are the owner's word. Both zero say that it
    ///   grants nobody anything, which nothing checks.
    bool vouched;
}

/// @title Which tools an agent may call: none that is not listed
interface IAllowList {
    /// @notice The owner allowed a tool.
    event ToolAllowed(address indexed tool, ToolRule rule);

    /// @notice The owner allowed a tool no longer.
    event ToolDisallowed(address indexed tool);

    /// @notice The owner set how often a tool may be called.
    event RunsLimited(address indexed tool, uint32 cooldown, uint32 maxRuns);

    /// @notice The tool is not on the list.
    error ToolNotAllowed(address tool);

    /// @notice The tool's code is not what the owner allowed.
    error AllowedCodeChanged(address tool, bytes32 allowed, bytes32 actual);

    /// @notice The tool wraps something else than the owner says.
    error OtherWiring(address tool, address target, bytes4 selector);

    /// @notice The tool does not tell what it wraps, and the owner does not vouch for it, or by halves.
    error ToolTellsNothing(address tool);

    /// @notice The function lets others spend in a way that cannot be counted, or passes on any call.
    error GrantRefused(bytes4 selector);

    /// @notice The tool was called a moment ago: wait.
    error CoolingDown(address tool, uint256 until);

    /// @notice The tool was called as often as it may.
    error NoRunsLeft(address tool, uint256 maxRuns);

    /// @notice The parameters have no such word.
    error WordMissing(address tool, uint256 word, uint256 length);

    /// @notice The word that the rule takes for an address is none: tools may read it otherwise.
    error WordIsNoAddress(address tool, uint256 word, uint256 value);

    /// @notice Puts a tool on the list, or changes what is said of it; its count goes on.
    function allow(address tool, ToolRule calldata rule) external;

    /// @notice Takes a tool off the list.
    function disallow(address tool) external;

    /// @notice Changes how often a tool may be called.
    function limitRuns(address tool, uint32 cooldown, uint32 maxRuns) external;

    /// @notice What the owner said of a tool.
    function ruleOf(address tool) external view returns (bool allowed, ToolRule memory rule);

    /// @notice The tools that were ever allowed, in that order.
    function listedTools() external view returns (address[] memory);

    /// @notice How often a tool was called, and when it was last.
    function runsOf(address tool) external view returns (uint256 runs, uint256 lastRun);
}
