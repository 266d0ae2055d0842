// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Languages} from "../encoding/Languages.sol";
import {NAMED_PIECE, PieceWord, Reading, UNKNOWN_PIECE} from "./Reading.sol";
import {Scanner} from "./Scanner.sol";

/// @title Which word of a prompt says that it is in another language, exactly as
///   `models/instructions/languages.py`
library ForeignWords {
    /// @notice Puts that word in doubt, if there is one. To be called before pieces are read.
    function doubt(Reading memory r) internal pure {
        uint256 found = _find(r);
        if (found == 0) return;
        PieceWord.store(found, PieceWord.doubted(r, PieceWord.load(found)));
    }

    /// @return found Zero if the prompt is taken for English.
    function _find(Reading memory r) private pure returns (uint256 found) {
        uint256 filter = Languages.filter();
        uint256 last = r.last;
        uint256 first;
        uint256 unknown;
        uint256 known;
        uint256 arguments;
        unchecked {
            for (uint256 pos = r.next; pos < last; pos += 32) {
                uint256 piece = PieceWord.load(pos);
                uint256 shape = PieceWord.shapeOf(piece);
                if (shape == Scanner.MARK) {
                    if (found == 0 && Languages.prevail(unknown, known, arguments)) found = first;
                    (first, unknown, known, arguments) = (0, 0, 0, 0);
                } else if (shape == Scanner.RUN || piece & NAMED_PIECE != 0) {
                    ++arguments;
                } else if (piece & UNKNOWN_PIECE == 0) {
                    ++known;
                } else {
                    if (Languages.lists(filter, _hashOf(piece))) return pos;
                    if (unknown++ == 0) first = pos;
                }
            }
            if (found == 0 && Languages.prevail(unknown, known, arguments)) found = first;
        }
    }

    function _hashOf(uint256 piece) private pure returns (uint256 h) {
        assembly ("memory-safe") {
            let start := and(shr(32, piece), 0xffffffff)
            h := keccak256(start, sub(and(piece, 0xffffffff), start))
        }
    }
}
