"""A desk on the demo's chain: who asks there, who answers, and what each of them has of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain.agent import ContractCall
from zkagent.executor.chain.desk import Order, Posted, Status
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_desk import Web3Desk
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.errors import DemoError
from zkagent.executor.operating.desk_operator import DeskOperator
from zkagent.executor.operating.events import Answered, Event
from zkagent.executor.operating.journal import AnswerJournal
from zkagent.executor.operating.requester import REQUESTS, Requester
from zkagent.executor.operating.session import place_of
from zkagent.executor.operating.watch import Watch
from zkagent.executor.runs.runner import AgentRunner
from zkagent.executor.runs.session import Session
from zkagent.verifier_contracts.chain.local import send
from zkagent.verifier_contracts.deployment.deployer import at
from zkagent.verifier_contracts.deployment.desk import DeskPlan, deploy_desk

FEE = 5 * 10**16
TURNS = 12


@dataclass(frozen=True, slots=True)
class Used:
    """By a transaction."""

    gas: int


@dataclass(frozen=True)
class DemoDesk:
    """A desk that serves the owner alone. operator: proves for the fee; folder: of journals."""

    session: Session
    chain: EmbeddedChain
    desk: Web3Desk
    agent: str
    operator: LocalAccount
    folder: Path

    @property
    def web3(self) -> Any:
        return self.chain.web3

    @property
    def runner(self) -> AgentRunner:
        """The operator's, of runs that begin at the desk."""
        chain = Web3Agent(self.web3, self.agent, entry=self.desk.address)
        return self.session.runner.for_agent(chain, self.sender(self.operator))

    def sender(self, account: LocalAccount) -> Web3Sender:
        return Web3Sender(self.web3, self.desk.address, account)

    def requester(self) -> Requester:
        """The owner's."""
        sender = self.sender(self.chain.owner)
        return Requester(
            self.desk, sender, AnswerJournal(place_of(sender, self.desk), self.folder / REQUESTS)
        )

    def ask(self, prompt: str, lifetime_s: int = 3600) -> Posted:
        deadline = self.desk.time(self.desk.head()) + lifetime_s
        return self.requester().post(Order(prompt.encode(), FEE, deadline))

    def operate(self) -> Answered:
        """One request, by what `zkagent operate` does. Raises DemoError."""
        told: list[Event] = []
        sender = self.sender(self.operator)
        operator = DeskOperator(
            self.desk,
            sender,
            self.runner,
            AnswerJournal(place_of(sender, self.desk), self.folder / "answers"),
            Watch(self.desk),
            report=told.append,
        )
        for _ in range(TURNS):
            operator.turn()
            if done := next((each for each in told if isinstance(each, Answered)), None):
                return done
        raise DemoError(f"the operator did not answer: {told}")

    def send(self, data: bytes, account: LocalAccount | None = None) -> "Used":
        """A call of the desk, by the operator by default."""
        sender = self.sender(account or self.operator)
        journal = AnswerJournal(place_of(sender, self.desk), self.folder / REQUESTS)
        mined = Requester(self.desk, sender, journal).send(ContractCall(data))
        return Used(int(mined.receipt["gasUsed"]))

    def status(self, posted: Posted) -> Status:
        return self.desk.status(posted.id, self.desk.head())

    def owed(self, account: LocalAccount) -> int:
        """Wei."""
        return self.desk.balance(str(account.address).lower(), self.desk.head())

    def state(self, posted: Posted) -> tuple[object, ...]:
        """What no refused call may change."""
        owed = self.owed(self.chain.owner), self.owed(self.operator), self.owed(self.chain.stranger)
        return self.status(posted), *owed, self.web3.eth.get_balance(self.checksum)

    def watched(self, posted: Posted) -> Callable[[], object]:
        return lambda: self.state(posted)

    @property
    def checksum(self) -> Any:
        return self.web3.to_checksum_address(self.desk.address)


@contextmanager
def demo_desk(
    session: Session, chain: EmbeddedChain, agent: str | None = None
) -> Iterator[DemoDesk]:
    """For the demo's agent, whose owner tells it to serve the desk, or for one that does so."""
    owner, served = chain.owner, agent or chain.deployment.agent
    plan = DeskPlan(str(owner.address))
    address = deploy_desk(chain.web3, served, chain.deployment.executor, plan, owner)
    if agent is None:
        serving = at(chain.web3, "WalletAgent", served).functions
        send(chain.web3, serving.alsoServe(address), owner)
    with TemporaryDirectory(prefix="zkagent-desk-") as folder:
        yield DemoDesk(
            session,
            chain,
            Web3Desk(chain.web3, address),
            served,
            chain.anvil.accounts[3],
            Path(folder),
        )


def ether(wei: int) -> str:
    return f"{wei / 10**18:g} ETH"


__all__ = ["FEE", "DemoDesk", "demo_desk", "ether"]
