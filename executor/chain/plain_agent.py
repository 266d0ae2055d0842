"""An agent that knows only the ERC, seen and simulated by way of its runner or a desk.

The ERC has no getters: what such an agent is made of shows in what it asks its executor. So the
planner takes instructions, tools and model from the decisions that a simulation lacks. Nothing of
it is pinned: what a receipt says of these tools is what they said around the run.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from web3 import Web3

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import (
    AgentNames,
    AgentReads,
    Block,
    Claim,
    Finished,
    InstructedReads,
    MissingDecision,
)
from zkagent.executor.chain.limits import MOST_TOOLS
from zkagent.executor.chain.reader import Allowance, ContractReader
from zkagent.executor.chain.web3_agent import (
    Web3Agent,
    check_contacts,
    read_book,
    read_contacts,
)
from zkagent.executor.errors import NoAgentThere
from zkagent.models.encoding.book import Listing
from zkagent.models.encoding.context import PARAMETER_TYPES, ToolMetadata, ToolParameter
from zkagent.verifier_contracts.errors import RevertError

#: What an agent is asked to see what it is made of. Nothing comes of it.
PROBE = b"what is my balance?"
#: What `encoding/Strangers.sol` gives to answer a question, and what a call costs before it begins.
ANSWER_GAS = 200_000 + 21_064


class PlainAgent(Web3Agent):
    """Implements AgentChain for an agent that `entry` runs: a runner, for its owner, or a desk, for
    everybody. Raises NoAgentThere."""

    pins = False

    def __init__(
        self,
        web3: Web3,
        agent: str,
        entry: str,
        allowance: Allowance | None = None,
        *,
        owned: bool = True,
    ) -> None:
        """owned: whether `entry` simulates for its owner alone."""
        super().__init__(web3, agent, allowance, entry=entry)
        self._owned = owned
        self._probe = lru_cache(maxsize=64)(self._read_probe)

    def names(self, block: Block) -> AgentNames:
        (run,) = self._view(self.entry, abi.RUN_BY, block)
        if run != self.agent:
            raise NoAgentThere(self.entry, f"it runs {run}, and not {self.agent}")
        if _pins(self.reader, self.agent, block):
            raise NoAgentThere(self.agent, "it pins model and tools, and is to be run as it says")
        (executor,) = self._view(self.entry, abi.EXECUTOR, block)
        (registry,) = self._view(executor, abi.REGISTRY, block)
        reads, seen = self.reads(block), self._probe(block)
        return AgentNames(
            chain_id=self.reader.chain_id,
            agent=self.agent,
            executor=executor,
            registry=registry,
            model_id=seen.model_id,
            base_prompt=reads.base_prompt,
            tools=seen.tools,
            pinned=reads.pinned,
            book=reads.book_contract,
        )

    def reads(self, block: Block, tokens: Sequence[str] = ()) -> AgentReads:
        return self._reads(self._probe(block), block, tokens)

    def reads_of(self, step: MissingDecision, known: AgentReads) -> AgentReads:
        asked = step.base_prompt, step.tools
        if asked == (known.base_prompt, tuple(tool.address for tool in known.tools)):
            return known
        return replace(self._reads(step, known.block), decimals=known.decimals)

    def simulate(
        self, prompt: bytes, claims: Sequence[Claim], sender: str, block: Block
    ) -> MissingDecision | Finished:
        """Without the blank entries that the ERC's sample has in its reasoning, which count for
        nothing."""
        step = super().simulate(prompt, claims, sender, block)
        if isinstance(step, MissingDecision):
            return replace(step, reasoning=tuple(entry for entry in step.reasoning if entry))
        return step

    def _reads(self, seen: MissingDecision, block: Block, tokens: Sequence[str] = ()) -> AgentReads:
        if len(seen.tools) > MOST_TOOLS:
            why = f"it names {len(seen.tools)} tools, and no more than {MOST_TOOLS} are looked into"
            raise NoAgentThere(self.agent, why)
        tools = tuple(self._stranger(address, block) for address in seen.tools)
        book, data = self._told(self.agent, abi.SYMBOL_BOOK, block), abi.NO_DATA
        listings: tuple[Listing, ...] = ()
        if self._told(book, abi.POINTER, block) == abi.NO_DATA:
            book = abi.NO_DATA
        else:
            data, listings = read_book(self.reader, book, block)
        return AgentReads(
            block=block,
            agent=self.agent,
            base_prompt=seen.base_prompt,
            tools=tools,
            pinned=tuple(map(_metadata_hash, tools)),
            book=listings,
            book_contract=book,
            book_data=data,
            decimals=tuple(self._decimals(tokens, block)),
            instructed=self._instructed(block),
        )

    def _read_probe(self, block: Block) -> MissingDecision:
        asker = abi.NO_HANDLER
        if self._owned:
            (asker,) = self._view(self.entry, abi.OWNER, block)
        try:
            seen = self.simulate(PROBE, (), asker, block)
        except RevertError as exc:
            raise NoAgentThere(self.agent, f"asked {PROBE.decode()!r} it reverts: {exc}") from exc
        if not isinstance(seen, MissingDecision):
            why = "it answers without asking the executor that it should: likely it asks another"
            raise NoAgentThere(self.agent, why)
        if seen.agent != self.agent:
            raise NoAgentThere(self.agent, f"the first decision is another agent's, {seen.agent}")
        return seen

    def _stranger(self, address: str, block: Block) -> ToolMetadata:
        """What a tool says of itself, as far as it does."""
        name = self._answer(address, abi.NAME, block)
        if name is None:
            return ToolMetadata(address, b"", b"", ())
        description = self._answer(address, abi.DESCRIPTION, block) or (b"",)
        told = self._answer(address, abi.DESCRIBE_INPUT, block)
        parameters = told[0][0] if told else ()
        if any(kind >= len(PARAMETER_TYPES) for kind, _, _ in parameters):
            parameters = ()
        described = tuple(ToolParameter(PARAMETER_TYPES[t], n, d) for t, n, d in parameters)
        return ToolMetadata(address, name[0], description[0], described)

    def _instructed(self, block: Block) -> InstructedReads | None:
        """What of it the agent tells; None of one that tells nothing."""
        owner = self._told(self.agent, abi.OWNER, block)
        caution = self._answer(self.agent, abi.CAUTION, block)
        book = self._told(self.agent, abi.CONTACT_BOOK, block)
        if self._told(book, abi.POINTER, block) == abi.NO_DATA:
            book = abi.NO_DATA
        if (owner, caution, book) == (abi.NO_DATA, None, abi.NO_DATA):
            return None
        data, contacts = read_contacts(self.reader, book, block)
        check_contacts(book, contacts)
        told = None if owner == abi.NO_DATA else owner
        return InstructedReads(told, caution[0] if caution else None, book, data, contacts)

    def _told(self, address: str, method: abi.Method, block: Block) -> str:
        """The address that somebody names; zero where nobody does."""
        if address == abi.NO_DATA:
            return abi.NO_DATA
        found = self._answer(address, method, block)
        return str(found[0]) if found else abi.NO_DATA

    def _answer(self, address: str, method: abi.Method, block: Block) -> tuple[Any, ...] | None:
        """As `encoding/Strangers.sol` asks; None where there is none."""
        try:
            return self._view(address, method, block, gas=ANSWER_GAS)
        except (NoAgentThere, RevertError):
            return None


def agent_at(
    web3: Web3, address: str, allowance: Allowance | None = None, *, entry: str | None = None
) -> Web3Agent:
    """The agent at `address`, or the one that a runner there runs. What is neither is taken for an
    agent, which says what it is when it is asked. entry: as `Web3Agent` has it; a desk, where the
    agent knows only the ERC. Raises ChainError."""
    reader = ContractReader(web3, allowance)
    head = reader.block("latest")
    owned = entry is None
    if entry is None:
        run = _answers(reader, address, abi.RUN_BY, head)
        if not run or not _answers(reader, address, abi.OWNER, head):
            return Web3Agent(web3, address, allowance)
        (address, entry) = (str(run[0]), address)
    if _pins(reader, address, head):
        return Web3Agent(web3, address, allowance, entry=entry)
    return PlainAgent(web3, address, entry, allowance, owned=owned)


def _pins(reader: ContractReader, agent: str, block: Block) -> bool:
    """Whether an agent tells which model it obeys, as one that knows only the ERC does not."""
    return bool(_answers(reader, agent, abi.PINNED_COMMITMENT, block))


def _answers(
    reader: ContractReader, address: str, method: abi.Method, block: Block
) -> tuple[Any, ...]:
    """Empty where there is no answer."""
    try:
        return reader.view(address, method, block)
    except (NoAgentThere, RevertError):
        return ()


def _metadata_hash(tool: ToolMetadata) -> bytes:
    described = [(PARAMETER_TYPES.index(p.type), p.name, p.description) for p in tool.parameters]
    return abi.metadata_hash(tool.name, tool.description, described)


__all__ = ["PlainAgent", "agent_at"]
