"""What a prompt asks for now: an act, an answer, or neither as a refusal, a condition, a report.

A rule and no model: what a network has to learn from examples it gets wrong once in ten times. It
errs on the side of not acting. What stands in quotes says nothing of it: arguments are written so.
`verifier_contracts/src/reader/Moods.sol` says the same.
"""

from enum import IntEnum

from zkagent.models.reader.lexicon import Class
from zkagent.models.reader.quotes import quotes, taken_by
from zkagent.models.reader.statements import is_statement
from zkagent.models.reader.view import View

_CLAUSE_ENDS = b".?!,;:"
_QUESTION = b"?"
_PAST, _SOMEBODYS, _DOING = b"ed", b"'s", b"ing"
_YOU = (b"you", b"u")
_OURSELVES = (b"i", b"we")
_WE = (*_OURSELVES, *_YOU)
_UNSURE = (b"could", b"might", b"may")
#: What "do" is no question before, as a mark is.
_SAME = (b"it", b"that", b"this", b"so")
#: Behind which "if" is whether; what people are counted behind, as in "for two people".
_LEARNING = (b"see", b"know", b"check", b"me")
_COUNTING = Class.LINK | Class.OF
#: What "until" makes no condition before, as a run is.
_TIMES = Class.MONTH | Class.WEEKDAY | Class.DAY | Class.NEXT | Class.NOON


class Mood(IntEnum):
    """Each allows what the ones before do."""

    NOTHING = 0
    QUESTION = 1  # what only looks may be called
    ACT = 2


def mood_of(view: View) -> Mood:
    """NOTHING for an empty prompt, and for one of quotes alone."""
    quoted = taken_by(view, quotes(view))
    begins, is_polite, asks, tells, says_something = True, False, False, False, False
    for at in range(len(view)):
        if quoted[at]:
            continue
        if view.is_mark(at):
            asks = asks or (view.holds(at, _QUESTION) and not is_polite)
            begins = begins or view.holds(at, _CLAUSE_ENDS)
            continue
        turned = view.has(at, Class.MODAL) and view.says(at + 1, *_WE)
        if turned or (begins and view.has(at, Class.MODAL | Class.QUESTION)):
            inquires = _inquires(view, at)
            asks = asks or inquires
            is_polite = is_polite or not (inquires or view.says(at, b"do", b"have"))
        else:
            if _refuses(view, at, begins=begins, is_first=not says_something):
                return Mood.NOTHING
            asks = asks or _asks(view, at)
            tells = tells or _tells(view, at)
        leads = view.has(at, Class.LEAD)
        begins, says_something = begins and leads, says_something or not leads
    if not says_something:
        return Mood.NOTHING
    if asks:
        return Mood.QUESTION
    return Mood.NOTHING if tells or is_statement(view, quoted) else Mood.ACT


def _inquires(view: View, at: int) -> bool:
    """could I, is it; but: could you, can I please, do it, have a break"""
    if view.says(at, b"do"):
        ends = at + 1 == len(view) or view.is_mark(at + 1)
        return not (ends or view.says(at + 1, *_SAME))
    if view.has(at, Class.MODAL) and view.says(at + 1, *_YOU):
        return False
    if view.says(at, b"have"):
        return not view.has(at + 1, Class.WHOSE)
    may = view.has(at, Class.MODAL) or view.says(at, b"may")
    return not (may and view.says(at + 1, *_OURSELVES) and view.says(at + 2, b"please"))


def _refuses(view: View, at: int, *, begins: bool, is_first: bool) -> bool:
    if view.has(at, Class.ASKED) and view.says(at, b"when"):
        return not view.has(at + 1, Class.QUESTION | Class.MODAL)
    if begins and view.has(at, Class.HALT):
        return True
    return view.has(at, Class.AWAY) and not (
        _is_answer(view, at, is_first=is_first)
        or _is_end(view, at)
        or _is_whether(view, at)
        or _is_soon(view, at)
    )


def _is_answer(view: View, at: int, *, is_first: bool) -> bool:
    """vote no on it; no, do it; but: pay no one"""
    if not view.says(at, b"no"):
        return False
    after = at + 1
    if is_first:
        return view.is_mark(after)
    if not view.is_word(at - 1):
        return False
    ends = after == len(view) or view.is_mark(after)
    return ends or view.has(after, Class.JOIN | Class.LINK)


def _is_end(view: View, at: int) -> bool:
    """until the 5th"""
    if not view.says(at, b"until", b"till"):
        return False
    at += 1 + view.has(at + 1, Class.THE)
    return view.is_run(at) or view.has(at, _TIMES)


def _is_whether(view: View, at: int) -> bool:
    """see if"""
    return view.says(at, b"if") and view.says(at - 1, *_LEARNING)


def _is_soon(view: View, at: int) -> bool:
    """soon, at once, as soon as possible; but: as soon as it rains"""
    if view.says(at, b"once"):
        return view.says(at - 1, b"at")
    if not view.says(at, b"soon"):
        return False
    waits = view.says(at - 1, b"as") and view.says(at + 1, b"as")
    return not waits or view.says(at + 2, b"possible")


def _asks(view: View, at: int) -> bool:
    """what, Tom's, see if; but: for two people, to Tom's"""
    if view.has(at, Class.AWAY) and _is_whether(view, at):
        return True
    if view.has(at, Class.ASKED):
        counted = view.is_run(at - 1) or view.is_counted(at - 1)
        return not (view.says(at, b"people") and counted and view.has(at - 2, _COUNTING))
    somebodys = view.is_unlisted(at) and view.lower[at].endswith(_SOMEBODYS)
    return somebodys and not view.says(at - 1, b"to")


def _tells(view: View, at: int) -> bool:
    """already, I deposited, I could, thanks for sending; but: I wish to"""
    unsure = view.has(at, Class.MODAL | Class.QUESTION) and view.says(at, *_UNSURE)
    if unsure and view.says(at - 1, *_OURSELVES):
        return True
    if view.has(at, Class.TELLS):
        wished = view.says(at, b"wish") and view.says(at - 1, *_OURSELVES)
        return not (wished and view.says(at + 1, b"to"))
    unlisted = view.is_unlisted(at)
    if unlisted and view.says(at - 1, b"for"):
        thanked = view.says(at - 2, b"thanks") or view.says(at - 3, b"thank")
        return thanked and view.lower[at].endswith(_DOING)
    past = unlisted and view.lower[at].endswith(_PAST)
    return (past or view.has(at, Class.DID)) and _is_said_of_us(view, at)


def _is_said_of_us(view: View, at: int) -> bool:
    """I paid, you just sent, we have moved; but: the hotel you chose, I got to"""
    if view.says(at, b"got") and view.says(at + 1, b"to"):
        return False
    at -= 1
    while view.has(at, Class.LEAD) or view.says(at, b"have"):
        at -= 1
    return view.says(at, *_OURSELVES) or (view.says(at, *_YOU) and not view.is_unlisted(at - 1))


__all__ = ["Mood", "mood_of"]
