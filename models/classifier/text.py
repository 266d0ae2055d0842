"""From any text to table rows, by the encoder's own tokenizer and n-grams.

Public data sets are not plain ASCII, which the encoder (as the contract) refuses; whoever sends a
text has to write it plainly first, and `plain` is that step.
"""

import unicodedata
from collections.abc import Sequence

from models.encoder import Parse, select_rows
from models.errors import RefusedText
from models.tokens import tokenize

_TYPOGRAPHIC = str.maketrans("‘’‚“”„–—…\t\n\r", "'''\"\"\"--.   ")  # noqa: RUF001


def plain(text: str) -> bytes:
    """`text` in printable ASCII: accents and other marks go, what has no plain form is left out."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHIC))
    return bytes(ord(c) for c in decomposed if " " <= c <= "~")


def rows_of(text: str, table_rows: int) -> tuple[int, ...]:
    """The table rows that the n-grams of `text` select. Raises RefusedText."""
    prompt = plain(text)
    tokens = tuple(tokenize(prompt, _no_symbols))
    return select_rows(prompt, Parse(tokens, (), (), None), table_rows, 1).text


def rows_of_all(texts: Sequence[str], table_rows: int) -> list[tuple[int, ...] | None]:
    """Like `rows_of` for each text; None where the encoder refuses it."""
    return [_rows_or_none(text, table_rows) for text in texts]


def _rows_or_none(text: str, table_rows: int) -> tuple[int, ...] | None:
    try:
        return rows_of(text, table_rows)
    except RefusedText:
        return None


def _no_symbols(word: bytes) -> bool:
    return False
