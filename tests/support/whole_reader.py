"""The shipped reader's contracts as they are deployed, and what Python and they make of any tools
and prompt: features, what the network computes of them in four ways, and the decision.

Asked of the interfaces alone, so that it stays what it is when the contracts behind them change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from eth_abi.abi import decode, encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.support.encoding_chain import CONTEXT, book_entry
from tests.support.reader_prompts import DIRECTORY
from tests.support.reading_chain import DESCRIPTION, EXAMPLES, INPUT, INPUT_TYPE, NAME
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.program.reader import read_program
from zkagent.circuits.systems import EVALUATED
from zkagent.models.catalogue import ReaderModel, load_decider
from zkagent.models.encoding.context import Context
from zkagent.models.errors import RefusedText
from zkagent.models.reader.asking import features_of
from zkagent.models.reader.deciding import CallableTool, Reached, decide, directory_of
from zkagent.models.reader.files import Choice
from zkagent.models.reader.vectors import of_texts
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier
from zkagent.verifier_contracts.deployment.deployer import Deployer, at
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, compile_all, compile_sources

SOURCES = (
    "test/reader/ReadingFakes.sol",
    "test/reader/DecidingAgent.sol",
    "test/instructions/InstructionHarness.sol",
)
GAS = 25_000_000
MADE = "(bool,bytes,address,((uint8,bytes)[],bytes),bytes)"
_ASKED = "(address,string,address[],string[],string)"


@dataclass(frozen=True)
class Said:
    """All that a tool says of itself."""

    tool: CallableTool
    description: bytes = b""
    examples: tuple[bytes, ...] = ()

    @property
    def texts(self) -> tuple[bytes, bytes, list[bytes], tuple[bytes, ...]]:
        parameters = [t for each in self.tool.parameters for t in (each.name, each.description)]
        return self.tool.name, self.description, parameters, self.examples


class WholeReader:
    """With eight tools that say what they are told to."""

    def __init__(self, anvil: Anvil) -> None:
        model = load_decider("reader")
        assert isinstance(model, ReaderModel)
        self.anvil, self.model = anvil, model
        owner = anvil.accounts[0]
        circuit = EVALUATED.build(model.onnx_path)
        self.made, _ = Deployer(DirectCarrier(anvil.web3, owner)).model(model, circuit)
        (self.vectors,) = self.made.parts[:1]
        sources = {name: (PACKAGE / name).read_text() for name in SOURCES}
        self.fakes = compile_sources(sources)
        made = (deploy(anvil.web3, self.fakes["SayingTool"], owner) for _ in range(8))
        self.tools = [str(each.address) for each in made]
        everything = (*self.fakes.values(), *compile_all().values())
        self.errors = [each for one in everything for each in one.abi if each["type"] == "error"]

    @cached_property
    def compiled(self) -> Any:
        """The constraints that Groth16 proves."""
        return compile_program(read_program(self.model.onnx_path.read_bytes()))

    def agent_of(self, tools: Sequence[Said]) -> str:
        """One that pins what they say, with books and an owner."""
        for said, place in zip(tools, self.tools, strict=False):
            self._say(place, said)
        symbols = b"".join(
            book_entry(each.symbol, each.decimals, each.token) for each in DIRECTORY.book.listings
        )
        contacts = b"".join(book_entry(name, 0, to) for name, to in DIRECTORY.contacts.contacts)
        owner = to_checksum_address(DIRECTORY.owner)
        given = (symbols, contacts, owner, self.vectors, self.tools[: len(tools)], True)
        compiled = self.fakes["DecidingAgent"]
        factory = self.anvil.web3.eth.contract(abi=list(compiled.abi), bytecode=compiled.bytecode)
        last = self._sent({"data": factory.constructor(*given).data_in_transaction})
        made = self.anvil.web3.eth.wait_for_transaction_receipt(last, poll_latency=0.005)
        assert made["status"] == 1
        return str(made["contractAddress"])

    def _sent(self, call: dict[str, Any]) -> Any:
        """Its hash: nothing is estimated, signed or waited for, which takes most of the time."""
        sender = {"from": self.anvil.accounts[0].address, "gas": hex(GAS)}
        return self.anvil.rpc("eth_sendTransaction", {**sender, **call})

    def _say(self, place: str, said: Said) -> None:
        described = [
            (int(each.param_type), each.name, each.description) for each in said.tool.parameters
        ]
        answers = {
            NAME: encode(["bytes"], [said.tool.name]),
            DESCRIPTION: encode(["bytes"], [said.description]),
            INPUT: encode([INPUT_TYPE], [(described,)]),
            EXAMPLES: encode(["bytes[]"], [said.examples]),
        }
        abi = self.fakes["SayingTool"].abi
        functions = self.anvil.web3.eth.contract(address=place, abi=abi).functions  # type: ignore[call-overload]
        told = functions.say(list(answers), list(answers.values()), bool(said.examples))
        self._sent({"to": place, "data": told._encode_transaction_data()})

    def features(
        self, agent: str, count: int, prompt: bytes
    ) -> tuple[tuple[int, ...], bytes] | str:
        """x and what the encoder hands over; or the name of the refusal."""
        asked = self._asked(agent, count, prompt)
        answer = self._call(self.made.encoder, f"encode({_ASKED})", [CONTEXT], [asked])
        if isinstance(answer, str):
            return answer
        features, parse = decode(["bytes", "bytes"], answer)
        return tuple(np.frombuffer(features, ">i2").tolist()), parse

    def decided(
        self, agent: str, count: int, prompt: bytes, parse: bytes, y: Sequence[int]
    ) -> tuple[Any, ...] | str:
        """Answer, tool, types, values alone, values together, reasoning; or a refusal's name."""
        output = b"".join(number.to_bytes(8, "big", signed=True) for number in y)
        given = [self._asked(agent, count, prompt), parse, output]
        kinds = [CONTEXT, "bytes", "bytes"]
        answer = self._call(self.made.decoder, f"decode({_ASKED},bytes,bytes)", kinds, given)
        if isinstance(answer, str):
            return answer
        ((final, said, tool, (values, together), reasoning),) = decode([MADE], answer)
        types, alone = (tuple(each) for each in zip(*values, strict=True)) if values else ((), ())
        return said, "" if final else tool, types, alone, together, reasoning

    def evaluated(self, x: Sequence[int]) -> tuple[int, ...]:
        """y by the contract that takes a verifier's place."""
        contract = at(self.anvil.web3, "IEvmModel", self.made.verifier)
        return tuple(contract.functions.evaluate(list(x)).call())

    def proven(self, x: Sequence[int]) -> tuple[int, ...]:
        """y by the circuit's constraints."""
        return tuple(self.compiled.outputs_of(self.compiled.witness(list(x))))

    def _asked(self, agent: str, count: int, prompt: bytes) -> tuple[object, ...]:
        return (agent, b"", self.tools[:count], [], prompt)

    def _call(
        self, to: str, name: str, kinds: Sequence[str], given: Sequence[object]
    ) -> bytes | str:
        data = keccak(text=name)[:4] + encode(kinds, given)
        call: Any = {"to": to, "data": "0x" + data.hex()}
        answered = self.anvil.web3.provider.make_request("eth_call", [call, "latest"])  # type: ignore[arg-type]
        if "error" not in answered:
            return bytes.fromhex(answered["result"][2:])
        reason = bytes.fromhex(answered["error"].get("data", "0x")[2:])
        return parse_revert(reason, self.errors).name if reason else str(answered["error"])


def context_of(prompt: bytes) -> Context:
    books: dict[str, Any] = {
        "book": DIRECTORY.book,
        "contacts": DIRECTORY.contacts,
        "owner": DIRECTORY.owner,
    }
    return Context(prompt, (), **books)


def features_in_python(
    model: ReaderModel, tools: Sequence[Said], prompt: bytes
) -> tuple[int, ...] | str:
    reader = model.reader
    vectors = [of_texts(reader.rows, said.texts, reader.manifest.shares) for said in tools]
    names = directory_of(context_of(prompt)).names()
    try:
        return features_of(reader, prompt, vectors, [said.tool for said in tools], names)
    except RefusedText as exc:
        return type(exc).__name__


def decided_in_python(
    model: ReaderModel, tools: Sequence[Said], prompt: bytes, y: Sequence[int]
) -> Reached | str:
    called = [said.tool for said in tools]
    try:
        return decide(context_of(prompt), called, Choice.of(y), model.reader.manifest.margins)
    except RefusedText as exc:
        return type(exc).__name__


__all__ = ["Said", "WholeReader", "context_of", "decided_in_python", "features_in_python"]
