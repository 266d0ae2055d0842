"""Whether a prompt asks for an act now: no question, refusal, condition or report.

A rule and no model: what a network has to learn from examples it gets wrong once in ten times. It
errs on the side of not acting. What stands in quotes says nothing of it: arguments are written so.
`verifier_contracts/src/reader/Moods.sol` says the same.
"""

from zkagent.models.reader.lexicon import Class
from zkagent.models.reader.quotes import quotes, taken_by
from zkagent.models.reader.view import View

_CLAUSE_ENDS = b".?!,;:"
_QUESTION = b"?"
_PAST, _SOMEBODYS = b"ed", b"'s"
_YOU = (b"you", b"u")
_WE = (b"i", b"we", *_YOU)


def asks_for_act(view: View) -> bool:
    """False for an empty prompt, and for one of quotes alone."""
    quoted = taken_by(view, quotes(view))
    begins, is_polite, says_something = True, False, False
    for at in range(len(view)):
        if quoted[at]:
            continue
        if view.is_mark(at):
            if _QUESTION in view.lower[at] and not is_polite:
                return False
            begins = begins or any(mark in _CLAUSE_ENDS for mark in view.lower[at])
            continue
        if (
            (view.has(at, Class.AWAY) and not _is_answer(view, at))
            or _reports(view, at)
            or _is_anothers(view, at)
        ):
            return False
        if begins and view.has(at, Class.MODAL):
            if not view.says(at + 1, *_YOU):
                return False
            is_polite = True
        elif begins and view.has(at, Class.QUESTION):
            return False
        begins = begins and view.has(at, Class.LEAD)
        says_something = True
    return says_something


def _is_answer(view: View, at: int) -> bool:
    """vote no on it; but: pay no one."""
    if not view.says(at, b"no") or at == 0 or not view.is_word(at - 1):
        return False
    after = at + 1
    ends = after == len(view) or view.is_mark(after)
    return ends or view.has(after, Class.JOIN | Class.LINK)


def _reports(view: View, at: int) -> bool:
    """I deposited."""
    unlisted = view.is_word(at) and not view.classes[at]
    return unlisted and view.says(at - 1, *_WE) and view.lower[at].endswith(_PAST)


def _is_anothers(view: View, at: int) -> bool:
    """Tom's, but to Tom's."""
    unlisted = view.is_word(at) and not view.classes[at]
    return unlisted and view.lower[at].endswith(_SOMEBODYS) and not view.says(at - 1, b"to")


__all__ = ["asks_for_act"]
