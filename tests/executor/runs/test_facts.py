"""Which facts a run relies on: everything that turns its words into tokens and units."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from eth_utils.crypto import keccak

from tests.executor.drain import AGENT, BOOK_DATA, DAI, PROMPT, SYMBOL_BOOK, USDC, drain_prover
from tests.support.fakes.memory_agent import MemoryAgent
from zkagent.executor.chain.agent import AgentReads, Fact, amount_in_words
from zkagent.executor.errors import TokenContradicted
from zkagent.executor.runs.derivation import facts_of, has_facts
from zkagent.executor.runs.runner import AgentRunner
from zkagent.models.catalogue import Model
from zkagent.models.encoding.book import Listing
from zkagent.models.encoding.decoder import Argument, Decision

OTHER = "0x" + "cd" * 20
LISTED = (
    b"\0"
    + (b"usdc".ljust(11, b"\0") + b"\6" + bytes.fromhex(USDC[2:]))
    + (b"dai".ljust(11, b"\0") + b"\22" + bytes.fromhex(DAI[2:]))
)
BOOK_FACTS = (
    Fact(AGENT, keccak(text="symbolBook()")[:4], bytes(12) + bytes.fromhex(SYMBOL_BOOK[2:])),
    Fact(SYMBOL_BOOK, keccak(text="pointer()")[:4], bytes(12) + bytes.fromhex(BOOK_DATA[2:])),
    Fact(BOOK_DATA, bytes(4), keccak(LISTED)),
)
DECIMALS = keccak(text="decimals()")[:4]


def call_about(asset: str) -> Decision:
    argument = Argument("asset", asset, "prompt")
    token = int(asset, 16) if asset.startswith("0x") else int(USDC, 16)
    return Decision("call", "ViewBalance", (argument,), (token,), "", "")


@pytest.fixture
def reads(agent: MemoryAgent) -> AgentReads:
    return agent.reads_now


def test_a_run_relies_on_the_book_once(runner: AgentRunner) -> None:
    proven = runner.prove(runner.plan(PROMPT))
    assert proven.terms.facts == BOOK_FACTS


def test_an_answer_relies_on_the_book_and_on_what_it_asked_tokens(reads: AgentReads) -> None:
    """Whether "0.000 of a token" is nothing depends on its decimals, too."""
    answer = Decision("zero", "answer", (), (), "nothing to do", "")
    assert facts_of([(reads, answer)]) == BOOK_FACTS
    told = replace(reads, decimals=((OTHER, 3), (USDC, 6)))
    own = Fact(OTHER, DECIMALS, (3).to_bytes(32, "big"))
    assert facts_of([(told, answer)]) == (*BOOK_FACTS, own)


def test_answers_alone_had_no_facts_under_earlier_versions(reads: AgentReads) -> None:
    answer, call = Decision("ask", "answer", (), (), "which?", ""), call_about("USDC")
    assert has_facts((), [(reads, answer)])
    assert has_facts(BOOK_FACTS, [(reads, answer)])
    assert not has_facts(BOOK_FACTS[:2], [(reads, answer)])
    assert not has_facts((), [(reads, call)])
    assert not has_facts((), [(reads, answer), (reads, call)])


def test_a_token_outside_of_the_book_is_relied_on_for_its_decimals(reads: AgentReads) -> None:
    """And no other address of the prompt, such as a recipient's that is a token's, too."""
    told = replace(reads, decimals=((OTHER, 3), ("0x" + "ee" * 20, 4)))
    twice = [(told, call_about("0x" + "Cd" * 20)), (told, call_about(OTHER))]
    own = Fact(OTHER, DECIMALS, (3).to_bytes(32, "big"))
    assert facts_of(twice) == (*BOOK_FACTS, own)


def test_a_listed_token_is_not_asked_itself(reads: AgentReads) -> None:
    told = replace(reads, decimals=((USDC, 18),))
    assert facts_of([(told, call_about(USDC)), (told, call_about("usdc"))]) == BOOK_FACTS


def test_a_nested_agents_book_is_relied_on_as_well(reads: AgentReads) -> None:
    nested = replace(reads, agent=OTHER)
    facts = facts_of([(reads, call_about("USDC")), (nested, call_about("USDC"))])
    assert facts == (*BOOK_FACTS, replace(BOOK_FACTS[0], target=OTHER))


def test_units_are_shown_where_decimals_are_unknown() -> None:
    assert amount_in_words(7, OTHER, ()) == f"7 units of {OTHER}"
    assert amount_in_words(7, OTHER, (), ((OTHER, 2),)) == f"0.07 (7 units of {OTHER})"


RIGHT = (Listing("USDC", USDC, 6), Listing("WBTC", OTHER, 8))


@pytest.mark.parametrize(
    ("known", "stopped"),
    [
        (RIGHT, False),
        ((Listing("USDC", USDC, 18),), True),
        ((Listing("usdc", OTHER, 6),), True),
        ((Listing("Coin", USDC, 6),), False),
        ((Listing("Coin", USDC, 18),), True),
        ((Listing("DAI", OTHER, 2),), False),  # which the run does not touch
        ((), False),
    ],
)
def test_a_node_that_contradicts_the_owners_record_gets_no_plan(
    agent: MemoryAgent, drain: Model, known: tuple[Listing, ...], stopped: bool
) -> None:
    runner = AgentRunner(agent, agent, drain, drain_prover(drain), known=known)
    if not stopped:
        assert runner.plan(PROMPT).answer
        return
    with pytest.raises(TokenContradicted, match="ask another node") as caught:
        runner.run(PROMPT)
    assert "\n" not in str(caught.value)
    assert agent.results == {}


Lie = Callable[[Listing], Listing]


@pytest.mark.parametrize(
    "lie",
    [
        lambda listing: replace(listing, decimals=18),
        lambda listing: replace(listing, decimals=4),
        lambda listing: replace(listing, token=OTHER),
    ],
)
def test_what_was_signed_on_a_lie_does_not_happen(
    agent: MemoryAgent, runner: AgentRunner, lie: Lie
) -> None:
    """The chain keeps its book; the call was planned by another one, whatever else it agrees to."""
    truth = agent.reads_now
    usdc, dai = truth.book
    call = runner.prove(runner.plan(PROMPT)).call
    believed = replace(truth, book=(lie(usdc), dai))
    decided = [(believed, call_about("USDC"))]
    lied = replace(call, terms=replace(call.terms, facts=facts_of(decided)))
    assert agent.estimate_gas(call)
    with pytest.raises(Exception, match="FactChanged") as caught:
        agent.estimate_gas(lied)
    assert caught.typename == "RevertError"
