"""A budget of the guard's: transfers go through until it is used up, and none after that."""

from collections.abc import Iterator

from zkagent.executor.demo.chapters.chapter import Line, World, happened
from zkagent.executor.demo.chapters.guard_refusals import GuardRefusals
from zkagent.executor.demo.guarded import (
    DAI,
    PER_CALL,
    SYMBOL,
    TOTAL,
    GuardedAgent,
    guarded_agent,
    proven,
    transfer,
)

ANY_AMOUNT = 2**128 - 1


def exhausted_budget(world: World) -> Iterator[Line]:
    """What will be refused is planned and proven before there is a guard: behind one it would not
    be planned at all."""
    session, chain = world.session, world.chain
    large, usual, least = (proven(session, transfer(chain, each)) for each in (31, 25, 1))
    foreign = proven(session, transfer(chain, 1, symbol="USDC"))
    guarded = guarded_agent(session, chain)
    tries = GuardRefusals(world, guarded)
    yield _sent(guarded, 25, f"of {TOTAL} in all and {PER_CALL} in one call")
    yield tries.run("31 DAI, more than one call may spend", large.call, "CallLimitExceeded")
    yield tries.run("1 USDC, of which nothing is said", foreign.call, "AssetHasNoBudget")
    yield tries.false_proof("a false proof, which uses up nothing of it", usual)
    yield _sent(guarded, 25, "once more")
    yield tries.run("25 DAI for a third time", usual.call, "BudgetExceeded")
    token = chain.deployment.token(SYMBOL).address
    raised = ("setBudget", token, ANY_AMOUNT, DAI)
    what = "a stranger raises the budget"
    yield tries.of_guard(what, chain.stranger, "CallerIsNotTheGuardsOwner", *raised)
    yield _sent(guarded, 10, "the rest of it")
    yield tries.run("1 DAI, of nothing that is left", least.call, "BudgetExceeded")


def _sent(guarded: GuardedAgent, amount: int, how: str) -> Line:
    """A run with real proofs. What the guard says was spent has to be what moved."""
    moved, spent = guarded.moved(), guarded.budget().spent
    done = guarded.session.runner.run(transfer(guarded.chain, amount))
    budget = guarded.budget()
    return happened(
        f"{amount} {SYMBOL}, {how}",
        f"{amount} {SYMBOL} moved, {guarded.left()}, {done.inclusion.result.gas_used:,} gas",
        guarded.moved() - moved == budget.spent - spent == amount * DAI,
        budget.remaining == TOTAL * DAI - budget.spent,
    )
