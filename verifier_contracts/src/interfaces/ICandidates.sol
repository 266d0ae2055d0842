// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Candidate} from "../reader/Candidate.sol";

/// @title Finds what a prompt has for a parameter
/// @notice The contract itself enumerates the spans that may fill a parameter, so that whoever proves a
///   decision chooses among no others. For parameters of type STRING and arrays of it, `TextReader` does;
///   for all others `LiteralReader`.
interface ICandidates {
    /// @notice Up to eight candidates, in a fixed order. Reverts for a prompt that is refused and for types that
    ///   the contract does not read.
    /// @param agent Whose books tell names.
    /// @param paramType As `IERCAgentTool.ParamType`; 10 for bytes.
    function candidates(address agent, string calldata prompt, uint256 paramType)
        external
        view
        returns (Candidate[] memory);

    /// @notice The same for parameters of several types, for a caller that looked at the prompt itself, as this
    ///   contract would.
    /// @param pieces As they lie in the caller's memory, without those around them: `PieceWord`s, a word each.
    /// @param origin Where the prompt begins there.
    /// @param symbols Where the entries of the agent's symbol book are; zero if it has none.
    /// @param contacts The same of its contact book.
    /// @param types How many types, then up to six of them, a byte each from the lowest on.
    /// @return lists As `FlatLists` packs them, one for each type.
    function listsOf(
        string calldata prompt,
        bytes calldata pieces,
        uint256 origin,
        address symbols,
        address contacts,
        uint256 types
    ) external view returns (bytes memory lists);
}
