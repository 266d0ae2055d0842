"""The context of a decision, and the history in it: what the agent wrote after each decision.

An entry of `agentReasoning` is written by contracts alone and always reads

    Thought: <the action's thought>\\nAction: <name>\\nAction Input: <JSON>\\nObservation: <text>\\n

The JSON holds no newline and an observation's newlines are escaped by the agent, so foreign text
cannot end the line that it stands in. An entry counts as an action only when it begins with that
action's exact prefix; everything after the first ``Observation: `` is opaque.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from zkagent.models.encoding.book import NO_CONTACTS, NO_TOKEN, ContactBook, SymbolBook


@dataclass(frozen=True, slots=True)
class View:
    """A static call that an encoder makes. target: 0x and 40 lower-case hex digits; call: the
    calldata. optional: what reverts has an empty answer."""

    target: str
    call: bytes
    optional: bool = field(default=False, compare=False)


NO_ANSWERS: Mapping[View, bytes] = {}

#: The ERC's ParamType by number, in the manifest's spelling.
PARAMETER_TYPES = (
    "string",
    "address",
    "bool",
    "int",
    "uint",
    "string[]",
    "address[]",
    "bool[]",
    "int[]",
    "uint[]",
)


@dataclass(frozen=True, slots=True)
class ToolParameter:
    """One parameter as the tool describes it; `type` is one of PARAMETER_TYPES."""

    type: str
    name: bytes
    description: bytes


@dataclass(frozen=True, slots=True)
class ToolMetadata:
    """What a tool says of itself."""

    address: str
    name: bytes
    description: bytes
    parameters: tuple[ToolParameter, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What a decision is made about: prompt, reasoning entries, the agent's symbol book; where the
    model reads whole instructions, also its contacts, its owner (0x and 40 lower-case hex digits)
    and the caution that the owner asks for, in hundredths of a log-odd, None of an agent that does
    not tell; where the encoder asks other contracts, the agent and what they answer. tokens: where
    the agent has no book, the addresses in the prompt that tell decimals (0x and 40 lower-case hex
    digits). tools: what the agent's tools say of themselves, and pins: the hash of that, for each,
    by which the agent knows them, 32 bytes; whoever makes a context has compared them."""

    prompt: bytes
    reasoning: tuple[bytes, ...] = ()
    book: SymbolBook = field(default_factory=lambda: SymbolBook(()))
    contacts: ContactBook = NO_CONTACTS
    owner: str | None = NO_TOKEN
    caution: int | None = 0
    agent: str = NO_TOKEN
    answers: Mapping[View, bytes] = field(default_factory=lambda: NO_ANSWERS)
    tokens: frozenset[str] = frozenset()
    tools: tuple[ToolMetadata, ...] = ()
    pins: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as read back: its action's index (None when foreign), its observation, and the input
    that the action had."""

    action: int | None
    observation: bytes | None
    given: bytes = b""


def action_prefix(thought: str, name: str) -> bytes:
    """What an entry of this action begins with, up to its JSON."""
    return f"Thought: {thought}\nAction: {name}\nAction Input: ".encode()


def read_entry(entry: bytes, prefixes: tuple[bytes, ...]) -> Entry:
    """Match `entry` against the actions' `prefixes` in order and cut out its observation."""
    for index, prefix in enumerate(prefixes):
        if entry.startswith(prefix):
            given, _, _ = entry[len(prefix) :].partition(b"\n")
            return Entry(index, _observation(entry, len(prefix)), given)
    return Entry(None, None)


def read_history(context: Context, prefixes: tuple[bytes, ...]) -> list[Entry]:
    """All entries in order. Blank ones, which the ERC's sample leaves at the end, do not count."""
    return [read_entry(entry, prefixes) for entry in context.reasoning if entry]


def _observation(entry: bytes, start: int) -> bytes | None:
    marker = b"\nObservation: "
    newline = entry.find(b"\n", start)
    if newline < 0 or entry[newline : newline + len(marker)] != marker:
        return None
    text = entry[newline + len(marker) :]
    return text[:-1] if text.endswith(b"\n") else text


def escape_observation(text: bytes) -> bytes:
    r"""A tool's result as the agent writes it: control characters become \n, \r, \t or \xNN."""
    named = {0x0A: b"\\n", 0x0D: b"\\r", 0x09: b"\\t"}
    return b"".join(
        named.get(b, b"\\x%02x" % b) if b < 0x20 or b == 0x7F else bytes([b]) for b in text
    )
