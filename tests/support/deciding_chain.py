"""A reader's decoder on a chain, for an agent with books, an owner and tools that take anything."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from eth_abi.abi import decode, encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.support.compiled import contracts_of
from tests.support.encoding_chain import CONTEXT, book_entry
from tests.support.reading_chain import (
    DESCRIPTION,
    EXAMPLES,
    INPUT,
    INPUT_TYPE,
    NAME,
    NO_ROLES,
    ReadingAgent,
    ReadingChain,
)
from zkagent.models.encoding.context import Context
from zkagent.models.reader.arguments import Directory
from zkagent.models.reader.deciding import CallableTool
from zkagent.models.reader.files import Choice, Margins
from zkagent.models.reader.pairs import Roles
from zkagent.models.reader.rows import Rows
from zkagent.verifier_contracts.chain.local import Anvil, deploy, send
from zkagent.verifier_contracts.chain.reverts import parse_revert

SOURCES = (
    "src/reader/ReaderDecoder.sol",
    "test/reader/FoundHarness.sol",
    "src/reader/ReaderChoice.sol",
    "src/reader/ReaderWords.sol",
    "src/encoding/Scores.sol",
    "test/instructions/InstructionHarness.sol",
    "test/reader/DecidingAgent.sol",
)
MADE = "(bool,bytes,address,((uint8,bytes)[],bytes),bytes)"


@dataclass(frozen=True)
class Made:
    """As a contract returned it. tool: its address; refusal: the name of an error, then all else is
    empty."""

    answer: bytes = b""
    tool: str = ""
    types: tuple[int, ...] = ()
    values: tuple[bytes, ...] = ()
    together: bytes = b""
    reasoning: bytes = b""
    refusal: str = ""


class DecidingChain:
    def __init__(
        self,
        anvil: Anvil,
        rows: Rows,
        margins: Margins,
        directory: Directory,
        tools: Sequence[CallableTool],
        *,
        roles: Roles = NO_ROLES,
        descriptions: Sequence[bytes] = (),
    ) -> None:
        """descriptions: of the tools, in order; of those without one it is no matter."""
        self.anvil, self.reading = anvil, ReadingChain(anvil, rows, (1, 1, 1, 1), roles)
        self.contracts = contracts_of(SOURCES)
        everything = (*self.contracts.values(), *self.reading.contracts.values())
        self.errors = [each for one in everything for each in one.abi]
        reading = self.reading
        self._placed = self._made("PlacedEncoder", reading.chunks, rows.buckets, reading.parts)
        given = (margins.ahead, margins.fits, margins.unit, margins.fills)
        moods = self.reading.readers[0]
        self.decoder = self._made("ReaderDecoder", moods, given)
        about = [*descriptions, *[b"Does it"] * (len(tools) - len(descriptions))]
        self.tools = [self._tool(*each) for each in zip(tools, about, strict=True)]
        symbols = b"".join(
            book_entry(each.symbol, each.decimals, each.token) for each in directory.book.listings
        )
        contacts = b"".join(book_entry(name, 0, to) for name, to in directory.contacts.contacts)
        owner = to_checksum_address(directory.owner)
        self._given = (symbols, contacts, owner, self.reading.vectors, self.tools)
        self.agent = self.agent_of(together=True)

    def agent_of(self, *, together: bool) -> str:
        """One that pins what the tools say now, as a set or each by itself."""
        return self._made("DecidingAgent", *self._given, together)

    def set_caution(self, caution: int | None) -> None:
        abi = self.contracts["DecidingAgent"].abi
        functions = self.anvil.web3.eth.contract(address=self.agent, abi=abi).functions  # type: ignore[call-overload]
        said = functions.setCaution(caution is not None, caution or 0)
        send(self.anvil.web3, said, self.anvil.accounts[0])

    def decide(self, context: Context, choice: Choice) -> Made:
        return self.decode(context, output_of(choice), choice.tool)

    def measure(self, context: Context, choice: Choice) -> tuple[int, int]:
        """Gas with nothing touched before but the agent, and later."""
        harness = self._made("InstructionHarness")
        abi = self.contracts["InstructionHarness"].abi
        functions = self.anvil.web3.eth.contract(address=harness, abi=abi).functions  # type: ignore[call-overload]
        parse = self._parse(self._asked(context), choice.tool)
        assert isinstance(parse, bytes)
        data = self._calldata(context, parse, output_of(choice))
        first, later = functions.measure(self.agent, self.decoder, data).call()
        return int(first), int(later)

    def measure_decision(self, context: Context, choice: Choice) -> tuple[int, int, int]:
        """Gas of encoding and decoding together: with nothing touched before but the agent, and
        once all of it has been; and in a later iteration of a run, for which the executor has kept
        what was encoded."""
        parse = self._parse(self._asked(context), choice.tool)
        assert isinstance(parse, bytes)
        encoding = keccak(text="encode((address,string,address[],string[],string))")[:4]
        encoding += encode([CONTEXT], [self._asked(context)])
        answered = self.anvil.web3.eth.call({"to": self.reading.encoder, "data": encoding})  # type: ignore[typeddict-item]
        assert decode(["bytes", "bytes"], bytes(answered))[1] == parse, "another tool is closer"
        decoding = self._calldata(context, parse, output_of(choice))
        said = b"Thought: x\nAction: x\nAction Input: {}\nObservation: It ran.\n"
        ending = self._calldata(replace(context, reasoning=(said,)), parse, output_of(choice))
        reading = keccak(text="readings(address)")[:4] + encode(["address"], [self.agent])
        harness = self._made("InstructionHarness")
        abi = self.contracts["InstructionHarness"].abi
        functions = self.anvil.web3.eth.contract(address=harness, abi=abi).functions  # type: ignore[call-overload]
        targets = [self.reading.encoder, self.decoder]
        first, later = functions.measureAll(self.agent, targets, [encoding, decoding]).call()
        _, kept = functions.measureAll(self.agent, targets, [reading, ending]).call()
        return int(first), int(later), int(kept)

    def decode(self, context: Context, output: bytes, place: int = 0, read: int = -1) -> Made:
        """place: of the tool whose candidates the decoder is given; read: what it is said to be."""
        parse = self._parse(self._asked(context), place % len(self.tools))
        if isinstance(parse, Made):
            return parse
        if read >= 0:
            parse = read.to_bytes(32, "big") + parse[32:]
        data = self._calldata(context, parse, output)
        call: Any = {"to": self.decoder, "data": "0x" + data.hex()}
        answered = self.anvil.web3.provider.make_request("eth_call", [call, "latest"])  # type: ignore[arg-type]
        if "error" in answered:
            reason = bytes.fromhex(answered["error"]["data"][2:])
            return Made(refusal=parse_revert(reason, self.errors).name if reason else "no reason")
        ((final, answer, tool, (values, together), reasoning),) = decode(
            [MADE], bytes.fromhex(answered["result"][2:])
        )
        assert final == (int(tool, 16) == 0)
        types, alone = (tuple(each) for each in zip(*values, strict=True)) if values else ((), ())
        return Made(answer, "" if final else tool, types, alone, together, reasoning)

    def _asked(self, context: Context) -> tuple[object, ...]:
        return (self.agent, b"", self.tools, list(context.reasoning), context.prompt)

    def _calldata(self, context: Context, parse: bytes, output: bytes) -> bytes:
        name = "decode((address,string,address[],string[],string),bytes,bytes)"
        given = [self._asked(context), parse, output]
        return keccak(text=name)[:4] + encode([CONTEXT, "bytes", "bytes"], given)

    def encoded(self, context: Context) -> tuple[int, ...] | str:
        """The features, or the name of the refusal."""
        agent = ReadingAgent(self.agent, tuple(self.tools), ())
        return self.reading.features(agent, context.prompt, context.reasoning)

    def _parse(self, asked: tuple[object, ...], place: int) -> bytes | Made:
        """What the encoder hands over if this tool is the closest one."""
        name = "parseFor((address,string,address[],string[],string),uint256)"
        data = "0x" + (keccak(text=name)[:4] + encode([CONTEXT, "uint256"], [asked, place])).hex()
        call: Any = {"to": self._placed, "data": data}
        answered = self.anvil.web3.provider.make_request("eth_call", [call, "latest"])  # type: ignore[arg-type]
        if "error" in answered:
            reason = bytes.fromhex(answered["error"]["data"][2:])
            return Made(refusal=parse_revert(reason, self.errors).name if reason else "no reason")
        (parse,) = decode(["bytes"], bytes.fromhex(answered["result"][2:]))
        return bytes(parse)

    def _tool(self, tool: CallableTool, about: bytes) -> str:
        place = self.reading.tool((b"", b"", [], []))
        described = [
            (int(each.param_type), each.name, each.description) for each in tool.parameters
        ]
        answers = {
            NAME: encode(["bytes"], [tool.name]),
            DESCRIPTION: encode(["bytes"], [about]),
            INPUT: encode([INPUT_TYPE], [(described,)]),
            EXAMPLES: b"",
        }
        self.reading.say_raw(place, answers, has_examples=False)
        if tool.looks:
            self.reading.say_looks(place, encode(["bool"], [True]))
        return place

    def _made(self, name: str, *arguments: object) -> str:
        made = deploy(self.anvil.web3, self.contracts[name], self.anvil.accounts[0], *arguments)
        return str(made.address)


def output_of(choice: Choice) -> bytes:
    numbers = (choice.tool, choice.ahead, choice.fits, *choice.scores)
    return b"".join(number.to_bytes(8, "big", signed=True) for number in numbers)
