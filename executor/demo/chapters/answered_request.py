"""A request at a desk: an operator who has the prover answers it, and is paid once."""

from collections.abc import Iterator
from dataclasses import replace

from zkagent.executor.chain.desk import PLACE, Posted, Status, fulfil_data
from zkagent.executor.chain.embedded import balance
from zkagent.executor.demo.attacks.stage import FALSE_PROOF
from zkagent.executor.demo.chapters.chapter import Line, Tried, World, happened, refused
from zkagent.executor.demo.desk import FEE, DemoDesk, demo_desk, ether
from zkagent.executor.demo.forgery import forged
from zkagent.executor.runs.runner import ProvenRun

PROMPT, UNITS = "deposit 5 USDC into the pool", 5 * 10**6


def answered_request(world: World) -> Iterator[Line]:
    with demo_desk(world.session, world.chain) as desk:
        posted = desk.ask(PROMPT)
        yield happened(
            f'the owner asks for "{PROMPT}", without a prover',
            f"request {posted.id} in block {posted.block}, {ether(FEE)} held for whoever answers",
            desk.status(posted) is Status.PENDING,
        )
        proven = desk.runner.prove(desk.runner.plan(PROMPT.encode()))
        for tried in _before(desk, posted, proven):
            yield refused(world, tried)
        yield _answered(world, desk, posted)
        again = fulfil_data(posted, proven.call)
        yield refused(
            world, _tried(desk, posted, "the operator answers it once more", again, "WrongStatus")
        )


def _answered(world: World, desk: DemoDesk, posted: Posted) -> Line:
    before = balance(world.chain, "USDC").pool
    done = desk.operate()
    moved = balance(world.chain, "USDC").pool - before
    gas = world.web3.eth.get_transaction_receipt(done.transaction)["gasUsed"]
    return happened(
        "an operator plans, proves and answers it, as `zkagent operate` does",
        f"5 USDC deposited, {ether(FEE)} credited to the operator, {gas:,} gas",
        desk.status(posted) is Status.DELIVERED,
        moved == UNITS,
        desk.owed(desk.operator) == FEE,
    )


def _before(desk: DemoDesk, posted: Posted, proven: ProvenRun) -> Iterator[Tried]:
    data = fulfil_data(posted, forged(proven))
    yield _tried(desk, posted, "the operator claims another output", data, FALSE_PROOF)
    order = replace(posted.request.order, prompt=b"deposit 500 USDC into the pool")
    other = replace(posted, request=replace(posted.request, order=order))
    data = fulfil_data(other, proven.call)
    yield _tried(desk, posted, "the operator answers what was not asked", data, "NotAsPosted")
    asked = PLACE.call(replace(posted.request.order, fee=0).fields)
    stranger = _tried(desk, posted, "a stranger asks too", asked, "CallerIsNotThePatron")
    yield replace(stranger, sender=desk.chain.stranger)


def _tried(desk: DemoDesk, posted: Posted, what: str, data: bytes, expected: str) -> Tried:
    return Tried(what, desk.operator, desk.desk.address, data, expected, desk.watched(posted))
