"""Puts tokens in place of what detectors find, anywhere in a JSON value."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence

from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.permissions.redaction.context import is_secret_under
from zkagent.executor.runtime.permissions.redaction.encoded import decoded
from zkagent.executor.runtime.permissions.redaction.leaves import TOKEN, Document, Joined, Leaf
from zkagent.executor.runtime.permissions.redaction.spans import Detector, Span, merged
from zkagent.executor.runtime.permissions.redaction.vault import Vault
from zkagent.executor.runtime.permissions.redaction.views import views

BLANK = "\n"  # in place of tokens, for detectors
SHORTEST = 6  # characters of anything that is found by its form
#: Texts in which nothing was found are not looked at again: so many, of such a length.
REMEMBERED, LONGEST_REMEMBERED = 4096, 4096


class Redactor:
    """detectors: what to look for; named: whether what stands under the key of a secret is one;
    known: the owner's own secrets, found wherever they stand, in every form that is looked at."""

    def __init__(
        self, detectors: Sequence[Detector], *, named: bool = True, known: Sequence[str] = ()
    ) -> None:
        forms = {form for each in known for form in _forms(each)}
        own = (Detector("known", _finder(each)) for each in sorted(forms, key=_by_length))
        every = (*own, *detectors)
        self._single = tuple(each for each in every if not each.late)
        self._joining = tuple(each for each in every if each.joins)
        self._late = tuple(each for each in every if each.late)
        self._named = named
        self._clean = _Clean()

    def redact(self, value: Json, vault: Vault) -> tuple[Json, frozenset[str]]:
        """The value with tokens, and the kinds that were found."""
        document = Document(value)
        kinds: set[str] = set()
        for leaf in document.leaves:
            vault.notice(leaf.text)
            if self._named and leaf.name and is_secret_under(leaf.name, leaf.text):
                kinds.add("secret")
                leaf.become(vault.token("secret", leaf.text))
            self._in_leaf(leaf, self._single, vault, kinds)
        for number in range(document.joined):
            self._across(document.join(number), vault, kinds)
        for leaf in document.leaves:
            self._in_leaf(leaf, self._late, vault, kinds)
        return (document.value() if kinds else value), frozenset(kinds)

    def _in_leaf(
        self, leaf: Leaf, detectors: Sequence[Detector], vault: Vault, kinds: set[str]
    ) -> None:
        if len(leaf.text) < SHORTEST:
            return
        for span in reversed(self._merged(leaf.text, detectors)):
            kinds.add(span.kind)
            token = vault.token(span.kind, span.meant)
            leaf.become(leaf.text[: span.start] + token + leaf.text[span.end :])

    def _across(self, joined: Joined, vault: Vault, kinds: set[str]) -> None:
        """What is only there when neighbours are read as one: each piece becomes the token."""
        for span in reversed(self._merged(joined.text, self._joining)):
            pieces = tuple(joined.pieces(span.start, span.end))
            if len(pieces) < 2:
                continue
            kinds.add(span.kind)
            token = vault.token(span.kind, span.meant)
            for leaf, start, end in pieces:
                leaf.become(leaf.text[:start] + token + leaf.text[end:])

    def _merged(self, text: str, detectors: Sequence[Detector]) -> Sequence[Span]:
        if self._clean.has(text, detectors):
            return ()
        spans = merged(self._spans(text, detectors))
        if not spans:
            self._clean.add(text, detectors)
        return spans

    def _spans(self, text: str, detectors: Sequence[Detector]) -> Iterator[Span]:
        text = TOKEN.sub(lambda token: BLANK * len(token.group()), text)
        for view in views(text):
            for span in _found(view.text, detectors):
                start, end = view.original(span.start, span.end)
                yield Span(start, end, span.kind, span.meant)
            for start, end, inner in decoded(view.text):
                if spans := merged(s for v in views(inner) for s in _found(v.text, detectors)):
                    first, last = view.original(start, end)
                    yield Span(first, last, spans[0].kind, "\0".join(s.meant for s in spans))


class _Clean:
    """Texts in which detectors found nothing."""

    def __init__(self) -> None:
        self._texts: set[tuple[int, str]] = set()

    def has(self, text: str, detectors: Sequence[Detector]) -> bool:
        return (id(detectors), text) in self._texts

    def add(self, text: str, detectors: Sequence[Detector]) -> None:
        """detectors: of the redactor, and so there as long as this is."""
        if len(text) > LONGEST_REMEMBERED:
            return
        if len(self._texts) >= REMEMBERED:
            self._texts.clear()
        self._texts.add((id(detectors), text))


def _found(text: str, detectors: Sequence[Detector]) -> Iterator[Span]:
    for detector in detectors:
        yield from detector.spans(text)


def _forms(secret: str) -> Iterator[str]:
    """With accents of their own and without; each as it stands in the views of a text."""
    composed, apart = (unicodedata.normalize(form, secret) for form in ("NFC", "NFD"))
    for spelt in (secret, composed, apart):
        yield spelt
        for view in views(spelt):
            yield view.text


def _by_length(secret: str) -> tuple[int, str]:
    return -len(secret), secret


def _finder(secret: str) -> Callable[[str], Iterator[tuple[int, int]]]:
    def find(text: str) -> Iterator[tuple[int, int]]:
        at = text.find(secret)
        while at >= 0:
            yield at, at + len(secret)
            at = text.find(secret, at + len(secret))

    return find


__all__ = ["Redactor"]
