"""From a context to features and from an output to a decision, by the Python reference.

Planning compares the chain with these; `verify-run` re-derives every recorded step with them.

An amount in words is worth what says how many units a token has. Calls agree to units, and a node
that tells other decimals wherever it is asked would have its reader agree to others than were
shown. So a transaction names the facts that its decisions were read from, and the executor looks
(`executor/AgreedFacts.sol`).
"""

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from eth_utils.crypto import keccak

from zkagent.executor.chain.abi import (
    CAUTION,
    CONTACT_BOOK,
    DECIMALS,
    FEATURE_BYTES,
    NO_DATA,
    OUTPUT_BYTES,
    OWNER,
    POINTER,
    SYMBOL_BOOK,
    WORD,
    book_code,
    contacts_code,
    metadata_hash,
    pack,
)
from zkagent.executor.chain.agent import (
    AgentChain,
    AgentReads,
    Block,
    Claim,
    DecisionContext,
    Fact,
    InstructedReads,
)
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import ContactBook, SymbolBook, plain_book
from zkagent.models.encoding.context import PARAMETER_TYPES, Context, ToolMetadata, View
from zkagent.models.encoding.decoder import PROMPT, READ, Decision, ToolSignature
from zkagent.models.errors import DuplicateTool, ModelError
from zkagent.verifier_contracts.errors import RevertError

OBSERVATION = b"Observation: "
ADDRESS = re.compile(rb"0x[0-9a-fA-F]{40}", re.ASCII)
#: Of an agent that knows only the ERC.
TELLS_NOTHING = InstructedReads(None, None, NO_DATA, NO_DATA, ())
#: In place of a selector: the fact is about the target's code.
CODE = bytes(4)


def check_prompt(model: Model, prompt: bytes) -> None:
    """Refuse what the encoder refuses whatever an agent's symbol book lists: with none, a prompt
    has the fewest tokens and candidates. Raises zkagent.models.errors.RefusedText."""
    model.check(Context(prompt, (), plain_book([])))


def check_text(model: Model, prompt: bytes, reads: AgentReads) -> None:
    """The same with the agent's symbol book. Raises zkagent.models.errors.RefusedText."""
    model.check(context_of(DecisionContext(reads, (), prompt)))


def derive_features(model: Model, context: DecisionContext) -> tuple[int, ...]:
    """x, as the encoder contract must derive it. Raises zkagent.models.errors.RefusedText."""
    return model.encode(context_of(context))


def derive_decision(
    model: Model, context: DecisionContext, y: Sequence[int], *, asks: bool = True
) -> Decision:
    """What `y` means in `context`. asks: as `decoder.decode` has it. Raises models'
    RefusedArgument or OutputOutOfRange.

    Of several tools of the name that is called, terms and receipts could not say which is meant, so
    none is called from here, be it that the contract takes one of them."""
    tools = tool_signatures(context.reads)
    found = model.decode(context_of(context), y, tools, dict(context.reads.decimals), asks=asks)
    if found.kind == "call" and sum(tool.name == found.action for tool in tools) > 1:
        raise DuplicateTool(found.action)
    return found


def tool_signatures(reads: AgentReads) -> tuple[ToolSignature, ...]:
    """The agent's tools, as the decoder matches a decision with them."""
    return tuple(
        ToolSignature(text(tool.name), tuple(p.type for p in tool.parameters))
        for tool in reads.tools
    )


def context_of(context: DecisionContext) -> Context:
    """As models take it."""
    reads = context.reads
    told = reads.instructed or TELLS_NOTHING
    return Context(
        context.prompt,
        context.reasoning,
        SymbolBook(reads.book),
        ContactBook(told.contacts),
        told.owner,
        told.caution,
        agent=reads.agent,
        answers=dict(reads.answers),
        tools=reads.tools,
        pins=reads.pinned,
        tokens=frozenset(dict(reads.decimals)) if is_bookless(reads) else frozenset(),
    )


def is_bookless(reads: AgentReads) -> bool:
    """Whether the agent names tokens by their addresses alone."""
    return reads.book_data == NO_DATA


def addresses_in(prompt: bytes) -> tuple[str, ...]:
    """What may be a token to an agent without a book."""
    return tuple(dict.fromkeys(found.decode().lower() for found in ADDRESS.findall(prompt)))


def with_tokens(chain: AgentChain, reads: AgentReads, prompt: bytes) -> AgentReads:
    """With the decimals of what the prompt names by address, of an agent without a book. Raises
    ChainError, NoAgentThere, DecimalsRefused."""
    if not is_bookless(reads) or not (named := addresses_in(prompt)):
        return reads
    return chain.reads(reads.block, named)


@lru_cache(maxsize=256)
def tool_hash(tool: ToolMetadata) -> bytes:
    """The 32 bytes that the agent pins of a tool, as `agents/ToolPins.sol` computes them."""
    described = [(PARAMETER_TYPES.index(p.type), p.name, p.description) for p in tool.parameters]
    return metadata_hash(tool.name, tool.description, described)


def features_hash(x: Sequence[int]) -> bytes:
    """The 32 bytes by which a claim names the features it is for."""
    return keccak(pack(x, FEATURE_BYTES))


def claim_for(model_id: int, x: Sequence[int], y: Sequence[int]) -> Claim:
    return Claim(model_id, features_hash(x), pack(y, OUTPUT_BYTES))


def reasoning_entry(decision: Decision, observation: bytes) -> bytes:
    """What the agent adds to its history; `observation` is already escaped."""
    return decision.reasoning.encode() + OBSERVATION + observation + b"\n"


def observation_in(entry: bytes, decision: Decision) -> bytes | None:
    """The escaped observation of an entry that `decision` led to; None when it is no such entry."""
    start = decision.reasoning.encode() + OBSERVATION
    if not entry.startswith(start) or not entry.endswith(b"\n"):
        return None
    return entry[len(start) : -1]


class _Asked(Mapping[str, int]):
    """Knows no token's decimals, and remembers whose were asked for."""

    def __init__(self) -> None:
        self.tokens: list[str] = []

    def __getitem__(self, token: str) -> int:
        self.tokens.append(token)
        raise KeyError(token)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def asked_tokens(model: Model, context: DecisionContext, y: Sequence[int]) -> tuple[str, ...]:
    """Whose own decimals the decision asks for: its asset's, where the book does not list it. The
    contract asks nobody else either, so whoever is paid has no say in a run."""
    asked = _Asked()
    with contextlib.suppress(ModelError):  # which `derive_decision` raises again
        model.decode(context_of(context), y, tool_signatures(context.reads), asked)
    return tuple(dict.fromkeys(asked.tokens))


def with_decimals(
    chain: AgentChain, model: Model, context: DecisionContext, y: Sequence[int]
) -> DecisionContext:
    """The context of a decision with the decimals that it asks for. Raises ChainError,
    NoAgentThere, DecimalsRefused."""
    known = {token for token, _ in context.reads.decimals}
    asked = asked_tokens(model, context, y)
    if known.issuperset(asked):
        return context
    told = chain.reads(context.reads.block, (*known, *asked)).decimals
    return replace(context, reads=replace(context.reads, decimals=told))


def with_answers(chain: AgentChain, model: Model, context: DecisionContext) -> DecisionContext:
    """The context with all that the model's encoder asks other contracts. Raises ChainError,
    RevertError, and zkagent.models.errors.RefusedText like `derive_features`."""
    while True:
        known = dict(context.reads.answers)
        asked = [view for view in model.views(context_of(context)) if view not in known]
        if not asked:
            return context
        found = tuple((view, _answer(chain, view, context.reads.block)) for view in asked)
        reads = replace(context.reads, answers=(*context.reads.answers, *found))
        context = replace(context, reads=reads)


def _answer(chain: AgentChain, view: View, block: Block) -> bytes:
    try:
        return chain.answer(view, block)
    except RevertError:
        if view.optional:
            return b""
        raise


def facts_of(decisions: Iterable[tuple[AgentReads, Decision]]) -> tuple[Fact, ...]:
    """What the words of these decisions rest on, each fact once."""
    found: dict[Fact, None] = {}
    for reads, decision in decisions:
        told = (*book_facts(reads), *instructed_facts(reads), *_own_decimals(reads, decision))
        found |= dict.fromkeys(told)
    return tuple(found)


def has_facts(facts: Sequence[Fact], decisions: Sequence[tuple[AgentReads, Decision]]) -> bool:
    """Whether somebody signed what these decisions rest on. Under earlier versions of this program
    answers alone, without a call, rested on nothing; no agent told of contacts then."""
    return facts == facts_of(decisions) or (not facts and not any(map(_has_to_rest, decisions)))


def _has_to_rest(made: tuple[AgentReads, Decision]) -> bool:
    reads, decision = made
    return decision.kind == "call" or reads.instructed is not None


def book_facts(reads: AgentReads) -> tuple[Fact, ...]:
    """Which book the agent has, which contract its list is, and what is in it; none of an agent
    without. That it has none is no word that the chain could confirm: features say it."""
    if is_bookless(reads):
        return ()
    return (
        Fact(reads.agent, SYMBOL_BOOK.selector, _word(int(reads.book_contract, 16))),
        Fact(reads.book_contract, POINTER.selector, _word(int(reads.book_data, 16))),
        Fact(reads.book_data, CODE, keccak(book_code(reads.book))),
    )


def instructed_facts(reads: AgentReads) -> tuple[Fact, ...]:
    """Whom the agent serves, how sure it has to be, which contact book it has and what is in it;
    none of an agent that tells none of it."""
    if (told := reads.instructed) is None:
        return ()
    facts: tuple[Fact, ...] = ()
    if told.owner is not None:
        facts += (Fact(reads.agent, OWNER.selector, _word(int(told.owner, 16))),)
    if told.caution is not None:
        facts += (Fact(reads.agent, CAUTION.selector, _word(told.caution)),)
    if told.contact_book != NO_DATA or None not in (told.owner, told.caution):
        facts += (Fact(reads.agent, CONTACT_BOOK.selector, _word(int(told.contact_book, 16))),)
    if told.contact_book == NO_DATA:
        return facts
    listed = keccak(contacts_code(told.contacts))
    return (
        *facts,
        Fact(told.contact_book, POINTER.selector, _word(int(told.contact_data, 16))),
        Fact(told.contact_data, CODE, listed),
    )


def decimals_fact(token: str, decimals: int) -> Fact:
    """What a token says of itself."""
    return Fact(token, DECIMALS.selector, _word(decimals))


def _own_decimals(reads: AgentReads, decision: Decision) -> tuple[Fact, ...]:
    """Of an asset that the book does not list, where the token tells. An answer does not say what
    it is about, so it rests on all that was asked for it; and without a book all features rest on
    what the addresses in the prompt tell."""
    told, book = dict(reads.decimals), SymbolBook(reads.book)
    tokens: Iterable[str] = told
    if decision.kind == "call" and not is_bookless(reads):
        named = (word for slot, word in words_by_slot(decision).items() if slot == "asset")
        tokens = (f"0x{word:040x}" for word in named)
    return tuple(decimals_fact(t, told[t]) for t in tokens if t in told and not book.by_token(t))


def words_by_slot(decision: Decision) -> dict[str, int]:
    """The word of each argument of a call whose slots are a manifest's; none of others: neither
    what another agent is asked nor what tools call their parameters is known here."""
    filled = decision.arguments
    if any(each.source == READ for each in filled) or [each.slot for each in filled] == [PROMPT]:
        return {}
    return dict(zip((each.slot for each in filled), decision.values, strict=False))


def _word(value: int) -> bytes:
    return value.to_bytes(WORD, "big")


def text(raw: bytes) -> str:
    """Bytes of a contract as text that turns back into the same bytes."""
    return raw.decode("utf-8", "surrogateescape")


def raw_bytes(shown: str) -> bytes:
    """The inverse of `text`."""
    return shown.encode("utf-8", "surrogateescape")
