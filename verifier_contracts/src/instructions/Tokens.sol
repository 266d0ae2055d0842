// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Codebook} from "./Codebook.sol";
import {Kinds} from "./Kinds.sol";
import {Quantities} from "./Quantities.sol";
import {PieceWord, Reading} from "./Reading.sol";

/// @title Tokens of a prompt, and where their codes and their words of the parse go
/// @notice A token is a word: bits 0 to 4 its place, 5 to 8 its kind, 9 to 18 where it starts in the
///   prompt, 19 to 28 where it ends, and a quantity; see `Quantities`.
library Tokens {
    /// @notice Tokens that a network reads.
    uint256 internal constant LIMIT = 30;
    uint256 private constant KIND_SHIFT = 5;
    uint256 private constant START_SHIFT = 9;
    uint256 private constant END_SHIFT = 19;
    /// @dev Place, start and end.
    uint256 private constant SPAN = ((1 << 29) - 1) & ~uint256(15 << KIND_SHIFT);
    uint256 private constant CODES_PER_WORD = 5;
    uint256 private constant CODE_BYTES = 6;

    /// @notice A token at [start, end) in memory.
    function token(Reading memory r, uint256 kind, uint256 start, uint256 end, uint256 quantity)
        internal
        pure
        returns (uint256)
    {
        unchecked {
            uint256 begins = r.start;
            return quantity | (kind << KIND_SHIFT) | ((start - begins) << START_SHIFT)
                | ((end - begins) << END_SHIFT);
        }
    }

    /// @notice Its place among the prompt's tokens.
    function placeOf(uint256 word) internal pure returns (uint256) {
        return word & 31;
    }

    /// @notice The offset in the prompt where it starts.
    function startOf(uint256 word) internal pure returns (uint256) {
        return (word >> START_SHIFT) & 0x3ff;
    }

    /// @notice The offset in the prompt where it ends.
    function endOf(uint256 word) internal pure returns (uint256) {
        return (word >> END_SHIFT) & 0x3ff;
    }

    function kindOf(uint256 word) internal pure returns (uint256) {
        return (word >> KIND_SHIFT) & 15;
    }

    /// @notice Where the piece before `pos` ends.
    function endBefore(uint256 pos) internal pure returns (uint256) {
        unchecked {
            return PieceWord.endOf(PieceWord.load(pos - 32));
        }
    }

    /// @notice The same without a quantity, in doubt.
    function doubted(uint256 word) internal pure returns (uint256) {
        return (word & SPAN) | (Kinds.DOUBT << KIND_SHIFT);
    }

    /// @notice Places behind the codes written so far, and behind the limit the same as at it.
    function placeAt(Reading memory r) internal pure returns (uint256) {
        unchecked {
            return (r.code - r.features) / CODE_BYTES;
        }
    }

    /// @notice Writes the token that begins with the piece at `begun`; of those behind the 30th nothing is
    ///   ever read.
    function write(Reading memory r, uint256 word, uint256 begun) internal pure {
        unchecked {
            uint256 place = placeAt(r);
            uint256 kind = kindOf(word);
            bool byText = Kinds.isIn(Kinds.BY_TEXT, kind);
            uint256 pos = r.code;
            PieceWord.store(pos, byText ? PieceWord.load(begun) : codeOf(r, kind));
            r.code = pos + CODE_BYTES;
            if (kind <= Kinds.MARK || place >= LIMIT) return;
            pos = r.parse;
            PieceWord.store(pos, (word & ~Quantities.PRESENT) | place);
            r.parse = pos + 32;
        }
    }

    /// @notice Makes a doubt of the last token, which is a number.
    function doubtLast(Reading memory r) internal pure {
        unchecked {
            PieceWord.store(r.code - CODE_BYTES, codeOf(r, Kinds.DOUBT));
            if (placeAt(r) > LIMIT) return;
            uint256 pos = r.parse - 32;
            PieceWord.store(pos, doubted(PieceWord.load(pos)));
        }
    }

    /// @notice The code of a kind of tokens, in the highest bits.
    function codeOf(Reading memory r, uint256 kind) internal pure returns (uint256) {
        unchecked {
            uint256 codes = PieceWord.load(r.kinds + ((kind / CODES_PER_WORD) << 5));
            return (codes >> (48 * (kind % CODES_PER_WORD))) << Codebook.CODE_SHIFT;
        }
    }
}
