// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title An agent that serves its owner
/// @notice And one more address, if the owner says so: a contract that runs the agent on the owner's word,
///   or on that of whoever it lets. What such a contract may ask for, it may have done.
interface IServingAgent {
    /// @notice The agent serves this address, too, from now on, and no longer the one before; zero is
    ///   none.
    event AlsoServedChanged(address previous, address served);

    /// @notice The agent serves its owner alone.
    error CallerIsNotTheOwner(address caller, address owner);

    /// @notice Has the agent serve one more address, in place of the one before. It may run the agent and
    ///   nothing else: only the owner accepts models and changes who is served.
    function alsoServe(address served) external;

    /// @notice Whom the agent serves.
    function owner() external view returns (address);

    /// @notice Whom it serves besides; zero for nobody.
    function alsoServed() external view returns (address);
}
