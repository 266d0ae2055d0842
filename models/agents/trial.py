"""What an agent would do about the prompts in its tools.yaml, with the examples that its tools say:
a part of `zkagent agent test`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eth_hash.auto import keccak

from zkagent.models.agents.reader import EXAMPLES, TOOL_TEXTS, ReaderModel, texts_hash
from zkagent.models.encoding.book import ContactBook, Listing, SymbolBook
from zkagent.models.encoding.context import Context, ToolMetadata, ToolParameter, View
from zkagent.models.encoding.decoder import Argument, Decision
from zkagent.models.errors import RefusedArgument, RefusedText
from zkagent.models.reader.abi import encoded_alone, word
from zkagent.models.reader.agent_tools import AgentTools, SaidParameter, SaidTool, load_agent_tools
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.tuned import examples_of, load_tuned

CALL = "call"
#: How numbers may be written that are compared by what they come to.
NUMBER = re.compile(r"-?[0-9]{1,77}")
TRUTHS = {"yes": 1, "true": 1, "no": 0, "false": 0}


@dataclass(frozen=True)
class Misread:
    """A prompt that means a tool, or nothing (None), and what is called."""

    prompt: str
    means: str | None
    called: str


@dataclass(frozen=True)
class Unread:
    """A prompt that means a tool, and what is answered where nothing is called."""

    prompt: str
    means: str
    answer: str


@dataclass(frozen=True)
class Misfilled:
    """A prompt that calls the tool that it means, with another argument than it says."""

    prompt: str
    means: str
    parameter: str
    expected: str
    given: str


@dataclass(frozen=True)
class Trial:
    """acted: prompts that call the tool that they mean, of `meant`, whatever the arguments.
    misfilled: other arguments than tools.yaml says, of `compared` prompts that say some.
    nothing: those that mean none. unread: those that mean a tool, and call none. is_stale: whether
    examples and caution were chosen with another reader."""

    meant: int
    acted: int
    nothing: int
    wrong: tuple[Misread, ...]
    unread: tuple[Unread, ...] = ()
    is_stale: bool = False
    misfilled: tuple[Misfilled, ...] = ()
    compared: int = 0

    @property
    def failed(self) -> bool:
        """Whether something would be done that no prompt means."""
        return bool(self.wrong or self.misfilled)

    def lines(self) -> list[str]:
        found = [
            f"WRONG   {each.prompt!r} calls {each.called}, and means {each.means or 'nothing'}: "
            "give examples, or train (zkagent model train --agent)"
            for each in self.wrong
        ]
        found += [
            f"WRONG   {e.prompt!r} calls {e.means} with {e.parameter} {e.given!r}, and means "
            f"{e.expected!r}: describe the parameter in the words of such prompts"
            for e in self.misfilled
        ]
        if self.is_stale:
            found.append(
                "STALE   tuned.json was made with another reader: train again, or remove it"
            )
        asked = [
            f"no call {each.prompt!r} means {each.means}, and is answered {each.answer!r}"
            for each in self.unread
        ]
        return [
            *found,
            *asked,
            f"read    {self.acted} of {self.meant} prompts call the tool that they mean; of the "
            f"others and {self.nothing} that mean nothing, {len(self.wrong)} call one",
            *self._arguments(),
        ]

    def _arguments(self) -> list[str]:
        if not self.compared:
            return []
        wrong = len({each.prompt for each in self.misfilled})
        return [f"filled  {self.compared - wrong} of {self.compared} calls as tools.yaml says"]

    def to_json(self) -> dict[str, Any]:
        wrong = [{"prompt": e.prompt, "means": e.means, "called": e.called} for e in self.wrong]
        counts = {"meant": self.meant, "acted": self.acted, "nothing": self.nothing}
        unread = [{"prompt": e.prompt, "means": e.means, "answer": e.answer} for e in self.unread]
        misfilled = [asdict(each) for each in self.misfilled]
        filled = {"compared": self.compared, "misfilled": misfilled}
        return {**counts, "wrong": wrong, "unread": unread, "stale": self.is_stale, **filled}


def try_prompts(model: ReaderModel, folder: Path) -> Trial:
    """With the symbols and contacts that tools.yaml names. Raises ToolsRefused."""
    said = load_agent_tools(folder)
    tuned = load_tuned(folder, said)
    caution = tuned.caution if tuned else 0
    rows: list[tuple[str, SaidTool | None]] = [(p, t) for t in said.tools for p in t.means]
    rows += [(prompt, None) for prompt in said.nothing]
    acted, compared, wrong, unread, misfilled = 0, 0, [], [], list[Misfilled]()
    for prompt, tool in rows:
        context = context_of(said, examples_of(said, tuned), caution, prompt)
        decision = _decision(model, context)
        called, answer = _called(decision)
        if called is not None and (tool is None or called != tool.tool):
            wrong.append(Misread(prompt, tool.tool if tool else None, called))
        elif called is None and tool is not None:
            unread.append(Unread(prompt, tool.tool, answer))
        elif isinstance(decision, Decision) and tool is not None:
            acted += 1
            compared += prompt in tool.expected
            misfilled += _misfilled(tool, prompt, decision)
    stale = tuned is not None and tuned.reader != model.digest
    counts = len(rows) - len(said.nothing), acted, len(said.nothing)
    filled = tuple(misfilled), compared
    return Trial(*counts, tuple(wrong), tuple(unread), stale, *filled)


def _misfilled(tool: SaidTool, prompt: str, decision: Decision) -> Iterator[Misfilled]:
    """decision: that calls the tool."""
    filled = zip(tool.parameters, decision.arguments, strict=True)
    for at, (parameter, argument) in enumerate(filled):
        expected = tool.expected.get(prompt, {}).get(parameter.name)
        if expected is not None and not _same(parameter, expected, argument, decision.values[at]):
            yield Misfilled(prompt, tool.tool, parameter.name, expected, argument.text)


def _same(parameter: SaidParameter, expected: str, argument: Argument, value: int) -> bool:
    """By how it stands in the prompt, whatever the case and spaces; numbers, yes and no, and
    addresses also by what they come to. value: the ABI word at the argument's place."""
    if expected.lower().split() == argument.text.lower().split():
        return True
    match parameter.param_type:
        case ParamType.UINT | ParamType.INT:
            signed = value - (1 << 256) * (value >> 255) if parameter.type == "int" else value
            return NUMBER.fullmatch(expected) is not None and int(expected) == signed
        case ParamType.BOOL:
            return TRUTHS.get(expected.lower()) == value
        case ParamType.ADDRESS:
            return expected.lower() == f"0x{value:040x}"
        case _:
            return False


def context_of(
    said: AgentTools, examples: Sequence[Sequence[str]], caution: int, prompt: str
) -> Context:
    """Of an agent with these tools, at addresses that nobody has."""
    agent, owner = _address(1), _address(2)
    tools = [_metadata(tool, _address(16 + at)) for at, tool in enumerate(said.tools)]
    pins = tuple(keccak(tool.name) for tool in tools)
    told = [
        encoded_alone(ParamType.STRING_ARRAY, 0, *(text.encode() for text in each))
        for each in examples
    ]
    texts = [
        texts_hash(pin, keccak(each), looks=tool.looks)
        for pin, each, tool in zip(pins, told, said.tools, strict=True)
    ]
    answers = {View(agent, TOOL_TEXTS): word(32) + word(len(texts)) + b"".join(texts)}
    shown = zip(tools, told, strict=True)
    answers |= {View(tool.address, EXAMPLES): each for tool, each in shown}
    listings = [
        Listing(symbol, _address(64 + at), decimals)
        for at, (symbol, decimals) in enumerate(said.symbols.items())
    ]
    contacts = [(name, _address(1024 + at)) for at, name in enumerate(said.contacts)]
    return Context(
        prompt.encode(),
        book=SymbolBook(tuple(listings)),
        contacts=ContactBook(tuple(contacts)),
        owner=owner,
        caution=caution,
        agent=agent,
        answers=answers,
        tools=tuple(tools),
        pins=pins,
    )


def called_by(model: ReaderModel, context: Context) -> str | None:
    """The tool that is called with arguments, None where none is."""
    return read_by(model, context)[0]


def read_by(model: ReaderModel, context: Context) -> tuple[str | None, str]:
    """The same, and what is answered in place of a call; why nobody would run it, of what is
    refused."""
    return _called(_decision(model, context))


def _decision(model: ReaderModel, context: Context) -> Decision | str:
    """Or why nobody would run it."""
    try:
        return model.decode(context, model.infer(model.encode(context)))
    except (RefusedText, RefusedArgument) as exc:
        return str(exc)


def _called(decision: Decision | str) -> tuple[str | None, str]:
    if isinstance(decision, str):
        return None, decision
    return (decision.action, "") if decision.kind == CALL else (None, decision.answer)


def _metadata(tool: SaidTool, address: str) -> ToolMetadata:
    parameters = (
        ToolParameter(each.type, each.name.encode(), each.description.encode())
        for each in tool.parameters
    )
    return ToolMetadata(address, tool.tool.encode(), tool.description.encode(), tuple(parameters))


def _address(number: int) -> str:
    return f"0x{number:040x}"


__all__ = [
    "Misfilled",
    "Misread",
    "Trial",
    "Unread",
    "called_by",
    "context_of",
    "read_by",
    "try_prompts",
]
