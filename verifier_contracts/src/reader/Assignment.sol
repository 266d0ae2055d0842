// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Candidate, CandidateSpan} from "./Candidate.sol";
import {Found} from "./FoundCandidates.sol";
import {ParamTypes} from "./ParamTypes.sol";

/// @title Which candidate fills which parameter, exactly as `models/reader/assigning.py`
/// @notice Surest first, no part of the prompt twice: what is the only thing that a parameter could mean, then
///   pairs by their scores; but what is no text, and the only parameter of its type, is not chosen among several.
library Assignment {
    uint256 private constant MOST_CANDIDATES = 8;
    uint256 internal constant PAIRS = 48;

    /// @notice Nothing fills the parameter.
    uint256 internal constant NONE = type(uint256).max;

    /// @param types Of parameters, up to six.
    /// @param scores 48 of eight bytes each.
    /// @param least The least score that fills a parameter.
    /// @param tokens Bits of parameters whose numbers count in one token.
    /// @return chosen Of each parameter the place of its candidate, or `NONE`.
    function assign(
        uint256[] memory types,
        Found memory found,
        bytes calldata scores,
        int256 least,
        uint256 tokens
    ) internal pure returns (uint256[] memory chosen) {
        chosen = new uint256[](types.length);
        for (uint256 i = 0; i < types.length; ++i) {
            chosen[i] = NONE;
        }
        for (uint256 i = 0; i < types.length; ++i) {
            uint256 only = _onlyOf(types, found, i, tokens);
            if (only != NONE && _isFree(found, chosen, _span(found, i, only))) chosen[i] = only;
        }
        while (_fillOne(types, found, scores, least, chosen)) {}
    }

    /// @notice Whether it matters what numbers count in: where accounts are wanted, and a symbol stands behind a
    ///   number.
    function asksForUnits(uint256[] memory types, Found memory found) internal pure returns (bool) {
        bool wanted;
        bool counted;
        for (uint256 i = 0; i < types.length; ++i) {
            if (types[i] == ParamTypes.ADDRESS) wanted = true;
            if (!ParamTypes.isNumber(types[i])) continue;
            for (uint256 k = 0; k < found.lists[found.listOf[i]].length; ++k) {
                if (CandidateSpan.symbolEndOf(_span(found, i, k)) != 0) counted = true;
            }
        }
        return wanted && counted;
    }

    /// @dev The place of the one candidate that a parameter which is the only one of its type may mean. Of texts
    ///   only quoted ones count; of accounts not what a number counts in: "pay 5 DAI to bob".
    function _onlyOf(uint256[] memory types, Found memory found, uint256 i, uint256 tokens)
        private
        pure
        returns (uint256 only)
    {
        if (!_isAlone(types, i)) return NONE;
        bool isText = _isText(types[i]);
        uint256 count = found.lists[found.listOf[i]].length;
        only = NONE;
        for (uint256 k = 0; k < count; ++k) {
            bool isQuoted = CandidateSpan.kindOf(_span(found, i, k)) == CandidateSpan.QUOTED;
            if (isText && !isQuoted) continue;
            if (types[i] == ParamTypes.ADDRESS && _isUnit(found, tokens, _span(found, i, k))) {
                continue;
            }
            if (only != NONE) return NONE;
            only = k;
        }
    }

    /// @dev Whether it is the symbol right behind a number of one of these parameters.
    function _isUnit(Found memory found, uint256 tokens, uint256 span) private pure returns (bool) {
        (uint256 start, uint256 end) = (CandidateSpan.startOf(span), CandidateSpan.endOf(span));
        for (uint256 i = 0; tokens >> i != 0; ++i) {
            if ((tokens >> i) & 1 == 0) continue;
            for (uint256 k = 0; k < found.lists[found.listOf[i]].length; ++k) {
                uint256 number = _span(found, i, k);
                if (CandidateSpan.symbolEndOf(number) != end) continue;
                if (CandidateSpan.symbolStartOf(number) == start) return true;
            }
        }
        return false;
    }

    /// @dev Fills one parameter more by the largest score, the first one of equals; whether there was one.
    function _fillOne(
        uint256[] memory types,
        Found memory found,
        bytes calldata scores,
        int256 least,
        uint256[] memory chosen
    ) private pure returns (bool) {
        (uint256 best, int256 most) = (NONE, least - 1);
        for (uint256 i = 0; i < chosen.length; ++i) {
            if (chosen[i] != NONE || (!_isText(types[i]) && _isAlone(types, i))) continue;
            (uint256 place, int256 score) = _bestOf(found, scores, most, chosen, i);
            if (place != NONE) (best, most) = (MOST_CANDIDATES * i + place, score);
        }
        if (best != NONE) chosen[best / MOST_CANDIDATES] = best % MOST_CANDIDATES;
        return best != NONE;
    }

    /// @dev The free candidate of parameter `i` with the largest score above `most`.
    function _bestOf(
        Found memory found,
        bytes calldata scores,
        int256 most,
        uint256[] memory chosen,
        uint256 i
    ) private pure returns (uint256 place, int256 score) {
        place = NONE;
        uint256 count = found.lists[found.listOf[i]].length;
        for (uint256 k = 0; k < count; ++k) {
            score = _scoreOf(scores, MOST_CANDIDATES * i + k);
            if (score <= most || !_isFree(found, chosen, _span(found, i, k))) continue;
            (place, most) = (k, score);
        }
        score = most;
    }

    function _isText(uint256 paramType) private pure returns (bool) {
        return ParamTypes.elementOf(paramType) == ParamTypes.STRING;
    }

    /// @dev Whether no other parameter has the same candidates.
    function _isAlone(uint256[] memory types, uint256 i) private pure returns (bool) {
        uint256 own = ParamTypes.read(types[i]);
        for (uint256 k = 0; k < types.length; ++k) {
            if (k != i && ParamTypes.read(types[k]) == own) return false;
        }
        return true;
    }

    function _scoreOf(bytes calldata scores, uint256 pair) private pure returns (int256) {
        return int64(uint64(bytes8(scores[8 * pair:8 * pair + 8])));
    }

    /// @dev Whether nothing that was chosen has a part of it.
    function _isFree(Found memory found, uint256[] memory chosen, uint256 span)
        private
        pure
        returns (bool)
    {
        (uint256 start, uint256 end) = (CandidateSpan.startOf(span), CandidateSpan.endOf(span));
        for (uint256 i = 0; i < chosen.length; ++i) {
            if (chosen[i] == NONE) continue;
            uint256 other = _span(found, i, chosen[i]);
            if (start < CandidateSpan.endOf(other) && CandidateSpan.startOf(other) < end) {
                return false;
            }
        }
        return true;
    }

    function _span(Found memory found, uint256 i, uint256 k) private pure returns (uint256) {
        return found.lists[found.listOf[i]][k].span;
    }
}
