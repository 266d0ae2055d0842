"""From any text to table rows: the encoder's tokenizer, and n-grams of its kinds.

Of every token its own hash and that of the pair with its predecessor; of a longer word those of its
first four and last three letters. A word that the classifier does not know has the hash of UNKNOWN,
its first and last letters still count. Written out here because a classifier of any labelled file
has no arguments to fill, which the wallet's encoder keeps adapting to.

Public data sets are not plain ASCII, which the tokenizer (as the contract) refuses; whoever sends a
text has to write it plainly first, and `plain` is that step.
"""

import unicodedata
from collections.abc import Iterable, Sequence

from zkagent.models.classifier.words import KnownWords, frequent_words
from zkagent.models.encoding.encoder import UNKNOWN_HASH
from zkagent.models.encoding.hashing import keccak_int, keccak_pair
from zkagent.models.encoding.tokens import Token, TokenType, tokenize
from zkagent.models.errors import RefusedText

PREFIX_LENGTH, PREFIX_SHIFT = 4, 16
SUFFIX_LENGTH, SUFFIX_SHIFT = 3, 32
START_HASH = keccak_int(bytes([TokenType.START]))

_TYPOGRAPHIC = str.maketrans("‘’‚“”„–—…\t\n\r", "'''\"\"\"--.   ")


def plain(text: str) -> bytes:
    """`text` in printable ASCII: accents and other marks go, what has no plain form is left out."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHIC))
    return bytes(ord(c) for c in decomposed if " " <= c <= "~")


def learn_words(texts: Iterable[str]) -> KnownWords:
    """The words that a classifier of these texts knows; what the tokenizer refuses teaches none."""
    return frequent_words(_words(text) for text in texts)


def rows_of(text: str, table_rows: int, known: KnownWords) -> tuple[int, ...]:
    """The table rows that the n-grams of `text` select. Raises RefusedText."""
    return rows_of_bytes(plain(text), table_rows, known)


def rows_of_bytes(prompt: bytes, table_rows: int, known: KnownWords) -> tuple[int, ...]:
    """The same of a text as it stands, which is what contracts read. Raises RefusedText, for what
    is not printable ASCII, too."""
    return tuple(h % table_rows for h in _ngrams(prompt, tokenize(prompt, _no_symbols), known))


def rows_of_all(
    texts: Iterable[str], table_rows: int, known: KnownWords
) -> list[tuple[int, ...] | None]:
    """Like `rows_of` for each text; None where the tokenizer refuses it."""
    return [_rows_or_none(text, table_rows, known) for text in texts]


def _rows_or_none(text: str, table_rows: int, known: KnownWords) -> tuple[int, ...] | None:
    try:
        return rows_of(text, table_rows, known)
    except RefusedText:
        return None


def _words(text: str) -> list[int]:
    prompt = plain(text)
    try:
        tokens = tokenize(prompt, _no_symbols)
    except RefusedText:
        return []
    return [keccak_int(_word(prompt, t)) for t in tokens if t.type is TokenType.WORD]


def _word(prompt: bytes, token: Token) -> bytes:
    return prompt[token.start : token.end].lower()


def _ngrams(prompt: bytes, tokens: Sequence[Token], known: KnownWords) -> list[int]:
    """At most four hashes a token, so at most 256; each kind is told apart by the bits it uses."""
    found: list[int] = []
    before = START_HASH
    for token in tokens:
        is_word = token.type is TokenType.WORD
        word = _word(prompt, token) if is_word else b""
        own = keccak_int(word or bytes([token.type]))
        if is_word and not known.knows(own):
            own = UNKNOWN_HASH
        found += [own, keccak_pair(before, own)]
        if len(word) > PREFIX_LENGTH:
            found.append(keccak_int(word[:PREFIX_LENGTH]) >> PREFIX_SHIFT)
        if len(word) > SUFFIX_LENGTH:
            found.append(keccak_int(word[-SUFFIX_LENGTH:]) >> SUFFIX_SHIFT)
        before = own
    return found


def _no_symbols(word: bytes) -> bool:
    return False
