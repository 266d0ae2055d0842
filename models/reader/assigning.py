"""Which candidate fills which parameter, by the scores that a network gives to pairs. Mirrored by
`verifier_contracts/src/reader/Assignment.sol`.

Surest first, no part of the prompt twice: what is the only thing that a parameter could mean, then
pairs by their scores, from the margin on. A parameter that is left is asked for; so is what is no
text and could be several things though no other parameter is of its type: 5 or 6.
"""

from collections.abc import Collection, Sequence

from zkagent.models.networks.filling import CANDIDATES
from zkagent.models.reader.candidates import Candidate
from zkagent.models.reader.kinds import Kind, ParamType
from zkagent.models.reader.pairs import candidates_type

_TEXTS = frozenset({ParamType.STRING, ParamType.STRING_ARRAY})


def assigned(
    types: Sequence[ParamType],
    found: Sequence[Sequence[Candidate]],
    scores: Sequence[int],
    least: int,
    tokens: Collection[int] = (),
) -> list[Candidate | None]:
    """found: candidates of each parameter. scores: 48, of pairs. least: that fills a parameter.
    tokens: parameters whose numbers count in one token."""
    filled: list[Candidate | None] = [None] * len(types)
    for at, place in [*_only(types, found, tokens), *_by_score(types, found, scores, least)]:
        candidate = found[at][place]
        if filled[at] is None and not any(other and overlap(candidate, other) for other in filled):
            filled[at] = candidate
    return filled


def _only(
    types: Sequence[ParamType], found: Sequence[Sequence[Candidate]], tokens: Collection[int]
) -> list[tuple[int, int]]:
    """Parameter and candidate, where there are no two of the one or of the other. Of texts only
    quoted ones count; of accounts not what a number counts in: pay 5 DAI to bob."""
    units = {each.symbol for at in tokens for each in found[at]}
    alike = [candidates_type(each) for each in types]
    pairs = []
    for at, param_type in enumerate(types):
        places = [*range(len(found[at]))]
        if param_type in _TEXTS:
            places = [i for i in places if _is_quoted(found[at][i])]
        elif param_type is ParamType.ADDRESS:
            places = [i for i in places if (found[at][i].start, found[at][i].end) not in units]
        if len(places) == 1 and alike.count(alike[at]) == 1:
            pairs.append((at, places[0]))
    return pairs


def _is_quoted(candidate: Candidate) -> bool:
    return candidate.kind is Kind.QUOTED


def _by_score(
    types: Sequence[ParamType],
    found: Sequence[Sequence[Candidate]],
    scores: Sequence[int],
    least: int,
) -> list[tuple[int, int]]:
    """Of equals the first parameter's first."""
    alike = [candidates_type(each) for each in types]
    pairs = [
        (-scores[at * CANDIDATES + place], at, place)
        for at, each in enumerate(found)
        for place in range(len(each))
        if types[at] in _TEXTS or alike.count(alike[at]) > 1
    ]
    return [(at, place) for score, at, place in sorted(pairs) if -score >= least]


def overlap(one: Candidate, other: Candidate) -> bool:
    return one.start < other.end and other.start < one.end


__all__ = ["assigned", "overlap"]
