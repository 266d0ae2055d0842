"""A request whose agent asks a tool that answers later, as an oracle does: the run waits, across
transactions, and goes on with what the tool said and with nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain import abi
from zkagent.executor.chain.desk import Posted, Status, fulfil_data, resume_data
from zkagent.executor.chain.embedded import balance, fund
from zkagent.executor.chain.resumed_run import ResumedRun
from zkagent.executor.demo.attacks.stage import FALSE_PROOF
from zkagent.executor.demo.chapters.chapter import Line, Tried, World, happened, refused
from zkagent.executor.demo.desk import FEE, DemoDesk, demo_desk, ether
from zkagent.executor.demo.forgery import forged
from zkagent.executor.runs.runner import ProvenRun
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.chain.local import call, deploy, send
from zkagent.verifier_contracts.deployment.deployer import MAX_ITERATIONS
from zkagent.verifier_contracts.toolchain.compile import contract

PROMPT, UNITS = "withdraw all my USDC", 100 * 10**6
SAID = "The balance is: 100 USDC in the pool, 500 USDC in the wallet"
HANDLE_RESULT = abi.Method("handleAgentResult", ("int256", "string"))
ANSWER = abi.Method("answer", ("int256", "string"))
ADDRESS = 1  # IERCAgentTool.ParamType.ADDRESS


def late_tool(world: World) -> Iterator[Line]:
    with _late_desk(world) as late:
        posted = late.desk.ask(PROMPT)
        begun = late.desk.runner.prove(late.desk.runner.plan(PROMPT.encode()))
        yield late.begun(posted, begun)
        early = resume_data(posted, begun.call)
        yield late.refuses(posted, "it goes on before there is one", early, "ResultMissing")
        yield from late.answered_by_others(posted)
        yield late.answered()
        rest = late.rest(posted)
        what = "an operator goes on and claims another output"
        yield late.refuses(posted, what, resume_data(posted, forged(rest)), FALSE_PROOF)
        yield late.gone_on(posted, rest)
        again = resume_data(posted, rest.call)
        yield late.refuses(posted, "an operator goes on once more", again, "WrongStatus")


@dataclass(frozen=True)
class _LateDesk:
    """other: an operator who did not begin."""

    world: World
    desk: DemoDesk
    agent: Any
    tool: Any

    @property
    def other(self) -> LocalAccount:
        return self.world.chain.anvil.accounts[5]

    def begun(self, posted: Posted, proven: ProvenRun) -> Line:
        before = balance(self.desk.chain, "USDC")
        mined = self.desk.send(fulfil_data(posted, proven.call))
        return happened(
            f'an operator begins "{PROMPT}", whose balance tool has no answer yet',
            f"the run waits; nothing moved, nobody was paid, {mined.gas:,} gas",
            proven.plan.waits,
            self.desk.status(posted) is Status.WAITING,
            balance(self.desk.chain, "USDC") == before,
            self.desk.owed(self.desk.operator) == 0,
        )

    def answered_by_others(self, posted: Posted) -> Iterator[Line]:
        stranger = self.world.chain.stranger
        lie = SAID.replace("100", "1").encode()
        for what, to, data, expected in (
            ("a stranger has the tool answer", self.tool, ANSWER, "CallerIsNotTheKeeper"),
            ("a stranger tells the agent in its place", self.agent, HANDLE_RESULT, "NoRunWaits"),
            ("a stranger tells the desk a result", None, HANDLE_RESULT, "ResultNotProven"),
        ):
            place = to.address if to else self.desk.desk.address
            watched = self.desk.watched(posted)
            tried = Tried(what, stranger, place, data.call(0, lie), expected, watched)
            yield refused(self.world, tried)

    def answered(self) -> Line:
        send(self.world.web3, self.tool.functions.answer(0, SAID), self.world.chain.owner)
        _, awaited = call(self.world.web3, self.agent.functions.suspendedRun(1))
        return happened(
            "the tool answers, in a transaction of its own", SAID, awaited[3], awaited[4] == SAID
        )

    def rest(self, posted: Posted) -> ProvenRun:
        """What is left of the run, proven for the other operator."""
        chain = ResumedRun(self.world.web3, self.agent.address, self.desk.desk.address, posted.id)
        runner = self.world.session.runner.for_agent(chain, self.desk.sender(self.other))
        return runner.prove(runner.plan(PROMPT.encode(), before=chain.before(chain.head())))

    def gone_on(self, posted: Posted, proven: ProvenRun) -> Line:
        before = balance(self.desk.chain, "USDC")
        mined = self.desk.send(resume_data(posted, proven.call), self.other)
        after = balance(self.desk.chain, "USDC")
        return happened(
            "another operator goes on, and proves what is left",
            f"100 USDC withdrawn, {ether(FEE)} credited to whoever ended it, {mined.gas:,} gas",
            self.desk.status(posted) is Status.DELIVERED,
            (before.pool - after.pool, after.wallet - before.wallet) == (UNITS, UNITS),
            self.desk.owed(self.other) == FEE,
            self.desk.owed(self.desk.operator) == 0,
        )

    def refuses(self, posted: Posted, what: str, data: bytes, expected: str) -> Line:
        sender, to, watched = self.other, self.desk.desk.address, self.desk.watched(posted)
        return refused(self.world, Tried(what, sender, to, data, expected, watched))


@contextmanager
def _late_desk(world: World) -> Iterator[_LateDesk]:
    """An agent that serves a desk alone, and whose balance tool is the owner's to answer."""
    web3, chain = world.web3, world.chain
    owner, there = chain.owner, chain.deployment
    described = ([(ADDRESS, "asset", "address of the token to view the balance of")],)
    about = "See the balance of a token in the pool and in the wallet"
    tool = deploy(
        web3, contract("LaterTool"), owner, owner.address, "ViewBalance", about, described
    )
    desk = created_address(str(owner.address), web3.eth.get_transaction_count(owner.address) + 1)
    commitment = bytes.fromhex(there.commitment[2:])
    places = (desk, there.pool, there.symbol_book, tool.address, MAX_ITERATIONS)
    model = (there.executor, str(there.model_id), commitment)
    agent = deploy(web3, contract("ForeignToolAgent"), owner, *model, *places)
    with demo_desk(world.session, chain, agent.address) as made:
        wallet = str(call(web3, agent.functions.wallet()))
        own = replace(chain, deployment=replace(there, agent=agent.address, wallet=wallet))
        fund(own)
        yield _LateDesk(world, replace(made, chain=own), agent, tool)
