// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ascii} from "../encoding/Ascii.sol";
import {PieceWord} from "../instructions/Reading.sol";
import {Scanner} from "../instructions/Scanner.sol";
import {Classes} from "./Classes.sol";
import {View, Views} from "./View.sol";

/// @title Dates and times as people write them, exactly as `models/reader/times.py`
/// @notice Each function takes a place and returns the place behind the longest one that begins there, or the
///   same place if none does.
library Times {
    using Views for View;

    uint256 private constant COMMA = 0x2c;
    uint256 private constant POINT = 0x2e;
    uint256 private constant COLON = 0x3a;
    uint256 private constant QUOTE = 0x22;
    /// @dev am, pm
    uint256 private constant AM = 0x616d;
    uint256 private constant PM = 0x706d;

    /// @notice The end of a date. Of each rule only what a date of it begins with is looked for first.
    function dateEnd(View memory v, uint256 at) internal pure returns (uint256 end) {
        if (v.isRun(at)) {
            end = _byDay(v, at);
            return end == at ? _slashed(v, at) : end;
        }
        uint256 classes = Views.classesOf(v.piece(at));
        end = at;
        if (classes & (Classes.THE | Classes.ORDINAL) != 0) end = _byDay(v, at);
        if (end == at && classes & Classes.MONTH != 0) end = _byMonth(v, at);
        if (end == at && classes & Classes.PERIOD != 0) end = _dayAfter(v, at);
        if (end == at && classes & (Classes.LATER | Classes.DAY) != 0) end = _later(v, at);
        if (end == at && classes & (Classes.NEXT | Classes.WEEKDAY) != 0) end = _weekday(v, at);
    }

    /// @notice The end of a time.
    function timeEnd(View memory v, uint256 at) internal pure returns (uint256 end) {
        unchecked {
            uint256 start = at + v.one(at, Classes.PART);
            uint256 number = _hourEnd(v, start);
            end = _past(v, start, number);
            if (end != start) return end;
            end = _clock(v, start);
            if (end != start) return end;
            if (number != start) {
                end = _behindHour(v, number);
                return end > number || start > at ? end : at;
            }
            return at + v.one(at, Classes.NOON);
        }
    }

    // Dates

    function _byDay(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            uint256 day = at + v.one(at, Classes.THE);
            bool nth = v.isNth(day);
            if (!nth && !v.isShort(day) && !v.has(day, Classes.ORDINAL)) return at;
            uint256 behindOf = v.one(day + 1, Classes.OF);
            uint256 month = day + 1 + behindOf;
            if (v.has(month, Classes.MONTH)) return day == at ? _yearEnd(v, month + 1) : at;
            if (behindOf != 0 && _isPeriod(v, month)) return day == at ? month + 2 : at;
            return nth && _standsAlone(v, day, day > at) ? day + 1 : at;
        }
    }

    /// @dev Next week.
    function _isPeriod(View memory v, uint256 at) private pure returns (bool) {
        unchecked {
            return v.has(at, Classes.NEXT) && v.has(at + 1, Classes.PERIOD);
        }
    }

    function _standsAlone(View memory v, uint256 day, bool article) private pure returns (bool) {
        unchecked {
            if (v.isRun(day - 1) || v.isRun(day + 1) || v.isCapital(day + 1)) return false;
            return article || !v.isWord(day + 1) || v.has(day + 1, Classes.BEHIND_DAY);
        }
    }

    function _byMonth(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            if (!v.has(at, Classes.MONTH)) return at;
            uint256 day = at + 1 + v.one(at + 1, Classes.THE);
            if (v.isNth(day) || v.isShort(day) || v.has(day, Classes.ORDINAL)) {
                return _yearEnd(v, day + 1);
            }
            return v.has(at, Classes.UNSURE) ? at : _yearEnd(v, at + 1);
        }
    }

    function _yearEnd(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            uint256 year = v.isCharacter(at, COMMA) ? at + 1 : at;
            return v.isYear(year) ? year + 1 : at;
        }
    }

    function _dayAfter(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            bool whole = v.has(at, Classes.PERIOD) && v.has(at + 1, Classes.PAST);
            return whole && v.has(at + 2, Classes.DAY) ? at + 3 : at;
        }
    }

    function _later(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            uint256 day = at + v.one(at, Classes.LATER);
            return v.has(day, Classes.DAY) ? day + 1 : at;
        }
    }

    function _weekday(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            uint256 day = at + v.one(at, Classes.NEXT);
            if (!v.has(day, Classes.WEEKDAY)) {
                return day > at && v.has(day, Classes.PERIOD) ? day + 1 : at;
            }
            uint256 behind = v.isCharacter(day + 1, COMMA) ? day + 2 : day + 1;
            behind += v.one(behind, Classes.OF);
            if (_isPeriod(v, behind)) return behind + 2;
            return v.has(day + 1, Classes.THE) && v.isNth(day + 2) ? day + 3 : day + 1;
        }
    }

    /// @dev A run of three groups of one to four digits with the same mark between: - / or a point.
    function _slashed(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            if (!v.isRun(at)) return at;
            (uint256 pos, uint256 end) = (v.start(at), v.end(at));
            uint256 mark;
            uint256 groups;
            while (true) {
                uint256 begun = pos;
                while (pos < end && Ascii.isIn(Ascii.DIGIT_SET, pos)) ++pos;
                if (pos == begun || pos > begun + 4) return at;
                ++groups;
                if (pos == end) break;
                uint256 c = Scanner.character(pos);
                if (c != 0x2d && c != 0x2f && c != POINT) return at;
                if (groups > 1 && c != mark) return at;
                mark = c;
                ++pos;
            }
            return groups == 3 ? at + 1 : at;
        }
    }

    // Times

    /// @param number Where an hour that begins there ends.
    function _past(View memory v, uint256 at, uint256 number) private pure returns (uint256) {
        unchecked {
            uint256 minutesEnd = v.has(at, Classes.QUARTER) ? at + 1 : number;
            if (minutesEnd == at || !v.has(minutesEnd, Classes.PAST)) return at;
            uint256 hour = _hourEnd(v, minutesEnd + 1);
            return hour > minutesEnd + 1 ? _behindHour(v, hour) : at;
        }
    }

    /// @dev 10:30, 10:30pm, 5pm.
    function _clock(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            (uint256 count, uint256 behind) = v.digits(at);
            if (count == 0 || count > 2 || behind == 0) return at;
            uint256 pos = v.start(at) + count;
            bool withMinutes = behind > 2 && Scanner.character(pos) == COLON
                && Ascii.isIn(Ascii.DIGIT_SET, pos + 1) && Ascii.isIn(Ascii.DIGIT_SET, pos + 2);
            if (withMinutes) (pos, behind) = (pos + 3, behind - 3);
            uint256 letters = PieceWord.load(pos) >> 240;
            bool half = behind == 2 && (letters == AM || letters == PM);
            return half || (withMinutes && behind == 0) ? _behindHour(v, at + 1) : at;
        }
    }

    /// @dev Behind a number of one or two digits, or of one or two words.
    function _hourEnd(View memory v, uint256 at) private pure returns (uint256) {
        unchecked {
            if (v.isShort(at)) return at + 1;
            if (!v.isCounted(at)) return at;
            return v.isCounted(at + 1) ? at + 2 : at + 1;
        }
    }

    /// @dev Behind what goes on with an hour: o'clock, pm, p.m., in the evening.
    function _behindHour(View memory v, uint256 at) private pure returns (uint256 end) {
        unchecked {
            end = at + v.one(at, Classes.CLOCK);
            if (
                v.isCharacter(at, 0x6f) && v.isCharacter(at + 1, QUOTE)
                    && v.says(at + 2, "clock", 5)
            ) {
                end = at + 3;
            }
            if (v.has(end, Classes.HALF_DAY)) return end + 1;
            if (v.isCharacter(end, 0x61) || v.isCharacter(end, 0x70)) {
                bool points = v.isCharacter(end + 1, POINT) && v.isCharacter(end + 2, 0x6d);
                return points ? end + 3 : end;
            }
            if (!v.has(end, Classes.IN)) return end;
            uint256 part = end + 1 + v.one(end + 1, Classes.THE);
            bool another = v.isRun(part + 1) || v.isCounted(part + 1);
            return v.has(part, Classes.PART) && !another ? part + 1 : end;
        }
    }
}
