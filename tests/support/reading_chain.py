"""Tools that say anything, agents that pinned them, and a reader's encoder, on a chain."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak

from tests.support.compiled import contracts_of
from tests.support.encoding_chain import CONTEXT
from tests.support.vector_chain import Texts, laid, packed
from zkagent.models.reader.lexicon import lexicon
from zkagent.models.reader.pairs import ROLES_BYTES, Roles
from zkagent.models.reader.rows import Rows
from zkagent.verifier_contracts.chain.local import Anvil, deploy, send
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.deployment.reader_code import roles_chunk, word_chunks

SOURCES = (
    "src/reader/ReaderEncoder.sol",
    "src/reader/ToolVectors.sol",
    "src/reader/TextReader.sol",
    "src/reader/LiteralReader.sol",
    "src/encoding/PromptText.sol",
    "test/reader/ReadingFakes.sol",
)
NAME, DESCRIPTION, INPUT, EXAMPLES = (
    keccak(text=f"{each}()")[:4] for each in ("name", "description", "inputDescription", "examples")
)
INPUT_TYPE = "((uint8,bytes,bytes)[])"
TEXT_TYPE = 0
NO_ROLES = Roles(bytes(ROLES_BYTES))


@dataclass(frozen=True)
class ReadingAgent:
    """tools, texts: by place, what each is pinned to."""

    address: str
    tools: tuple[str, ...]
    texts: tuple[bytes, ...]


class ReadingChain:
    """A reader's contracts over a table."""

    def __init__(
        self, anvil: Anvil, rows: Rows, shares: Sequence[int], roles: Roles = NO_ROLES
    ) -> None:
        self.anvil, self.rows = anvil, rows
        self.contracts = contracts_of(SOURCES)
        self.errors = [each for one in self.contracts.values() for each in one.abi]
        self.chunks = [laid(anvil, chunk) for chunk in word_chunks(rows)]
        self.vectors = self._made("ToolVectors", self.chunks, rows.buckets, packed(shares))
        (table,) = lexicon().chunks
        words = laid(anvil, b"\0" + table)
        self.readers = [self._made(name, words) for name in ("TextReader", "LiteralReader")]
        self.parts = (self.vectors, *self.readers, laid(anvil, roles_chunk(roles)), words)
        self.encoder = self._made("ReaderEncoder", self.chunks, rows.buckets, self.parts)

    def tool(self, texts: Texts, kind: int = TEXT_TYPE) -> str:
        """One that says this; its parameters are of texts in pairs, and of this type."""
        tool = self._made("SayingTool")
        self.say(tool, texts, kind)
        return tool

    def say(self, tool: str, texts: Texts, kind: int = TEXT_TYPE) -> None:
        name, description, parameters, examples = texts
        pairs = zip(parameters[::2], parameters[1::2], strict=True)
        self.say_raw(
            tool,
            {
                NAME: encode(["bytes"], [name]),
                DESCRIPTION: encode(["bytes"], [description]),
                INPUT: encode([INPUT_TYPE], [([(kind, *pair) for pair in pairs],)]),
                EXAMPLES: encode(["bytes[]"], [examples]),
            },
            bool(examples),
        )

    def say_raw(self, tool: str, answers: dict[bytes, bytes], has_examples: bool) -> None:
        functions = self._at("SayingTool", tool).functions
        said = functions.say(list(answers), list(answers.values()), has_examples)
        send(self.anvil.web3, said, self.anvil.accounts[0])

    def say_looks(self, tool: str, told: bytes, *, tells: bool = True) -> None:
        """told: by onlyLooks(). tells: whether ERC-165 says that the tool has that."""
        said = self._at("SayingTool", tool).functions.sayLooks(tells, told)
        send(self.anvil.web3, said, self.anvil.accounts[0])

    def agent(self, tools: Sequence[str], *, together: bool = True) -> ReadingAgent:
        """Has the vectors of its tools stored, as a set or each by itself."""
        address = self._made("ReadingAgent", self.vectors, list(tools), together)
        functions = self._at("ReadingAgent", address).functions
        return ReadingAgent(address, tuple(tools), tuple(functions.toolTexts().call()))

    def pinned(self, tools: Sequence[str], texts: Sequence[bytes]) -> ReadingAgent:
        """Has nothing stored."""
        return ReadingAgent(self._made("PinnedAgent", list(texts)), tuple(tools), tuple(texts))

    def store(self, tool: str) -> int:
        """The gas that the transaction used."""
        functions = self._at("ToolVectors", self.vectors).functions
        return int(send(self.anvil.web3, functions.store(tool), self.anvil.accounts[0])["gasUsed"])

    def store_all(self, tools: Sequence[str]) -> int:
        """The gas that the transaction used."""
        functions = self._at("ToolVectors", self.vectors).functions
        stored = functions.storeAll(list(tools))
        return int(send(self.anvil.web3, stored, self.anvil.accounts[0])["gasUsed"])

    def are_stored(self, agent: ReadingAgent) -> bool:
        """Whether as a set."""
        functions = self._at("ToolVectors", self.vectors).functions
        return bool(functions.areStored(list(agent.tools), list(agent.texts)).call())

    def sheet(self, agent: ReadingAgent, place: int) -> Any:
        """Name, and type, name and what it says of each parameter."""
        functions = self._at("ToolVectors", self.vectors).functions
        asked = functions.sheetOf(list(agent.tools), list(agent.texts), place)
        return unpacked(bytes(asked.call()))

    def is_stored(self, tool: str, texts: bytes) -> bool:
        return bool(self._at("ToolVectors", self.vectors).functions.isStored(tool, texts).call())

    def features(
        self, agent: ReadingAgent, prompt: bytes, reasoning: Sequence[bytes] = ()
    ) -> tuple[int, ...] | str:
        """Or the name of the refusal."""
        answered = self._encoded(agent, prompt, reasoning)
        if isinstance(answered, str):
            return answered
        features, _ = decode(["bytes", "bytes"], answered)
        return tuple(np.frombuffer(features, ">i2").tolist())

    def readings_of(self, agent: ReadingAgent, prompt: bytes) -> bytes:
        """What encoding the prompt says that it rests on."""
        answered = self._encoded(agent, prompt, ())
        assert not isinstance(answered, str)
        return bytes(decode(["bytes", "bytes", "bytes32"], answered)[2])

    def readings(self, agent: ReadingAgent) -> bytes:
        functions = self._at("ReaderEncoder", self.encoder).functions
        return bytes(functions.readings(agent.address).call())

    def _encoded(
        self, agent: ReadingAgent, prompt: bytes, reasoning: Sequence[bytes]
    ) -> bytes | str:
        data = keccak(text="encode((address,string,address[],string[],string))")[:4]
        context = (agent.address, b"", list(agent.tools), list(reasoning), prompt)
        call: Any = {"to": self.encoder, "data": "0x" + (data + encode([CONTEXT], [context])).hex()}
        answered = self.anvil.web3.provider.make_request("eth_call", [call, "latest"])  # type: ignore[arg-type]
        if "error" in answered:
            reason = bytes.fromhex(answered["error"]["data"][2:])
            return parse_revert(reason, self.errors).name if reason else "no reason"
        return bytes.fromhex(answered["result"][2:])

    def measure(self, agent: ReadingAgent, prompt: bytes) -> tuple[int, int]:
        """Gas with nothing touched before, and later."""
        measured = self._at("ReadingAgent", agent.address).functions.measure(
            self.encoder, list(agent.tools), prompt.decode()
        )
        first, later = measured.call()
        return int(first), int(later)

    def _at(self, name: str, address: str) -> Any:
        return self.anvil.web3.eth.contract(address=address, abi=self.contracts[name].abi)  # type: ignore[call-overload]

    def _made(self, name: str, *arguments: object) -> str:
        made = deploy(self.anvil.web3, self.contracts[name], self.anvil.accounts[0], *arguments)
        return str(made.address)


def unpacked(sheet: bytes) -> tuple[bytes, list[tuple[int, bytes, bytes, bytes]]]:
    """Name, and of each parameter type, direction, name and what it says of its unit."""
    at = 0

    def taken(size: int) -> bytes:
        nonlocal at
        at += size
        return sheet[at - size : at]

    name = taken(taken(1)[0])
    parameters = []
    for _ in range(taken(1)[0]):
        kind, direction = taken(1)[0], taken(32)
        shown = taken(taken(1)[0])
        parameters.append((kind, direction, shown, taken(int.from_bytes(taken(2), "big"))))
    assert at == len(sheet)
    return name, parameters
