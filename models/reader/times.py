"""Dates and times as people write them: the 13th, March 3rd, next Friday, half past ten.

Nothing is made of them: they are spans. Each function takes a place and returns the place behind
the longest date or time that begins there, or the same place if none does.
"""

from zkagent.models.reader.lexicon import Class
from zkagent.models.reader.view import View

_BEHIND_DAY = Class.BREAK | Class.JOIN | Class.LINK | Class.PART


def date_end(view: View, at: int) -> int:
    """`13th of March`, `the 13th`, `13 March 2026`, `8th of this month`; `March the 3rd, 2026`;
    `day after tomorrow`; `later today`; `next Friday`, `Friday next week`; `next week`;
    `2026-03-13`."""
    for rule in (_by_day, _by_month, _day_after, _later, _weekday, _slashed):
        if (end := rule(view, at)) > at:
            return end
    return at


def time_end(view: View, at: int) -> int:
    """`morning 10:30`, `half past ten in the evening`, `10 to 4`, `5 pm`, `five o'clock`, `17:30`,
    `noon`."""
    start = at + view.has(at, Class.PART)
    if (end := _past(view, start)) > start or (end := _clock(view, start)) > start:
        return end
    number = _hour_end(view, start)
    if number > start:
        end = _behind_hour(view, number)
        return end if end > number or start > at else at
    return at + 1 if view.has(at, Class.NOON) else at


# Dates


def _by_day(view: View, at: int) -> int:
    """The day first. An article belongs to it only without a month."""
    day = at + view.has(at, Class.THE)
    nth = view.is_nth(day)
    if not (nth or view.is_short(day) or view.has(day, Class.ORDINAL)):
        return at
    of = view.has(day + 1, Class.OF)
    month = day + 1 + of
    if view.has(month, Class.MONTH):
        return _year_end(view, month + 1) if day == at else at
    if of and view.has(month, Class.NEXT) and view.has(month + 1, Class.PERIOD):
        return month + 2 if day == at else at
    return day + 1 if nth and _stands_alone(view, day, article=day > at) else at


def _stands_alone(view: View, day: int, *, article: bool) -> bool:
    """Whether the 13th is a day: not in 498 14th Street, nor in "13th floor"."""
    if view.is_run(day - 1) or view.is_run(day + 1) or view.is_capital(day + 1):
        return False
    return article or not view.is_word(day + 1) or view.has(day + 1, _BEHIND_DAY)


def _by_month(view: View, at: int) -> int:
    if not view.has(at, Class.MONTH):
        return at
    day = at + 1 + view.has(at + 1, Class.THE)
    if view.is_nth(day) or view.is_short(day) or view.has(day, Class.ORDINAL):
        return _year_end(view, day + 1)
    return at if view.has(at, Class.UNSURE) else _year_end(view, at + 1)


def _year_end(view: View, at: int) -> int:
    year = at + view.says(at, b",")
    return year + 1 if view.is_year(year) else at


def _day_after(view: View, at: int) -> int:
    whole = view.has(at, Class.PERIOD) and view.has(at + 1, Class.PAST)
    return at + 3 if whole and view.has(at + 2, Class.DAY) else at


def _later(view: View, at: int) -> int:
    day = at + view.has(at, Class.LATER)
    return day + 1 if view.has(day, Class.DAY) else at


def _weekday(view: View, at: int) -> int:
    day = at + view.has(at, Class.NEXT)
    if not view.has(day, Class.WEEKDAY):
        return day + 1 if day > at and view.has(day, Class.PERIOD) else at
    behind = day + 1 + view.says(day + 1, b",")
    behind += view.has(behind, Class.OF)
    if view.has(behind, Class.NEXT) and view.has(behind + 1, Class.PERIOD):
        return behind + 2
    nth = view.has(day + 1, Class.THE) and view.is_nth(day + 2)
    return day + 3 if nth else day + 1


def _slashed(view: View, at: int) -> int:
    """A run of three groups of digits with the same mark between."""
    if not view.is_run(at):
        return at
    groups = [g for m in (b"-", b"/", b".") if len(g := view.lower[at].split(m)) == 3]
    dated = any(all(1 <= len(g) <= 4 and g.isdigit() for g in found) for found in groups)
    return at + 1 if dated else at


# Times


def _past(view: View, at: int) -> int:
    minutes = at + 1 if view.has(at, Class.QUARTER) else _hour_end(view, at)
    if minutes == at or not view.has(minutes, Class.PAST):
        return at
    hour = _hour_end(view, minutes + 1)
    return _behind_hour(view, hour) if hour > minutes + 1 else at


def _clock(view: View, at: int) -> int:
    """10:30, 10:30pm, 5pm."""
    count, behind = view.digits(at)
    if not 1 <= count <= 2:
        return at
    minutes = behind[:1] == b":" and behind[1:3].isdigit() and len(behind) >= 3
    letters = behind[3:] if minutes else behind
    if letters in (b"am", b"pm") or (minutes and not letters):
        return _behind_hour(view, at + 1)
    return at


def _hour_end(view: View, at: int) -> int:
    """Behind a number of one or two digits, or of one or two words."""
    if view.is_short(at):
        return at + 1
    return at + view.is_counted(at) + (view.is_counted(at) and view.is_counted(at + 1))


def _behind_hour(view: View, at: int) -> int:
    """Behind what goes on with an hour: o'clock, pm, p.m., in the evening."""
    end = at + view.has(at, Class.CLOCK)
    if view.says(at, b"o") and view.says(at + 1, b'"') and view.says(at + 2, b"clock"):
        end = at + 3
    if view.has(end, Class.HALF_DAY):
        return end + 1
    if view.says(end, b"a", b"p"):
        if view.says(end + 1, b".") and view.says(end + 2, b"m"):
            return end + 3
        return end
    if not view.has(end, Class.IN):
        return end
    part = end + 1 + view.has(end + 1, Class.THE)
    another = view.is_run(part + 1) or view.is_counted(part + 1)
    return part + 1 if view.has(part, Class.PART) and not another else end


__all__ = ["date_end", "time_end"]
