"""The encoder of instructions on a chain, asked about many prompts at a time."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from eth_abi.abi import decode, encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.support.encoding_chain import CONTEXT, NOBODY, WAYS, book_entry, token_code
from zkagent.models.encoding.book import ContactBook
from zkagent.models.instructions.codetable import CodeTable
from zkagent.models.instructions.reader import Names
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.chain.reverts import Revert, parse_revert
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, Contract, compile_sources

SOURCES = (
    "src/instructions/InstructionEncoder.sol",
    "test/instructions/InstructionHarness.sol",
    "test/encoding/Strangers.sol",
)
BATCH = 40


@dataclass(frozen=True)
class Books:
    """Lower-case names and addresses of an agent's tokens and contacts."""

    symbols: tuple[tuple[str, str], ...]
    contacts: tuple[tuple[str, str], ...] = ()

    def names(self) -> Names:
        symbols, contacts = _words(self.symbols), ContactBook(self.contacts).lists
        tokens = {address.lower().encode() for _, address in self.symbols}
        return Names(symbols.__contains__, contacts, tokens.__contains__)


@dataclass(frozen=True)
class Outcome:
    """Of a refused prompt, the refusal alone."""

    features: bytes
    parse: bytes
    refusal: Revert | None


class InstructionChain:
    """An encoder with a vocabulary, and an agent with books. symbols, contacts: the pointers."""

    def __init__(self, chain: Anvil, table: CodeTable, books: Books):
        self.chain, self.table, self.books = chain, table, books
        sources = {name: (PACKAGE / name).read_text() for name in SOURCES}
        self.contracts = compile_sources(sources)
        self.chunks = [self._raw(b"\0" + chunk) for chunk in table.chunks]
        self.encoder = self._deploy("InstructionEncoder", self.chunks, list(table.kinds_words))
        packed = [b"".join(book_entry(*_entry(x)) for x in book) for book in _both(books)]
        self.agent = self._deploy("TwoBookAgent", *packed)
        self.harness = self._deploy("InstructionHarness")
        self.symbols = self._address(self.agent, "pointer()")
        book = self._address(self.agent, "contactBook()")
        self.contacts = bytes(20)
        if any(book):
            self.contacts = self._address(to_checksum_address(book), "pointer()")

    def ask(self, prompts: Sequence[bytes]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for at in range(0, len(prompts), BATCH):
            outcomes += self._ask(list(prompts[at : at + BATCH]))
        return outcomes

    def bookless(self, way: int, tokens: Mapping[str, int | None]) -> "InstructionChain":
        """The same encoder, and an agent that has no answer in one of `WAYS` ways. tokens: by
        address their decimals, None of what tells none."""
        other = copy(self)
        other.agent = NOBODY if way == WAYS else self._deploy("Stranger", way)
        other.symbols = other.contacts = bytes(20)
        telling = tuple(token for token, places in tokens.items() if places is not None)
        other.books = Books(tuple((f"no symbol {i}", token) for i, token in enumerate(telling)))
        for token, places in tokens.items():
            self.chain.rpc("anvil_setCode", token, "0x" + token_code(token, places).hex())
        return other

    def measure(self, prompt: bytes) -> tuple[int, int]:
        """Gas of encoding: as a transaction's first call, and as a later one."""
        context = (self.agent, b"", [], [], prompt)
        selector = keccak(text="encode((address,string,address[],string[],string))")[:4]
        return self.measured(self.agent, self.encoder, selector + encode([CONTEXT], [context]))

    def measured(self, agent: str, target: str, data: bytes) -> tuple[int, int]:
        """The same of any call, for an agent that has been accessed."""
        kinds, arguments = ["address", "address", "bytes"], [agent, target, data]
        answer = self._call(self.harness, "measure(address,address,bytes)", kinds, [*arguments])
        first, later = decode(["uint256", "uint256"], answer)
        return first, later

    def _ask(self, prompts: list[bytes]) -> list[Outcome]:
        kinds = ["address", "address", "bytes[]"]
        arguments = [self.encoder, self.agent, prompts]
        answer = self._call(self.harness, "ask(address,address,string[])", kinds, arguments)
        (outcomes,) = decode(["(bytes,bytes,bytes)[]"], answer)
        errors = self.contracts["InstructionEncoder"].abi
        return [Outcome(x, p, parse_revert(r, errors) if r else None) for x, p, r in outcomes]

    def _address(self, target: str, signature: str) -> bytes:
        return self._call(target, signature, [], [])[12:]

    def _call(
        self, target: str, signature: str, kinds: list[str], arguments: list[object]
    ) -> bytes:
        data = keccak(text=signature)[:4] + encode(kinds, arguments)
        return bytes(self.chain.web3.eth.call({"to": target, "data": data}))

    def _deploy(self, name: str, *arguments: object) -> str:
        return self._deployed(self.contracts[name], *arguments)

    def _raw(self, runtime: bytes) -> str:
        return self._deployed(Contract("Data", "", (), creation_code(runtime), runtime, ()))

    def _deployed(self, what: Contract, *arguments: object) -> str:
        return str(deploy(self.chain.web3, what, self.chain.accounts[0], *arguments).address)


def _words(listed: Iterable[tuple[str, str]]) -> set[bytes]:
    return {name.encode() for name, _ in listed}


def _both(books: Books) -> tuple[tuple[tuple[str, str], ...], ...]:
    return books.symbols, books.contacts


def _entry(listed: tuple[str, str]) -> tuple[str, int, str]:
    name, address = listed
    return name, 0, address
