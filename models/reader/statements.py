"""Which prompts of one clause tell something and ask for nothing: "the company deposits 5".

By how they begin, as English has no other sign of it that a rule could see: with an article or
"my", or with a name and a verb. "Rex stays here" is a statement, too, but built as "feed dogs here"
is. `verifier_contracts/src/reader/Statements.sol` says the same.
"""

from zkagent.models.reader.lexicon import Class
from zkagent.models.reader.view import View

_ENDS = b".?!,;"
_PAST, _DOES = b"ed", b"s"
_OURSELVES = (b"i", b"we")


def is_statement(view: View, quoted: list[bool]) -> bool:
    """The company deposits 5; Tom is about to. Only of a prompt of one clause."""
    first = 0
    while first < len(view) and (view.has(first, Class.LEAD) or view.is_mark(first)):
        first += 1
    if view.has(first, Class.WHOSE):
        found = _told(view, first + 2, quoted)
    elif _is_doing(view, first):
        found = first + 1
    else:
        return False
    return found < len(view) and not view.says(found + 1, b"to") and not _goes_on(view, found)


def _is_doing(view: View, at: int) -> bool:
    """Tom is, it is, Carol voted on; but: attack wounded goblins"""
    after = at + 1
    named = view.is_unlisted(at)
    if (named or view.says(at, b"it")) and view.has(after, Class.VERB):
        return not view.has(after, Class.DUE)
    past = view.is_unlisted(after) and view.lower[after].endswith(_PAST)
    return named and past and not view.is_unlisted(after + 1)


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
    """is, voted; deposits, before what is no preposition"""
    if not view.is_unlisted(at):
        be = view.has(at, ~Class.NONE) and view.says(at, b"are", b"have")
        return be or view.has(at, Class.VERB)
    if view.lower[at].endswith(_PAST):
        return True
    after = at + 1
    follows = view.is_run(after) or view.is_counted(after) or view.has(after, Class.WHOSE)
    return view.lower[at].endswith(b"s") and (follows or view.says(after, b"me", b":"))


def _goes_on(view: View, at: int) -> bool:
    """please, I, or another clause"""
    ended = False
    for place in range(at, len(view)):
        if view.is_mark(place):
            ended = ended or view.holds(place, _ENDS)
        elif ended or view.says(place, b"please", *_OURSELVES):
            return True
    return False


__all__ = ["is_statement"]
