// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {Kinds} from "../instructions/Kinds.sol";
import {Quantities} from "../instructions/Quantities.sol";
import {Reader} from "../instructions/Reader.sol";
import {PieceWord, Reading} from "../instructions/Reading.sol";
import {Tokens} from "../instructions/Tokens.sol";
import {CandidateSpan} from "./Candidate.sol";
import {Classes} from "./Classes.sol";
import {Quotes} from "./Quotes.sol";
import {View, Views} from "./View.sol";

/// @notice Literals as they are found: the first `count` spans and quantities.
struct LiteralSink {
    uint256[] spans;
    uint256[] quantities;
    uint256 count;
}

/// @title Numbers, accounts, bytes and truth values, exactly as `models/reader/literals.py`
library Literals {
    using Views for View;

    uint256 private constant REACH = 3;
    /// @dev Where what turns is, if nothing does.
    uint256 private constant NONE = type(uint256).max;
    uint256 private constant HEX_SET = Ascii.DIGIT_SET | (0x3f << 0x61);
    /// @dev 0x, 's
    uint256 private constant HEX = 0x3078;
    uint256 private constant POSSESSIVE = 0x2773;
    /// @dev Kinds of tokens that are accounts.
    uint256 private constant ACCOUNTS = Kinds.OTHERS | (1 << Kinds.SYMBOL) | (1 << Kinds.OWNER);

    /// @notice Room for so many.
    function make(uint256 limit) internal pure returns (LiteralSink memory s) {
        (s.spans, s.quantities) = (new uint256[](limit), new uint256[](limit));
    }

    /// @notice Amounts of all kinds. Reverts with AddressChecksum.
    function numbers(View memory v, LiteralSink memory s, uint256[] memory quotes) internal view {
        unchecked {
            uint256[] memory tokens = _tokens(v);
            for (uint256 i = 0; i < tokens.length; ++i) {
                uint256 token = tokens[i];
                if (!_isCounted(v, token) || _isQuoted(quotes, token)) continue;
                _addNumber(v, s, token, i + 1 < tokens.length ? tokens[i + 1] : 0);
            }
        }
    }

    /// @notice Addresses and names of the agent's books; what is in doubt as one.
    function accounts(View memory v, LiteralSink memory s, uint256[] memory quotes) internal view {
        unchecked {
            uint256[] memory tokens = _tokens(v);
            for (uint256 i = 0; i < tokens.length; ++i) {
                uint256 token = tokens[i];
                uint256 kind = Tokens.kindOf(token);
                bool doubted = kind == Kinds.DOUBT && !_isCounted(v, token);
                if (!doubted && !Kinds.isIn(ACCOUNTS, kind)) continue;
                if (_isQuoted(quotes, token)) continue;
                _add(s, _span(v, doubted ? CandidateSpan.DOUBT : _accountKind(kind), token), 0);
            }
        }
    }

    /// @notice Runs of 0x and hex digits, an even number of them, two at least.
    function hexBytes(View memory v, LiteralSink memory s, uint256[] memory quotes) internal pure {
        unchecked {
            for (uint256 i = 0; i < v.count; ++i) {
                if (!v.isRun(i) || !_isHex(v, i)) continue;
                _addPieces(v, s, quotes, CandidateSpan.BYTES, i, i);
            }
        }
    }

    /// @notice Words for yes and no, each turned by a "not" up to three words before it; a "not" that turns
    ///   none is a no.
    function truths(View memory v, LiteralSink memory s, uint256[] memory quotes) internal pure {
        unchecked {
            uint256 turning = NONE;
            for (uint256 i = 0; i < v.count; ++i) {
                if (_isPieceQuoted(v, quotes, i)) continue;
                if (turning != NONE && (v.isMark(i) || i > turning + REACH)) {
                    _addTruth(v, s, turning, turning, false);
                    turning = NONE;
                }
                (bool known, bool truth) = _truthOf(v, i);
                if (known) {
                    bool turned = turning != NONE;
                    _addTruth(v, s, turned ? turning : i, i, truth != turned);
                    turning = NONE;
                } else if (v.has(i, Classes.NOT)) {
                    if (turning != NONE) _addTruth(v, s, turning, turning, false);
                    turning = i;
                }
            }
            if (turning != NONE) _addTruth(v, s, turning, turning, false);
        }
    }

    // Tokens

    /// @dev What the grammar makes of the prompt: however many there are, as `Tokens` has them. Pieces of
    ///   what is glued to a symbol change, so a copy of them is read.
    function _tokens(View memory v) private view returns (uint256[] memory tokens) {
        if (v.isRead) return v.tokens;
        unchecked {
            Reading memory r = v.r;
            uint256 count = v.count;
            uint256 size = 32 * count;
            uint256 pieces = v.pieces;
            uint256 from;
            assembly ("memory-safe") {
                from := mload(0x40)
                mstore(from, 0)
                from := add(from, 32)
                mcopy(from, pieces, size)
                calldatacopy(add(from, size), calldatasize(), 128)
                mstore(0x40, add(from, add(size, 128)))
            }
            (r.next, r.last, r.amountEnded) = (from, from + size, 0);
            tokens = new uint256[](2 * count);
            uint256 found = _readAll(r, tokens);
            assembly ("memory-safe") {
                mstore(tokens, found)
            }
            (v.tokens, v.isRead) = (tokens, true);
        }
    }

    function _readAll(Reading memory r, uint256[] memory tokens)
        private
        view
        returns (uint256 found)
    {
        unchecked {
            while (r.next < r.last) {
                uint256 begun = r.next;
                uint256 token = Reader.next(r);
                uint256 kind = Tokens.kindOf(token);
                if (Kinds.isIn(Kinds.AMOUNTS, kind) && Quantities.shareOf(token) != 1) {
                    if (begun == r.amountEnded) {
                        tokens[found - 1] = Tokens.doubted(tokens[found - 1]);
                        token = Tokens.doubted(token);
                    } else if (kind >= Kinds.PERCENT && Reader.isAdded(r.amountEnded, begun)) {
                        token = Tokens.doubted(token);
                    }
                    r.amountEnded = r.next;
                }
                tokens[found++] = token;
            }
        }
    }

    /// @dev An amount, or what is in doubt as one: not an address, nor somebody's.
    function _isCounted(View memory v, uint256 token) private pure returns (bool) {
        unchecked {
            uint256 kind = Tokens.kindOf(token);
            if (kind != Kinds.DOUBT) return Kinds.isIn(Kinds.AMOUNTS, kind);
            uint256 begins = v.r.start;
            uint256 start = begins + Tokens.startOf(token);
            uint256 end = begins + Tokens.endOf(token);
            if (end < start + 2) return true;
            bool isHex = PieceWord.load(start + v.r.original) >> 240 == HEX;
            return !isHex && PieceWord.load(end - 2) >> 240 != POSSESSIVE;
        }
    }

    function _addNumber(View memory v, LiteralSink memory s, uint256 token, uint256 behind)
        private
        pure
    {
        unchecked {
            uint256 kind = Tokens.kindOf(token);
            if (kind == Kinds.DOUBT) {
                kind = CandidateSpan.DOUBT;
            } else {
                kind = Quantities.shareOf(token) == 0 ? CandidateSpan.NUMBER : CandidateSpan.SHARE;
            }
            uint256 span = _span(v, kind, token);
            uint256 first = CandidateSpan.firstOf(span);
            bool worded = v.has(first - 1, Classes.MINUS);
            bool signed = v.isNegative(v.r.start + Tokens.startOf(token));
            if ((worded && (v.isRun(first - 2) || v.isCounted(first - 2))) || (worded && signed)) {
                _add(s, _span(v, CandidateSpan.DOUBT, token), 0);
                return;
            }
            if (worded || signed) span |= CandidateSpan.NEGATIVE;
            if (Tokens.kindOf(behind) == Kinds.SYMBOL) {
                span |= CandidateSpan.symbol(Tokens.startOf(behind), Tokens.endOf(behind));
            }
            // behind place, kind, start and end
            _add(s, span, kind == CandidateSpan.DOUBT ? 0 : (token >> 29) << 29);
        }
    }

    function _accountKind(uint256 kind) private pure returns (uint256) {
        if (kind == Kinds.SYMBOL) return CandidateSpan.SYMBOL;
        if (kind == Kinds.ADDRESS) return CandidateSpan.ADDRESS;
        return kind == Kinds.CONTACT ? CandidateSpan.CONTACT : CandidateSpan.OWNER;
    }

    function _span(View memory v, uint256 kind, uint256 token) private pure returns (uint256) {
        unchecked {
            (uint256 start, uint256 end) = (Tokens.startOf(token), Tokens.endOf(token));
            uint256 begins = v.r.start;
            uint256 first;
            while (first < v.count && v.end(first) <= begins + start) ++first;
            uint256 last = first;
            while (last < v.count && v.start(last) < begins + end) ++last;
            return CandidateSpan.span(kind, start, end, first, last);
        }
    }

    function _isQuoted(uint256[] memory quotes, uint256 token) private pure returns (bool) {
        return Quotes.isPart(quotes, Tokens.startOf(token), Tokens.endOf(token));
    }

    // Pieces

    function _isPieceQuoted(View memory v, uint256[] memory quotes, uint256 i)
        private
        pure
        returns (bool)
    {
        unchecked {
            uint256 begins = v.r.start;
            return Quotes.isPart(quotes, v.start(i) - begins, v.end(i) - begins);
        }
    }

    function _addPieces(
        View memory v,
        LiteralSink memory s,
        uint256[] memory quotes,
        uint256 bits,
        uint256 first,
        uint256 last
    ) private pure {
        if (_isPieceQuoted(v, quotes, first)) return;
        _add(s, _spanOf(v, bits, first, last), 0);
    }

    function _addTruth(View memory v, LiteralSink memory s, uint256 first, uint256 last, bool truth)
        private
        pure
    {
        uint256 span = _spanOf(v, CandidateSpan.TRUTH, first, last);
        _add(s, truth ? span | CandidateSpan.TRUE : span, 0);
    }

    /// @dev Of pieces from `first` to `last`, that one too.
    function _spanOf(View memory v, uint256 kind, uint256 first, uint256 last)
        private
        pure
        returns (uint256)
    {
        unchecked {
            uint256 begins = v.r.start;
            return CandidateSpan.span(
                kind, v.start(first) - begins, v.end(last) - begins, first, last + 1
            );
        }
    }

    /// @dev "0x" as it was written, and an even number of hex digits.
    function _isHex(View memory v, uint256 i) private pure returns (bool) {
        unchecked {
            (uint256 start, uint256 end) = (v.start(i), v.end(i));
            if (end < start + 4 || (end - start) & 1 != 0) return false;
            if (PieceWord.load(start + v.r.original) >> 240 != HEX) return false;
            for (uint256 pos = start + 2; pos < end; ++pos) {
                if (!Ascii.isIn(HEX_SET, pos)) return false;
            }
            return true;
        }
    }

    /// @dev On is a yes at the end, before a mark and behind "turn".
    function _truthOf(View memory v, uint256 i) private pure returns (bool known, bool truth) {
        unchecked {
            if (v.has(i, Classes.YES)) return (true, true);
            if (v.has(i, Classes.NO)) return (true, false);
            if (!v.has(i, Classes.ON)) return (false, false);
            known = i + 1 == v.count || v.isMark(i + 1) || v.has(i - 1, Classes.SWITCH);
            truth = known;
        }
    }

    function _add(LiteralSink memory s, uint256 span, uint256 quantity) private pure {
        unchecked {
            uint256 count = s.count;
            if (count == s.spans.length) return;
            (s.spans[count], s.quantities[count]) = (span, quantity);
            s.count = count + 1;
        }
    }
}
