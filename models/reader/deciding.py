"""From a reader's output to a decision: a call, a question, or no. Mirrored by
`verifier_contracts/src/reader/ReaderDecoder.sol`.

A tool is called once, and its answer is the run's. Arguments are candidates of the prompt, chosen
by the network's scores (`models/reader/assigning.py`); where none is sure enough, the agent asks
for the parameter by its name. Nothing is called by a prompt that does not ask for an act now, but
that a question may call what only looks (`models/reader/mood.py`): the network cannot tell "don't
rest" from "rest".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from zkagent.models.encoding.book import NO_TOKEN
from zkagent.models.encoding.context import Context
from zkagent.models.errors import ForeignHistory, OutputOutOfRange
from zkagent.models.reader.arguments import (
    MOST_NAME,
    NAMING,
    Directory,
    Fault,
    Slot,
    argument,
    question,
    together,
)
from zkagent.models.reader.assigning import assigned
from zkagent.models.reader.candidates import Candidate, candidates_in
from zkagent.models.reader.files import Choice, Margins
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.mood import Mood, mood_of
from zkagent.models.reader.pairs import MOST_PARAMETERS
from zkagent.models.reader.units import UnitKind, unit_of
from zkagent.models.reader.view import View
from zkagent.models.reader.words import words_of

DECLINE = "None of my tools is for that."
HOLD = "I act when I am asked to, now: say plainly what to do."
TOO_MANY = f"takes more than {MOST_PARAMETERS} parameters: I cannot fill them."
THOUGHT = b"Thought: The prompt means this tool.\nAction: "
OBSERVATION = b"\nObservation: "
#: Hundredths of a log-odd: what an agent's caution counts in. More than this never acts.
CAUTION_UNIT, MOST_CAUTION = 100, (1 << 64) - 1


class Verdict(IntEnum):
    CALL = 0
    ASK = 1  # which tool
    DECLINE = 2


@dataclass(frozen=True, slots=True)
class Described:
    """A parameter as a tool describes it."""

    param_type: ParamType
    name: bytes
    description: bytes = b""


@dataclass(frozen=True, slots=True)
class CallableTool:
    """A tool as it can be called. looks: whether it is pinned as one that only looks."""

    name: bytes
    parameters: tuple[Described, ...] = ()
    looks: bool = False


@dataclass(frozen=True, slots=True)
class Reached:
    """A final answer where `tool` is None; otherwise its place, and what it is called with: each
    argument as it stands in the prompt, encoded on its own, and all together. verdict: what the
    answer is; CALL where an argument is asked for."""

    answer: bytes = b""
    verdict: Verdict = Verdict.CALL
    tool: int | None = None
    values: tuple[bytes, ...] = ()
    together: bytes = b""
    reasoning: bytes = b""
    texts: tuple[bytes, ...] = ()


def choose(choice: Choice, margins: Margins, caution: int | None) -> Verdict:
    """caution: in hundredths of a log-odd, in place of both margins; None of an agent that tells
    none, whose margins are the reader's, as where it is 0."""
    least, fitting = margins.ahead * CAUTION_UNIT, margins.fits * CAUTION_UNIT
    if caution:
        if caution > MOST_CAUTION:
            return Verdict.DECLINE
        least = fitting = caution * margins.unit
    if choice.fits * CAUTION_UNIT < fitting:
        return Verdict.DECLINE
    return Verdict.ASK if choice.ahead * CAUTION_UNIT < least else Verdict.CALL


def decide(
    context: Context, tools: Sequence[CallableTool], choice: Choice, margins: Margins
) -> Reached:
    """Raises RefusedText for a prompt in which nothing can be found, OutputOutOfRange for a tool
    that is not there, and ForeignHistory."""
    for place, entry in reversed(list(enumerate(context.reasoning))):
        if entry:
            return Reached(_observation(entry, place))
    if not 0 <= choice.tool < len(tools):
        raise OutputOutOfRange(f"tool {choice.tool} of {len(tools)}: use the reader's own output")
    match choose(choice, margins, context.caution):
        case Verdict.DECLINE:
            return Reached(DECLINE.encode(), Verdict.DECLINE)
        case Verdict.ASK:
            names = (named(tool.name, "tool", place) for place, tool in enumerate(tools))
            return Reached(f"Which of {', '.join(names)} do you mean?".encode(), Verdict.ASK)
        case _:
            return _call(context, choice.tool, tools[choice.tool], choice, margins)


def named(name: bytes, what: str, place: int) -> str:
    """What a stranger calls something, if that is 1 to 32 letters, digits and underscores."""
    fits = 0 < len(name) <= MOST_NAME and NAMING.issuperset(name)
    return name.decode() if fits else f"{what} {place + 1}"


def _call(
    context: Context, place: int, tool: CallableTool, choice: Choice, margins: Margins
) -> Reached:
    if len(tool.parameters) > MOST_PARAMETERS:
        said = f"{named(tool.name, 'tool', place)} {TOO_MANY}"
        return Reached(said.encode(), Verdict.DECLINE)
    directory = directory_of(context)
    view = View(context.prompt, directory.names())
    types = [parameter.param_type for parameter in tool.parameters]
    found = candidates_of(view, types)  # before all else, as the encoder finds them
    if mood_of(view) < (Mood.QUESTION if tool.looks else Mood.ACT):
        return Reached(HOLD.encode(), Verdict.DECLINE)
    taken: list[Candidate] = []
    filled: list[tuple[Slot, bytes]] = []
    slots = [_slot(parameter, directory) for parameter in tool.parameters]
    tokens = [at for at, slot in enumerate(slots) if slot.unit.kind is UnitKind.SYMBOL]
    chosen = assigned(types, found, choice.scores, margins.fills, tokens)
    for at, (parameter, one) in enumerate(zip(tool.parameters, chosen, strict=True)):
        if one is None:
            asked = question(Fault.MISSING, parameter.name, at, parameter.param_type, b"")
            return Reached(asked.encode())
        slot = slots[at]
        made = argument(one, slot, context.prompt, directory)
        if isinstance(made, Fault):
            text = _text(context.prompt, one)
            return Reached(question(made, parameter.name, at, slot.param_type, text).encode())
        taken.append(one)
        filled.append((slot, made))
    return Reached(
        tool=place,
        values=tuple(value for _, value in filled),
        together=together(filled),
        reasoning=_reasoning(context.prompt, place, tool, taken),
        texts=tuple(_text(context.prompt, each) for each in taken),
    )


def directory_of(context: Context) -> Directory:
    """What names stand for at the agent's."""
    return Directory(context.book, context.contacts, context.owner or NO_TOKEN, context.tokens)


def candidates_of(view: View, types: Sequence[ParamType]) -> list[tuple[Candidate, ...]]:
    """Of each parameter."""
    found = {each: candidates_in(view, each) for each in dict.fromkeys(types)}
    return [found[each] for each in types]


def _slot(parameter: Described, directory: Directory) -> Slot:
    said = words_of(parameter.name + b" " + parameter.description)
    return Slot(parameter.param_type, unit=unit_of(said, directory.book))


def _text(prompt: bytes, found: Candidate) -> bytes:
    """As it stands in the prompt, with the sign in front of it."""
    return (b"-" if found.negative else b"") + prompt[found.start : found.end]


def _reasoning(prompt: bytes, place: int, tool: CallableTool, taken: Sequence[Candidate]) -> bytes:
    given = b",".join(
        b'"%b":"%b"'
        % (named(parameter.name, "parameter", at).encode(), _quoted(_text(prompt, span)))
        for at, (parameter, span) in enumerate(zip(tool.parameters, taken, strict=True))
    )
    name = named(tool.name, "tool", place).encode()
    return THOUGHT + name + b"\nAction Input: {" + given + b"}\n"


def _quoted(text: bytes) -> bytes:
    return text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def _observation(entry: bytes, place: int) -> bytes:
    _, marker, text = entry.partition(OBSERVATION)
    if not marker:
        raise ForeignHistory(place)
    return text.removesuffix(b"\n")


__all__ = ["CallableTool", "Described", "Reached", "Verdict", "candidates_of", "choose"]
__all__ += ["decide", "directory_of", "named"]
