"""What an agent would do about the prompts in its tools.yaml, with the examples that its tools say:
a part of `zkagent agent test`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eth_hash.auto import keccak

from zkagent.models.agents.reader import EXAMPLES, TOOL_TEXTS, ReaderModel, texts_hash
from zkagent.models.encoding.book import ContactBook, Listing, SymbolBook
from zkagent.models.encoding.context import Context, ToolMetadata, ToolParameter, View
from zkagent.models.errors import RefusedArgument, RefusedText
from zkagent.models.reader.abi import encoded_alone, word
from zkagent.models.reader.agent_tools import AgentTools, SaidTool, load_agent_tools
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.tuned import examples_of, load_tuned

CALL = "call"


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
class Trial:
    """acted: prompts that call the tool that they mean, of `meant`, whatever the arguments.
    nothing: those that mean none. unread: those that mean a tool, and call none. is_stale: whether
    examples and caution were chosen with another reader."""

    meant: int
    acted: int
    nothing: int
    wrong: tuple[Misread, ...]
    unread: tuple[Unread, ...] = ()
    is_stale: bool = False

    def lines(self) -> list[str]:
        found = [
            f"WRONG   {each.prompt!r} calls {each.called}, and means {each.means or 'nothing'}: "
            "give examples, or train (zkagent model train --agent)"
            for each in self.wrong
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
        ]

    def to_json(self) -> dict[str, Any]:
        wrong = [{"prompt": e.prompt, "means": e.means, "called": e.called} for e in self.wrong]
        counts = {"meant": self.meant, "acted": self.acted, "nothing": self.nothing}
        unread = [{"prompt": e.prompt, "means": e.means, "answer": e.answer} for e in self.unread]
        return {**counts, "wrong": wrong, "unread": unread, "stale": self.is_stale}


def try_prompts(model: ReaderModel, folder: Path) -> Trial:
    """With the symbols and contacts that tools.yaml names. Raises ToolsRefused."""
    said = load_agent_tools(folder)
    tuned = load_tuned(folder, said)
    caution = tuned.caution if tuned else 0
    rows: list[tuple[str, str | None]] = [(p, tool.tool) for tool in said.tools for p in tool.means]
    rows += [(prompt, None) for prompt in said.nothing]
    acted, wrong, unread = 0, [], []
    for prompt, means in rows:
        context = context_of(said, examples_of(said, tuned), caution, prompt)
        called, answer = read_by(model, context)
        if called is not None and called != means:
            wrong.append(Misread(prompt, means, called))
        elif called is None and means is not None:
            unread.append(Unread(prompt, means, answer))
        acted += called is not None and called == means
    stale = tuned is not None and tuned.reader != model.digest
    counts = len(rows) - len(said.nothing), acted, len(said.nothing)
    return Trial(*counts, tuple(wrong), tuple(unread), stale)


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
    try:
        decision = model.decode(context, model.infer(model.encode(context)))
    except (RefusedText, RefusedArgument) as exc:
        return None, str(exc)
    return (decision.action, "") if decision.kind == CALL else (None, decision.answer)


def _metadata(tool: SaidTool, address: str) -> ToolMetadata:
    parameters = (
        ToolParameter(each.type, each.name.encode(), each.description.encode())
        for each in tool.parameters
    )
    return ToolMetadata(address, tool.tool.encode(), tool.description.encode(), tuple(parameters))


def _address(number: int) -> str:
    return f"0x{number:040x}"


__all__ = ["Misread", "Trial", "Unread", "called_by", "context_of", "read_by", "try_prompts"]
