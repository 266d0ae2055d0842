// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ISymbolBook} from "./ISymbolBook.sol";

/// @title An agent that knows payees by names; encoder and decoder ask it for its book
interface IContactBookUser {
    /// @notice The agent's contact book, laid out like a symbol book: names (2 to 11 characters, lower
    ///   case), a zero byte, addresses. Zero if the agent has none.
    function contactBook() external view returns (ISymbolBook);
}
