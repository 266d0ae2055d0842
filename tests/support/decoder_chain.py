"""The decoder of instructions on a chain, with the agents and tools that questions ask for."""

from collections.abc import Sequence
from functools import cached_property

from eth_abi.abi import decode, encode
from eth_utils.abi import collapse_if_tuple
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from web3.exceptions import ContractLogicError

from tests.support.encoding_chain import (
    CONTEXT,
    NOBODY,
    PARAM_TYPES,
    RESULT,
    WAYS,
    book_entry,
)
from tests.support.instructions import BOOK, CONTACTS, MANIFEST, TOOLS_HELD, Asked
from tests.support.outputs import signed
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import ToolSignature
from zkagent.models.instructions.parse import parse_words
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.deployment.model_code import manifest_bytes
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, Contract, compile_sources

SOURCES = (
    "src/instructions/InstructionDecoder.sol",
    "test/encoding/EncodingFakes.sol",
    "test/encoding/Strangers.sol",
    "test/instructions/InstructionFakes.sol",
    "test/instructions/InstructionHarness.sol",
)

#: Ways of a `Stranger` to answer nothing, or all ones to everything.
SILENT, ALL_ONES = (0, 1, 2, 3, 5, 6, WAYS), 4


class DecoderChain:
    """The decoder on a chain, with the agents and tools that questions ask for."""

    def __init__(self, chain: Anvil) -> None:
        self.chain = chain
        self.made: dict[object, str] = {}

    @cached_property
    def contracts(self) -> dict[str, Contract]:
        return compile_sources({name: (PACKAGE / name).read_text() for name in SOURCES})

    @cached_property
    def decoder(self) -> str:
        data = self.raw(b"\0" + manifest_bytes(MANIFEST))
        return self.deploy("InstructionDecoder", data, MANIFEST.margin_unit, MANIFEST.caution)

    @cached_property
    def books(self) -> tuple[str, str]:
        symbols = b"".join(book_entry(x.symbol, x.decimals, x.token) for x in BOOK.listings)
        contacts = b"".join(book_entry(name, 0, account) for name, account in CONTACTS.contacts)
        return self.raw(b"\0" + symbols), self.raw(b"\0" + contacts)

    def deploy(self, name: str, *arguments: object, twin: int = 0) -> str:
        key = (name, twin, *map(repr, arguments))
        if key not in self.made:
            made = deploy(self.chain.web3, self.contracts[name], self.chain.accounts[0], *arguments)
            self.made[key] = str(made.address)
        return self.made[key]

    def raw(self, runtime: bytes) -> str:
        data = Contract("Data", "", (), creation_code(runtime), runtime, ())
        return str(deploy(self.chain.web3, data, self.chain.accounts[0]).address)

    def tool(self, signature: ToolSignature, twin: int) -> str:
        """Of several alike, each its own. One without name or parameters has no answer."""
        if not signature.name:
            return NOBODY if twin % (WAYS + 1) == WAYS else self.deploy("Stranger", twin % WAYS)
        types = [PARAM_TYPES.index(kind) for kind in signature.parameter_types]
        if not types:
            return self.deploy("HalfTool", signature.name, twin % WAYS, twin=twin)
        return self.deploy("NamedTool", signature.name, types, twin=twin)

    def tool_named(self, name: str, held: Sequence[ToolSignature]) -> str:
        """The one that an action of this name means, in lower case, as decoding has addresses."""
        (place,) = (i for i, action in enumerate(MANIFEST.actions) if action.name == name)
        named = [i for i, tool in enumerate(held) if tool.name == name]
        meant = (TOOLS_HELD[place], signed(TOOLS_HELD[place]))
        at = place if set(held[place : place + 1]) & set(meant) else named[0]
        return self.tool(held[at], held[:at].count(held[at])).lower()

    def said(self, question: Asked) -> tuple[object, ...] | str:
        """The decision as the contract returns it, or the name of its error."""
        try:
            asked_for = {"to": self.decoder, "data": self.call_data(question)}
            answer = self.chain.web3.eth.call(asked_for)  # type: ignore[arg-type]
        except ContractLogicError as error:
            found = bytes.fromhex(str(error.data)[2:])
            return parse_revert(found, self.contracts["InstructionDecoder"].abi).name
        return tuple(decode([RESULT], answer)[0])

    def measure(self, question: Asked) -> tuple[int, int]:
        """Gas of deciding: as a transaction's first call, and as a later one."""
        kinds, name = ["address", "address", "bytes"], "measure(address,address,bytes)"
        arguments = [self.agent(question.context), self.decoder, self.call_data(question)]
        data = keccak(text=name)[:4] + encode(kinds, arguments)
        harness = self.deploy("InstructionHarness")
        answer = self.chain.web3.eth.call({"to": harness, "data": data})  # type: ignore[typeddict-item]
        first, later = decode(["uint256", "uint256"], answer)
        return first, later

    def agent(self, context: Context) -> str:
        if context.owner is None or context.caution is None:
            way = ALL_ONES if context.caution else SILENT[len(context.prompt) % len(SILENT)]
            return NOBODY if way == WAYS else self.deploy("Stranger", way)
        owner = to_checksum_address(context.owner)
        return self.deploy("CautiousAgent", owner, context.caution)

    def call_data(self, question: Asked) -> bytes:
        context, held = question.context, question.tools
        tools = [self.tool(t, held[:i].count(t)) for i, t in enumerate(held)]
        output = b"".join(number.to_bytes(8, "big", signed=True) for number in question.y)
        parse = parse_words(question.tokens, *(bytes.fromhex(book[2:]) for book in self.books))
        about = (self.agent(context), b"", tools, list(context.reasoning), context.prompt)
        return self.selector + encode([CONTEXT, "bytes", "bytes"], [about, parse, output])

    @cached_property
    def selector(self) -> bytes:
        entries = self.contracts["InstructionDecoder"].abi
        (entry,) = (each for each in entries if each.get("name") == "decode")
        kinds = ",".join(collapse_if_tuple(each) for each in entry["inputs"])
        return keccak(text=f"decode({kinds})")[:4]
