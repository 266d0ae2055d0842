"""What the last observation has for a parameter, where the agent's contract allows that.

Numbers in digits, addresses, bytes and quoted text alone: what a tool answered names nobody's
contacts and is nobody's wish. The prompt's own candidates come first. An observation that could not
be a prompt has nothing: whatever a tool answers, no decision is refused for it.
"""

from dataclasses import replace

from zkagent.models.errors import AddressChecksum, PromptNotAscii, PromptTooLong, TooManyTokens
from zkagent.models.instructions.pieces import Names
from zkagent.models.instructions.scanner import DIGITS
from zkagent.models.reader.candidates import MOST_CANDIDATES, NO_NAMES, Candidate, candidates
from zkagent.models.reader.kinds import Kind, ParamType

_WHOLE = frozenset({Kind.QUOTED, Kind.ADDRESS, Kind.BYTES})


def candidates_with(
    prompt: bytes, observation: bytes, param_type: ParamType, names: Names = NO_NAMES
) -> tuple[Candidate, ...]:
    """Up to eight of both. Raises what `candidates` raises of the prompt."""
    found = candidates(prompt, param_type, names)
    try:
        observed = candidates(observation, param_type, names)
    except (PromptTooLong, PromptNotAscii, TooManyTokens, AddressChecksum):
        return found
    kept = (replace(one, observed=True) for one in observed if _is_literal(one, observation))
    return (*found, *kept)[:MOST_CANDIDATES]


def _is_literal(candidate: Candidate, text: bytes) -> bool:
    begun = text[candidate.start : candidate.end]
    match candidate.kind:
        case Kind.NUMBER:
            return begun[0] in DIGITS or begun[:1] == b"."
        case Kind.SYMBOL:
            return begun.startswith(b"0x")
        case Kind.LIST:
            return all(_is_literal(element, text) for element in candidate.elements)
        case _:
            return candidate.kind in _WHOLE


__all__ = ["candidates_with"]
