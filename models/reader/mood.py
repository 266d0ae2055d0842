"""Whether a prompt asks for an act now: no question, refusal, condition, report or quotation.

A rule and no model: what a network has to learn from examples it gets wrong once in ten times. It
errs on the side of not acting, for tools that move what has value; whoever finds or shows something
may be asked for it in a question. `verifier_contracts/src/reader/Moods.sol` says the same.
"""

from zkagent.models.reader.lexicon import Class
from zkagent.models.reader.quotes import quotes
from zkagent.models.reader.view import View

_CLAUSE_ENDS = b".?!,;:"
_QUESTION = b"?"
_PAST, _SOMEBODYS = b"ed", b"'s"
_YOU = (b"you", b"u")
_WE = (b"i", b"we", *_YOU)


def asks_for_act(view: View) -> bool:
    """False for an empty prompt, and where something is quoted."""
    if quotes(view):
        return False
    begins, is_polite, says_something = True, False, False
    for at in range(len(view)):
        if view.is_mark(at):
            if _QUESTION in view.lower[at] and not is_polite:
                return False
            begins = begins or any(mark in _CLAUSE_ENDS for mark in view.lower[at])
            continue
        if view.has(at, Class.AWAY) or _reports(view, at) or _is_anothers(view, at):
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


def _reports(view: View, at: int) -> bool:
    """I deposited."""
    unlisted = view.is_word(at) and not view.classes[at]
    return unlisted and view.says(at - 1, *_WE) and view.lower[at].endswith(_PAST)


def _is_anothers(view: View, at: int) -> bool:
    """Tom's, but to Tom's."""
    unlisted = view.is_word(at) and not view.classes[at]
    return unlisted and view.lower[at].endswith(_SOMEBODYS) and not view.says(at - 1, b"to")


__all__ = ["asks_for_act"]
