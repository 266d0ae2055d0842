"""Encoder and decoder of instructions on a chain, asked one after the other in one transaction."""

from functools import cached_property

from eth_abi.abi import decode, encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.support.decoder_chain import SOURCES, DecoderChain
from tests.support.encoding_chain import CONTEXT, book_entry
from tests.support.instructions import BOOK, CONTACTS, OWNER, Asked
from zkagent.models.encoding.context import Context
from zkagent.models.instructions.codetable import CodeTable
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, Contract, compile_sources

ENCODER = "src/instructions/InstructionEncoder.sol"


class WholeChain(DecoderChain):
    """An encoder with a vocabulary beside the decoder, and an agent that both ask."""

    def __init__(self, chain: Anvil, table: CodeTable) -> None:
        super().__init__(chain)
        self.table = table

    @cached_property
    def contracts(self) -> dict[str, Contract]:
        names = (ENCODER, *SOURCES)
        return compile_sources({name: (PACKAGE / name).read_text() for name in names})

    @cached_property
    def encoder(self) -> str:
        chunks = [self.raw(b"\0" + chunk) for chunk in self.table.chunks]
        return self.deploy("InstructionEncoder", chunks, list(self.table.kinds_words))

    @cached_property
    def books(self) -> tuple[str, str]:
        return self.asked("pointer()"), self.asked("pointer()", self.asked("contactBook()"))

    def asked(self, signature: str, target: str = "") -> str:
        call = {"to": target or self.whole_agent, "data": keccak(text=signature)[:4]}
        (answer,) = decode(["address"], self.chain.web3.eth.call(call))  # type: ignore[arg-type]
        return to_checksum_address(answer)

    @cached_property
    def whole_agent(self) -> str:
        symbols = b"".join(book_entry(x.symbol, x.decimals, x.token) for x in BOOK.listings)
        contacts = b"".join(book_entry(name, 0, account) for name, account in CONTACTS.contacts)
        return self.deploy("WholeAgent", symbols, contacts, to_checksum_address(OWNER), 150)

    def agent(self, context: Context) -> str:
        assert (context.owner, context.caution) == (OWNER, 150)
        return self.whole_agent

    def measure_both(self, question: Asked) -> tuple[int, int]:
        """Gas of encoding and deciding: as the first two calls of a transaction, and as later
        ones."""
        context = question.context
        tools = [self.tool(each, 0) for each in question.tools]
        about = (self.whole_agent, b"", tools, list(context.reasoning), context.prompt)
        selector = keccak(text="encode((address,string,address[],string[],string))")[:4]
        data = [selector + encode([CONTEXT], [about]), self.call_data(question)]
        kinds = ["address", "address[]", "bytes[]"]
        arguments = [self.whole_agent, [self.encoder, self.decoder], data]
        called = keccak(text=f"measureAll({','.join(kinds)})")[:4] + encode(kinds, arguments)
        call = {"to": self.deploy("InstructionHarness"), "data": called}
        first, later = decode(["uint256"] * 2, self.chain.web3.eth.call(call))  # type: ignore[arg-type]
        return first, later
