"""What a model alone says about a text: no proof, no chain."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from zkagent.executor.api.arguments import AnyPath, any_model_of, text_of, texts_of
from zkagent.executor.chain.agent import AgentChain, AgentReads, Block, DecisionContext
from zkagent.executor.errors import ObservationWithoutCall
from zkagent.executor.runs.derivation import context_of, tool_signatures, with_answers
from zkagent.models.catalogue import AnyModel, Model
from zkagent.models.classifier.files import TextClassifier
from zkagent.models.encoding.book import DEMO_CONTACT, ContactBook, demo_book
from zkagent.models.encoding.context import Context, escape_observation
from zkagent.models.encoding.decoder import Decision, ToolSignature
from zkagent.models.encoding.symbols import checked_symbol
from zkagent.models.errors import PromptNotAscii, UnknownDecimals, WrongKind

ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
#: Of a demo agent that is imagined.
OWNER, FRIEND = "0x" + "0d" * 20, "0x" + "0f" * 20


def decide(
    model: AnyModel | AnyPath,
    prompt: str,
    observations: Iterable[str] = (),
    *,
    symbols: Iterable[str] = (),
) -> Decision:
    """What the model decides about an instruction: a tool call or the final answer.

        >>> decision = zkagent.decide("wallet", "withdraw 5 USDC from the pool")
        >>> decision.action, [argument.text for argument in decision.arguments]
        ('Withdraw', ['USDC', '5'])

    model: itself, its name or folder. observations: what the tools of the decisions so far
    returned, in order. symbols: assets that the agent's book lists besides those of the demo
    agent's, which have 18 decimals, as tokens given by address. Raises ArgumentRefused, ModelError,
    RefusedText, RefusedArgument, ObservationWithoutCall when an earlier decision was already the
    answer, and WrongKind for a text classifier, which only has labels.
    """
    return decide_after(model, prompt, observations, symbols)[0]


def encode(
    model: AnyModel | AnyPath,
    prompt: str,
    observations: Iterable[str] = (),
    *,
    symbols: Iterable[str] = (),
) -> tuple[int, ...]:
    """The features x that the decision follows from, which is what `prove` takes.

        >>> len(zkagent.encode("wallet", "withdraw 5 USDC from the pool"))
        137

    The arguments and errors are those of `decide`; of a text classifier it takes the text alone.
    """
    given, listed = texts_of("observations", observations), texts_of("symbols", symbols)
    loaded, prompt = any_model_of(model), text_of("prompt", prompt)
    if isinstance(loaded, TextClassifier) and not (given or listed):
        return loaded.features(prompt)
    agents = _agents_model(loaded)
    if not given:
        return agents.encode(_imagined(agents, prompt, listed).context)
    return agents.encode(decide_after(agents, prompt, given, listed)[1])


def decide_after(
    given: AnyModel | AnyPath,
    prompt: str,
    observations: Iterable[str] = (),
    symbols: Iterable[str] = (),
    *,
    reads: AgentReads | None = None,
) -> tuple[Decision, Context]:
    """The decision after as many iterations as there are observations, and the context it was made
    in. reads: of an agent that is there, whose book and tools then count. Raises like `decide`."""
    model, prompt = _agents_model(any_model_of(given)), text_of("prompt", prompt)
    listed = texts_of("symbols", symbols)
    agent = _seen(reads, prompt) if reads else _imagined(model, prompt, listed)
    context = agent.context
    decision = model.decide(context, agent.tools, agent.decimals)
    for number, text in enumerate(texts_of("observations", observations), start=1):
        if decision.action == "answer":
            raise ObservationWithoutCall(number, decision.answer)
        context = _followed(context, decision, text)
        decision = model.decide(context, agent.tools, agent.decimals)
    return decision, context


def decide_at(
    model: Model, prompt: str, observations: Iterable[str], chain: AgentChain, at: Block
) -> Decision:
    """As `decide_after`, for an agent on a chain. Of tokens that its book does not list, only those
    that a decision is about are asked for their decimals. Raises ChainError, RevertError,
    NoAgentThere and DecimalsRefused, too."""
    reads, given = chain.reads(at), tuple(observations)
    while True:
        reads = with_answers(chain, model, DecisionContext(reads, (), _bytes_of(prompt))).reads
        try:
            return decide_after(model, prompt, given, reads=reads)[0]
        except UnknownDecimals as exc:
            known = dict(reads.decimals)
            if not exc.token.startswith("0x") or exc.token in known:
                raise
            reads = chain.reads(at, (*known, exc.token))
            if exc.token not in dict(reads.decimals):
                raise


def decode_first(given: AnyModel, prompt: str, y: Sequence[int]) -> Decision:
    """What `y` means as the first decision about an instruction. Raises RefusedText,
    RefusedArgument, OutputOutOfRange, WrongKind."""
    model = _agents_model(given)
    agent = _imagined(model, prompt, ())
    return model.decode(agent.context, y, agent.tools, agent.decimals)


@dataclass(frozen=True)
class _Surroundings:
    """What of an agent a decision depends on. context: before anything was decided. tools: None for
    all that the model knows; decimals: of tokens that the prompt names by address."""

    context: Context
    tools: Sequence[ToolSignature] | None
    decimals: dict[str, int]


def _imagined(model: Model, prompt: str, symbols: Iterable[str]) -> _Surroundings:
    """A demo agent, with its one contact."""
    book = demo_book([*model.manifest.symbols, *map(checked_symbol, symbols)])
    contacts, caution = ContactBook(((DEMO_CONTACT, FRIEND),)), model.caution or 0
    context = Context(_bytes_of(prompt), (), book, contacts, OWNER, caution)
    return _Surroundings(context, None, _decimals(prompt))


def _seen(reads: AgentReads, prompt: str) -> _Surroundings:
    context = context_of(DecisionContext(reads, (), _bytes_of(prompt)))
    return _Surroundings(context, tool_signatures(reads), dict(reads.decimals))


def _agents_model(model: AnyModel) -> Model:
    if not isinstance(model, Model):
        raise WrongKind(model.name, model.kind, Model.kind)
    return model


def _bytes_of(shown: str) -> bytes:
    """Raises PromptNotAscii for what stands for no bytes, such as half of a pair of surrogates."""
    try:
        return shown.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as exc:
        raise PromptNotAscii(exc.start) from exc


def _decimals(prompt: str) -> dict[str, int]:
    return {address.lower(): 18 for address in ADDRESS.findall(prompt)}


def _followed(context: Context, decision: Decision, observation: str) -> Context:
    """The context of the next decision."""
    observed = escape_observation(_bytes_of(observation))
    entry = decision.reasoning.encode() + b"Observation: " + observed + b"\n"
    return replace(context, reasoning=(*context.reasoning, entry))


__all__ = ["decide", "decide_after", "decode_first", "encode"]
