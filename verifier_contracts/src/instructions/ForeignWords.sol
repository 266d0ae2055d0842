// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Languages} from "../encoding/Languages.sol";
import {NAMED_PIECE, PieceWord, Reading, UNKNOWN_PIECE} from "./Reading.sol";

/// @title Which word of a prompt says that it is in another language, exactly as
///   `models/instructions/languages.py`
library ForeignWords {
    /// @dev Of a word that is no name none of these is set.
    uint256 private constant NO_WORD = NAMED_PIECE | (3 << 64);

    /// @notice Puts that word in doubt, if there is one. To be called before pieces are read.
    function doubt(Reading memory r) internal pure {
        uint256 filter = Languages.filter();
        uint256 last = r.last;
        uint256 first;
        uint256 known;
        unchecked {
            for (uint256 pos = r.next; pos < last; pos += 32) {
                uint256 piece = PieceWord.load(pos);
                if (piece & NO_WORD != 0) continue;
                if (piece & UNKNOWN_PIECE == 0) {
                    ++known;
                    continue;
                }
                if (first == 0) first = pos;
                if (Languages.lists(filter, _hashOf(piece))) {
                    _doubt(r, pos);
                    return;
                }
            }
        }
        if (Languages.prevail(r.unknown, known)) _doubt(r, first);
    }

    function _doubt(Reading memory r, uint256 pos) private pure {
        PieceWord.store(pos, PieceWord.doubted(r, PieceWord.load(pos)));
    }

    function _hashOf(uint256 piece) private pure returns (uint256 h) {
        assembly ("memory-safe") {
            let start := and(shr(32, piece), 0xffffffff)
            h := keccak256(start, sub(and(piece, 0xffffffff), start))
        }
    }
}
