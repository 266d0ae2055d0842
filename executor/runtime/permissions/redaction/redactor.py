"""Puts tokens in place of what detectors find, anywhere in a JSON value."""

from collections.abc import Callable, Iterator, Sequence

from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.permissions.redaction.context import is_secret_under
from zkagent.executor.runtime.permissions.redaction.encoded import decoded
from zkagent.executor.runtime.permissions.redaction.leaves import TOKEN, Document, Joined, Leaf
from zkagent.executor.runtime.permissions.redaction.spans import Detector, Span, merged
from zkagent.executor.runtime.permissions.redaction.vault import Vault
from zkagent.executor.runtime.permissions.redaction.views import views

BLANK = "\n"  # in place of tokens, for detectors
#: Texts in which nothing was found, and how long they may be: a run's are judged many times.
MOST_CLEAN, LONGEST_CLEAN = 1024, 2000


class Redactor:
    """detectors: what to look for; named: whether what stands under the key of a secret is one;
    known: the owner's own secrets, found wherever they stand."""

    def __init__(
        self, detectors: Sequence[Detector], *, named: bool = True, known: Sequence[str] = ()
    ) -> None:
        own = (Detector("known", _finder(each)) for each in sorted(known, key=len, reverse=True))
        self._detectors = (*own, *detectors)
        self._joining = tuple(each for each in self._detectors if each.joins)
        self._named = named
        self._clean: dict[tuple[str, bool], None] = {}

    def redact(self, value: Json, vault: Vault) -> tuple[Json, frozenset[str]]:
        """The value with tokens, and the kinds that were found."""
        document = Document(value)
        kinds: set[str] = set()
        for leaf in document.leaves:
            vault.notice(leaf.text)
            self._in_leaf(leaf, vault, kinds)
        joins = tuple(document.joins())
        for number in range(len(joins)):
            if self._across(joins[number], vault, kinds):
                joins = tuple(document.joins())  # what was found in one is a token in the next
        return (document.value() if kinds else value), frozenset(kinds)

    def _in_leaf(self, leaf: Leaf, vault: Vault, kinds: set[str]) -> None:
        if self._named and leaf.name and is_secret_under(leaf.name, leaf.text):
            kinds.add("secret")
            leaf.become(vault.token("secret", leaf.text))
            return
        spans = self._spans(leaf.text, joined=False)
        for span in reversed(spans):
            kinds.add(span.kind)
            token = vault.token(span.kind, span.meant)
            leaf.become(leaf.text[: span.start] + token + leaf.text[span.end :])

    def _across(self, joined: Joined, vault: Vault, kinds: set[str]) -> bool:
        """What is only there when neighbours are read as one: each piece becomes the token. Whether
        there was something."""
        changed = False
        for span in reversed(self._spans(joined.text, joined=True)):
            pieces = tuple(joined.pieces(span.start, span.end))
            if len(pieces) < 2:
                continue
            kinds.add(span.kind)
            token = vault.token(span.kind, span.meant)
            changed = True
            for leaf, start, end in pieces:
                leaf.become(leaf.text[:start] + token + leaf.text[end:])
        return changed

    def _spans(self, text: str, *, joined: bool) -> list[Span]:
        """Without overlaps, in order. Only texts that hold nothing are remembered."""
        if (text, joined) in self._clean:
            return []
        spans = merged(self._found_in(text, self._joining if joined else self._detectors))
        if not spans and len(text) <= LONGEST_CLEAN:
            if len(self._clean) >= MOST_CLEAN:
                del self._clean[next(iter(self._clean))]
            self._clean[text, joined] = None
        return spans

    def _found_in(self, text: str, detectors: Sequence[Detector]) -> Iterator[Span]:
        text = TOKEN.sub(lambda token: BLANK * len(token.group()), text)
        for view in views(text):
            for span in _found(view.text, detectors):
                start, end = view.original(span.start, span.end)
                yield Span(start, end, span.kind, span.meant)
            for start, end, inner in decoded(view.text):
                if spans := merged(s for v in views(inner) for s in _found(v.text, detectors)):
                    first, last = view.original(start, end)
                    yield Span(first, last, spans[0].kind, "\0".join(s.meant for s in spans))


def _found(text: str, detectors: Sequence[Detector]) -> Iterator[Span]:
    for detector in detectors:
        yield from detector.spans(text)


def _finder(secret: str) -> Callable[[str], Iterator[tuple[int, int]]]:
    def find(text: str) -> Iterator[tuple[int, int]]:
        at = text.find(secret)
        while at >= 0:
            yield at, at + len(secret)
            at = text.find(secret, at + len(secret))

    return find


__all__ = ["Redactor"]
