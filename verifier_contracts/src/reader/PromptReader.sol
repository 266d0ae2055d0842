// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";
import {Strangers} from "../encoding/Strangers.sol";
import {Books} from "../instructions/Books.sol";
import {Codebook} from "../instructions/Codebook.sol";
import {ICandidates} from "../interfaces/ICandidates.sol";
import {IContactBookUser} from "../interfaces/IContactBook.sol";
import {ISymbolBook, ISymbolBookUser} from "../interfaces/ISymbolBook.sol";
import {View, Views} from "./View.sol";

/// @title Looks at prompts with a lexicon and the agent's books
abstract contract PromptReader is ICandidates {
    address private immutable _lexicon;

    /// @param lexicon The contract of `models/reader/lexicon.py`'s table: see `Codebook`.
    constructor(address lexicon) {
        uint256 expected = 1 + 32 * Codebook.BUCKETS_PER_CHUNK;
        if (lexicon.code.length < expected) {
            revert ModelData.DataTooShort(lexicon, expected, lexicon.code.length);
        }
        _lexicon = lexicon;
    }

    function _look(address agent, string calldata prompt) internal view returns (View memory) {
        bytes4 pointer = ISymbolBook.pointer.selector; // and `IContactBook.pointer`'s
        address symbols = Strangers.addressOf(agent, ISymbolBookUser.symbolBook.selector, pointer);
        address contacts =
            Strangers.addressOf(agent, IContactBookUser.contactBook.selector, pointer);
        return Views.open(
            prompt,
            _lexicon,
            Books.load(symbols),
            contacts == address(0) ? Books.none() : Books.load(contacts),
            symbols == address(0)
        );
    }
}
