"""An agent that has each decision proven before it acts on it, beside the usual one: what both do,
what it costs, and the same attacks."""

from collections.abc import Iterator
from dataclasses import replace

from zkagent.executor.chain.abi import DECISION_VERIFIED, Method
from zkagent.executor.chain.embedded import EmbeddedChain, fund
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.demo.chapters.chapter import Line, World, happened, of_attack
from zkagent.executor.demo.story import attack
from zkagent.executor.runs.runner import CompletedRun
from zkagent.executor.runs.session import Session
from zkagent.verifier_contracts.deployment.wallet import WalletPlan, another_agent

PROMPT = b"withdraw all my USDC"
TRANSFER = Method("Transfer", ("address", "address", "uint256"))
#: A strict run with ezkl's proofs takes some 6 percent more, one with Groth16's some 60.
MOST_PERCENT = 80


def strict_order(world: World) -> Iterator[Line]:
    usual, strict = (_opened(world, strict=strict) for strict in (False, True))
    done = usual[0].runner.run(PROMPT)
    yield _ran(world, "the usual agent", done, False)
    strictly = strict[0].runner.run(PROMPT)
    yield _ran(world, "a strict agent", strictly, True)
    yield _compared(done, strictly)
    for result in attack(*strict, world.tell):
        yield of_attack(result)


def _ran(world: World, who: str, done: CompletedRun, first: bool) -> Line:
    """first: whether what is acted on has to be verified by then."""
    receipt = world.web3.eth.get_transaction_receipt(done.inclusion.hash)
    topics = [bytes(log["topics"][0]) for log in receipt["logs"]]
    moved, verified = topics.index(TRANSFER.topic), DECISION_VERIFIED.topic
    before = topics[:moved].count(verified)
    calls = sum(d.decision.kind == "call" for d in done.proven.plan.decisions)
    answer = done.inclusion.result.answer.decode()
    return happened(
        f'{who}: "{PROMPT.decode()}"',
        f"{answer}; {before} of {topics.count(verified)} decisions were verified when tokens moved",
        topics.count(verified) == len(done.proven.plan.decisions),
        before == (calls if first else 0),
    )


def _compared(usual: CompletedRun, strict: CompletedRun) -> Line:
    gas, more = usual.inclusion.result.gas_used, strict.inclusion.result.gas_used
    return happened(
        "what it costs",
        f"{more:,} gas, {more - gas:,} more than {gas:,} ({(more - gas) * 100 / gas:.1f} %)",
        gas < more <= gas * (100 + MOST_PERCENT) // 100,
        usual.inclusion.result.answer == strict.inclusion.result.answer,
    )


def _opened(world: World, *, strict: bool) -> tuple[Session, EmbeddedChain]:
    """A session with a new agent of the same model, with the same tokens and the same prover."""
    session, chain = world.session, world.chain
    plan = WalletPlan(strict=strict)
    made = another_agent(world.web3, chain.deployment, session.model, chain.owner, plan=plan)
    own = replace(chain, deployment=made)
    fund(own)
    agent, sender = (
        Web3Agent(world.web3, made.agent),
        Web3Sender(world.web3, made.agent, chain.owner),
    )
    runner = session.runner.for_agent(agent, sender)
    return replace(session, chain=agent, sender=sender, runner=runner), own
