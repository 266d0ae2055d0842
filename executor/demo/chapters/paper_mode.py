"""Paper mode: calls are made and rolled back, so that a run comes to what it would have come to."""

from collections.abc import Iterator

from zkagent.executor.demo.chapters.chapter import Line, World, happened
from zkagent.executor.demo.chapters.guard_refusals import GuardRefusals
from zkagent.executor.demo.guarded import DAI, SYMBOL, guarded_agent, proven, transfer


def paper_mode(world: World) -> Iterator[Line]:
    session, chain = world.session, world.chain
    real, large = (proven(session, transfer(chain, each)) for each in (25, 31))
    guarded = guarded_agent(session, chain)
    tries = GuardRefusals(world, guarded)
    guarded.mode("paper")
    before = guarded.state()
    on_paper = session.runner.send(real).result
    yield happened(
        f"on paper, a proven run sends 25 {SYMBOL}",
        f'nothing moved, nothing was spent; answer: "{on_paper.answer.decode()}"',
        guarded.state() == before,
        on_paper.transfers == (),
        (on_paper.answer, on_paper.steps) == (real.plan.answer, real.plan.steps),
    )
    yield tries.false_proof("a false proof of the call that is made on paper", real, 0)
    yield tries.false_proof("a false proof of what comes after it", real)
    yield tries.run("31 DAI, which would be refused", large.call, "CallLimitExceeded")
    guarded.mode("autonomous")
    moved, spent = guarded.moved(), guarded.budget().spent
    done = session.runner.send(real).result
    yield happened(
        "in earnest, the same run",
        f'25 {SYMBOL} moved, {guarded.left()}; answer: "{done.answer.decode()}"',
        guarded.moved() - moved == guarded.budget().spent - spent == 25 * DAI,
        (done.answer, done.steps) == (on_paper.answer, on_paper.steps),
    )
