// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ICandidates} from "../interfaces/ICandidates.sol";
import {FlatLists} from "./FlatLists.sol";
import {ParamTypes} from "./ParamTypes.sol";
import {View} from "./View.sol";

/// @notice What a prompt has for a tool's parameters.
/// @param lists Of each parameter its candidates: see `FlatLists`. Those of one type have the same.
/// @param texts Lists of texts, packed.
/// @param literals All others.
struct Found {
    uint256[][] lists;
    bytes texts;
    bytes literals;
}

/// @notice Who finds candidates, and where the entries of the agent's books are; zero of one that it has not.
struct Finders {
    ICandidates texts;
    ICandidates literals;
    address symbols;
    address contacts;
}

/// @title Finds what a prompt has for each of a tool's parameters, once for each type
library FoundCandidates {
    /// @dev Up to six of a byte each, the first one lowest, behind a byte of how many.
    uint256 private constant TYPE_BITS = 8;

    /// @param v The prompt, as it was looked at.
    /// @param types Of the parameters, up to six.
    /// @param found Empty; has it then.
    function find(
        View memory v,
        string calldata prompt,
        uint256[] memory types,
        Finders memory by,
        Found memory found
    ) internal view {
        unchecked {
            uint256 count = types.length;
            uint256[] memory places = new uint256[](count);
            (uint256 texts, uint256 others) = (0, 0);
            for (uint256 i = 0; i < count; ++i) {
                uint256 paramType = ParamTypes.read(types[i]);
                if (_isText(paramType)) (texts, places[i]) = _put(texts, paramType);
                else (others, places[i]) = _put(others, paramType);
            }
            found.texts = _ask(v, prompt, by.texts, texts, by); // and what the prompt asks for
            if (others != 0) found.literals = _ask(v, prompt, by.literals, others, by);
            found.lists = new uint256[][](count);
            for (uint256 i = 0; i < count; ++i) {
                bytes memory packed = _isText(types[i]) ? found.texts : found.literals;
                found.lists[i] = FlatLists.listAt(packed, places[i]);
            }
        }
    }

    function _isText(uint256 paramType) private pure returns (bool) {
        return ParamTypes.elementOf(paramType) == ParamTypes.STRING;
    }

    /// @dev The place of a type among those of `packed`, to which it is added if it is none of them.
    function _put(uint256 packed, uint256 paramType)
        private
        pure
        returns (uint256 after_, uint256 place)
    {
        unchecked {
            uint256 count = packed & 0xff;
            uint256 rest = packed >> TYPE_BITS;
            for (; place < count && rest & 0xff != paramType; ++place) {
                rest >>= TYPE_BITS;
            }
            if (place < count) return (packed, place);
            return ((packed + 1) | (paramType << (TYPE_BITS * (count + 1))), place);
        }
    }

    /// @dev Up to `MOST_PIECES` and what stands around them are handed over as they lie in memory.
    function _ask(
        View memory v,
        string calldata prompt,
        ICandidates reader,
        uint256 types,
        Finders memory by
    ) private view returns (bytes memory) {
        bytes memory pieces;
        uint256 first = v.pieces - 32;
        uint256 size = 32 * v.count;
        // the word in front of the first piece, which nothing reads any more, becomes their length
        assembly ("memory-safe") {
            pieces := first
            mstore(pieces, size)
        }
        return reader.listsOf(prompt, pieces, v.r.start, by.symbols, by.contacts, types);
    }
}
