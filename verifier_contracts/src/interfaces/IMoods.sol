// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @title Tells whether a prompt asks for an act
interface IMoods {
    /// @notice Whether the prompt asks for an act now: no question, refusal, condition or report.
    ///   Reverts with PromptTooLong, PromptNotAscii or TooManyTokens.
    /// @param agent Whose books say what names are.
    function asksForAct(address agent, string calldata prompt) external view returns (bool);
}
