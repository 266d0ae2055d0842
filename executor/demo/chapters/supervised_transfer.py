"""A guard in supervised mode: a proven decision waits for its owner, who approves of exactly it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from zkagent.executor.chain import abi
from zkagent.executor.chain.embedded import balance
from zkagent.executor.chain.guards import Ticket, call_hash_of, waiting_input
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.resumed_run import SuspendedRun
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
from zkagent.executor.demo.waiting import suspended_run
from zkagent.verifier_contracts.chain.local import send
from zkagent.verifier_contracts.deployment.deployer import at

LASTS_S = 300
MAKE_APPROVED = abi.Method("makeApproved", ("uint256", abi.INPUT))
#: Of a transfer's parameters: asset, amount, recipient.
AMOUNT = 1


def supervised_transfer(world: World) -> Iterator[Line]:
    usual = proven(world.session, transfer(world.chain))
    guarded = guarded_agent(world.session, world.chain)
    guarded.mode("supervised")
    run = proven(world.session, transfer(world.chain))
    tries = GuardRefusals(world, guarded)
    yield tries.false_proof("a false proof, of which nobody is asked", run)
    receipt = send(world.web3, _to_agent(world, abi.run_data(run.call)), world.chain.owner)
    (ticket,) = guarded.reads().tickets
    guard = str(guarded.guard.address).lower()
    given = waiting_input(ContractReader(world.web3), guard, ticket)
    supervised = _Supervised(world, guarded, tries, ticket, given)
    yield supervised.waits(len(run.plan.decisions))
    yield from supervised.not_approved()
    yield supervised.approved()
    yield from supervised.not_as_approved()
    yield supervised.made()
    yield supervised.making("the approval is used once more", "NotWaitedFor")
    run_id = suspended_run(receipt, world.chain.deployment.agent)
    yield supervised.gone_on(run_id, usual.plan.answer)


@dataclass(frozen=True)
class _Supervised:
    """A call that waits. ticket: as it was at first. given: the call's input, as the guard's event
    has it, held against the ticket's hash."""

    world: World
    guarded: GuardedAgent
    tries: GuardRefusals
    ticket: Ticket
    given: Any

    def now(self) -> int:
        return int(self.world.web3.eth.get_block("latest")["timestamp"])

    def status(self) -> tuple[str, int]:
        """Of the call by now, and the approval's last second."""
        (found,) = self.guarded.reads().tickets
        return found.status, found.until

    def waits(self, decisions: int) -> Line:
        _, together = self.given
        amount = int.from_bytes(together[32 * AMOUNT : 32 * AMOUNT + 32], "big")
        return happened(
            f'"{transfer(self.world.chain).decode()}", with a real proof',
            f"the decision is verified, its call waits as number {self.ticket.number}",
            decisions == 1,
            self.status() == ("waiting", 0),
            amount == 25 * DAI,
            self.guarded.budget().spent == 0,
        )

    def not_approved(self) -> Iterator[Line]:
        chain, until = self.world.chain, self.now() + LASTS_S
        yield self.making("the call is made without an approval", "CallNotApproved")
        approval = (self.ticket.number, self.ticket.call_hash, until)
        what, expected = "a stranger approves of it", "CallerIsNotTheGuardsOwner"
        yield self.tries.of_guard(what, chain.stranger, expected, "approve", *approval)
        other = call_hash_of(self.ticket.tool, self.changed())
        what = "its owner approves of another call than the one that waits"
        approval = (self.ticket.number, other, until)
        yield self.tries.of_guard(what, chain.owner, "OtherCall", "approve", *approval)

    def approved(self) -> Line:
        ticket, until = self.ticket, self.now() + LASTS_S
        self.guarded.change("approve", ticket.number, call_hash_of(ticket.tool, self.given), until)
        return happened(
            f"its owner approves of exactly this call, for {LASTS_S} s",
            f"call {ticket.number} is approved; nothing moved yet",
            self.status() == ("approved", until),
            self.guarded.budget().spent == 0,
        )

    def not_as_approved(self) -> Iterator[Line]:
        yield self.making("a changed call is made: 26 DAI", "OtherCall", self.changed())
        with self.world.undone():
            self.emptied()
            yield self.making("its owner has emptied the wallet", "ERC20InsufficientBalance")
        with self.world.undone():
            self.world.chain.anvil.rpc("evm_increaseTime", LASTS_S + 1)
            self.world.chain.anvil.rpc("evm_mine")
            yield self.making("the approval has ended", "CallNotApproved")

    def made(self) -> Line:
        before = self.guarded.moved()
        data = MAKE_APPROVED.call(self.ticket.number, self.given)
        mined = send(self.world.web3, _to_agent(self.world, data), self.world.chain.stranger)
        return happened(
            "the approved call is made, by whomever",
            f"25 {SYMBOL} moved, {self.guarded.left()}, {mined['gasUsed']:,} gas",
            self.guarded.moved() - before == 25 * DAI,
            self.status()[0] == "made",
        )

    def gone_on(self, run_id: int, expected: bytes) -> Line:
        """expected: the answer of the same run where nobody is asked."""
        session, owner = self.world.session, self.world.chain.owner
        agent = self.world.chain.deployment.agent
        chain = SuspendedRun(self.world.web3, agent, run_id)
        runner = session.runner.for_agent(chain, session.sender)
        before = chain.before(chain.head())
        rest = runner.prove(runner.plan(transfer(self.world.chain), before=before))
        data = abi.run_data(replace(rest.call, resumes=run_id))
        mined = send(self.world.web3, _to_agent(self.world, data), owner)
        answer = session.chain.run_result("0x" + bytes(mined["transactionHash"]).hex()).answer
        return happened(
            "its owner goes on with the run, and proves what is left",
            f'"{answer.decode()}", {mined["gasUsed"]:,} gas',
            answer == expected,
        )

    def making(self, what: str, expected: str, given: Any = None) -> Line:
        """A stranger tries: whoever brings an approved call may make it."""
        data = MAKE_APPROVED.call(self.ticket.number, given or self.given)
        chain = self.world.chain
        return self.tries.sent(what, chain.stranger, chain.deployment.agent, data, expected)

    def changed(self) -> Any:
        """The input with another amount."""
        singly, together = self.given
        more = (26 * DAI).to_bytes(32, "big")
        kind, _ = singly[AMOUNT]
        changed = (*singly[:AMOUNT], (kind, more), *singly[AMOUNT + 1 :])
        return changed, together[: 32 * AMOUNT] + more + together[32 * AMOUNT + 32 :]

    def emptied(self) -> None:
        """By its owner, of the token that is to be sent."""
        chain = self.world.chain
        held = balance(chain, SYMBOL).wallet
        token, owner = chain.deployment.token(SYMBOL).address, chain.owner
        wallet = at(self.world.web3, "AgentWallet", chain.deployment.wallet).functions
        send(self.world.web3, wallet.rescue(token, held, owner.address), owner)


def _to_agent(world: World, data: bytes) -> dict[str, Any]:
    return {"to": world.web3.to_checksum_address(world.chain.deployment.agent), "data": data}
