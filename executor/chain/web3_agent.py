"""One agent on a real chain, read and simulated through JSON-RPC."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from web3 import Web3

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import (
    AgentIdentity,
    AgentNames,
    AgentReads,
    Block,
    Claim,
    Finished,
    Happened,
    InstructedReads,
    MissingDecision,
    RunResult,
)
from zkagent.executor.chain.effects import transfers_in
from zkagent.executor.chain.limits import MOST_TOOLS
from zkagent.executor.chain.model_ids import model_number
from zkagent.executor.chain.reader import Allowance, ContractReader
from zkagent.executor.chain.web3_happened import read_happened, token_movement
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.errors import (
    DecimalsRefused,
    NoAgentThere,
    NoAnswerYet,
    NotOnChain,
    WordRefused,
)
from zkagent.models.encoding.book import MAX_DECIMALS, Listing, check_listings
from zkagent.models.encoding.context import PARAMETER_TYPES, ToolMetadata, ToolParameter, View
from zkagent.models.encoding.symbols import checked_contact
from zkagent.models.errors import RefusedContact, RefusedSymbol
from zkagent.verifier_contracts.errors import RevertError

#: Errors that carry a simulation's result; as ABI, so that no compiler is asked for their names.
SIMULATION_ERRORS = [
    {
        "type": "error",
        "name": method.name,
        "inputs": [{"name": "", "type": kind} for kind in method.inputs],
    }
    for method in (abi.MISSING_DECISION, abi.SIMULATION_RESULT)
]


EARLIER_EXECUTOR = (
    "an executor of another version, whose events do not name the model that was obeyed, so that "
    "no run would have a receipt: deploy the agent anew"
)


class Web3Agent:
    """Implements AgentChain for the agent at `address`."""

    pins = True

    def __init__(
        self,
        web3: Web3,
        address: str,
        allowance: Allowance | None = None,
        *,
        entry: str | None = None,
    ) -> None:
        """allowance: of what its contracts answer, for an agent of a stranger's choice. entry: the
        contract that passes runs on to the agent, where it does not serve the sender itself."""
        self.reader, self.agent = ContractReader(web3, allowance), address.lower()
        self.entry = (entry or address).lower()
        self._view = self.reader.view
        self._identity = lru_cache(maxsize=64)(self._read_identity)

    def about(self, agent: str) -> "Web3Agent":
        return Web3Agent(self.reader.web3, agent, self.reader.allowance)

    def run_by(self, runner: str) -> "Web3Agent":
        from zkagent.executor.chain.plain_agent import PlainAgent

        return PlainAgent(self.reader.web3, self.agent, runner, self.reader.allowance)

    def head(self) -> Block:
        return self.reader.block("latest")

    def block(self, number: int) -> Block:
        return self.reader.block(number)

    def time(self, block: Block) -> int:
        return self.reader.time(block)

    def names(self, block: Block) -> AgentNames:
        (executor,) = self._view(self.agent, abi.EXECUTOR, block)
        (registry,) = self._view(executor, abi.REGISTRY, block)
        (number,) = self._view(self.agent, abi.MODEL_ID, block)
        tools = read_tools(self.reader, self.agent, block)
        (base_prompt,) = self._view(self.agent, abi.BASE_PROMPT, block)
        book = book_of(self.reader, self.agent, block)
        return AgentNames(
            chain_id=self.reader.chain_id,
            agent=self.agent,
            executor=executor,
            registry=registry,
            model_id=model_number(self.agent, number),
            base_prompt=base_prompt,
            tools=tuple(address for address, _ in tools),
            pinned=tuple(pin for _, pin in tools),
            book=book,
        )

    def identity(self, block: Block) -> AgentIdentity:
        return self._identity(block)

    def reads(self, block: Block, tokens: Sequence[str] = ()) -> AgentReads:
        tools = read_tools(self.reader, self.agent, block)
        (base_prompt,) = self._view(self.agent, abi.BASE_PROMPT, block)
        book = book_of(self.reader, self.agent, block)
        data, listings = read_book(self.reader, book, block)
        return AgentReads(
            block=block,
            agent=self.agent,
            base_prompt=base_prompt,
            tools=tuple(self._tool(address, block) for address, _ in tools),
            pinned=tuple(pin for _, pin in tools),
            book=listings,
            book_contract=book,
            book_data=data,
            decimals=tuple(self._decimals(tokens, block)),
            instructed=read_instructed(self.reader, self.agent, block),
        )

    def reads_of(self, step: MissingDecision, known: AgentReads) -> AgentReads:
        return known

    def answer(self, view: View, block: Block) -> bytes:
        return self.reader.seen(view.target, view.call, block)

    def simulate(
        self, prompt: bytes, claims: Sequence[Claim], sender: str, block: Block
    ) -> MissingDecision | Finished:
        data = self.simulation(prompt, [(c.model_id, c.features_hash, c.output) for c in claims])
        try:
            self.reader.call(self.entry, data, block, sender, SIMULATION_ERRORS)
        except RevertError as exc:
            if exc.data[:4] == abi.MISSING_DECISION.selector:
                return _missing(exc.data)
            if exc.data[:4] == abi.SIMULATION_RESULT.selector:
                answer, steps = abi.SIMULATION_RESULT.arguments(exc.data)
                return Finished(answer, tuple(steps))
            raise
        raise NoAgentThere(self.entry, "its simulate() returns, where it must revert")

    def simulation(self, prompt: bytes, claims: Sequence[abi.Said]) -> bytes:
        """Calldata of `simulate`."""
        return abi.SIMULATE.call(abi.prompt_input(prompt), list(claims))

    def code(self, address: str, block: Block) -> bytes:
        return self.reader.code(address, block)

    def code_hashes(self, addresses: Sequence[str], block: Block) -> tuple[bytes, ...]:
        return self.reader.code_hashes(addresses, block)

    def run_result(self, transaction: str) -> RunResult:
        return run_result(self.reader.receipt(transaction), self.agent)

    def nested_results(self, transaction: str) -> tuple[RunResult, ...]:
        return run_results(self.reader.receipt(transaction), self.agent)

    def happened(self, transaction: str) -> Happened:
        return read_happened(self.reader, transaction)

    def movement(self, token: str, account: str, block: Block) -> tuple[int, int]:
        return token_movement(self.reader, token, account, block)

    def _read_identity(self, block: Block) -> AgentIdentity:
        names = self.names(block)
        if abi.DECISION_VERIFIED.topic not in self.reader.code(names.executor, block):
            raise NoAgentThere(names.executor, EARLIER_EXECUTOR)
        model = Web3Registry(self.reader, names.registry).model(names.model_id, block)
        return AgentIdentity(
            names.chain_id,
            self.agent,
            names.executor,
            names.registry,
            model,
            proves_first=self._proves_first(block),
        )

    def _proves_first(self, block: Block) -> bool:
        """Whether frames have their proofs at hand, for whoever wants them verified before he acts:
        as whoever opens them says, a desk or runner, or the agent."""
        asked = {self.entry, self.agent}
        return any(says(self.reader, each, abi.NEEDS_PROOFS, block) for each in asked)

    def _tool(self, address: str, block: Block) -> ToolMetadata:
        (name,) = self._view(address, abi.NAME, block)
        (description,) = self._view(address, abi.DESCRIPTION, block)
        ((parameters,),) = self._view(address, abi.DESCRIBE_INPUT, block)
        if any(kind >= len(PARAMETER_TYPES) for kind, _, _ in parameters):
            raise NoAgentThere(address, "a tool with a parameter of no known type")
        described = tuple(ToolParameter(PARAMETER_TYPES[t], n, d) for t, n, d in parameters)
        return ToolMetadata(address, name, description, described)

    def _decimals(self, tokens: Sequence[str], block: Block) -> list[tuple[str, int]]:
        """Of those that tell, as the decoder contract asks them. Raises DecimalsRefused for more
        than a word, which the decoder takes and no run can name as a fact (`AgreedFacts.sol`)."""
        known = []
        for token in dict.fromkeys(tokens):
            try:
                answer = self.reader.seen(token, abi.DECIMALS.call(), block)
            except RevertError:
                continue
            places = int.from_bytes(answer[: abi.WORD], "big")
            if len(answer) < abi.WORD or places > MAX_DECIMALS:
                continue
            if len(answer) > abi.WORD:
                raise DecimalsRefused(token, len(answer))
            known.append((token, places))
        return known


def says(reader: ContractReader, agent: str, method: abi.Method, block: Block) -> bool:
    """Whether an agent says yes; those of earlier versions, who are not asked that, say no."""
    try:
        return bool(reader.view(agent, method, block)[0])
    except (NoAgentThere, RevertError):
        return False


def read_tools(reader: ContractReader, agent: str, block: Block) -> tuple[tuple[str, bytes], ...]:
    """Addresses and pins, in the agent's order. Raises NoAgentThere, also for more than we ask."""
    addresses, pins = reader.view(agent, abi.TOOLS, block)
    if len(addresses) != len(pins):
        raise NoAgentThere(agent, f"it names {len(addresses)} tools and {len(pins)} pins of them")
    if len(addresses) > MOST_TOOLS:
        why = f"it names {len(addresses)} tools, and no more than {MOST_TOOLS} are looked into"
        raise NoAgentThere(agent, why)
    return tuple(zip(addresses, pins, strict=True))


def book_of(reader: ContractReader, agent: str, block: Block) -> str:
    """The symbol book that an agent names; zero of one that decides by numbers and names none. A
    node that calls another agent such a one has no run: its features are others without a book.
    Raises NoAgentThere, RevertError."""
    try:
        return str(reader.view(agent, abi.SYMBOL_BOOK, block)[0])
    except (NoAgentThere, RevertError):
        (numeric,) = reader.view(agent, abi.SUPPORTS, block, abi.NUMERIC)
        if numeric:
            return abi.NO_DATA
        raise


def read_book(reader: ContractReader, book: str, block: Block) -> tuple[str, tuple[Listing, ...]]:
    """The contract whose code is a symbol book's list, and what is in it; zero and nothing of no
    book. Raises NoAgentThere, and WordRefused for a word that no book of this version has."""
    if book == abi.NO_DATA:
        return abi.NO_DATA, ()
    data, listed = any_book(reader, book, block)
    try:
        check_listings(listed)
    except RefusedSymbol as exc:
        raise WordRefused(book, str(exc)) from exc
    return data, listed


def any_book(reader: ContractReader, book: str, block: Block) -> tuple[str, tuple[Listing, ...]]:
    """The same of a book of any version."""
    (data,) = reader.view(book, abi.POINTER, block)
    try:
        return data, abi.listings_in(reader.code(data, block))
    except (ValueError, RefusedSymbol) as exc:
        raise NoAgentThere(book, f"a symbol book that none of ours is: {exc}") from exc


def read_instructed(reader: ContractReader, agent: str, block: Block) -> InstructedReads | None:
    """None of an agent that does not tell all of it: its model asks for none, or refuses it. Raises
    NoAgentThere for a contact book that none of ours is, and WordRefused for a name that no book of
    this version has."""
    try:
        (book,) = reader.view(agent, abi.CONTACT_BOOK, block)
        (caution,) = reader.view(agent, abi.CAUTION, block)
        (owner,) = reader.view(agent, abi.OWNER, block)
    except (NoAgentThere, RevertError):
        return None
    data, contacts = read_contacts(reader, book, block)
    check_contacts(book, contacts)
    return InstructedReads(owner, caution, book, data, contacts)


def check_contacts(book: str, contacts: Sequence[tuple[str, str]]) -> None:
    """Raises WordRefused for a name that no book of this version has."""
    try:
        for name, _ in contacts:
            checked_contact(name)
    except RefusedContact as exc:
        raise WordRefused(book, str(exc)) from exc


def read_contacts(
    reader: ContractReader, book: str, block: Block
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The contract whose code is a contact book's list, and what is in it; zero and nothing of no
    book. Raises NoAgentThere."""
    if book == abi.NO_DATA:
        return abi.NO_DATA, ()
    (data,) = reader.view(book, abi.POINTER, block)
    try:
        return data, abi.contacts_in(reader.code(data, block))
    except (ValueError, RefusedContact) as exc:
        raise NoAgentThere(book, f"a contact book that none of ours is: {exc}") from exc


def run_result(receipt: dict[str, Any], agent: str) -> RunResult:
    """The agent's one run in a transaction's receipt. Raises NotOnChain."""
    found = run_results(receipt, agent)
    if len(found) != 1:
        name = "0x" + bytes(receipt["transactionHash"]).hex()
        if not found:
            _check_answered(receipt, agent, name)
        raise NotOnChain(f"transaction {name} holds {len(found)} runs of {agent}, expected one")
    return found[0]


def _check_answered(receipt: dict[str, Any], agent: str, name: str) -> None:
    """Raises NoAnswerYet where the agent's run waits, as its event has it."""
    for log in receipt["logs"]:
        topics = [bytes(topic) for topic in log["topics"]]
        if log["address"].lower() != agent or topics[:1] != [abi.RUN_SUSPENDED.topic]:
            continue
        if len(topics) == 4 and len(log["data"]) == abi.WORD:
            number, awaited = int.from_bytes(topics[1], "big"), "0x" + topics[3][-20:].hex()
            call = int.from_bytes(bytes(log["data"]), "big", signed=True)
            raise NoAnswerYet(name, agent, number, awaited, call)


def run_results(receipt: dict[str, Any], agent: str) -> tuple[RunResult, ...]:
    """All of the agent's runs in it, in the order in which they ended. Raises NotOnChain."""
    name = "0x" + bytes(receipt["transactionHash"]).hex()
    if receipt["status"] != 1:
        raise NotOnChain(f"transaction {name} was reverted")
    events = [
        log
        for log in receipt["logs"]
        if log["address"].lower() == agent
        and [bytes(topic) for topic in log["topics"]][:1] == [abi.RUN_RESULT.topic]
    ]
    try:
        told = [abi.decode_canonical(abi.RUN_RESULT_DATA, bytes(event["data"])) for event in events]
    except ValueError as exc:  # anybody's agent may emit anything
        raise NotOnChain(f"transaction {name} holds no run of {agent} to read ({exc})") from exc
    block = Block(receipt["blockNumber"], "0x" + bytes(receipt["blockHash"]).hex())
    transfers, gas = transfers_in(receipt["logs"]), receipt["gasUsed"]
    return tuple(
        RunResult(block, gas, requester, answer, tuple(steps), transfers)
        for requester, steps, answer in told
    )


def _missing(data: bytes) -> MissingDecision:
    index, agent, model_id, features, encoded = abi.MISSING_DECISION.arguments(data)
    base_prompt, tools, reasoning, prompt = abi.decode_canonical(abi.CONTEXT, encoded)
    return MissingDecision(
        index, agent, model_id, features, base_prompt, tuple(tools), tuple(reasoning), prompt
    )
