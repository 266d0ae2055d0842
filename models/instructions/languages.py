"""Which word of a prompt says that it is in another language; see `encoding/languages`. Mirrored by
`instructions/ForeignWords.sol`.
"""

from collections.abc import Callable

from zkagent.models.encoding.languages import doubted
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
    said = Pieces(text, pieces, names, grammar)
    unknown: list[int] = []
    known = 0
    for at, piece in enumerate(pieces):
        if piece.shape is not Shape.WORD or _is_name(said, at):
            continue
        if knows(said.lower(at)):
            known += 1
        else:
            unknown.append(at)
    place = doubted([said.lower(at) for at in unknown], known)
    return None if place is None else pieces[unknown[place]]


def _is_name(said: Pieces, at: int) -> bool:
    word = said.lower(at)
    named = said.names_symbol(word) or said.names_contact(word)
    return named and said.meaning(at)[0] not in _COUNTING


__all__ = ["Knows", "foreign_word"]
