"""Calls, errors and events of the agent contracts, encoded and decoded without a compiler; the
packed integers and the proofs inside a call; the list of a symbol book.

Types are written by hand, so that `run` and `verify-run` work where no solc is installed; a test
holds them against the compiled ABI. A `string` is read as `bytes`: both are encoded alike, and what
a contract calls a string need not be UTF-8.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from eth_abi.abi import encode
from eth_abi.exceptions import DecodingError
from eth_utils.crypto import keccak

from zkagent.executor.chain.agent import AgreedCall, Fact, Range, RunCall, RunTerms
from zkagent.models.encoding.book import Listing, check_contacts, check_form
from zkagent.verifier_contracts.chain.decoding import decode
from zkagent.verifier_contracts.deployment.model_hashes import BATCHES, BINDING, COMMITMENT

INPUT = "((uint8,bytes)[],bytes)"
CLAIMS = "(uint256,bytes32,bytes)[]"
TERMS = "(uint64,(bytes32,(uint16,uint256,uint256)[])[],(address,bytes4,bytes32)[])"
EXECUTABLE = "(address,uint16,uint16,address,address,bytes32)"
INPUT_DESCRIPTION = "((uint8,string,string)[])"
STRING_PARAMETER = 0  # IERCAgentTool.ParamType.STRING
FEATURE_BYTES = 2
OUTPUT_BYTES = 8
WORD = 32
SYMBOL_BYTES, ENTRY_BYTES = 11, 32  # of a symbol book's list
NO_HANDLER = NO_TOOL = NO_DATA = "0x" + "00" * 20
#: What a claim says: model id, hash of the features, output.
Said = tuple[int, bytes, bytes]
#: The claims that each proof of a call covers, by index.
Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Method:
    """A function, error or event payload by its signature, such as ``find(bytes32)``."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        return f"{self.name}({','.join(self.inputs)})"

    @property
    def topic(self) -> bytes:
        return keccak(text=self.signature)

    @property
    def selector(self) -> bytes:
        return self.topic[:4]

    def call(self, *arguments: Any) -> bytes:
        """Calldata."""
        return self.selector + encode(_as_bytes(self.inputs), arguments)

    def arguments(self, data: bytes) -> tuple[Any, ...]:
        """Arguments out of calldata or revert data. Raises ValueError unless it is canonical."""
        if data[:4] != self.selector:
            raise ValueError(f"not a {self.name}: it begins with 0x{data[:4].hex()}")
        return decode_canonical(self.inputs, data[4:])

    def results(self, data: bytes) -> tuple[Any, ...]:
        """Return values. Raises ValueError when `data` does not fit."""
        try:
            return tuple(decode(_as_bytes(self.outputs), data))
        except (DecodingError, OverflowError) as exc:
            raise ValueError(f"{self.name} returned 0x{data.hex()[:80]}: {exc}") from exc


RUN = Method("run", (INPUT, "address"), ("int256", "string"))
RUN_WITH_PROOFS = Method("runWithProofs", (INPUT, "address", CLAIMS, "bytes[]", TERMS), RUN.outputs)
RESUME_WITH_PROOFS = Method("resumeWithProofs", ("int256", CLAIMS, "bytes[]", TERMS), RUN.outputs)
SIMULATE = Method("simulate", (INPUT, CLAIMS))
SIMULATE_RESUME = Method("simulateResume", ("int256", CLAIMS))
RUN_NEXT_ITERATION = Method(
    "runNextIteration", ("string", "string", "address[]", "string[]", "string")
)
MISSING_DECISION = Method("MissingDecision", ("uint256", "address", "uint256", "bytes", "bytes"))
SIMULATION_RESULT = Method("SimulationResult", ("string", "string[]"))
CONTEXT = ("string", "address[]", "string[]", "string")
RUN_RESULT = Method("AgentRunResult", ("int256", "address", "string[]", "string"))
RUN_RESULT_DATA = RUN_RESULT.inputs[1:]  # the run's number is an indexed topic
RUN_SUSPENDED = Method("RunSuspended", ("int256", "address", "address", "int256"))

EXECUTOR = Method("agentExecutor", (), ("address",))
REGISTRY = Method("registry", (), ("address",))
MODEL_ID = Method("modelId", (), ("string",))
MODEL_NAMED = Method("modelNamed", ("string",), ("uint256",))
RECORD_DECISION = Method("recordDecision", ("uint256", "bytes", "bytes", "bytes"))
RECORDED_OUTPUT = Method("recordedOutput", ("uint256", "bytes"), ("bytes",))
DECISION_UNAVAILABLE = Method("DecisionUnavailable", ("uint256", "address", "bytes"))
BASE_PROMPT = Method("basePrompt", (), ("string",))
#: Of a tool that is a SimpleSmartContractTool: agent, contract, selector.
WIRING = Method("wiring", (), ("address", "address", "bytes4"))
TOOLS = Method("tools", (), ("address[]", "bytes32[]"))
SYMBOL_BOOK = Method("symbolBook", (), ("address",))
#: ERC-165; and what an agent's interface that decides by numbers is called there (INumericAgent).
SUPPORTS = Method("supportsInterface", ("bytes4",), ("bool",))
NUMERIC = Method("readings", (), ("int256[]",)).selector
CONTACT_BOOK = Method("contactBook", (), ("address",))
CAUTION = Method("caution", (), ("uint256",))
STRICT = Method("strict", (), ("bool",))
NEEDS_PROOFS = Method("needsProofs", (), ("bool",))
ALSO_SERVED = Method("alsoServed", (), ("address",))
ENTRIES = Method("entries", (), ("bytes32[]", "address[]", "uint8[]"))
CONTACT_ENTRIES = Method("entries", (), ("bytes32[]", "address[]"))
DECIMALS = Method("decimals", (), ("uint8",))
NAME = Method("name", (), ("string",))
DESCRIPTION = Method("description", (), ("string",))
DESCRIBE_INPUT = Method("inputDescription", (), (INPUT_DESCRIPTION,))
GET_MODEL = Method("getModel", ("uint256",), (COMMITMENT, "bool", "address"))
GET_BINDING = Method("getBinding", ("uint256",), (BINDING,))
BATCH_VERIFIERS = Method("batchVerifiers", ("uint256",), (BATCHES,))
COMMITMENT_HASH = Method("commitmentHash", ("uint256",), ("bytes32",))
BINDING_OF = Method("bindingOf", ("uint256",), (EXECUTABLE,))
BATCH_VERIFIER_FOR = Method(
    "batchVerifierFor", ("uint256", "uint256"), ("address", "uint256", "bytes32")
)
PINNED_COMMITMENT = Method("pinnedCommitment", (), ("bytes32",))
MAX_ITERATIONS = Method("maxIterations", (), ("uint16",))
OWNER = Method("owner", (), ("address",))
#: Of a runner: whose runs it makes.
RUN_BY = Method("agent", (), ("address",))
WALLET = Method("wallet", (), ("address",))
#: Of the verifier of Groth16 proofs: claims, of a key each.
VERIFY_TOGETHER = Method("verify", ("(address,bytes,bytes,bytes)[]",))
POINTER = Method("pointer", (), ("address",))
BALANCE_OF = Method("balanceOf", ("address",), ("uint256",))
DECISION_VERIFIED = Method(
    "DecisionVerified", ("uint256", "address", "bytes32", "bytes32", "bytes32")
)
#: Of executors that did not name the commitment that was obeyed.
VERIFIED_EARLIER = Method("DecisionVerified", ("uint256", "address", "bytes32", "bytes32"))
DECISION_VERIFIED_DATA = DECISION_VERIFIED.inputs[2:]  # model and agent are indexed topics


def run_data(call: RunCall) -> bytes:
    """Calldata of a complete run, or of what is left of one."""
    if call.resumes:
        return RESUME_WITH_PROOFS.call(call.resumes, *run_arguments(call))
    return RUN_WITH_PROOFS.call(prompt_input(call.prompt), NO_HANDLER, *run_arguments(call))


def run_arguments(call: RunCall) -> tuple[list[Any], list[bytes], tuple[Any, ...]]:
    """Claims, proofs and terms, ready to be encoded."""
    claims = [(c.model_id, c.features_hash, c.output) for c in call.claims]
    calls = [
        (agreed.call_hash, [(r.word, r.least, r.most) for r in agreed.ranges])
        for agreed in call.terms.calls
    ]
    facts = [(fact.target, fact.selector, fact.expected) for fact in call.terms.facts]
    return claims, list(call.proofs), (call.terms.deadline, calls, facts)


def terms_in(
    value: tuple[
        int,
        Sequence[tuple[bytes, Sequence[tuple[int, int, int]]]],
        Sequence[tuple[str, bytes, bytes]],
    ],
) -> RunTerms:
    """The terms of a run, out of its decoded calldata."""
    deadline, calls, facts = value
    agreed = (AgreedCall(hashed, tuple(Range(*r) for r in ranges)) for hashed, ranges in calls)
    return RunTerms(deadline, tuple(agreed), tuple(Fact(*fact) for fact in facts))


def parameters(values: Sequence[int]) -> bytes:
    """The ABI encoding of a tool's arguments, each of which takes one word."""
    return b"".join(value.to_bytes(WORD, "big") for value in values)


def call_hash(agent: str, tool: str, params: bytes) -> bytes:
    """Who calls what with which parameters, in 32 bytes. An answer has NO_TOOL and no
    parameters."""
    return keccak(encode(["address", "address", "bytes"], [agent, tool, params]))


def is_agreed(agreed: AgreedCall, agent: str, tool: str, params: bytes) -> bool:
    """Whether this call is what was agreed to, by the rule of `executor/AgreedCalls.sol`."""
    masked = bytearray(params)
    for allowed in agreed.ranges:
        place = slice(allowed.word * WORD, (allowed.word + 1) * WORD)
        value = masked[place]
        inside = allowed.least <= int.from_bytes(value, "big") <= allowed.most
        if len(value) != WORD or not inside:
            return False
        masked[place] = bytes(WORD)
    return call_hash(agent, tool, bytes(masked)) == agreed.call_hash


def prompt_input(prompt: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """The ERC's Input with one STRING parameter."""
    encoded = encode(["bytes"], [prompt])
    return [(STRING_PARAMETER, encoded)], encoded


def prompt_of(value: tuple[Sequence[tuple[int, bytes]], bytes]) -> bytes:
    """The prompt in an Input. Raises ValueError unless it is exactly `prompt_input` of one."""
    prompt: bytes = decode_canonical(("string",), value[1])[0]
    if (list(value[0]), value[1]) != prompt_input(prompt):
        raise ValueError("the input is not one prompt")
    return prompt


def metadata_hash(
    name: bytes, description: bytes, parameters: Sequence[tuple[int, bytes, bytes]]
) -> bytes:
    """What an agent pins of a tool: a hash over what name(), description() and inputDescription()
    return."""
    returned = (
        encode(["bytes"], [name]),
        encode(["bytes"], [description]),
        encode(_as_bytes([INPUT_DESCRIPTION]), [(list(parameters),)]),
    )
    return keccak(b"".join(map(keccak, returned)))


def book_code(listings: Sequence[Listing]) -> bytes:
    """The code that `ISymbolBook.pointer()` has for these: a zero, then an entry for each.

    Raises RefusedSymbol for a list that no book has: others, of symbols that are too long for their
    place or end in zeros, would have the same code."""
    check_form(listings)
    return b"\0" + b"".join(map(_entry, listings))


def listings_in(code: bytes) -> tuple[Listing, ...]:
    """The inverse. Raises ValueError for code that is no list."""
    starts = range(1, len(code), ENTRY_BYTES)
    found = tuple(_listing(code[start : start + ENTRY_BYTES]) for start in starts)
    if book_code(found) != code:
        raise ValueError("its code holds no list of symbols")
    return found


def contacts_code(contacts: Sequence[tuple[str, str]]) -> bytes:
    """The code that `IContactBook.pointer()` has for these names and accounts. Raises
    RefusedContact for a list that no book has."""
    check_contacts(contacts)
    return b"\0" + b"".join(_entry(Listing(name, account, 0)) for name, account in contacts)


def contacts_in(code: bytes) -> tuple[tuple[str, str], ...]:
    """The inverse. Raises ValueError for code that is no list."""
    starts = range(1, len(code), ENTRY_BYTES)
    entries = (_listing(code[start : start + ENTRY_BYTES]) for start in starts)
    found = tuple((entry.symbol, entry.token) for entry in entries)
    if contacts_code(found) != code:
        raise ValueError("its code holds no list of contacts")
    return found


def _entry(listing: Listing) -> bytes:
    symbol = listing.symbol.encode().ljust(SYMBOL_BYTES, b"\0")
    return symbol + bytes([listing.decimals]) + bytes.fromhex(listing.token[2:])


def _listing(entry: bytes) -> Listing:
    """Of a broken entry one that is another when it is written again."""
    entry = entry.ljust(ENTRY_BYTES, b"\0")
    symbol = entry[:SYMBOL_BYTES].rstrip(b"\0").decode("ascii", "replace")
    return Listing(symbol, "0x" + entry[SYMBOL_BYTES + 1 :].hex(), entry[SYMBOL_BYTES])


def pack(values: Sequence[int], width: int) -> bytes:
    """`values`, `width` bytes each. Raises OverflowError for one that does not fit."""
    return b"".join(value.to_bytes(width, "big", signed=True) for value in values)


def unpack(data: bytes, width: int) -> tuple[int, ...]:
    """Raises ValueError when `data` is not a whole number of values."""
    if len(data) % width:
        raise ValueError(f"{len(data)} bytes are not a multiple of {width}")
    return tuple(
        int.from_bytes(data[i : i + width], "big", signed=True) for i in range(0, len(data), width)
    )


def covered_by(said: Sequence[Said], proofs: Sequence[bytes]) -> Groups:
    """For each proof of a call in turn the indices of the claims that it covers: a claim with an
    empty proof belongs to the proof of the first claim that says the same, else to the last proof
    before it that is of the same model. The rule is that of `executor/ProofCoverage.sol`, which
    tells models by their commitments, where here it is by number: a run of ours has one of each.

    said, proofs: of the claims, in order. An empty proof with none before it is a claim's own.
    """
    groups: list[list[int]] = []
    open_group: dict[int, list[int]] = {}  # by model: the one that an empty proof joins
    group_of: dict[Said, list[int]] = {}
    for index, (one, proof) in enumerate(zip(said, proofs, strict=True)):
        found = None if proof else group_of.get(one) or open_group.get(one[0])
        if found is None:
            found = []
            groups.append(found)
        if proof:
            open_group[one[0]] = found
        found.append(index)
        group_of.setdefault(one, found)
    return tuple(map(tuple, groups))


def spread(groups: Sequence[Sequence[int]], proofs: Sequence[bytes]) -> tuple[bytes, ...]:
    """The inverse: one proof for each claim, as a call holds them. `proofs` has one for each
    group."""
    found = [b""] * sum(map(len, groups))
    for group, proof in zip(groups, proofs, strict=True):
        found[group[0]] = proof
    return tuple(found)


def divide(said: Sequence[Hashable], sizes: Sequence[int]) -> Groups:
    """The decisions of one model, by index, in as few proofs as `sizes` allow; those that say the
    same are in one.

    said: what each of them is about and says. sizes: of the batch verifiers; without any, a proof
    has one row. A registry of others may list any.
    """
    most = max((1, *sizes))
    place = {one: row // most for row, one in enumerate(dict.fromkeys(said))}
    groups: dict[int, list[int]] = {}
    for index, one in enumerate(said):
        groups.setdefault(place[one], []).append(index)
    return tuple(map(tuple, groups.values()))


def rows_of(group: Sequence[int], said: Sequence[Hashable]) -> tuple[int, ...]:
    """The decisions of a group that are rows of its proof: each that says something new."""
    first: dict[Hashable, int] = {}
    for index in group:
        first.setdefault(said[index], index)
    return tuple(first.values())


def size_for(rows: int, sizes: Sequence[int]) -> int:
    """How many decisions the circuit of a proof with so many rows has, as the contract chooses: 1
    for one row, else the smallest size that holds them. Raises ValueError when none does."""
    if rows == 1:
        return 1
    size = min((size for size in sizes if size >= rows), default=None)
    if size is None:
        raise ValueError(f"no batch verifier takes {rows} decisions, there are {list(sizes)}")
    return size


def decode_canonical(types: Sequence[str], data: bytes) -> tuple[Any, ...]:
    """`data` decoded. Raises ValueError when it does not fit or has another encoding."""
    plain = _as_bytes(types)
    try:
        values = decode(plain, data, shared=1)
    except (DecodingError, OverflowError) as exc:
        raise ValueError(f"bad ABI encoding: {exc}") from exc
    if encode(plain, values) != data:
        raise ValueError("the ABI encoding is not canonical")
    return tuple(values)


def _as_bytes(types: Sequence[str]) -> list[str]:
    return [text.replace("string", "bytes") for text in types]
