// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ModelData} from "../encoding/ModelData.sol";
import {Books} from "../instructions/Books.sol";
import {Codebook} from "../instructions/Codebook.sol";
import {ICandidates} from "../interfaces/ICandidates.sol";
import {AgentBooks} from "./AgentBooks.sol";
import {Candidate} from "./Candidate.sol";
import {Findings} from "./Findings.sol";
import {FlatLists} from "./FlatLists.sol";
import {Quotes} from "./Quotes.sol";
import {View, Views} from "./View.sol";

/// @title Looks at prompts with a lexicon and the agent's books
abstract contract PromptReader is ICandidates {
    using Views for View;

    address private immutable _lexicon;

    /// @param lexicon The contract of `models/reader/lexicon.py`'s table: see `Codebook`.
    constructor(address lexicon) {
        uint256 expected = 1 + 32 * Codebook.BUCKETS_PER_CHUNK;
        if (lexicon.code.length < expected) {
            revert ModelData.DataTooShort(lexicon, expected, lexicon.code.length);
        }
        _lexicon = lexicon;
    }

    /// @inheritdoc ICandidates
    function candidates(address agent, string calldata prompt, uint256 paramType)
        external
        view
        returns (Candidate[] memory)
    {
        View memory v = _look(agent, prompt);
        return _find(v, Quotes.find(v), paramType);
    }

    /// @inheritdoc ICandidates
    function listsOf(
        string calldata prompt,
        bytes calldata pieces,
        uint256 origin,
        address symbols,
        address contacts,
        uint256 types
    ) external view returns (bytes memory) {
        View memory v = Views.adopt(prompt, _lexicon, pieces, origin);
        (v.r.symbols, v.r.bookless) = (Books.load(symbols), symbols == address(0));
        v.r.contacts = contacts == address(0) ? Books.none() : Books.load(contacts);
        uint256[] memory quotes = Quotes.find(v);
        Candidate[][] memory all = new Candidate[][](types & 0xff);
        for (uint256 i = 0; i < all.length; ++i) {
            types >>= 8;
            all[i] = _find(v, quotes, types & 0xff);
        }
        return FlatLists.pack(all, _mood(v, quotes));
    }

    /// @dev What the prompt has for one type. Reverts for one that is not read. Leaves the view as it is.
    function _find(View memory v, uint256[] memory quotes, uint256 paramType)
        internal
        view
        virtual
        returns (Candidate[] memory);

    /// @dev What the prompt asks for, if that is looked at here: see `Moods`.
    function _mood(View memory, uint256[] memory) internal pure virtual returns (uint256) {
        return Findings.UNKNOWN_MOOD;
    }

    function _look(address agent, string calldata prompt) internal view returns (View memory v) {
        (address symbols, address contacts) = AgentBooks.pointersOf(agent);
        v = AgentBooks.look(prompt, _lexicon, symbols, contacts);
        v.dropMarkClasses();
    }
}
