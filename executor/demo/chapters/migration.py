"""A new version of an agent takes over wallet, budget and history of the old one, by its owner's
signature, and the old one may do nothing any more."""

from collections.abc import Iterator

from zkagent.executor.chain.guards import AllowedTool
from zkagent.executor.demo.chapters.chapter import Line, World, happened
from zkagent.executor.demo.chapters.guard_refusals import GuardRefusals
from zkagent.executor.demo.guarded import (
    DAI,
    SYMBOL,
    GuardedAgent,
    guarded_agent,
    proven,
    transfer,
)
from zkagent.executor.demo.successor import Signed, Successor, successor_of
from zkagent.executor.runs.runner import AgentRunner, ProvenRun


def migration(world: World) -> Iterator[Line]:
    session, chain = world.session, world.chain
    guarded = guarded_agent(session, chain)
    run = proven(session, transfer(chain))
    yield _sent(guarded, session.runner, run, "the old version")
    new = successor_of(guarded)
    tries, agent = GuardRefusals(world, guarded), str(new.agent.address)
    signed = new.succession(chain.owner)
    newly = _proven_for(world, new, signed)
    what = "the new version, before it is the successor"
    yield tries.run(what, newly.call, "CallerIsNotATool", agent)
    yield from _not_signed(tries, new)
    yield _taken_over(new, signed)
    yield _sent(guarded, new.runner, newly, "the new version")
    what = "the new version, beyond what the old one has left"
    yield tries.run(what, newly.call, "BudgetExceeded", agent)
    yield tries.run("the old version", run.call, "ToolNotAllowed")
    what = "the same signature once more"
    yield tries.of_guard(what, chain.stranger, "NotThePredecessor", "succeed", *signed)


def _proven_for(world: World, new: Successor, signed: Signed) -> ProvenRun:
    """What the new version will do, planned where it can: before that it would not be planned."""
    with world.undone():
        new.takes_over(signed, world.chain.stranger)
        return new.runner.prove(new.runner.plan(transfer(world.chain)))


def _not_signed(tries: GuardRefusals, new: Successor) -> Iterator[Line]:
    chain = tries.world.chain
    wrong = new.succession(chain.stranger)
    fields, signature = new.succession(chain.owner)
    predecessor, _, *rest = fields
    other = ((predecessor, chain.stranger.address, *rest), signature)
    late = new.succession(chain.owner, deadline=1)
    next_one = new.succession(chain.owner, nonce=1)
    for what, signed, expected in (
        ("a succession that a stranger signed", wrong, "SuccessionSignatureInvalid"),
        ("another successor than was signed for", other, "SuccessionSignatureInvalid"),
        ("a succession whose time is over", late, "SuccessionTooLate"),
        ("a succession that is not the next one", next_one, "SuccessionNonceMismatch"),
    ):
        yield tries.of_guard(what, chain.stranger, expected, "succeed", *signed)


def _taken_over(new: Successor, signed: Signed) -> Line:
    """Anyone may bring the signature."""
    guarded, chain = new.guarded, new.guarded.chain
    before = guarded.reads()
    new.takes_over(signed, chain.stranger)
    after = guarded.reads()
    return happened(
        "its owner's signature makes the new version the successor",
        f"the wallet obeys it; {guarded.left()}, as before; calls are counted on",
        after.agent == str(new.agent.address).lower() != before.agent,
        after.budgets == before.budgets,
        _counts(after.tools) == _counts(before.tools),
        {each.tool for each in after.tools} == {each.lower() for each in new.new_tools},
    )


def _counts(tools: tuple[AllowedTool, ...]) -> dict[bytes, int]:
    return {each.selector: each.runs for each in tools}


def _sent(guarded: GuardedAgent, runner: AgentRunner, run: ProvenRun, who: str) -> Line:
    moved, spent = guarded.moved(), guarded.budget().spent
    done = runner.send(run).result
    return happened(
        f'{who}: "{run.plan.prompt.decode()}"',
        f"25 {SYMBOL} moved, {guarded.left()}, {done.gas_used:,} gas",
        guarded.moved() - moved == guarded.budget().spent - spent == 25 * DAI,
    )
