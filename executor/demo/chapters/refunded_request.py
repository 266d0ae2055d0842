"""A request that nobody answers in time: its fee goes back, once, and no answer is late enough."""

from collections.abc import Iterator

from zkagent.executor.chain.desk import REFUND, Status, fulfil_data
from zkagent.executor.demo.chapters.chapter import Line, Tried, World, happened, refused
from zkagent.executor.demo.desk import FEE, demo_desk, ether

PROMPT, LIFETIME_S = "deposit 5 USDC into the pool", 60


def refunded_request(world: World) -> Iterator[Line]:
    with demo_desk(world.session, world.chain) as desk:
        posted = desk.ask(PROMPT, LIFETIME_S)
        yield happened(
            f'the owner asks for "{PROMPT}" within {LIFETIME_S} s, and nobody answers',
            f"request {posted.id}, {ether(FEE)} held",
            desk.status(posted) is Status.PENDING,
            desk.owed(world.chain.owner) == 0,
        )

        def tried(what: str, data: bytes, expected: str) -> Line:
            sender, to, watched = desk.operator, desk.desk.address, desk.watched(posted)
            return refused(world, Tried(what, sender, to, data, expected, watched))

        refund = REFUND.call(posted.id, posted.request.fields)
        yield tried("a refund before its time", refund, "RequestNotOver")
        world.chain.anvil.rpc("evm_increaseTime", LIFETIME_S + 1)
        world.chain.anvil.rpc("evm_mine")
        late = desk.runner.prove(desk.runner.plan(PROMPT.encode()))
        answer = fulfil_data(posted, late.call)
        yield tried("the operator answers after the deadline", answer, "RequestOver")
        back = desk.requester().refund(posted)
        yield happened(
            "the owner takes the fee back",
            f"{ether(back)}, and the desk holds nothing",
            back == FEE,
            desk.status(posted) is Status.REFUNDED,
            world.web3.eth.get_balance(desk.checksum) == 0,
        )
        yield tried("a second refund", refund, "WrongStatus")
        yield tried("the operator answers what was refunded", answer, "WrongStatus")
