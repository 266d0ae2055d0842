"""Which prompts of one clause tell something and ask for nothing: "the company deposits 5".

By how they begin, as English has no other sign of it that a rule could see: with an article or
"my", with a name and a verb, or with a verb of the past. Verbs that do not end in "ed", and those
in "s" that are hardly anything else, are known by the lexicon (`DID`, `DOES`): "Rex stays here" is
built as "feed dogs here" is. `verifier_contracts/src/reader/Statements.sol` says the same.
"""

from zkagent.models.reader.lexicon import Class
from zkagent.models.reader.view import View

_ENDS = b".?!,;"
_PAST, _DOES, _DOING, _WILL = b"ed", b"s", b"ing", b"'ll"
_OURSELVES = (b"i", b"we")
_WE_ARE = (b"i'm", b"we're")
_SAYS = Class.VERB | Class.DID | Class.DOES


def is_statement(view: View, quoted: list[bool]) -> bool:
    """The company deposits 5; Tom is about to. Only of a prompt of one clause."""
    first = 0
    while first < len(view) and (view.has(first, Class.LEAD) or view.is_mark(first)):
        first += 1
    whose = view.has(first, Class.WHOSE)
    found = _told(view, first + 2, quoted) if whose else _verb(view, first)
    ends = _ENDS if whose or view.is_unlisted(first) else _ENDS + b":"
    if found >= len(view) or _goes_on(view, found, ends):
        return False
    return view.has(found, Class.DID | Class.DOES) or not view.says(found + 1, b"to")


def _verb(view: View, first: int) -> int:
    """Where the verb of a statement is that begins without an article; the number of pieces if it
    is none: paid bob, I'm paying, 5 got, it is, Tom'll, Tom is."""
    after = first + 1
    if view.has(first, Class.DID):
        return first
    if view.says(first, *_WE_ARE, *_OURSELVES):
        return _own_verb(view, first)
    if view.is_run(first) or view.is_counted(first):
        after += view.is_unlisted(after) or view.has(after, Class.COIN)
        return after if view.has(after, Class.DID) else len(view)
    after = _behind(view, first)
    if view.is_unlisted(first):
        return first if view.lower[first].endswith(_WILL) else _named_verb(view, after)
    speaks = _speaks(view, after) or view.says(after, b"are")
    return after if speaks and view.says(first, b"it", b"there") else len(view)


def _own_verb(view: View, first: int) -> int:
    """I'm paying, I am paying, I owe."""
    at = first + view.says(first, *_OURSELVES)
    if view.has(at, Class.DOES):
        return at
    be = at == first or view.says(at, b"am", b"are")
    doing = view.is_unlisted(at + 1) and view.lower[at + 1].endswith(_DOING)
    return at if be and doing else len(view)


def _named_verb(view: View, at: int) -> int:
    """Of what begins with a name, before this place: Tom is, Tom just paid, Carol voted on, Rex and
    Tom stood; but not: attack wounded goblins."""
    if _speaks(view, at):
        return at
    if view.is_unlisted(at) and view.lower[at].endswith(_PAST):
        return len(view) if view.is_unlisted(at + 1) else at
    at += view.has(at, Class.AND)
    after = _behind(view, at)
    return after if view.is_unlisted(at) and _speaks(view, after) else len(view)


def _behind(view: View, at: int) -> int:
    """The place behind one, and behind "just" there."""
    return at + 1 + view.says(at + 1, b"just")


def _speaks(view: View, at: int) -> bool:
    """is, paid, stays; but not should"""
    return view.has(at, _SAYS) and not view.has(at, Class.DUE)


def _told(view: View, at: int, quoted: list[bool]) -> int:
    """Where the first verb of a statement is."""
    while at < len(view):
        if view.holds(at, _ENDS) or view.has(at, Class.DUE) or view.says(at, *_OURSELVES):
            return len(view)
        if not quoted[at] and _is_verb(view, at):
            return at
        at += 1
    return at


def _is_verb(view: View, at: int) -> bool:
    """is, voted, paid; deposits, before what is no preposition"""
    if not view.is_unlisted(at):
        be = view.has(at, ~Class.NONE) and view.says(at, b"are", b"have")
        return be or view.has(at, _SAYS)
    if view.lower[at].endswith(_PAST):
        return True
    after = at + 1
    follows = view.is_run(after) or view.is_counted(after) or view.has(after, Class.WHOSE)
    return view.lower[at].endswith(_DOES) and (follows or view.says(after, b"me", b":"))


def _goes_on(view: View, at: int, ends: bytes) -> bool:
    """please, need, I, or another clause than "thanks" """
    ended = False
    for place in range(at + 1, len(view)):
        if view.is_mark(place):
            ended = ended or view.holds(place, ends)
            continue
        another = ended and not view.has(place, Class.LEAD)
        if another or view.has(place, Class.DUE) or view.says(place, *_OURSELVES):
            return True
    return False


__all__ = ["is_statement"]
