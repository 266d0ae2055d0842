// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Strangers} from "../encoding/Strangers.sol";
import {Books} from "../instructions/Books.sol";
import {IContactBookUser} from "../interfaces/IContactBook.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {View, Views} from "./View.sol";

/// @title Looks at prompts with an agent's books
library AgentBooks {
    /// @notice Where the entries of the agent's books are; zero of one that it has not.
    function pointersOf(address agent) internal view returns (address symbols, address contacts) {
        bytes4 pointer = ISymbolBook.pointer.selector; // and `IContactBook.pointer`'s
        symbols = Strangers.addressOf(agent, ISymbolBookUser.symbolBook.selector, pointer);
        contacts = Strangers.addressOf(agent, IContactBookUser.contactBook.selector, pointer);
    }

    /// @notice See `Views.open`: marks may have classes.
    function look(string calldata prompt, address lexicon, address symbols, address contacts)
        internal
        view
        returns (View memory v)
    {
        Views.open(
            v,
            prompt,
            lexicon,
            Books.load(symbols),
            contacts == address(0) ? Books.none() : Books.load(contacts),
            symbols == address(0)
        );
    }
}
