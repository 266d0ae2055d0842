"""Encoder and decoder contracts of a model on a chain, asked about many contexts at a time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from eth_abi.abi import decode, encode
from eth_utils.abi import collapse_if_tuple
from eth_utils.crypto import keccak

from tests.support.contexts import OUTSIDE, VOCABULARY
from zkagent.models.encoding.book import SymbolBook
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import ToolSignature
from zkagent.models.encoding.encoder import Tables
from zkagent.models.encoding.manifest import Manifest
from zkagent.models.encoding.vocabulary import build_vocabulary
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.chain.reverts import Revert, parse_revert
from zkagent.verifier_contracts.deployment.model_code import ModelCode, build_model_code
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, Contract, compile_sources

SOURCES = (
    "src/encoding/TextEncoder.sol",
    "src/encoding/ToolDecoder.sol",
    "test/encoding/EncodingFakes.sol",
    "test/encoding/EncodingHarness.sol",
    "test/encoding/Strangers.sol",
)
PARAM_TYPES = ("string", "address", "bool", "int", "uint")
#: `string` fields as bytes: prompts need not be UTF-8, and the ABI encodes both alike.
CONTEXT = "(address,bytes,address[],bytes[],bytes)"
RESULT = "(bool,bytes,address,((uint8,bytes)[],bytes),bytes)"
#: Of a `Stranger` to have no answer.
WAYS = 9
NOBODY = "0x00000000000000000000000000000000000bad5e"
BATCH = 20


@dataclass(frozen=True)
class Question:
    context: Context
    tools: tuple[ToolSignature, ...]
    output: tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """A decision as the contract returned it: of a tool, unless `final` is its answer."""

    final: bytes | None
    tool: str
    values: tuple[tuple[int, bytes], ...]
    encoded: bytes
    reasoning: bytes


@dataclass(frozen=True)
class Outcome:
    """Features (none when the encoder refused), and the decision or the refusal."""

    features: tuple[int, ...] | None
    refusal: Revert | None
    decision: Call


#: Fifteen words in sixteen.
KNOWN = tuple(word for place, word in enumerate(VOCABULARY) if place % 16)


def made_up_tables(seed: int, known: Iterable[str] = KNOWN) -> Tables:
    """Random tables of the wallet model's sizes, and a vocabulary of the words `known`."""
    rng = np.random.default_rng(seed)
    text = rng.integers(-128, 128, (4096, 32)).astype(np.int8)
    local = rng.integers(-128, 128, (1024, 16)).astype(np.int8)
    return Tables(text, local, build_vocabulary(word.lower().encode() for word in known))


def encoding_contracts() -> dict[str, Contract]:
    return compile_sources({name: (PACKAGE / name).read_text() for name in SOURCES})


class EncodingChain:
    """One model's encoder and decoder on `chain`, with agents and tools made when needed."""

    def __init__(self, chain: Anvil, manifest: Manifest, tables: Tables):
        self.chain, self.manifest = chain, manifest
        self.contracts = encoding_contracts()
        self.abi = [*self.contracts["EncodingHarness"].abi]
        self.code = build_model_code(manifest, tables)
        self._agents: dict[SymbolBook, str] = {}
        self._tools: dict[tuple[ToolSignature, int], str] = {}
        self._strangers: dict[int, str] = {}
        self.data = [self._raw(code) for code in (*self.code.text_chunks, self.code.data)]
        self.encoder = self._deploy_encoder(self.code)
        self.decoder = self.deploy(
            self.contracts["ToolDecoder"], *self.code.decoder_arguments(self.data[-1])
        )
        self.harness = self.deploy(self.contracts["EncodingHarness"])
        for token, decimals in OUTSIDE.items():
            chain.rpc("anvil_setCode", token, "0x" + token_code(token, decimals).hex())

    def deploy(self, what: Contract, *arguments: object) -> str:
        return str(deploy(self.chain.web3, what, self.chain.accounts[0], *arguments).address)

    def ask(self, questions: Sequence[Question]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for i in range(0, len(questions), BATCH):
            outcomes += self._ask(questions[i : i + BATCH])
        return outcomes

    def measure(self, question: Question) -> tuple[tuple[int, int], tuple[int, int]]:
        """Gas of encoding and decoding: as a transaction's first decision, and as a later one."""
        kinds = ["address", "address", f"({CONTEXT},bytes)"]
        arguments = [self.encoder, self.decoder, self._question(question)]
        first, later = decode(["uint256[2]"] * 2, self._call("measure", kinds, arguments))
        return tuple(first), tuple(later)

    def agent(self, book: SymbolBook, prompt: bytes = b"") -> str:
        """With an empty book it may have none, or no answer to the question for one."""
        if not book.listings and (way := len(prompt) % (WAYS + 2)) <= WAYS:
            return self.stranger(way)
        if book not in self._agents:
            entries = b"".join(book_entry(x.symbol, x.decimals, x.token) for x in book.listings)
            self._agents[book] = self.deploy(self.contracts["BookAgent"], entries)
        return self._agents[book]

    def tool(self, signature: ToolSignature, place: int) -> str:
        """A tool of this signature; other places get other ones. One without name or parameters has
        no answer to the question for them."""
        if not signature.name:
            return self.stranger(place % (WAYS + 1))
        key = (signature, place)
        if key not in self._tools:
            types = [PARAM_TYPES.index(kind) for kind in signature.parameter_types]
            made = ("NamedTool", types) if types else ("HalfTool", place % WAYS)
            self._tools[key] = self.deploy(self.contracts[made[0]], signature.name, made[1])
        return self._tools[key]

    def stranger(self, way: int) -> str:
        """What has no answer, in one of several ways; the last is an account without code."""
        if way == WAYS:
            return NOBODY
        if way not in self._strangers:
            self._strangers[way] = self.deploy(self.contracts["Stranger"], way)
        return self._strangers[way]

    def address_tools(self, tools: Sequence[ToolSignature]) -> list[str]:
        return [self.tool(t, list(tools[:i]).count(t)) for i, t in enumerate(tools)]

    def _deploy_encoder(self, code: ModelCode) -> str:
        arguments = code.encoder_arguments(self.data[:-1], self.data[-1])
        return self.deploy(self.contracts["TextEncoder"], *arguments)

    def _raw(self, runtime: bytes) -> str:
        data = Contract("Data", "", (), creation_code(runtime), runtime, ())
        return self.deploy(data)

    def _question(self, q: Question) -> tuple[object, ...]:
        tools = self.address_tools(q.tools)
        agent = self.agent(q.context.book, q.context.prompt)
        context = (agent, b"", tools, q.context.reasoning, q.context.prompt)
        return context, b"".join(v.to_bytes(8, "big", signed=True) for v in q.output)

    def _ask(self, questions: Sequence[Question]) -> list[Outcome]:
        kinds = ["address", "address", f"({CONTEXT},bytes)[]"]
        arguments = [self.encoder, self.decoder, [self._question(q) for q in questions]]
        (answers,) = decode([f"(bytes,bytes,{RESULT})[]"], self._call("ask", kinds, arguments))
        return [_outcome(*answer, errors=self._errors()) for answer in answers]

    def _call(self, name: str, kinds: list[str], arguments: list[object]) -> bytes:
        entry = next(e for e in self.abi if e.get("name") == name)
        signature = f"{name}({','.join(collapse_if_tuple(i) for i in entry['inputs'])})"
        data = keccak(text=signature)[:4] + encode(kinds, arguments)
        return bytes(self.chain.web3.eth.call({"to": self.harness, "data": data}))

    def _errors(self) -> list[object]:
        return [*self.contracts["TextEncoder"].abi, *self.contracts["ToolDecoder"].abi]


def book_entry(symbol: str, decimals: int, token: str) -> bytes:
    """As `ISymbolBook.pointer` lays it out."""
    return symbol.lower().encode().ljust(11, b"\0") + bytes([decimals]) + bytes.fromhex(token[2:])


def token_code(token: str, decimals: int | None) -> bytes:
    """Runtime code of a token that tells its decimals, or fails to in one of six ways."""
    answer = bytes.fromhex("5f5260205ff3")  # PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
    if decimals is not None:
        return bytes([0x60, decimals]) + answer
    ways = [bytes.fromhex("5f5ffd"), b"\0", b"\x60\x4e" + answer, b"\x7f" + b"\xff" * 32 + answer]
    ways += [b"", bytes.fromhex("601f5ff3")]  # no code; a byte too few
    return ways[int(token, 16) % 6]


def _outcome(features: bytes, refusal: bytes, result: tuple, errors: list) -> Outcome:  # type: ignore[type-arg]
    final, answer, tool, (params, encoded), reasoning = result
    call = Call(answer if final else None, tool, tuple(params), encoded, reasoning)
    x = tuple(
        int.from_bytes(features[i : i + 2], "big", signed=True) for i in range(0, len(features), 2)
    )
    return Outcome(x or None, parse_revert(refusal, errors) if refusal else None, call)
