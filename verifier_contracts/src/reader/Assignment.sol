// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {CandidateSpan} from "./Candidate.sol";
import {ParamTypes} from "./ParamTypes.sol";

/// @title Which candidate fills which parameter, exactly as `models/reader/assigning.py`
/// @notice Surest first, no part of the prompt twice: what is the only thing that a parameter could mean, then
///   pairs by their scores; but what is no text, and the only parameter of its type, is not chosen among several.
library Assignment {
    uint256 private constant MOST_CANDIDATES = 8;
    uint256 internal constant PAIRS = 48;

    /// @notice Nothing fills the parameter.
    uint256 internal constant NONE = type(uint256).max;

    /// @dev types: of parameters, as they are read. lists: of each its candidates' spans. chosen: of each the place of
    ///   its candidate, or `NONE`. scores: memory position of 48 numbers of int64.
    struct Choosing {
        uint256[] types;
        uint256[][] lists;
        uint256[] chosen;
        uint256 scores;
        uint256 tokens;
    }

    /// @param types Of parameters, up to six.
    /// @param lists Of each its candidates' spans.
    /// @param scores 48 of eight bytes each.
    /// @param least The least score that fills a parameter.
    /// @param tokens Bits of parameters whose numbers count in one token.
    /// @return Of each parameter the place of its candidate, or `NONE`.
    function assign(
        uint256[] memory types,
        uint256[][] memory lists,
        bytes memory scores,
        int256 least,
        uint256 tokens
    ) internal pure returns (uint256[] memory) {
        Choosing memory a;
        a.tokens = tokens;
        uint256 count = types.length;
        (a.types, a.lists, a.chosen) = (new uint256[](count), lists, new uint256[](count));
        assembly ("memory-safe") {
            mstore(add(a, 96), add(scores, 32))
        }
        unchecked {
            for (uint256 i = 0; i < count; ++i) {
                (a.types[i], a.chosen[i]) = (ParamTypes.read(types[i]), NONE);
            }
            for (uint256 i = 0; i < count; ++i) {
                uint256 only = _onlyOf(a, i);
                if (only != NONE && _isFree(a, lists[i][only])) a.chosen[i] = only;
            }
        }
        while (_fillOne(a, least)) {}
        return a.chosen;
    }

    /// @notice Whether it matters what numbers count in: where accounts are wanted, and a symbol stands behind a
    ///   number.
    function asksForUnits(uint256[] memory types, uint256[][] memory lists)
        internal
        pure
        returns (bool)
    {
        bool wanted;
        bool counted;
        unchecked {
            for (uint256 i = 0; i < types.length; ++i) {
                uint256 paramType = types[i];
                if (paramType == ParamTypes.ADDRESS) wanted = true;
                if (!ParamTypes.isNumber(paramType)) continue;
                for (uint256 k = 0; k < lists[i].length; ++k) {
                    if (CandidateSpan.symbolEndOf(lists[i][k]) != 0) counted = true;
                }
            }
            return wanted && counted;
        }
    }

    /// @dev The place of the one candidate that a parameter which is the only one of its type may mean. Of texts
    ///   only quoted ones count; of accounts not what a number counts in: "pay 5 DAI to bob".
    function _onlyOf(Choosing memory a, uint256 i) private pure returns (uint256 only) {
        if (!_isAlone(a, i)) return NONE;
        bool isText = _isText(a.types[i]);
        uint256[] memory list = a.lists[i];
        only = NONE;
        unchecked {
            for (uint256 k = 0; k < list.length; ++k) {
                if (isText && CandidateSpan.kindOf(list[k]) != CandidateSpan.QUOTED) continue;
                if (a.types[i] == ParamTypes.ADDRESS && _isUnit(a, list[k])) continue;
                if (only != NONE) return NONE;
                only = k;
            }
        }
    }

    /// @dev Whether it is the symbol right behind a number of one of these parameters.
    function _isUnit(Choosing memory a, uint256 span) private pure returns (bool) {
        (uint256 start, uint256 end) = (CandidateSpan.startOf(span), CandidateSpan.endOf(span));
        for (uint256 i = 0; a.tokens >> i != 0; ++i) {
            if ((a.tokens >> i) & 1 == 0) continue;
            uint256[] memory list = a.lists[i];
            for (uint256 k = 0; k < list.length; ++k) {
                if (CandidateSpan.symbolEndOf(list[k]) != end) continue;
                if (CandidateSpan.symbolStartOf(list[k]) == start) return true;
            }
        }
        return false;
    }

    /// @dev Fills one parameter more by the largest score, the first one of equals; whether there was one.
    function _fillOne(Choosing memory a, int256 least) private pure returns (bool) {
        (uint256 best, int256 most) = (NONE, least - 1);
        unchecked {
            for (uint256 i = 0; i < a.chosen.length; ++i) {
                if (a.chosen[i] != NONE || (!_isText(a.types[i]) && _isAlone(a, i))) continue;
                (uint256 place, int256 score) = _bestOf(a, most, i);
                if (place != NONE) (best, most) = (MOST_CANDIDATES * i + place, score);
            }
        }
        if (best != NONE) a.chosen[best / MOST_CANDIDATES] = best % MOST_CANDIDATES;
        return best != NONE;
    }

    /// @dev The free candidate of parameter `i` with the largest score above `most`.
    function _bestOf(Choosing memory a, int256 most, uint256 i)
        private
        pure
        returns (uint256 place, int256 score)
    {
        place = NONE;
        uint256[] memory list = a.lists[i];
        unchecked {
            uint256 count = list.length;
            for (uint256 k = 0; k < count; ++k) {
                score = _scoreOf(a, MOST_CANDIDATES * i + k);
                if (score <= most || !_isFree(a, list[k])) continue;
                (place, most) = (k, score);
            }
            score = most;
        }
    }

    function _isText(uint256 paramType) private pure returns (bool) {
        return ParamTypes.elementOf(paramType) == ParamTypes.STRING;
    }

    /// @dev Whether no other parameter has the same candidates.
    function _isAlone(Choosing memory a, uint256 i) private pure returns (bool) {
        uint256[] memory types = a.types;
        uint256 own = types[i];
        unchecked {
            for (uint256 k = 0; k < types.length; ++k) {
                if (types[k] == own && k != i) return false;
            }
        }
        return true;
    }

    /// @dev pair: up to 47.
    function _scoreOf(Choosing memory a, uint256 pair) private pure returns (int256 score) {
        assembly ("memory-safe") {
            score := sar(192, mload(add(mload(add(a, 96)), shl(3, pair))))
        }
    }

    /// @dev Whether nothing that was chosen has a part of it.
    function _isFree(Choosing memory a, uint256 span) private pure returns (bool) {
        (uint256 start, uint256 end) = (CandidateSpan.startOf(span), CandidateSpan.endOf(span));
        uint256[] memory chosen = a.chosen;
        unchecked {
            for (uint256 i = 0; i < chosen.length; ++i) {
                if (chosen[i] == NONE) continue;
                uint256 other = a.lists[i][chosen[i]];
                if (start < CandidateSpan.endOf(other) && CandidateSpan.startOf(other) < end) {
                    return false;
                }
            }
        }
        return true;
    }
}
