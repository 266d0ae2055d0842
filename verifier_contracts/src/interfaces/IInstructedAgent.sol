// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IContactBookUser} from "./IContactBook.sol";

/// @title What an agent has to tell, beside its symbol book and its owner, where its model reads whole
///   instructions
interface IInstructedAgent is IContactBookUser {
    /// @notice The owner asks for another caution.
    event CautionSet(uint256 previous, uint256 caution);

    /// @notice More than a hundred log-odds: the agent would never act.
    error CautionTooHigh(uint256 caution, uint256 limit);

    /// @notice By how much acting has to score more than the next best verdict, in hundredths of a
    ///   log-odd.
    function caution() external view returns (uint256);

    /// @notice Sets it; only for the owner.
    function setCaution(uint256 caution_) external;
}

/// @title An agent that serves somebody, whom the word "me" means
interface IOwnedAgent {
    /// @notice Whom the agent serves.
    function owner() external view returns (address);
}
