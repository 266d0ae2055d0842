"""What a prompt has for parameters as contracts find it, asked about many prompts at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eth_abi.abi import decode, encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.support.compiled import contracts_of
from tests.support.encoding_chain import book_entry
from zkagent.models.encoding.book import ContactBook, Listing, SymbolBook
from zkagent.models.instructions.quantities import Quantity
from zkagent.models.reader.arguments import Directory, Slot
from zkagent.models.reader.candidates import Candidate
from zkagent.models.reader.kinds import Kind, ParamType
from zkagent.models.reader.lexicon import lexicon
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.chain.reverts import Revert, parse_revert
from zkagent.verifier_contracts.toolchain.compile import Contract

SOURCES = (
    "src/reader/TextReader.sol",
    "src/reader/LiteralReader.sol",
    "test/reader/ReaderHarness.sol",
    "test/reader/ArgumentHarness.sol",
    "test/instructions/InstructionHarness.sol",
)
TEXTS = (ParamType.STRING, ParamType.STRING_ARRAY)
BATCH = 40
FITS = 9
_SLOT = "(uint256,uint256,uint256,(uint256,uint256,address))"
_ASK = "ask(address,address,string[],uint256)"
_MEASURE = "measure(address,address,string,uint256)"


@dataclass(frozen=True)
class Outcome:
    """Of a refused prompt, the refusal alone."""

    found: tuple[Candidate, ...]
    refusal: Revert | None


@dataclass(frozen=True)
class Made:
    """fault: `FITS` where there is none."""

    fault: int
    encoded: bytes
    question: bytes


class ReaderChain:
    """A reader's lexicon and an agent's books on a chain."""

    def __init__(self, chain: Anvil, directory: Directory) -> None:
        self.chain, self.directory = chain, directory
        self.contracts = contracts_of(SOURCES)
        (table,) = lexicon().chunks
        symbols = b"".join(_entry(listing) for listing in directory.book.listings)
        contacts = b"".join(book_entry(name, 0, to) for name, to in directory.contacts.contacts)
        words = self.lexicon = self._raw(b"\0" + table)
        self.agent = self._deploy("TwoBookAgent", symbols, contacts)
        self.texts = self._deploy("TextReader", words)
        self.literals = self._deploy("LiteralReader", words)
        self.harness = self._deploy("ReaderHarness")
        books = [self._raw(b"\0" + content) for content in (symbols, contacts)]
        self.makers = self._deploy("ArgumentHarness", *books, to_checksum_address(directory.owner))

    def ask(self, prompts: Sequence[bytes], param_type: ParamType) -> Iterator[Outcome]:
        for at in range(0, len(prompts), BATCH):
            batch = list(prompts[at : at + BATCH])
            answer = self._call(_ASK, ["bytes[]"], param_type, batch)
            (outcomes,) = decode(["((uint256,uint256,uint256[])[],bytes)[]"], answer)
            for found, refusal in outcomes:
                errors = self.contracts["LiteralReader"].abi
                revert = parse_revert(refusal, errors) if refusal else None
                yield Outcome(tuple(_candidate(*one) for one in found), revert)

    def ask_all(
        self, prompts: Sequence[bytes], param_types: Sequence[ParamType]
    ) -> list[tuple[list[tuple[Candidate, ...]], str]]:
        """Of each prompt what it has for all of these types, or the name of the refusal."""
        kinds, answers = ["address", "address", "address", "bytes[]", "uint256[]"], []
        reader = self.texts if param_types[0] in TEXTS else self.literals
        for at in range(0, len(prompts), BATCH):
            batch = list(prompts[at : at + BATCH])
            given = [reader, self.lexicon, self.agent, batch, list(param_types)]
            signature = "askAll(address,address,address,string[],uint256[])"
            answer = self._ask_harness(signature, kinds, given)
            (outcomes,) = decode(["((uint256,uint256,uint256[])[],uint256[],bytes)[]"], answer)
            for found, ends, refusal in outcomes:
                errors = self.contracts["LiteralReader"].abi
                name = parse_revert(refusal, errors).name if refusal else ""
                starts = (0, *ends[:-1])
                parts = [found[start:end] for start, end in zip(starts, ends, strict=False)]
                answers.append(([tuple(_candidate(*one) for one in each) for each in parts], name))
        return answers

    def measure_all(self, prompt: bytes, param_types: Sequence[ParamType]) -> int:
        """Gas of finding candidates of several types, as a transaction's first call."""
        reader = self.texts if param_types[0] in TEXTS else self.literals
        given = [reader, self.lexicon, self.agent, prompt, list(param_types)]
        kinds = ["address", "address", "address", "bytes", "uint256[]"]
        signature = "measureAll(address,address,address,string,uint256[])"
        (gas,) = decode(["uint256"], self._ask_harness(signature, kinds, given))
        return int(gas)

    def asks(self, prompts: Sequence[bytes]) -> Iterator[int | Revert]:
        """Of each prompt, what it asks for, or its refusal."""
        for at in range(0, len(prompts), BATCH):
            batch = list(prompts[at : at + BATCH])
            data = keccak(text="asks(address,address,string[])")[:4] + encode(
                ["address", "address", "bytes[]"], [self.texts, self.agent, batch]
            )
            answer = self.chain.web3.eth.call({"to": self.harness, "data": data})
            answers, refusals = decode(["uint256[]", "bytes[]"], bytes(answer))
            errors = self.contracts["TextReader"].abi
            for said, refusal in zip(answers, refusals, strict=True):
                yield parse_revert(refusal, errors) if refusal else said

    def measure_asking(self, prompt: bytes) -> tuple[int, int]:
        """Gas of it: as a transaction's first call, and as a later one."""
        data = keccak(text="measureAsking(address,address,string)")[:4] + encode(
            ["address", "address", "bytes"], [self.texts, self.agent, prompt]
        )
        answer = bytes(self.chain.web3.eth.call({"to": self.harness, "data": data}))
        first, later = decode(["uint256", "uint256"], answer)
        return first, later

    def measure(self, prompt: bytes, param_type: ParamType) -> tuple[int, int]:
        """Gas of finding candidates: as a transaction's first call, and as a later one."""
        first, later = decode(
            ["uint256", "uint256"], self._call(_MEASURE, ["bytes"], param_type, prompt)
        )
        return first, later

    def arguments(self, prompts: Sequence[bytes], slot: Slot, name: bytes) -> Iterator[list[Made]]:
        """Of each prompt what becomes of each of its candidates; nothing of those refused."""
        unit = (slot.unit.kind, slot.unit.decimals, slot.unit.token or "0x" + "00" * 20)
        packed = (slot.param_type, slot.bits, slot.size, unit)
        kinds = ["address", "address", "bytes[]", _SLOT, "bytes"]
        for at in range(0, len(prompts), BATCH):
            reader = self.texts if slot.param_type in TEXTS else self.literals
            given = [reader, self.agent, list(prompts[at : at + BATCH]), packed, name]
            answer = self._make(f"ask(address,address,string[],{_SLOT},bytes)", kinds, given)
            (made,) = decode(["(uint256,bytes,bytes)[][]"], answer)
            yield from ([Made(*one) for one in of_prompt] for of_prompt in made)

    def observed(
        self, prompt: bytes, observation: bytes, param_type: ParamType, gas: int | None = None
    ) -> tuple[Candidate, ...]:
        """Of the prompt and of an observation. Raises web3's errors for what reverts."""
        reader = self.texts if param_type in TEXTS else self.literals
        kinds = ["address", "address", "bytes", "bytes", "uint256"]
        given = [reader, self.agent, prompt, observation, param_type]
        signature = "observed(address,address,string,string,uint256)"
        answer = self._make(signature, kinds, given, gas)
        (found,) = decode(["(uint256,uint256,uint256[])[]"], answer)
        return tuple(_candidate(*one) for one in found)

    def words(self, texts: Sequence[bytes]) -> list[list[bytes]]:
        (split,) = decode(["bytes[][]"], self._make("words(bytes[])", ["bytes[]"], [list(texts)]))
        return [list(words) for words in split]

    def units(self, texts: Sequence[bytes]) -> list[tuple[int, int, str]]:
        """Kind, decimals and token of each."""
        answer = self._make("units(bytes[])", ["bytes[]"], [list(texts)])
        (found,) = decode(["(uint256,uint256,address)[]"], answer)
        return list(found)

    def measure_words(self, text: bytes) -> int:
        """Gas of splitting a text."""
        (gas,) = decode(["uint256"], self._make("measure(bytes)", ["bytes"], [text]))
        return int(gas)

    def _make(
        self,
        signature: str,
        kinds: Sequence[str],
        arguments: Sequence[Any],
        gas: int | None = None,
    ) -> bytes:
        data = keccak(text=signature)[:4] + encode(kinds, arguments)
        limit: Any = {} if gas is None else {"gas": gas}
        return bytes(self.chain.web3.eth.call({"to": self.makers, "data": data, **limit}))

    def _call(
        self, signature: str, kinds: Sequence[str], param_type: ParamType, argument: Any
    ) -> bytes:
        reader = self.texts if param_type in TEXTS else self.literals
        given = [reader, self.agent, argument, param_type]
        return self._ask_harness(signature, ["address", "address", *kinds, "uint256"], given)

    def _ask_harness(self, signature: str, kinds: Sequence[str], given: Sequence[Any]) -> bytes:
        data = keccak(text=signature)[:4] + encode(kinds, given)
        return bytes(self.chain.web3.eth.call({"to": self.harness, "data": data}))

    def _deploy(self, name: str, *arguments: object) -> str:
        return self._deployed(self.contracts[name], *arguments)

    def _raw(self, runtime: bytes) -> str:
        return self._deployed(Contract("Data", "", (), creation_code(runtime), runtime, ()))

    def _deployed(self, what: Contract, *arguments: object) -> str:
        return str(deploy(self.chain.web3, what, self.chain.accounts[0], *arguments).address)


def directory_of(
    symbols: Sequence[tuple[str, str]], contacts: Sequence[tuple[str, str]]
) -> Directory:
    """Books of these names; decimals by their place."""
    listings = (Listing(name, token, 6 + i) for i, (name, token) in enumerate(symbols))
    return Directory(SymbolBook(tuple(listings)), ContactBook(tuple(contacts)), "0x" + "f0" * 20)


def _entry(listing: Listing) -> bytes:
    return book_entry(listing.symbol, listing.decimals, listing.token)


def _candidate(span: int, quantity: int, elements: Sequence[int]) -> Candidate:
    def bits(place: int, count: int) -> int:
        return span >> place & ((1 << count) - 1)

    pairs = zip(elements[::2], elements[1::2], strict=True)
    return Candidate(
        kind=Kind(bits(0, 5)),
        start=bits(5, 10),
        end=bits(15, 10),
        first=bits(25, 7),
        last=bits(32, 7),
        quantity=_quantity(quantity),
        negative=bool(bits(39, 1)),
        truth=bool(bits(40, 1)),
        symbol=(bits(41, 10), bits(51, 10)),
        elements=tuple(_candidate(*pair, ()) for pair in pairs),
        observed=bool(bits(61, 1)),
    )


def _quantity(word: int) -> Quantity | None:
    def bits(place: int, count: int) -> int:
        return word >> place & ((1 << count) - 1)

    if not word:
        return None
    return Quantity(bits(48, 100), bits(30, 5), bits(148, 107), bool(bits(29, 1)))
