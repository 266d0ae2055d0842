// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IContactBookUser} from "./IContactBook.sol";
import {ISymbolBookUser} from "./ISymbolBook.sol";

/// @title What an agent has to tell where its model reads whole instructions
interface IInstructedAgent is ISymbolBookUser, IContactBookUser {
    /// @notice Whom the word "me" means.
    function owner() external view returns (address);

    /// @notice By how much acting has to score more than the next best verdict, in hundredths of a
    ///   log-odd.
    function caution() external view returns (uint256);
}
