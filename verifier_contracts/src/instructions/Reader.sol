// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Tokenizer} from "../encoding/Tokenizer.sol";
import {Kinds} from "./Kinds.sol";
import {Meanings} from "./Meanings.sol";
import {Numbers} from "./Numbers.sol";
import {Quantities} from "./Quantities.sol";
import {PLAIN_PIECE, PieceWord, Reading, SAID_PIECE} from "./Reading.sol";
import {Scanner} from "./Scanner.sol";
import {Tokens} from "./Tokens.sol";

/// @title From a prompt to the tokens that a network reads, exactly as `models/instructions/reader.py`
library Reader {
    /// @dev Pieces behind "all" in which "but ten" is looked for.
    uint256 private constant REACH = 10;
    uint256 private constant COMMA = 0x2c;

    /// @notice Reads all pieces; codes and parse go where `r` says. Reverts with AddressChecksum,
    ///   EmptyPrompt or TooManyTokens.
    function run(Reading memory r) internal view {
        unchecked {
            while (true) {
                _settled(r);
                uint256 begun = r.next;
                if (begun >= r.last) break;
                uint256 token = next(r);
                uint256 kind = Tokens.kindOf(token);
                if (Kinds.isIn(Kinds.AMOUNTS, kind) && Quantities.shareOf(token) != 1) {
                    // Two amounts side by side are both in doubt.
                    if (begun == r.amountEnded) {
                        Tokens.doubtLast(r);
                        token = Tokens.doubted(token);
                    } else if (kind >= Kinds.PERCENT && isAdded(r.amountEnded, begun)) {
                        token = Tokens.doubted(token);
                    }
                    r.amountEnded = r.next;
                }
                Tokens.write(r, token, begun);
            }
            uint256 tokens = Tokens.placeAt(r);
            if (tokens == 0) revert Tokenizer.EmptyPrompt();
            if (tokens > Tokens.LIMIT) revert Tokenizer.TooManyTokens(Tokens.LIMIT);
        }
    }

    /// @notice Whether "and" or "and a" is all that stands between an amount that ended and one that begins:
    ///   two and a quarter. Pieces there are not yet behind so many codes.
    function isAdded(uint256 ended, uint256 begun) internal pure returns (bool) {
        unchecked {
            if (ended == 0 || PieceWord.meaningAt(ended) != Meanings.AND) return false;
            bool article = PieceWord.meaningAt(ended + 32) == Meanings.ARTICLE;
            return begun == ended + (article ? 64 : 32);
        }
    }

    /// @dev Takes pieces that are tokens by themselves, whose codes are in place.
    function _settled(Reading memory r) private pure {
        uint256 pos = r.next;
        uint256 code = r.code;
        uint256 features = r.features;
        uint256 begins = r.start;
        uint256 parse = r.parse;
        uint256 limit = Tokens.LIMIT;
        assembly ("memory-safe") {
            for {} 1 { pos := add(pos, 32) } {
                let piece := mload(pos)
                // Mostly there are several plain ones.
                for {} 1 {} {
                    let second := mload(add(pos, 32))
                    let third := mload(add(pos, 64))
                    if iszero(and(and(and(piece, second), third), PLAIN_PIECE)) { break }
                    mstore(code, piece)
                    mstore(add(code, 6), second)
                    mstore(add(code, 12), third)
                    code := add(code, 18)
                    pos := add(pos, 96)
                    piece := mload(pos)
                }
                // Of these three, two at most.
                if and(piece, PLAIN_PIECE) {
                    mstore(code, piece)
                    code := add(code, 6)
                    pos := add(pos, 32)
                    piece := mload(pos)
                    if and(piece, PLAIN_PIECE) {
                        mstore(code, piece)
                        code := add(code, 6)
                        pos := add(pos, 32)
                        piece := mload(pos)
                    }
                }
                if iszero(and(piece, SAID_PIECE)) { break }
                let place := div(sub(code, features), 6)
                if lt(place, limit) {
                    // As `Tokens` has it: kind, start and end behind the place.
                    place := or(place, shl(5, and(shr(68, piece), 15)))
                    place := or(place, shl(9, sub(and(shr(32, piece), 0xffffffff), begins)))
                    place := or(place, shl(19, sub(and(piece, 0xffffffff), begins)))
                    mstore(parse, place)
                    parse := add(parse, 32)
                }
                mstore(code, piece)
                code := add(code, 6)
            }
        }
        (r.next, r.code, r.parse) = (pos, code, parse);
    }

    /// @notice The token that begins with the next piece; codes and parse are left alone.
    function next(Reading memory r) internal view returns (uint256) {
        unchecked {
            uint256 piece = PieceWord.load(r.next);
            uint256 shape = PieceWord.shapeOf(piece);
            if (shape == Scanner.WORD) return _word(r, piece);
            if (shape == Scanner.RUN) return Numbers.run(r, piece);
            r.next += 32;
            return _token(r, Kinds.MARK, piece, 0);
        }
    }

    function _word(Reading memory r, uint256 piece) private view returns (uint256) {
        unchecked {
            uint256 pos = r.next;
            uint256 meaning = PieceWord.meaningAt(pos);
            if (meaning != 0) {
                if (_beginsCardinal(meaning, pos)) return Numbers.cardinal(r);
                if (meaning == Meanings.HALF) return _half(r, piece);
                if (meaning > Meanings.FRACTION) {
                    r.next = pos + 32;
                    uint256 part = Quantities.ratio(1, meaning - Meanings.FRACTION);
                    return Numbers.share(r, Kinds.PART, PieceWord.startOf(piece), part);
                }
                if (meaning == Meanings.ALL) return _all(r, piece);
            }
            r.next = pos + 32;
            return _token(r, _named(r, piece, meaning), piece, 0);
        }
    }

    function _named(Reading memory r, uint256 piece, uint256 meaning)
        private
        pure
        returns (uint256)
    {
        (uint256 start, uint256 end) = (PieceWord.startOf(piece), PieceWord.endOf(piece));
        uint256 kind = Scanner.nameOf(r, start, end);
        if (kind != Kinds.WORD) return kind;
        if (Scanner.isPossessive(r, start, end)) return Kinds.DOUBT;
        return meaning == Meanings.OWNER ? Kinds.OWNER : kind;
    }

    function _beginsCardinal(uint256 meaning, uint256 pos) private pure returns (bool) {
        unchecked {
            uint256 following = PieceWord.meaningAt(pos + 32);
            if (meaning == Meanings.ARTICLE) return Meanings.isIn(Meanings.COUNTED, following);
            if (meaning == Meanings.POINT || meaning == Meanings.ZERO) {
                return Meanings.isIn(Meanings.DECIMALS, following);
            }
            return Meanings.isIn(Meanings.CARDINALS, meaning);
        }
    }

    /// @dev Half of what there is; half a token, half a million, half a dozen: a number.
    function _half(Reading memory r, uint256 piece) private pure returns (uint256) {
        unchecked {
            uint256 pos = r.next + 32;
            uint256 start = PieceWord.startOf(piece);
            uint256 following = PieceWord.meaningAt(pos);
            r.next = pos + 32;
            if (following == Meanings.DOZEN) {
                return Numbers.amount(r, Kinds.CARDINAL, start, Quantities.SIX);
            }
            if (following == Meanings.ARTICLE) {
                uint256 behind = PieceWord.meaningAt(pos + 32);
                r.next = pos + 64;
                if (behind == Meanings.DOZEN) {
                    return Numbers.amount(r, Kinds.CARDINAL, start, Quantities.SIX);
                }
                if (Meanings.isIn(Meanings.SCALES, behind)) {
                    uint256 power = Meanings.powerOf(behind);
                    uint256 worth = Quantities.times(Quantities.POINT_FIVE, power);
                    return Numbers.amount(r, Kinds.CARDINAL, start, worth);
                }
            }
            r.next = pos;
            return Numbers.share(r, Kinds.PART, start, Quantities.HALF);
        }
    }

    /// @dev All there is, or the amount of "all my USDC but ten", whose words stay tokens.
    function _all(Reading memory r, uint256 piece) private view returns (uint256) {
        unchecked {
            uint256 pos = r.next + 32;
            uint256 left = _allBut(r, pos);
            r.next = pos;
            return _token(r, left == 0 ? Kinds.DOUBT : Kinds.PART, piece, left);
        }
    }

    /// @dev None where what is left out is no such amount. "All but all but ten" is none either.
    function _allBut(Reading memory r, uint256 pos) private view returns (uint256) {
        unchecked {
            uint256 symbol;
            (pos, symbol) = _except(r, pos);
            if (pos == 0) return Quantities.ALL;
            if (PieceWord.isForOrFrom(PieceWord.load(pos))) pos += 32;
            if (pos >= r.last || PieceWord.meaningAt(pos) == Meanings.ALL) return 0;
            uint256 piece = PieceWord.load(pos);
            uint256 less = _excepted(r, pos, symbol);
            // What is glued to a symbol was taken apart; it is read again.
            PieceWord.store(pos, piece);
            return less;
        }
    }

    /// @dev Where what is excepted begins, zero if nothing is; and the last symbol before that.
    function _except(Reading memory r, uint256 pos) private pure returns (uint256, uint256 symbol) {
        unchecked {
            uint256 reach = pos + 32 * REACH;
            for (; pos < reach; pos += 32) {
                uint256 piece = PieceWord.load(pos);
                uint256 entry = PieceWord.symbolOf(r, piece);
                uint256 meaning = PieceWord.meaningAt(pos);
                if (entry != 0) {
                    symbol = entry;
                } else if (meaning == Meanings.EXCEPT) {
                    return (pos + 32, symbol);
                } else if (meaning != Meanings.GLUE && !PieceWord.isCharacter(piece, COMMA)) {
                    break;
                }
            }
            return (0, 0);
        }
    }

    function _excepted(Reading memory r, uint256 pos, uint256 symbol)
        private
        view
        returns (uint256)
    {
        unchecked {
            r.next = pos;
            uint256 token = next(r);
            if (!Kinds.isIn(Kinds.NUMBERS, Tokens.kindOf(token))) return 0;
            uint256 named = PieceWord.symbolOf(r, PieceWord.load(r.next));
            if (named != 0 && symbol != 0 && named != symbol) return 0;
            return Quantities.lessOf(token);
        }
    }

    function _token(Reading memory r, uint256 kind, uint256 piece, uint256 quantity)
        private
        pure
        returns (uint256)
    {
        return Tokens.token(r, kind, PieceWord.startOf(piece), PieceWord.endOf(piece), quantity);
    }
}
