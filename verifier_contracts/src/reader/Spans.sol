// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {LibBit} from "solady/src/utils/LibBit.sol";

import {CandidateSpan} from "./Candidate.sol";
import {Classes} from "./Classes.sol";
import {Masking, Masks} from "./Masks.sol";
import {Names} from "./Names.sol";
import {TextSink, TextSinks} from "./TextSink.sol";
import {Times} from "./Times.sol";
import {View, Views} from "./View.sol";

/// @title Spans of a prompt that may be text for a tool, exactly as `models/reader/spans.py`
/// @notice Sets of pieces are masks: bit i is piece i.
library Spans {
    using Views for View;
    using TextSinks for TextSink;

    uint256 private constant MOST_TITLED = 8;
    uint256 private constant DOLLAR = 0x24;

    /// @notice Puts all that may be text into `s`, the likeliest first.
    /// @param taken Pieces that are quoted.
    function find(View memory v, TextSink memory s, uint256 taken) internal pure {
        Masks memory m = Masking.look(v);
        taken = _moments(v, m, s, taken);
        (uint256[] memory names, uint256 count) = Names.find(v, m, taken);
        uint256 named = taken | Names.maskOf(names, count);
        Names.behindComma(v, s, names, count);
        Names.each(v, s, names, count);
        _numbers(v, m, s, named);
        _words(v, m, s, named, 0);
        if (s.isFull()) return;
        _titles(v, m, s, taken);
        Names.bridged(v, s, names, count);
        uint256 cuts = m.joins & named & ~taken;
        _words(v, m, s, taken, cuts);
        if (s.isFull()) return;
        uint256 joined = _joined(m);
        _partsOfWords(v, m, s, taken, cuts, joined);
        for (uint256 i = 0; i < count; ++i) {
            (uint256 first, uint256 last) = Names.at(names, i);
            _parts(v, joined, s, first, last);
        }
    }

    /// @notice Puts what a list of texts is made of into `s`.
    function findElements(View memory v, TextSink memory s, uint256 taken) internal pure {
        Masks memory m = Masking.look(v);
        taken = _moments(v, m, s, taken);
        (uint256[] memory names, uint256 count) = Names.find(v, m, taken);
        uint256 named = taken | Names.maskOf(names, count);
        Names.each(v, s, names, count);
        _numbers(v, m, s, named);
        _words(v, m, s, named, 0);
    }

    /// @dev Dates and times, which are taken then.
    function _moments(View memory v, Masks memory m, TextSink memory s, uint256 taken)
        private
        pure
        returns (uint256)
    {
        unchecked {
            for (uint256 left = m.moments; left != 0;) {
                uint256 at = LibBit.ffs(left);
                uint256 date = Times.dateEnd(v, at);
                uint256 time = Times.timeEnd(v, at);
                uint256 end = date < time ? time : date;
                uint256 mask = TextSinks.maskOf(at, end);
                if (mask == 0 || taken & mask != 0) {
                    left &= left - 1;
                    continue;
                }
                s.take(v, date < time ? CandidateSpan.TIME : CandidateSpan.DATE, at, end);
                taken |= mask;
                left &= ~mask;
            }
            return taken;
        }
    }

    // Numbers

    function _numbers(View memory v, Masks memory m, TextSink memory s, uint256 taken)
        private
        pure
    {
        unchecked {
            for (uint256 left = (m.runs | m.counted) & ~taken; left != 0;) {
                uint256 at = LibBit.ffs(left);
                uint256 end = _numberEnd(v, at);
                uint256 coin = end + v.one(end, Classes.COIN);
                bool priced = v.isCharacter(at - 1, DOLLAR) && v.isGlued(at);
                s.take(v, CandidateSpan.NUMBER, priced ? at - 1 : at, coin);
                s.take(v, CandidateSpan.NUMBER, at, end);
                left &= ~TextSinks.maskOf(at, end);
            }
        }
    }

    function _numberEnd(View memory v, uint256 at) private pure returns (uint256 end) {
        unchecked {
            if (v.isRun(at)) return at + 1;
            end = at;
            while (v.isCounted(end) || (end > at && _goesOn(v, end))) ++end;
        }
    }

    /// @dev Hundred, thousand; and "and" behind them before another word.
    function _goesOn(View memory v, uint256 at) private pure returns (bool) {
        unchecked {
            if (v.isPower(at)) return true;
            return v.has(at, Classes.AND) && v.isPower(at - 1) && v.isCounted(at + 1);
        }
    }

    // Words

    /// @dev Not those beside one of `cuts`: words like "the" within a name.
    function _words(View memory v, Masks memory m, TextSink memory s, uint256 taken, uint256 cuts)
        private
        pure
    {
        unchecked {
            (uint256 begins, uint256 within) = _naming(m, taken);
            while (begins != 0 && !s.isFull()) {
                uint256 at = LibBit.ffs(begins);
                uint256 end = _wordsEnd(within, at);
                if (!_isCut(cuts, at, end)) s.take(v, CandidateSpan.WORDS, at, end);
                begins &= ~TextSinks.maskOf(at, end);
            }
        }
    }

    function _partsOfWords(
        View memory v,
        Masks memory m,
        TextSink memory s,
        uint256 taken,
        uint256 cuts,
        uint256 joined
    ) private pure {
        unchecked {
            (uint256 begins, uint256 within) = _naming(m, taken);
            while (begins != 0) {
                uint256 at = LibBit.ffs(begins);
                uint256 end = _wordsEnd(within, at);
                if (!_isCut(cuts, at, end)) _parts(v, joined, s, at, end);
                begins &= ~TextSinks.maskOf(at, end);
            }
        }
    }

    /// @dev What a run of words begins with, and what it goes on over.
    function _naming(Masks memory m, uint256 taken)
        private
        pure
        returns (uint256 begins, uint256 within)
    {
        begins = m.words & ~m.enders & ~taken;
        within = begins | ((m.hyphened | m.ampersands) & ~taken);
    }

    function _isCut(uint256 cuts, uint256 first, uint256 last) private pure returns (bool) {
        return ((cuts << 1) >> first) & 1 != 0 || Masking.has(cuts, last);
    }

    function _wordsEnd(uint256 within, uint256 at) private pure returns (uint256 end) {
        unchecked {
            end = at + 1;
            return end + LibBit.ffs(~(within >> end));
        }
    }

    /// @dev What is one word with the piece before it: by hyphens, marks, and words like "the".
    function _joined(Masks memory m) private pure returns (uint256) {
        uint256 joins = m.joins | m.marks;
        return m.hyphened | joins | (joins << 1);
    }

    /// @dev All but the last word, all but the first, and, of three or more, each; what is joined is one.
    function _parts(View memory v, uint256 joined, TextSink memory s, uint256 first, uint256 last)
        private
        pure
    {
        unchecked {
            if (s.isFull()) return;
            uint256 second = _next(joined, first, last);
            if (second == last) return;
            uint256 tail = last - 1;
            while (Masking.has(joined, tail)) --tail;
            s.take(v, CandidateSpan.PART, first, tail);
            s.take(v, CandidateSpan.PART, second, last);
            if (second == tail) return;
            for (uint256 at = first; at < last;) {
                uint256 end = _next(joined, at, last);
                s.take(v, CandidateSpan.PART, at, end);
                at = end;
            }
        }
    }

    /// @dev Where the next word of [at, last) begins; `last` behind the last one.
    function _next(uint256 joined, uint256 at, uint256 last) private pure returns (uint256 next) {
        unchecked {
            next = at + 1;
            while (next < last && Masking.has(joined, next)) ++next;
        }
    }

    /// @dev What stands at a sentence's start up to a verb, and behind "called" up to a mark.
    function _titles(View memory v, Masks memory m, TextSink memory s, uint256 taken) private pure {
        unchecked {
            uint256 may = m.called | m.starts;
            uint256 stops = m.marks | taken;
            uint256 count = v.count;
            for (; may != 0; may &= may - 1) {
                uint256 at = LibBit.ffs(may);
                bool called = Masking.has(m.called, at);
                uint256 start = at;
                if (called) {
                    ++start;
                    while (_isBe(v, start)) ++start;
                }
                uint256 stop = called ? stops : stops | m.verbs;
                uint256 end = start;
                while (end < count && !Masking.has(stop, end)) ++end;
                if (end - start < 2 || end - start > MOST_TITLED) continue;
                if (called || Masking.has(m.verbs, end)) {
                    s.take(v, CandidateSpan.TITLE, start, end);
                }
            }
        }
    }

    function _isBe(View memory v, uint256 at) private pure returns (bool) {
        return v.has(at, Classes.VERB) || v.says(at, "be", 2) || v.says(at, "as", 2);
    }
}
