"""What the executor needs of a chain: one agent, seen at a block, simulated and sent to.

`web3_agent.Web3Agent` is the real one; tests have one in memory, `tests/support/fakes/
memory_agent.py`. All texts are bytes, because contracts may return any; addresses are 0x and 40
lower-case hex digits. What is computed from these is in `executor/runs/derivation.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from zkagent.models.encoding.amounts import format_amount
from zkagent.models.encoding.book import Listing, SymbolBook
from zkagent.models.encoding.context import ToolMetadata, View
from zkagent.models.encoding.decoder import Argument


@dataclass(frozen=True, slots=True)
class Block:
    """A block by number and hash (0x and 64 lower-case hex digits)."""

    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class InstructedReads:
    """What an agent tells of itself whose model reads whole instructions: whom it serves, its
    owner's caution in hundredths of a log-odd, and whom it pays by which name. None of these two is
    what an agent that knows only the ERC does not tell.

    contacts: what the code of `contact_data` says, to which `contact_book` points; both are zero
    of an agent that has no such book.
    """

    owner: str | None
    caution: int | None
    contact_book: str
    contact_data: str
    contacts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AgentReads:
    """Everything on chain that a decision of `agent` depends on besides prompt and history.

    pinned: metadata hash of each tool as the agent was made with it; of an agent that pins none, as
    the tool is. book: what the code of the contract `book_data` says, to which `book_contract`
    points; both are zero of an agent that has none. decimals: of tokens that the prompt names by
    address and the book does not list. instructed: None of an agent that tells none of it. answers:
    of other contracts, which the encoder asks.
    """

    block: Block
    agent: str
    base_prompt: bytes
    tools: tuple[ToolMetadata, ...]
    pinned: tuple[bytes, ...]
    book: tuple[Listing, ...]
    book_contract: str
    book_data: str
    decimals: tuple[tuple[str, int], ...] = ()
    instructed: InstructedReads | None = None
    answers: tuple[tuple[View, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionContext:
    """The full context of one decision."""

    reads: AgentReads
    reasoning: tuple[bytes, ...]
    prompt: bytes


@dataclass(frozen=True, slots=True)
class BatchVerifier:
    """A registered verifier for up to `size` decisions in one proof."""

    size: int
    verifier: str
    circuit_hash: bytes
    code_hash: bytes


@dataclass(frozen=True, slots=True)
class AgentModel:
    """The model that an agent obeys: registry number, commitment, binding, batch verifiers."""

    model_id: int
    model_hash: bytes
    circuit_hash: bytes
    vk_hash: bytes
    proof_system_id: bytes
    uri: str
    verifier: str
    encoder: str
    decoder: str
    components: tuple[str, ...]
    onnx_digest: bytes
    manifest_digest: bytes
    inputs: int
    outputs: int
    batches: tuple[BatchVerifier, ...]
    commitment_hash: bytes

    @property
    def batch_sizes(self) -> tuple[int, ...]:
        return tuple(batch.size for batch in self.batches)

    def batch(self, size: int) -> BatchVerifier:
        return next(batch for batch in self.batches if batch.size == size)


@dataclass(frozen=True, slots=True)
class AgentNames:
    """Who serves, and what an agent of ours was made with for good: model_id: the model's number in
    the registry; tools: addresses; pinned: their metadata hashes; book: the symbol book."""

    chain_id: int
    agent: str
    executor: str
    registry: str
    model_id: int
    base_prompt: bytes
    tools: tuple[str, ...]
    pinned: tuple[bytes, ...]
    book: str


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """Who serves and who decides: addresses and the model. proves_first: decisions are proven
    before they are acted on, so that a proof cannot cover a later one."""

    chain_id: int
    agent: str
    executor: str
    registry: str
    model: AgentModel
    proves_first: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """An output for the features of this hash. output: int64 big-endian, 8 bytes each."""

    model_id: int
    features_hash: bytes
    output: bytes

    @property
    def said(self) -> tuple[int, bytes, bytes]:
        return self.model_id, self.features_hash, self.output


@dataclass(frozen=True, slots=True)
class Range:
    """Word `word` of a call's parameters may be anything from `least` to `most`."""

    word: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class AgreedCall:
    """What one decision has to come to. call_hash: `runs.terms.call_hash` of the call with the
    words of `ranges` zero."""

    call_hash: bytes
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """The word that `target` returns by `selector`, or the hash of its code where that is zeros."""

    target: str
    selector: bytes
    expected: bytes


@dataclass(frozen=True, slots=True)
class RunTerms:
    """What a run's sender agrees to. deadline: seconds since 1970, the last block time; calls: one
    for each claim; facts: what they were read from."""

    deadline: int
    calls: tuple[AgreedCall, ...]
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingDecision:
    """Simulation stopped at the first decision that no claim was given for."""

    index: int
    agent: str
    model_id: int
    features: bytes  # int16 big-endian, 2 bytes each
    base_prompt: bytes
    tools: tuple[str, ...]
    reasoning: tuple[bytes, ...]
    prompt: bytes


@dataclass(frozen=True, slots=True)
class Finished:
    """Simulation reached the final answer; steps are the reasoning entries in order."""

    answer: bytes
    steps: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class RunCall:
    """A complete atomic run, ready to be sent. proofs: one for each claim, see
    `abi.covered_by`. resumes: the agent's number of a run that waited and goes on, whose prompt is
    not sent; 0 to begin one."""

    prompt: bytes
    claims: tuple[Claim, ...]
    proofs: tuple[bytes, ...]
    terms: RunTerms
    resumes: int = 0


@dataclass(frozen=True, slots=True)
class ContractCall:
    """Any other call of the contract that a sender sends to."""

    data: bytes
    value_wei: int = 0


@dataclass(frozen=True, slots=True)
class VerifiedDecision:
    """An executor's event: it accepted a proof of this output for these features, of the model as
    this commitment has it."""

    executor: str
    model_id: int
    agent: str
    commitment_hash: bytes
    features_hash: bytes
    output_hash: bytes


@dataclass(frozen=True, slots=True)
class TokenTransfer:
    """A token's event. Addresses are lower case; units are the token's smallest."""

    token: str
    sender: str
    recipient: str
    units: int

    def describe(self, book: Sequence[Listing], decimals: Sequence[tuple[str, int]] = ()) -> str:
        """decimals: of tokens that are not in the book."""
        amount = amount_in_words(self.units, self.token, book, decimals)
        return f"{amount} from {self.sender} to {self.recipient}"


def amount_in_words(
    units: int, token: str, book: Sequence[Listing], decimals: Sequence[tuple[str, int]] = ()
) -> str:
    """``100 USDC (100000000 units of 0x...)``, or what of that is known."""
    raw, listing = f"{units} units of {token}", SymbolBook(tuple(book)).by_token(token)
    if listing:
        return f"{format_amount(units, listing.decimals)} {listing.symbol.upper()} ({raw})"
    places = dict(decimals).get(token)
    return raw if places is None else f"{format_amount(units, places)} ({raw})"


def payee_in_words(arguments: Sequence[Argument], values: Sequence[int]) -> str:
    """`` for bob, who is 0x...``, of a call that pays by name; empty for others."""
    for argument, value in zip(arguments, values, strict=False):  # a prompt has several
        if argument.slot == "recipient" and not argument.text.lower().startswith("0x"):
            return f" for {argument.text}, who is 0x{value:040x}"
    return ""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What the chain says of a run: where it is, the agent's event, and the tokens' in it."""

    block: Block
    gas_used: int
    requester: str
    answer: bytes
    steps: tuple[bytes, ...]
    transfers: tuple[TokenTransfer, ...] = ()


@dataclass(frozen=True, slots=True)
class Happened:
    """A transaction as a node has it, and the events in it, each kind in order. place: how many
    transactions of its block came before it."""

    block: Block
    parent: str  # hash of the block before
    sender: str
    receiver: str
    value_wei: int
    nonce: int
    chain_id: int | None
    data: bytes
    place: int
    verified: tuple[VerifiedDecision, ...]
    transfers: tuple[TokenTransfer, ...]


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A run that happened, with the signed transaction that caused it."""

    raw: bytes
    hash: str
    result: RunResult


class AgentChain(Protocol):
    """Reads and simulations; nothing here changes state."""

    @property
    def pins(self) -> bool:
        """Whether the agent says what it is made of and pins its tools: it is none that knows only
        the ERC."""

    def about(self, agent: str) -> "AgentChain":
        """The same chain, about another agent."""

    def run_by(self, runner: str) -> "AgentChain":
        """The same agent as one that knows only the ERC, by way of this runner."""

    def head(self) -> Block:
        """The latest block."""

    def block(self, number: int) -> Block:
        """The block of this number. Raises NotOnChain when there is none."""

    def time(self, block: Block) -> int:
        """When `block` was made by its own account: seconds since 1970. Whoever makes blocks may
        lie."""

    def names(self, block: Block) -> AgentNames:
        """What the agent answers at `block` of what never changes."""

    def identity(self, block: Block) -> AgentIdentity:
        """Who serves, and the model as the registry has it when `block` ends. Raises NoAgentThere,
        also for an executor of an earlier version."""

    def reads(self, block: Block, tokens: Sequence[str] = ()) -> AgentReads:
        """What the agent's decisions depend on; `tokens`: addresses whose decimals are wanted."""

    def reads_of(self, step: MissingDecision, known: AgentReads) -> AgentReads:
        """The same of the decision that a simulation lacks, of an agent that shows by it alone what
        it is made of; of others what is `known`."""

    def answer(self, view: View, block: Block) -> bytes:
        """What a contract returns. Raises RevertError, NoAgentThere."""

    def simulate(
        self, prompt: bytes, claims: Sequence[Claim], sender: str, block: Block
    ) -> MissingDecision | Finished:
        """Run up to the first decision without a claim. Raises RevertError for the run's own
        failure, such as a tool that reverts."""

    def code(self, address: str, block: Block) -> bytes:
        """What stands at an address at `block`; empty for nothing."""

    def code_hashes(self, addresses: Sequence[str], block: Block) -> tuple[bytes, ...]:
        """Keccak-256 of the code at each address at `block`."""

    def run_result(self, transaction: str) -> RunResult:
        """The run that happened in the transaction of this hash. Raises NotOnChain when there is
        no such transaction, when it failed, or when it holds no run of the agent."""

    def nested_results(self, transaction: str) -> tuple[RunResult, ...]:
        """The runs of the agent in this transaction, in the order in which they ended. Raises
        NotOnChain when there is no such transaction, or when it failed."""

    def happened(self, transaction: str) -> Happened:
        """What the node has of this transaction. Raises NotOnChain; CannotVerify when the node
        contradicts itself."""

    def movement(self, token: str, account: str, block: Block) -> tuple[int, int]:
        """By how many units an account's balance grew in `block`: by the token's events, and by the
        balances before and after. Raises RevertError, NoAgentThere for what is no token."""


class RunSender(Protocol):
    """Sends runs from one account. Both methods raise RevertError when the run reverts."""

    @property
    def account(self) -> str:
        """Who pays and who is the requester."""

    def estimate_gas(self, call: RunCall) -> int:
        """Gas units the run takes. Raises InsufficientFunds too."""

    def send(self, call: RunCall, gas: int) -> Inclusion:
        """Sign, send, wait."""
