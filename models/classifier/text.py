"""From any text to table rows: the encoder's tokenizer, and n-grams of its kinds.

Of every token its own hash and that of the pair with its predecessor; of a longer word those of its
first four and last three letters. A word that the classifier does not know has the hash of UNKNOWN,
its first and last letters still count. Written out here because a classifier of any labelled file
has no arguments to fill, which the wallet's encoder keeps adapting to.

Public data sets are not plain ASCII, which the tokenizer (as the contract) refuses; whoever sends a
text has to write it plainly first, and `plain` is that step.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from zkagent.models.classifier.words import KnownWords, slot_of, slots_of
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
    return KnownWords.of(slots_of(word_hashes(text) for text in texts))


def rows_of(text: str, hashed_rows: int, known: KnownWords) -> tuple[int, ...]:
    """The table rows that the n-grams of `text` select. hashed_rows: for hashes; behind them lie
    those of known words, where these have their own. Raises RefusedText."""
    return rows_of_bytes(plain(text), hashed_rows, known)


def rows_of_bytes(prompt: bytes, hashed_rows: int, known: KnownWords) -> tuple[int, ...]:
    """The same of a text as it stands, which is what contracts read. Raises RefusedText, for what
    is not printable ASCII, too."""
    return tuple(_rows(prompt, tokenize(prompt, _no_symbols), hashed_rows, known))


def rows_of_all(
    texts: Iterable[str], hashed_rows: int, known: KnownWords
) -> list[tuple[int, ...] | None]:
    """Like `rows_of` for each text; None where the tokenizer refuses it."""
    return [_rows_or_none(text, hashed_rows, known) for text in texts]


def _rows_or_none(text: str, hashed_rows: int, known: KnownWords) -> tuple[int, ...] | None:
    try:
        return rows_of(text, hashed_rows, known)
    except RefusedText:
        return None


def word_hashes(text: str) -> list[int]:
    """Of its words; none of a text that the tokenizer refuses."""
    prompt = plain(text)
    try:
        tokens = tokenize(prompt, _no_symbols)
    except RefusedText:
        return []
    return [keccak_int(_word(prompt, t)) for t in tokens if t.type is TokenType.WORD]


def _word(prompt: bytes, token: Token) -> bytes:
    return prompt[token.start : token.end].lower()


def _rows(
    prompt: bytes, tokens: Sequence[Token], hashed_rows: int, known: KnownWords
) -> Iterator[int]:
    """At most four a token, so at most 256; each kind is told apart by the bits it uses."""
    before = START_HASH
    for token in tokens:
        is_word = token.type is TokenType.WORD
        word = _word(prompt, token) if is_word else b""
        own = keccak_int(word or bytes([token.type]))
        slot = slot_of(own) if is_word and known.knows(own) else None
        if is_word and (slot is None or not known.saw(slot)):
            own = UNKNOWN_HASH
        yield own % hashed_rows if slot is None or not known.apart else hashed_rows + slot
        yield keccak_pair(before, own) % hashed_rows
        if len(word) > PREFIX_LENGTH:
            yield (keccak_int(word[:PREFIX_LENGTH]) >> PREFIX_SHIFT) % hashed_rows
        if len(word) > SUFFIX_LENGTH:
            yield (keccak_int(word[-SUFFIX_LENGTH:]) >> SUFFIX_SHIFT) % hashed_rows
        before = own


def _no_symbols(word: bytes) -> bool:
    return False
