"""A pause: the guard refuses every call and says why, until its owner resumes."""

from collections.abc import Iterator
from dataclasses import replace

from zkagent.executor.demo.chapters.chapter import Line, World, happened
from zkagent.executor.demo.chapters.guard_refusals import GuardRefusals
from zkagent.executor.demo.guarded import DAI, SYMBOL, guarded_agent, proven, transfer
from zkagent.verifier_contracts.errors import RevertError

REASON = "risk threshold exceeded"


def paused(world: World) -> Iterator[Line]:
    session, chain = world.session, world.chain
    guarded = guarded_agent(session, chain)
    run = proven(session, transfer(chain))
    tries = GuardRefusals(world, guarded)
    guarded.change("pause", REASON)
    yield _told(tries.run("a run that was proven before the pause", run.call, "GuardIsPaused"))
    yield _not_planned(world)
    what = "a stranger resumes it"
    yield tries.of_guard(what, chain.stranger, "CallerIsNotTheGuardsOwner", "resume")
    guarded.mode("supervised")
    guarded.mode("autonomous")
    what = "the same run, once its owner has given the guard a mode anew"
    yield _told(tries.run(what, run.call, "GuardIsPaused"))
    before = guarded.moved()
    guarded.change("resume")
    done = session.runner.send(run)
    yield happened(
        "its owner resumes it, and the very same run is sent",
        f"25 {SYMBOL} moved, {guarded.left()}, {done.result.gas_used:,} gas",
        guarded.moved() - before == 25 * DAI,
        guarded.reads().pause is None,
    )


def _told(line: Line) -> Line:
    """Whoever is refused has to be told why."""
    return replace(line, held=line.held and REASON in line.found)


def _not_planned(world: World) -> Line:
    why = ""
    try:
        world.session.runner.plan(transfer(world.chain))
    except RevertError as exc:
        why = str(exc)
    return Line("a run that begins in the pause", REASON in why, why or "it was planned", True)
