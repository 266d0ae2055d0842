"""Which word of a prompt says that it is in another language; see `encoding/languages`. Mirrored by
`instructions/ForeignWords.sol`.
"""

from collections.abc import Callable

from zkagent.models.encoding.languages import Said, doubted
from zkagent.models.instructions.grammar import CARDINAL, Meaning
from zkagent.models.instructions.pieces import PARTS, Grammar, Names, Pieces
from zkagent.models.instructions.scanner import Piece, Shape

#: Whether a word in lower case is in a model's table.
Knows = Callable[[bytes], bool]
#: Of words that say an amount, whatever a book lists.
_COUNTING = CARDINAL | PARTS | {Meaning.ZERO, Meaning.POINT, Meaning.ALL}


def foreign_word(
    text: bytes, pieces: list[Piece], names: Names, grammar: Grammar, knows: Knows
) -> Piece | None:
    """None of what is taken for English."""
    looked = Pieces(text, pieces, names, grammar)
    place = doubted([_said(looked, at, knows) for at in range(len(pieces))])
    return None if place is None else pieces[place]


def _said(looked: Pieces, at: int, knows: Knows) -> Said | bytes:
    shape, word = looked.pieces[at].shape, looked.lower(at)
    if shape is Shape.MARK:
        return Said.END
    if shape is Shape.RUN or _is_name(looked, at):
        return Said.ARGUMENT
    return Said.KNOWN if knows(word) else word


def _is_name(looked: Pieces, at: int) -> bool:
    word = looked.lower(at)
    named = looked.names_symbol(word) or looked.names_contact(word)
    return named and looked.meaning(at)[0] not in _COUNTING


__all__ = ["Knows", "foreign_word"]
