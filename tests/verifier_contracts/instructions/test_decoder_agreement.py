"""Python's decoder of instructions and the contract say the same."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import pytest
from eth_abi.abi import decode, encode
from eth_utils.abi import collapse_if_tuple
from eth_utils.crypto import keccak
from web3.exceptions import ContractLogicError

from tests.support.encoding_chain import CONTEXT, PARAM_TYPES, RESULT, book_entry
from tests.support.instructions import (
    BOOK,
    CONTACTS,
    MANIFEST,
    OWNER,
    TOOLS_HELD,
    Asked,
    asked,
    numbers,
    read_tokens,
)
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision, ToolSignature
from zkagent.models.errors import ModelError
from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.parse import parse_words
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.chain.reverts import parse_revert
from zkagent.verifier_contracts.deployment.model_code import manifest_bytes
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, Contract, compile_sources

SOURCES = (
    "src/instructions/InstructionDecoder.sol",
    "test/encoding/EncodingFakes.sol",
    "test/instructions/InstructionFakes.sol",
)
QUICK = 300


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
        return self.deploy("InstructionDecoder", data, MANIFEST.margin_unit)

    @cached_property
    def books(self) -> tuple[str, str]:
        symbols = b"".join(book_entry(x.symbol, x.decimals, x.token) for x in BOOK.listings)
        contacts = b"".join(book_entry(name, 0, account) for name, account in CONTACTS.contacts)
        return self.raw(b"\0" + symbols), self.raw(b"\0" + contacts)

    def deploy(self, name: str, *arguments: object) -> str:
        key = (name, *map(repr, arguments))
        if key not in self.made:
            made = deploy(self.chain.web3, self.contracts[name], self.chain.accounts[0], *arguments)
            self.made[key] = str(made.address)
        return self.made[key]

    def raw(self, runtime: bytes) -> str:
        data = Contract("Data", "", (), creation_code(runtime), runtime, ())
        return str(deploy(self.chain.web3, data, self.chain.accounts[0]).address)

    def tool(self, signature: ToolSignature, twin: int) -> str:
        types = [PARAM_TYPES.index(kind) for kind in signature.parameter_types]
        if not twin:
            return self.deploy("NamedTool", signature.name, types)
        return self.made.setdefault(
            (signature, twin),
            str(deploy(self.chain.web3, self.contracts["NamedTool"], self.chain.accounts[0],
                       signature.name, types).address),
        )  # fmt: skip

    def tool_named(self, name: str, held: Sequence[ToolSignature]) -> str:
        """In lower case, as decoding has addresses."""
        (signature,) = (each for each in held if each.name == name)
        return self.tool(signature, 0).lower()

    def said(self, question: Asked) -> tuple[object, ...] | str:
        """The decision as the contract returns it, or the name of its error."""
        context, held = question.context, question.tools
        agent = self.deploy(
            "CautiousAgent", self.chain.web3.to_checksum_address(context.owner), context.caution
        )
        tools = [self.tool(t, held[:i].count(t)) for i, t in enumerate(held)]
        output = b"".join(number.to_bytes(8, "big", signed=True) for number in question.y)
        parse = parse_words(question.tokens, *(bytes.fromhex(book[2:]) for book in self.books))
        asked_about = (agent, b"", tools, list(context.reasoning), context.prompt)
        data = self.selector + encode([CONTEXT, "bytes", "bytes"], [asked_about, parse, output])
        try:
            answer = self.chain.web3.eth.call({"to": self.decoder, "data": data})
        except ContractLogicError as error:
            found = bytes.fromhex(str(error.data)[2:])
            return parse_revert(found, self.contracts["InstructionDecoder"].abi).name
        return tuple(decode([RESULT], answer)[0])

    @cached_property
    def selector(self) -> bytes:
        entries = self.contracts["InstructionDecoder"].abi
        (entry,) = (each for each in entries if each.get("name") == "decode")
        kinds = ",".join(collapse_if_tuple(each) for each in entry["inputs"])
        return keccak(text=f"decode({kinds})")[:4]


@pytest.fixture
def decoders(chain: Anvil) -> DecoderChain:
    return DecoderChain(chain)


def expected(question: Asked) -> Decision | str:
    try:
        return question.decided()
    except ModelError as error:
        return type(error).__name__


def assert_agrees(decoders: DecoderChain, question: Asked) -> str:
    """What they agree on: a kind of decision, or an error's name."""
    wanted, found = expected(question), decoders.said(question)
    if isinstance(wanted, str):
        assert found == wanted, question
        return wanted
    assert not isinstance(found, str), (question, wanted, found)
    final, answer, tool, (params, encoded), reasoning = found  # type: ignore[misc]
    if wanted.kind != "call":
        assert (final, answer) == (True, wanted.answer.encode()), (question, wanted)
        return wanted.kind
    assert not final, (question, wanted, answer)
    assert tool == decoders.tool_named(wanted.action, question.tools), (question, wanted)
    values = b"".join(value.to_bytes(32, "big") for value in wanted.values)
    assert (encoded, reasoning) == (values, wanted.reasoning.encode()), (question, wanted)
    assert b"".join(value for _, value in params) == values
    return f"call {wanted.action}"


def test_python_and_the_contract_decide_alike(decoders: DecoderChain) -> None:
    rng = random.Random(1)
    kinds = Counter(assert_agrees(decoders, asked(rng)) for _ in range(QUICK))
    calls = {"call ViewBalance", "call Deploy", "call Withdraw", "call Transfer"}
    assert calls | {"done", "ask", "decline", "doubtful", "help"} <= set(kinds), kinds


@pytest.mark.parametrize("kept", ["29.999999", "30", "30.000001", "0.0000001"])
def test_what_is_to_be_left_may_be_all_there_is(decoders: DecoderChain, kept: str) -> None:
    prompt = f"withdraw all usdc but {kept}".encode()
    tokens = read_tokens(prompt)
    tags = [Tag.NONE, Tag.WITHDRAW, Tag.ARGUMENT, *[Tag.NONE] * (len(tokens) - 3)]
    told = b"The balance is: 30 usdc in the pool, 1 usdc in the wallet"
    entry = MANIFEST.prefixes[0] + b'{"asset":"usdc"}\nObservation: ' + told + b"\n"
    context = Context(prompt, (entry,), BOOK, CONTACTS, OWNER, 0)
    kinds = {"30": "zero", "30.000001": "short", "0.0000001": "doubtful"}
    question = Asked(context, tokens, TOOLS_HELD, numbers(1, 0, tags))
    assert assert_agrees(decoders, question) == kinds.get(kept, "call Withdraw")


def test_numbers_of_no_network_are_refused(decoders: DecoderChain) -> None:
    prompt = b"show usdc"
    context = Context(prompt, (), BOOK, CONTACTS, OWNER, 0)
    refused = [4 << 45, -1, 1 << 62, *(n << 3 * place for n in (6, 7) for place in range(15))]
    numbers_ = [(-1, first, 0) for first in refused]
    numbers_ += [(-1, 0, second) for second in (1 << 45, -1, *refused[3:])]
    for y in numbers_:
        question = Asked(context, read_tokens(prompt), TOOLS_HELD, y)
        assert expected(question) == "OutputOutOfRange"
        assert decoders.said(question) == "NotTags"
    assert decoders.said(replace(question, y=(-1, 0, 0)))


@pytest.mark.slow
def test_python_and_the_contract_decide_3000_questions_alike(decoders: DecoderChain) -> None:
    rng = random.Random(2)
    kinds = Counter(assert_agrees(decoders, asked(rng)) for _ in range(3000))
    others = {"report", "zero", "unreadable", "no_tool", "short", "DuplicateTool"}
    assert others <= set(kinds), kinds
