"""How a wallet agent hangs together, as its contracts answer; and which values their code must then
have. What they answer is believed nowhere: `agent.py` compares it with the code.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from zkagent.executor.audit.code import Code, Expected, Place
from zkagent.executor.audit.own import OWN_TOOLS, OwnSource, own_tool
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.guards import GUARD
from zkagent.executor.chain.model_ids import model_number
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_agent import read_tools, says
from zkagent.executor.errors import NoAgentThere
from zkagent.executor.receipts.verdicts import CannotTell
from zkagent.models.encoding.book import Listing
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.deployment.known_code import recognise
from zkagent.verifier_contracts.errors import RevertError

NOBODY = abi.NO_HANDLER
PREDECESSOR = abi.Method("predecessor", (), ("address",))
SUCCESSOR = "SuccessorWalletAgent"
#: What agents that read their tools derive from, each with code of its own, and what these answer.
READER = "ReaderAgent"
PINNED_TEXTS = abi.Method("toolTexts", (), ("bytes32[]",))
#: Contracts of ours that are wallet agents, and make their wallets.
WALLET_MAKERS = (
    "WalletAgent",
    "InstructedWalletAgent",
    "StrictWalletAgent",
    "StrictInstructedWalletAgent",
)
AGENTS = (*WALLET_MAKERS, SUCCESSOR)
#: Contracts of ours that are agents without a wallet: they read, and answer.
WALLETLESS = ("LoanAgent", "CreditScoreAgent", "LabelAgent")
#: Tools of theirs that they did not get from strangers.
READING = ("CriteriaTool", "CreditScoreAgent")
#: The function of the wallet that a tool of this name wraps.
WRAPPED = {
    b"ViewBalance": "balances(address)",
    b"Deploy": "deploy(address,uint256)",
    b"Withdraw": "withdraw(address,uint256)",
    b"Transfer": "transfer(address,uint256,address)",
}
CONVERTED = b"ViewBalance"
METADATA = (abi.NAME, abi.DESCRIPTION, abi.DESCRIBE_INPUT)
MOST_PARAMETERS = 64
MOST_SHOWN = 80  # characters of what a tool says of itself
MOST_NAME = 4 * (MOST_SHOWN + 1)  # bytes that so many take, and one more


@dataclass(frozen=True)
class Metadata:
    """Of what name(), description() and inputDescription() return to the agent, as it is: they may
    be long, and are not kept. lengths, hashes, shown: of each. joined: the hash of a zero byte and
    all of them, as they lie in the code of a contract."""

    lengths: tuple[int, ...]
    hashes: tuple[bytes, ...]
    shown: tuple[str, ...]
    joined: bytes

    @classmethod
    def of(cls, returned: Sequence[bytes]) -> "Metadata":
        return cls(
            lengths=tuple(map(len, returned)),
            hashes=tuple(map(keccak, returned)),
            shown=tuple(map(shown_answer, returned)),
            joined=keccak(b"\0" + b"".join(returned)),
        )

    @property
    def pinned(self) -> bytes:
        """As `agents/ToolPins.sol` computes it."""
        return keccak(b"".join(self.hashes))


@dataclass(frozen=True)
class Tool:
    """name, and those of its parameters: the beginnings, where they are long. unread: why what it
    says cannot be read, or could be read in another way than what it was pinned as; empty if it
    can."""

    address: str
    name: bytes
    metadata: Metadata
    pinned: bytes
    unread: str = ""
    parameters: tuple[bytes, ...] = ()

    @property
    def role(self) -> str:
        return f"tool {_quoted(self.name) if self.name else self.address}"


@dataclass(frozen=True)
class Wiring:
    """book, wallet and owner are NOBODY where the agent names none; metadata is the agent's own.
    contacts: the contact book, NOBODY of an agent without; None of an agent that tells of none, as
    its model reads no names. caution: in hundredths of a log-odd, None likewise. walletless: which
    of WALLETLESS its code is, if any. strict: it says that it has each decision proven before it
    acts on it. also_served: who may run it beside its owner, NOBODY of an agent that tells of
    nobody. guard: what is asked before its tools are called, NOBODY likewise. predecessor: whose
    place it took, None of an agent with a wallet of its own; maker: of that wallet. own: the
    sources that its code is compiled from, where it is none of ours and they are at hand. reads: it
    tells what it pinned of its tools' texts, as none of ours does whose code is known."""

    agent: str
    executor: str
    registry: str
    model_id: int
    base_prompt: bytes
    max_iterations: int
    commitment: bytes
    tools: tuple[Tool, ...]
    metadata: Metadata
    owner: str
    wallet: str
    book: str
    contacts: str | None = None
    caution: int | None = None
    walletless: str = ""
    strict: bool = False
    also_served: str = NOBODY
    guard: str = NOBODY
    predecessor: str | None = None
    maker: str = NOBODY
    own: OwnSource | None = None
    reads: bool = False

    @property
    def agent_contract(self) -> str:
        """What has to stand where the agent is."""
        if self.own:
            return self.own.contract.name
        if self.walletless:
            return self.walletless
        if self.reads:
            return READER
        if self.predecessor is not None:
            return SUCCESSOR
        plain = "WalletAgent" if self.contacts is None else "InstructedWalletAgent"
        return f"Strict{plain}" if self.strict else plain

    def config(self, code_hashes: Sequence[bytes], version: str) -> bytes:
        """What the agent keeps as one contract's code, as a version of it writes that.
        code_hashes: of its tools, all of which it made itself."""
        number, tools = str(self.model_id).encode(), [tool.address for tool in self.tools]
        pins = [tool.pinned for tool in self.tools]
        if version == "0.1.0":
            values = (number, self.base_prompt, tools, pins)
            return encode(["(bytes,bytes,address[],bytes32[])"], [values])
        pinned = (tools, pins, list(code_hashes))
        config = (number, self.base_prompt, pinned)
        return encode(["(bytes,bytes,(address[],bytes32[],bytes32[]))"], [config])


def read_wiring(
    reader: ContractReader, agent: str, block: Block, own: OwnSource | None = None
) -> Wiring:
    """own: sources that the agent may be of. Raises NoAgentThere, RevertError where something does
    not answer as an agent's does."""

    def address(method: abi.Method, at: str = agent) -> str:
        return str(reader.view(at, method, block)[0])

    def data(method: abi.Method) -> bytes:
        return bytes(reader.view(agent, method, block)[0])

    def optional(method: abi.Method) -> str:
        try:
            return address(method)
        except (NoAgentThere, RevertError):
            return NOBODY

    def instructed() -> tuple[str | None, int | None]:
        try:
            return address(abi.CONTACT_BOOK), int(reader.view(agent, abi.CAUTION, block)[0])
        except (NoAgentThere, RevertError):
            return None, None

    def named(*names: str) -> str:
        return _named(reader, agent, block, names)

    predecessor = optional(PREDECESSOR) if named(SUCCESSOR) else None
    contacts, caution = instructed()
    executor, number = address(abi.EXECUTOR), model_number(agent, data(abi.MODEL_ID))
    (max_iterations,) = reader.view(agent, abi.MAX_ITERATIONS, block)
    tools = read_tools(reader, agent, block)
    return Wiring(
        agent=agent,
        executor=executor,
        registry=address(abi.REGISTRY, executor),
        model_id=number,
        base_prompt=data(abi.BASE_PROMPT),
        max_iterations=int(max_iterations),
        commitment=data(abi.PINNED_COMMITMENT),
        tools=tuple(_tool(reader, agent, block, address, pin) for address, pin in tools),
        metadata=Metadata.of(_returned(reader, agent, agent, block)),
        owner=optional(abi.OWNER),
        wallet=optional(abi.WALLET),
        book=optional(abi.SYMBOL_BOOK),
        contacts=contacts,
        caution=caution,
        walletless=named(*WALLETLESS),
        strict=says(reader, agent, abi.STRICT, block),
        also_served=optional(abi.ALSO_SERVED),
        guard=optional(GUARD),
        predecessor=predecessor,
        maker=NOBODY if predecessor is None else _maker(reader, optional(abi.WALLET), block),
        own=own if own and own.contract.recognise(reader.code(agent, block)) else None,
        reads=_answers(reader, agent, PINNED_TEXTS, block),
    )


def _answers(reader: ContractReader, address: str, method: abi.Method, block: Block) -> bool:
    try:
        reader.view(address, method, block)
    except (NoAgentThere, RevertError):
        return False
    return True


def _named(reader: ContractReader, address: str, block: Block, names: Sequence[str]) -> str:
    """Which of these contracts of ours stands there; empty for none of them."""
    found = recognise(reader.code(address, block))
    return found.name if found and found.name in names else ""


def _maker(reader: ContractReader, wallet: str, block: Block) -> str:
    """Of a wallet of ours, as its code has it; NOBODY of another one."""
    found = recognise(reader.code(wallet, block))
    try:
        return found.address("_maker") if found else NOBODY
    except (KeyError, ValueError):  # another contract of ours, which is said where it is looked at
        return NOBODY


def places(wiring: Wiring, code: Code) -> Iterator[Place]:
    """Every contract that the agent rests on but for its model's, with the values in its code."""
    yield Place("agent", wiring.agent, (wiring.agent_contract,), _agent_values(wiring))
    yield executor_place(wiring)
    yield from groth16_places(wiring, code)
    yield Place("registry", wiring.registry, ("ModelRegistry",))
    if wiring.own or wiring.reads:
        if wiring.book != NOBODY:
            yield Place("symbol book", wiring.book, ("SymbolBook",))
        if wiring.contacts not in (None, NOBODY):
            yield Place("contact book", str(wiring.contacts), ("ContactBook",))
        yield from (tool_place(wiring, tool) for tool in wiring.tools)
        return
    if wiring.walletless:
        yield Place("symbol book", wiring.book, ("SymbolBook",))
        yield from (_reading_place(wiring, tool, code) for tool in wiring.tools)
        return
    yield wallet_place(wiring)
    if wiring.predecessor is not None:
        yield maker_place(wiring)
    yield Place("symbol book", wiring.book, ("SymbolBook",))
    if wiring.contacts not in (None, NOBODY):
        yield Place("contact book", str(wiring.contacts), ("ContactBook",))
    for tool in wiring.tools:
        yield tool_place(wiring, tool)
        if tool.name == CONVERTED:
            yield from converter_places(wiring, tool, code)


def executor_place(wiring: Wiring) -> Place:
    """Its constructor made one contract, the verifier of Groth16 proofs."""
    groth16 = created_address(wiring.executor, 1)
    made = {"_registry": _number(wiring.registry), "_groth16": _number(groth16)}
    return Place("executor", wiring.executor, ("AgentExecutor",), made)


def groth16_places(wiring: Wiring, code: Code) -> Iterator[Place]:
    """What the executor has Groth16 proofs verified by; releases before had nothing."""
    try:
        executor = code.recognised(executor_place(wiring))
        address = executor.address("_groth16") if "_groth16" in executor.values else ""
    except (CannotTell, ValueError):  # the executor's own check says what is wrong with it
        return
    if address:
        yield Place("groth16 verifier", address, ("Groth16Verifier",), storage=False)


def wallet_place(wiring: Wiring) -> Place:
    maker = wiring.agent if wiring.predecessor is None else wiring.maker
    made = {"_maker": _number(maker), "_owner": _number(wiring.owner), "_pool": None}
    return Place("wallet", wiring.wallet, ("AgentWallet",), made, within=True)


def maker_place(wiring: Wiring) -> Place:
    """The agent whose constructor made the wallet and bound it to its tools, until the owner had it
    obey others. How else it was made is of no account any more."""
    anything = dict.fromkeys([*_agent_values(wiring), "_contacts"])
    return Place("wallet's maker", wiring.maker, WALLET_MAKERS, anything)


def tool_place(wiring: Wiring, tool: Tool) -> Place:
    wrapped = WRAPPED.get(tool.name)
    selector = keccak(text=wrapped)[:4] if wrapped else b""
    described = _metadata_values(tool.metadata)
    made: dict[str, int | None] = {
        **(dict.fromkeys(described) if tool.unread else described),
        "_agent": _number(wiring.agent),
        "_converter": None if tool.name == CONVERTED else 0,
    }
    has_wallet = wiring.wallet != NOBODY and not wiring.reads
    if has_wallet:  # without, tools are of a contract that nobody here knows
        made["_toolContract"] = _number(wiring.wallet)
        made["_toolSelector"] = int.from_bytes(selector.ljust(32, b"\0"), "big")
    names = OWN_TOOLS if wiring.reads else OWN_TOOLS[:1]
    place = Place(tool.role, tool.address, names, made, within=True)
    return own_tool(place, wiring.agent) if wiring.own or wiring.reads else place


def _reading_place(wiring: Wiring, tool: Tool, code: Code) -> Place:
    """A tool of an agent without a wallet: what it reads from is the deployer's choice, and another
    agent is looked into where it decided something itself."""
    name = _named(code.reader, tool.address, code.block, READING)
    made = {**_metadata_values(tool.metadata), "_dao": None}
    if name != "CriteriaTool":
        made |= dict.fromkeys(_agent_values(wiring)) | {"_history": None}
    return Place(tool.role, tool.address, READING, made, within=name == "CriteriaTool")


def converter_places(wiring: Wiring, tool: Tool, code: Code) -> Iterator[Place]:
    """What puts balances into words; its address stands in the tool's code alone."""
    try:
        address = code.recognised(tool_place(wiring, tool)).address("_converter")
    except (CannotTell, ValueError):  # the tool's own check says what is wrong with it
        return
    made = {"_book": _number(wiring.book)}
    yield Place("balance converter", address, ("BalanceConverter",), made, within=True)


def pool_place(address: str) -> Place:
    return Place("pool", address, ("LendingPool",), choice=True)


def token_place(listing: Listing) -> Place:
    made = {"_decimals": listing.decimals}
    return Place(f"token {listing.symbol}", listing.token, ("DemoToken",), made, choice=True)


def _agent_values(wiring: Wiring) -> Expected:
    contacts = {} if wiring.contacts is None else {"_contacts": _number(wiring.contacts)}
    history: dict[str, int | None] = {"_history": None} if wiring.walletless else {}
    if wiring.predecessor is not None:
        history["_predecessor"] = _number(wiring.predecessor)
    ours: dict[str, int | None] = {
        **contacts,
        **history,
        **_metadata_values(wiring.metadata),
        "_executor": _number(wiring.executor),
        "_registry": _number(wiring.registry),
        "_modelNumber": wiring.model_id,
        "_config": None,
        "_maxIterations": wiring.max_iterations,
        "_toolsNeedProofs": 0,
        "_owner": _number(wiring.owner),
        "_book": _number(wiring.book),
        "_wallet": _number(wiring.wallet),
    }
    return wiring.own.expected(ours) if wiring.own else ours


def _metadata_values(metadata: Metadata) -> Expected:
    """Of `tools/ToolMetadata.sol`: where its parts begin and end in the code behind `_blob`."""
    name, description, described = metadata.lengths
    ends = (name, name + description, name + description + described)
    names = ("_descriptionStart", "_inputStart", "_end")
    return {"_blob": None, **dict(zip(names, ends, strict=True))}


def _tool(reader: ContractReader, agent: str, block: Block, address: str, pin: bytes) -> Tool:
    try:
        returned = _returned(reader, address, agent, block)
    except (NoAgentThere, RevertError) as exc:
        return Tool(address, b"", Metadata.of((b"",) * len(METADATA)), pin, str(exc))
    metadata, name = Metadata.of(returned), b""
    try:
        (name,), (description,), ((parameters,),) = (
            method.results(data) for method, data in zip(METADATA, returned, strict=True)
        )
        same = abi.metadata_hash(name, description, parameters) == metadata.pinned
    except ValueError as exc:
        return Tool(address, name[:MOST_NAME], metadata, pin, f"it says no text: {exc}")
    unread = "" if same else "what it returns is more than the texts that are read in it"
    names = tuple(each[:MOST_NAME] for _, each, _ in parameters[:MOST_PARAMETERS])
    return Tool(address, name[:MOST_NAME], metadata, pin, unread, names)


def _returned(reader: ContractReader, address: str, sender: str, block: Block) -> tuple[bytes, ...]:
    return tuple(reader.seen(address, method.call(), block, sender) for method in METADATA)


def shown_answer(data: bytes) -> str:
    """The beginning of the text in what a function returned, or of the bytes."""
    try:
        (found,) = abi.NAME.results(data)
    except ValueError:
        return f"0x{data[:20].hex()}"
    return _quoted(found)


def _quoted(text: bytes) -> str:
    shown = text[:MOST_NAME].decode("utf-8", "replace")
    return repr(shown[:MOST_SHOWN]) + ("..." if len(shown) > MOST_SHOWN else "")


def _number(address: str) -> int:
    return int(address, 16)


__all__ = [
    "AGENTS",
    "METADATA",
    "MOST_SHOWN",
    "NOBODY",
    "SUCCESSOR",
    "Metadata",
    "Tool",
    "Wiring",
    "places",
]
__all__ += ["pool_place", "read_wiring", "shown_answer", "token_place", "wallet_place"]
