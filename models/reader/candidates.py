"""What a prompt has for a tool's parameter: at most eight candidates, in a fixed order.

The contract finds the same by the same rules (`docs/reader.md`), so whoever proves a decision
chooses among no others. Each is a span of the prompt; `models/reader/arguments.py` makes an
argument of the one that a network chose.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from zkagent.models.instructions.pieces import Names
from zkagent.models.instructions.quantities import Quantity
from zkagent.models.reader import literals
from zkagent.models.reader.kinds import Kind, ParamType
from zkagent.models.reader.literals import Literal
from zkagent.models.reader.quotes import Quote, quotes, taken_by
from zkagent.models.reader.spans import Found, elements, spans
from zkagent.models.reader.view import View

#: Of a parameter; elements of a list.
MOST_CANDIDATES, MOST_ELEMENTS = 8, 16
_POSSESSIVE = b"'s"
#: What parts elements of a list, with blanks and quotes, which do not count.
_JOINS = re.compile(rb"""[ "'`]*(,[ "'`]*)?(and[ "'`]*)?""")


@dataclass(frozen=True, slots=True)
class Candidate:
    """Bytes [start, end) of the prompt, which are of its pieces [first, last). quantity, negative,
    symbol (the bytes of the one right behind it): of numbers. truth: of a TRUTH. elements: of a
    LIST. observed: all that is said of the last observation instead."""

    kind: Kind
    start: int
    end: int
    first: int
    last: int
    quantity: Quantity | None = None
    negative: bool = False
    truth: bool = False
    symbol: tuple[int, int] = (0, 0)
    elements: tuple["Candidate", ...] = ()
    observed: bool = False


#: A prompt without the agent's books.
NO_NAMES = Names(*[lambda _: False] * 3)


def candidates(
    prompt: bytes, param_type: ParamType, names: Names = NO_NAMES
) -> tuple[Candidate, ...]:
    """Up to eight. Raises PromptTooLong, PromptNotAscii, TooManyTokens or AddressChecksum."""
    return candidates_in(View(prompt, names), param_type)


def candidates_in(view: View, param_type: ParamType) -> tuple[Candidate, ...]:
    """The same of a prompt that was looked at before. Raises AddressChecksum."""
    quoted = quotes(view)
    if param_type.is_array:
        found: Iterable[Candidate] = _lists(view, _elements(view, quoted, param_type.element))
    elif param_type is ParamType.STRING:
        found = _texts(view, quoted)
    else:
        found = _literals(view, quoted, param_type)
    return tuple(islice(found, MOST_CANDIDATES))


_LITERALS: dict[ParamType, Callable[[View, list[Quote]], Iterator[Literal]]] = {
    ParamType.ADDRESS: literals.accounts,
    ParamType.BOOL: literals.truths,
    ParamType.INT: literals.numbers,
    ParamType.UINT: literals.numbers,
    ParamType.BYTES: literals.hex_bytes,
}


def _literals(view: View, quoted: list[Quote], param_type: ParamType) -> Iterator[Candidate]:
    for literal in _LITERALS[param_type](view, quoted):
        yield Candidate(*literal)


# Texts


def _texts(view: View, quoted: list[Quote]) -> Iterator[Candidate]:
    """Quoted texts, then spans, each once. Of runs of words and parts those are left out whose text
    stands elsewhere among them."""
    seen: set[tuple[int, int]] = set()
    texts: set[bytes] = set()
    found = spans(view, taken_by(view, quoted))
    for text in (*map(_quoted, quoted), *_each_way(view, found)):
        words = view.text[text.start : text.end].lower()
        repeated = text.kind in (Kind.WORDS, Kind.PART) and words in texts
        if (text.start, text.end) in seen or repeated:
            continue
        seen.add((text.start, text.end))
        texts.add(words)
        yield text


def _quoted(quote: Quote) -> Candidate:
    return Candidate(Kind.QUOTED, *quote)


def _each_way(view: View, found: Iterable[Found]) -> Iterator[Candidate]:
    """A span without the 's at its end first."""
    for kind, (first, last) in found:
        start, end = view.pieces[first].start, view.pieces[last - 1].end
        if view.is_word(last - 1) and view.lower[last - 1].endswith(_POSSESSIVE):
            yield Candidate(kind, start, end - len(_POSSESSIVE), first, last)
        yield Candidate(kind, start, end, first, last)


# Lists


def _elements(view: View, quoted: list[Quote], param_type: ParamType) -> list[Candidate]:
    """All in the order in which they stand, none within another."""
    if param_type is not ParamType.STRING:
        return list(_literals(view, quoted, param_type))
    found = [*map(_quoted, quoted)]
    for kind, (first, last) in elements(view, taken_by(view, quoted)):
        start, end = view.pieces[first].start, view.pieces[last - 1].end
        if all(last <= other.first or other.last <= first for other in found):
            found.append(Candidate(kind, start, end, first, last))
    return sorted(found, key=lambda element: element.start)


def _lists(view: View, found: list[Candidate]) -> Iterator[Candidate]:
    """Elements with nothing between but a comma, "and", or both. Where there are several in one,
    what stands alone is none, unless it is quoted."""
    listed = list(_joined(view, found))
    most = max(map(len, listed), default=0)
    for each in listed:
        if len(each) > 1 or most == 1 or each[0].kind is Kind.QUOTED:
            yield from _each_list(view, each)


def _joined(view: View, found: list[Candidate]) -> Iterator[tuple[Candidate, ...]]:
    at = 0
    while at < len(found):
        end = at + 1
        while end < len(found) and _goes_on(view.text[found[end - 1].end : found[end].start]):
            end += 1
        yield tuple(found[at:end])
        at = end


def _each_list(view: View, listed: tuple[Candidate, ...]) -> Iterator[Candidate]:
    """Too many elements are in doubt. If the first one has several words and begins a sentence,
    without the first of them as well: invite Tom, Ann and Bob."""
    first, last = listed[0], listed[-1]
    span = first.start, last.end, first.first, last.last
    if len(listed) > MOST_ELEMENTS:
        yield Candidate(Kind.DOUBT, *span)
        return
    yield Candidate(Kind.LIST, *span, elements=listed)
    several = len(listed) > 1 and first.last - first.first > 1
    texts = first.kind in (Kind.NAME, Kind.WORDS)
    if texts and several and view.begins_sentence(first.first):
        second = first.first + 1
        start = view.pieces[second].start
        rest = replace(first, start=start, first=second), *listed[1:]
        yield Candidate(Kind.LIST, start, last.end, second, last.last, elements=rest)


def _goes_on(between: bytes) -> bool:
    found = _JOINS.fullmatch(between.lower())
    return found is not None and any(found.groups())


__all__ = ["MOST_CANDIDATES", "MOST_ELEMENTS", "NO_NAMES", "Candidate", "candidates"]
__all__ += ["candidates_in"]
