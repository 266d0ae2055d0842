// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERCAgentTool} from "../erc/IERCAgentTool.sol";

/// @notice Who has the last word on an agent's calls. Each is tighter than the one before.
enum Mode {
    /// @notice Calls that the rules allow are made.
    AUTONOMOUS,
    /// @notice They wait for the owner's approval, each on its own.
    SUPERVISED,
    /// @notice They are made and rolled back: the agent sees what would have been.
    PAPER
}

/// @notice What an agent does with a call that it has decided on.
enum Way {
    MAKE_IT,
    ASK_FIRST,
    ON_PAPER
}

/// @title Stands between an agent's decisions and its tools
/// @notice One guard for one agent and one wallet. What it does not know, it refuses. Its owner alone
///   changes it: what tightens it holds at once, what loosens it is announced first, where the owner
///   has set a delay.
/// @dev The caller of the hooks is the agent itself (`AgentBase`), or the `GuardedTool` that a plain
///   agent has in place of a tool. It calls `beforeCall`, the tool, and `afterCall`, and lets every
///   failure pass.
interface IGuard {
    /// @notice A call was made: where it is refused in the end, this is taken back with the rest.
    event CallMade(address indexed tool);

    /// @notice No call is made until the owner resumes.
    event Paused(string reason);

    /// @notice The guard is of this agent, in place of none.
    event AgentBound(address agent);

    /// @notice Calls are made again.
    event Resumed();

    /// @notice The owner has calls made otherwise.
    event ModeSet(Mode previous, Mode mode);

    /// @notice The owner let so many calls be made in any hour.
    event RateSet(uint256 previous, uint256 callsPerHour);

    /// @notice Only the guarded agent, or the guarded tool itself, may call the hooks.
    error CallerIsNotGuarded(address caller, address expected);

    /// @notice Only the guard's owner may do this.
    error CallerIsNotTheGuardsOwner(address caller, address owner);

    /// @notice The owner paused the guard, and gave this reason.
    error GuardIsPaused(string reason);

    /// @notice The guard has an agent; a successor takes it over (`ISuccession`).
    error AgentAlreadyBound(address agent);

    /// @notice A call is under way; they do not nest.
    error CallInProgress(address tool);

    /// @notice The call that ends is not the one that began.
    error NoSuchCallInProgress(address tool, address inProgress);

    /// @notice So many calls were made within an hour: wait. Calls are counted by five minutes, the ones
    ///   that have begun count whole.
    error RateExceeded(uint256 callsPerHour);

    /// @notice Asks whether this call may be made, and counts it. Reverts if not.
    /// @param params The parameters, encoded together.
    /// @return way What to do with it. Nothing is counted unless that is `MAKE_IT`: the owner is asked
    ///   (`IApprovals.ask`), or the call is made on paper (`beforePaperCall`).
    function beforeCall(IERCAgentTool tool, bytes calldata params) external returns (Way way);

    /// @notice `beforeCall` for a call that will be rolled back, whoever has the last word.
    function beforePaperCall(IERCAgentTool tool, bytes calldata params) external;

    /// @notice Measures what the call took from the wallet. Reverts if that is too much.
    function afterCall(IERCAgentTool tool) external;

    /// @notice Says whose calls these are, once, for agents that are made after their guard.
    function bindAgent(address agent_) external;

    /// @notice Has all calls refused until `resume`.
    /// @param reason Told to whoever is refused.
    function pause(string calldata reason) external;

    /// @notice Ends a pause. Nothing else does.
    function resume() external;

    /// @notice Sets who has the last word.
    function setMode(Mode mode_) external;

    /// @notice Sets how many calls may be made in any hour; 0 for none.
    function setRate(uint16 callsPerHour) external;

    /// @notice Whose calls these are.
    function agent() external view returns (address);

    /// @notice Whose balances are measured.
    function wallet() external view returns (address);

    /// @notice Who may change the guard.
    function owner() external view returns (address);

    /// @notice Who has the last word.
    function mode() external view returns (Mode);

    /// @notice Whether calls are refused, and why.
    function paused() external view returns (bool isPaused, string memory reason);

    /// @notice How many calls may be made in any hour, and how many count at present.
    function rate() external view returns (uint256 callsPerHour, uint256 counted);
}
