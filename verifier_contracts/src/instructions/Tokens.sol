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

    /// @notice Writes the token that begins with the piece at `begun`; those behind the 30th are only
    ///   counted.
    function write(Reading memory r, uint256 word, uint256 begun) internal view {
        unchecked {
            uint256 place = r.tokens;
            r.tokens = place + 1;
            if (place >= LIMIT) return;
            uint256 kind = kindOf(word);
            _storeCode(
                r, place, Kinds.isIn(Kinds.BY_TEXT, kind) ? _byText(r, begun) : codeOf(r, kind)
            );
            if (kind <= Kinds.MARK) return;
            PieceWord.store(r.parse, (word & ~Quantities.PRESENT) | place);
            r.parse += 32;
        }
    }

    /// @notice Makes a doubt of the last token, which is a number.
    function doubtLast(Reading memory r) internal pure {
        unchecked {
            uint256 place = r.tokens - 1;
            if (place >= LIMIT) return;
            _storeCode(r, place, codeOf(r, Kinds.DOUBT));
            uint256 pos = r.parse - 32;
            PieceWord.store(pos, doubted(PieceWord.load(pos)));
        }
    }

    /// @notice The code of a kind of tokens.
    function codeOf(Reading memory r, uint256 kind) internal pure returns (uint256) {
        unchecked {
            uint256 codes = PieceWord.load(r.kinds + ((kind / CODES_PER_WORD) << 5));
            return (codes >> (48 * (kind % CODES_PER_WORD))) & Codebook.CODE_MASK;
        }
    }

    function _byText(Reading memory r, uint256 pos) private view returns (uint256 code) {
        uint256 piece = PieceWord.load(pos);
        code = (piece >> PieceWord.FOUND_SHIFT) & Codebook.CODE_MASK;
        if (code != 0) return code;
        uint256 start = PieceWord.startOf(piece);
        uint256 end = PieceWord.endOf(piece);
        code = Codebook.findParts(r.vocabulary, start, end);
        if (code == 0) return codeOf(r, Kinds.WORD);
    }

    /// @dev Overwrites what is behind it, up to 26 bytes.
    function _storeCode(Reading memory r, uint256 place, uint256 code) private pure {
        unchecked {
            PieceWord.store(r.features + 6 * place, code << 208);
        }
    }
}
