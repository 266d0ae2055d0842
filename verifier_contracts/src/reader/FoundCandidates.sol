// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ICandidates} from "../interfaces/ICandidates.sol";
import {Context} from "../interfaces/IEncoder.sol";
import {SheetParameter} from "../interfaces/IToolVectors.sol";
import {Candidate} from "./Candidate.sol";
import {ParamTypes} from "./ParamTypes.sol";

/// @notice What a prompt has for a tool: what an encoder hands to its decoder.
/// @param tool The place of the tool.
/// @param listOf Of each of its parameters the number of its list.
/// @param lists Candidates, once for each type.
struct Found {
    uint256 tool;
    uint256[] listOf;
    Candidate[][] lists;
}

/// @title Finds what a prompt has for each of a tool's parameters, once for each type
library FoundCandidates {
    function find(
        Context calldata c,
        SheetParameter[] memory parameters,
        ICandidates texts,
        ICandidates literals
    ) internal view returns (Found memory found) {
        uint256 count = parameters.length;
        found.listOf = new uint256[](count);
        (uint256[] memory types, uint256[] memory others) =
            (new uint256[](count), new uint256[](count));
        (uint256 ofTexts, uint256 ofOthers) = (0, 0);
        for (uint256 i = 0; i < count; ++i) {
            uint256 paramType = ParamTypes.read(parameters[i].paramType);
            if (ParamTypes.elementOf(paramType) == ParamTypes.STRING) {
                (found.listOf[i], ofTexts) = _put(types, ofTexts, paramType);
            } else {
                (found.listOf[i], ofOthers) = _put(others, ofOthers, paramType);
                found.listOf[i] += count; // behind those of texts
            }
        }
        for (uint256 i = 0; i < count; ++i) {
            if (found.listOf[i] >= count) found.listOf[i] = found.listOf[i] - count + ofTexts;
        }
        found.lists = new Candidate[][](ofTexts + ofOthers);
        _look(c, texts, _cut(types, ofTexts), found, 0);
        _look(c, literals, _cut(others, ofOthers), found, ofTexts);
    }

    /// @dev The place of a type among the first `count`, to which it is added if it is none of them.
    function _put(uint256[] memory types, uint256 count, uint256 paramType)
        private
        pure
        returns (uint256 place, uint256 after_)
    {
        while (place < count && types[place] != paramType) ++place;
        types[place] = paramType;
        after_ = place == count ? count + 1 : count;
    }

    function _cut(uint256[] memory types, uint256 count) private pure returns (uint256[] memory) {
        assembly ("memory-safe") {
            mstore(types, count)
        }
        return types;
    }

    /// @dev Lists of candidates of these types, from list `first` on.
    function _look(
        Context calldata c,
        ICandidates reader,
        uint256[] memory types,
        Found memory found,
        uint256 first
    ) private view {
        if (types.length == 0) return;
        (Candidate[] memory all, uint256[] memory ends) =
            reader.candidatesOf(c.agent, c.prompt, types);
        for (uint256 i = 0; i < types.length; ++i) {
            found.lists[first + i] = _part(all, i == 0 ? 0 : ends[i - 1], ends[i]);
        }
    }

    /// @dev The same structs.
    function _part(Candidate[] memory all, uint256 start, uint256 end)
        private
        pure
        returns (Candidate[] memory part)
    {
        assembly ("memory-safe") {
            part := mload(0x40)
            let count := sub(end, start)
            mstore(part, count)
            mcopy(add(part, 32), add(add(all, 32), shl(5, start)), shl(5, count))
            mstore(0x40, add(part, shl(5, add(count, 1))))
        }
    }

    /// @notice The list of each parameter.
    function ofEach(Found memory found) internal pure returns (Candidate[][] memory each) {
        each = new Candidate[][](found.listOf.length);
        for (uint256 i = 0; i < each.length; ++i) {
            each[i] = found.lists[found.listOf[i]];
        }
    }
}
