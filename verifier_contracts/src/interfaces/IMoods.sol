// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Tells what a prompt asks for now
interface IMoods {
    /// @notice 2 if the prompt asks for an act; 1 if it asks a question, so that what only looks may be called; 0 if it
    ///   does neither: a refusal, a condition, a report, or nothing. As `Moods` has them.
    ///   Reverts with PromptTooLong, PromptNotAscii or TooManyTokens.
    /// @param agent Whose books say what names are.
    function moodOf(address agent, string calldata prompt) external view returns (uint256);
}
