"""Spans of a prompt that may be text for a tool: dates, times, names, numbers, runs of words.

In a fixed order, the likeliest kinds first: `models/reader/candidates.py` takes those that it has
room for. `verifier_contracts/src/reader/Spans.sol` finds the same.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from zkagent.models.reader.kinds import Kind
from zkagent.models.reader.lexicon import Class
from zkagent.models.reader.times import date_end, time_end
from zkagent.models.reader.view import View

#: Pieces of a title at a sentence's start, and of what stands behind "called".
MOST_TITLED = 8
#: Pieces behind a comma that may belong to the name before it: San Jose, CA.
BEHIND_COMMA = 2
#: Runs that a name may begin with: 498 14th Street.
RUNS_BEFORE = 2
#: Pieces within a name, or between two, that may join them.
MOST_INNER, MOST_BETWEEN = 3, 2
_INNER_MARKS = (b"&", b"-", b"'", b"/", b":", b"+")
_ENDS_NAME = Class.BREAK | Class.JOIN | Class.LINK


class Span(NamedTuple):
    """Pieces [first, last)."""

    first: int
    last: int


Found = tuple[Kind, Span]


def spans(view: View, taken: list[bool]) -> Iterator[Found]:
    """taken: whether each piece is quoted; those of dates and times are added. A span may come more
    than once."""
    yield from moments(view, taken)
    names = list(_names(view, taken))
    named = _with(taken, names)
    yield from _each(Kind.NAME, _behind_comma(view, names))
    yield from _each(Kind.NAME, names)
    yield from _numbers(view, named)
    yield from _each(Kind.WORDS, _words(view, named))
    yield from _titles(view, taken)
    yield from _each(Kind.NAME, _bridged(view, names))
    within = [both != one for both, one in zip(named, taken, strict=True)]
    mixed = [span for span in _words(view, taken) if not _is_cut(view, within, span)]
    yield from _each(Kind.WORDS, mixed)
    for span in (*mixed, *names):
        yield from _each(Kind.PART, _parts(view, span))


def elements(view: View, taken: list[bool]) -> Iterator[Found]:
    """What a list of texts is made of, by kinds: dates and times, names, numbers, runs of words."""
    yield from moments(view, taken)
    names = list(_names(view, taken))
    named = _with(taken, names)
    yield from _each(Kind.NAME, names)
    yield from _numbers(view, named)
    yield from _each(Kind.WORDS, _words(view, named))


def moments(view: View, taken: list[bool]) -> Iterator[Found]:
    at = 0
    while at < len(view):
        date, time = date_end(view, at), time_end(view, at)
        end = max(date, time)
        if end == at or any(taken[at:end]):
            at += 1
            continue
        yield Kind.DATE if date >= time else Kind.TIME, Span(at, end)
        taken[at:end] = [True] * (end - at)
        at = end


def _each(kind: Kind, found: Iterator[Span] | list[Span]) -> Iterator[Found]:
    return ((kind, span) for span in found)


def _with(taken: list[bool], names: list[Span]) -> list[bool]:
    named = [*taken]
    for first, last in names:
        named[first:last] = [True] * (last - first)
    return named


# Names


def _names(view: View, taken: list[bool]) -> Iterator[Span]:
    at = 0
    while at < len(view):
        start, word = at, _name_begins(view, taken, at)
        if word < 0:
            at += 1
            continue
        at = _name_end(view, taken, word + 1)
        yield Span(start, at)


def _name_begins(view: View, taken: list[bool], start: int) -> int:
    """The first word of a name, behind up to two runs; -1 if none begins there."""
    at = start
    while at < start + RUNS_BEFORE and view.is_run(at) and not taken[at]:
        at += 1
    if is_named(view, taken, at):
        return at
    street = at == start + RUNS_BEFORE and view.is_nth(at - 1)
    return at if street and view.is_word(at) and not taken[at] else -1


def is_named(view: View, taken: list[bool], at: int) -> bool:
    """Whether the piece is a word with a capital that it has not for its place alone."""
    if not _has_capital(view, at) or taken[at]:
        return False
    return not (view.begins_sentence(at) and view.has(at, _ENDS_NAME))


def _has_capital(view: View, at: int) -> bool:
    """But for "I"."""
    itself = view.says(at, b"i") or (view.is_word(at) and view.lower[at].startswith(b"i'"))
    return view.is_capital(at) and not itself


def _name_end(view: View, taken: list[bool], at: int) -> int:
    """The end of a name that goes on up to `at`."""
    while at < len(view) and not taken[at]:
        if is_named(view, taken, at) or view.is_hyphened(at) or _is_number(view, at):
            at += 1
        elif _is_numbered(view, at):
            at += 2
        elif (behind := _inner_end(view, at)) > at and is_named(view, taken, behind):
            at = behind + 1
        else:
            break
    return at


def _is_number(view: View, at: int) -> bool:
    """Area 51; but: Bella 200 grams."""
    after = at + 1
    counts = view.is_word(after) and not _has_capital(view, after)
    counts = counts and not view.has(after, _ENDS_NAME)
    return view.is_run(at) and not view.is_mark(at - 1) and not counts


def _is_numbered(view: View, at: int) -> bool:
    """# 210, suite 101."""
    return (view.says(at, b"#") or view.has(at, Class.UNIT)) and view.is_run(at + 1)


def _inner_end(view: View, at: int) -> int:
    """Behind what may stand between two words of a name."""
    if view.says(at, b".") and view.is_abbreviated(at - 1):
        return at + 1
    end = at
    while end < at + MOST_INNER and _may_join(view, end):
        end += 1
    return end


def _may_join(view: View, at: int) -> bool:
    inner = view.has(at, Class.JOIN) and not view.has(at, Class.PLACE)
    return inner or view.says(at, *_INNER_MARKS)


def _behind_comma(view: View, names: list[Span]) -> Iterator[Span]:
    """San Jose, CA."""
    for (first, last), (behind, end) in _pairs(names):
        if view.says(last, b",") and behind == last + 1 and end - behind <= BEHIND_COMMA:
            yield Span(first, end)


def _bridged(view: View, names: list[Span]) -> Iterator[Span]:
    """Two names and what may stand within one between: Wild Nights with Emily."""
    for (first, last), (behind, end) in _pairs(names):
        joins = all(view.has(at, Class.JOIN | Class.LINK) for at in range(last, behind))
        if 1 <= behind - last <= MOST_BETWEEN and joins:
            yield Span(first, end)


def _pairs(names: list[Span]) -> Iterator[tuple[Span, Span]]:
    return pairwise(names)


# Numbers


def _numbers(view: View, taken: list[bool]) -> Iterator[Found]:
    """Runs with digits and numbers in words; the money that they count before them."""
    at = 0
    while at < len(view):
        end = _number_end(view, at)
        if end == at or taken[at]:
            at += 1
            continue
        coin = end + view.has(end, Class.COIN)
        first = at - (view.says(at - 1, b"$") and view.is_glued(at))
        yield Kind.NUMBER, Span(first, coin)
        yield Kind.NUMBER, Span(at, end)
        at = end


def _number_end(view: View, at: int) -> int:
    if view.is_run(at):
        return at + 1
    end = at
    while view.is_counted(end) or (end > at and _goes_on(view, end)):
        end += 1
    return end


def _goes_on(view: View, at: int) -> bool:
    """Hundred, thousand; and "and" behind them before another word."""
    joins = view.has(at, Class.AND) and view.is_power(at - 1) and view.is_counted(at + 1)
    return view.is_power(at) or joins


# Words


def _words(view: View, taken: list[bool]) -> Iterator[Span]:
    """Runs of words that may name something, by what ends them."""
    at = 0
    while at < len(view):
        end = at
        while _is_naming(view, taken, end, within=end > at):
            end += 1
        if end > at:
            yield Span(at, end)
        at = max(end, at + 1)


def _is_naming(view: View, taken: list[bool], at: int, *, within: bool) -> bool:
    if at >= len(view) or taken[at]:
        return False
    if not view.is_word(at):
        return within and view.says(at, b"&") and view.is_word(at + 1)
    return (within and view.is_hyphened(at)) or not view.has(at, _ENDS_NAME)


def _is_cut(view: View, named: list[bool], span: Span) -> bool:
    """Gorlak, of Gorlak the Cruel. named: of each piece, whether it is of a name."""
    beside = (span.first - 1, span.last)
    return any(view.has(at, Class.JOIN) and named[at] for at in beside)


def _titles(view: View, taken: list[bool]) -> Iterator[Found]:
    """What stands at a sentence's start up to a verb, and behind "called" up to a mark."""
    for at in range(len(view)):
        called = view.has(at, Class.CALLED)
        start = at
        if called:
            start += 1
            while view.has(start, Class.VERB) or view.says(start, b"be", b"as"):
                start += 1
        elif not view.begins_sentence(at):
            continue
        end = start
        while end < len(view) and not view.is_mark(end) and not taken[end]:
            if not called and view.has(end, Class.VERB):
                break
            end += 1
        if 1 < end - start <= MOST_TITLED and (called or view.has(end, Class.VERB)):
            yield Kind.TITLE, Span(start, end)


def _parts(view: View, span: Span) -> Iterator[Span]:
    """All but the last word, all but the first, and, of three words or more, each; what hyphens,
    marks or words like "the" join is one word."""
    first, last = span
    cuts = [at for at in range(first, last) if at == first or not _is_joined(view, at)]
    if len(cuts) < 2:
        return
    yield Span(first, cuts[-1])
    yield Span(cuts[1], last)
    if len(cuts) > 2:
        ends = [*cuts[1:], last]
        yield from (Span(*pair) for pair in zip(cuts, ends, strict=True))


def _is_joined(view: View, at: int) -> bool:
    """Gorlak the Cruel."""
    joins = view.has(at, Class.JOIN) or view.has(at - 1, Class.JOIN)
    return joins or view.is_hyphened(at) or view.is_mark(at) or view.is_mark(at - 1)


__all__ = ["Span", "elements", "moments", "spans"]
