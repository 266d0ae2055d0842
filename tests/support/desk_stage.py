"""A desk on a chain, for an agent whose model the EVM evaluates: requests take no time to prove."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from eth_account.signers.local import LocalAccount

from tests.support.waiting_sender import WaitingSender
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.chain.desk import Order, Posted
from zkagent.executor.chain.web3_agent import Web3Agent
from zkagent.executor.chain.web3_desk import Web3Desk
from zkagent.executor.operating.desk_operator import DeskOperator
from zkagent.executor.operating.events import Listener, ignore
from zkagent.executor.operating.journal import AnswerJournal
from zkagent.executor.operating.policy import USUAL, Policy
from zkagent.executor.operating.requester import Requester
from zkagent.executor.operating.session import place_of
from zkagent.executor.operating.watch import Watch
from zkagent.executor.runs.provers import InlineProver
from zkagent.executor.runs.runner import AgentRunner
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy, send
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier, Step, create
from zkagent.verifier_contracts.deployment.deployer import MAX_ITERATIONS, at
from zkagent.verifier_contracts.deployment.desk import NOBODY, DeskPlan, deploy_desk
from zkagent.verifier_contracts.deployment.record import Deployment
from zkagent.verifier_contracts.deployment.wallet import WALLET_NONCE, deploy_wallet
from zkagent.verifier_contracts.toolchain.compile import contract

ETHER = 10**18
UNITS = 10**12  # of the wallet's USDC
#: What makes an agent look at the balance first, what the tool may say, and what comes of it.
LOOKS_FIRST, SAID, POOLED = (
    "deposit all my USDC",
    "The balance is: 0 USDC in the pool, 7 USDC in the wallet",
    7_000_000,
)
ADDRESS = 1  # IERCAgentTool.ParamType.ADDRESS


@dataclass(frozen=True)
class DeskStage:
    """Who is who on a chain with a desk that takes everybody's requests."""

    anvil: Anvil
    model: Model
    circuit: Circuit
    deployment: Deployment
    agent: str
    desk: str
    wallet: str
    tool: str = ""  # of an agent whose balance tool answers later

    @property
    def operator(self) -> LocalAccount:
        return self.anvil.accounts[3]

    @property
    def user(self) -> LocalAccount:
        return self.anvil.accounts[4]

    def operating(
        self,
        folder: Path,
        *,
        by: LocalAccount | None = None,
        policy: Policy = USUAL,
        report: Listener = ignore,
    ) -> DeskOperator:
        """As a process that begins now has it."""
        web3 = self.anvil.web3
        desk, sender = (
            Web3Desk(web3, self.desk),
            WaitingSender(web3, self.desk, by or self.operator),
        )
        chain = Web3Agent(web3, self.agent, entry=self.desk)
        runner = AgentRunner(chain, sender, self.model, InlineProver(self.circuit))
        journal = AnswerJournal(place_of(sender, desk), folder)
        return DeskOperator(desk, sender, runner, journal, Watch(desk), policy, report)

    def requesting(self, folder: Path, by: LocalAccount | None = None) -> Requester:
        web3 = self.anvil.web3
        desk, sender = Web3Desk(web3, self.desk), WaitingSender(web3, self.desk, by or self.user)
        journal = AnswerJournal(place_of(sender, desk), folder / "requests")
        return Requester(desk, sender, journal)

    def order(self, prompt: str, fee: int = ETHER, lifetime_s: int = 3600) -> Order:
        desk = Web3Desk(self.anvil.web3, self.desk)
        return Order(prompt.encode(), fee, desk.time(desk.head()) + lifetime_s)

    def asked(self, folder: Path, prompt: str, fee: int = ETHER) -> Posted:
        return self.requesting(folder).post(self.order(prompt, fee))

    def tells(self, said: str = SAID, call: int = 0) -> str:
        """The tool that answers later does so. The transaction's hash."""
        later = at(self.anvil.web3, "LaterTool", self.tool).functions
        receipt = send(self.anvil.web3, later.answer(call, said), self.anvil.accounts[0])
        return "0x" + bytes(receipt["transactionHash"]).hex()

    def pooled(self) -> int:
        """Units of USDC that the wallet has in the pool."""
        pool = at(self.anvil.web3, "LendingPool", self.deployment.pool).functions
        token = self.deployment.token("USDC").address
        return int(call(self.anvil.web3, pool.depositOf(self.wallet, token)))

    def owed(self, account: LocalAccount) -> int:
        desk = Web3Desk(self.anvil.web3, self.desk)
        return desk.balance(str(account.address).lower(), desk.head())


@contextmanager
def desk_stage(
    anvil: Anvil, model: Model, circuit: Circuit, *, late: bool = False
) -> Iterator[DeskStage]:
    """Deployed for the length of the block: an agent whose owner is the desk. late: its balance
    tool is one that answers later."""
    snapshot = anvil.snapshot()
    web3, maker = anvil.web3, anvil.accounts[0]
    there = deploy_wallet(web3, model, circuit, maker)
    tool = _later_tool(anvil) if late else ""
    nonce = web3.eth.get_transaction_count(maker.address)
    desk = created_address(str(maker.address), nonce + 1)
    arguments = (there.executor, str(there.model_id), bytes.fromhex(there.commitment[2:]))
    places = (there.registry, desk, there.pool, there.symbol_book, MAX_ITERATIONS)
    kind = "WalletAgent"
    if late:
        kind = "ForeignToolAgent"
        places = (desk, there.pool, there.symbol_book, tool, MAX_ITERATIONS)
    carrier = DirectCarrier(web3, maker)
    made = create(carrier, Step("agent", "agent"), contract(kind), *arguments, *places)
    plan = DeskPlan(NOBODY, fee_wei=ETHER)
    assert deploy_desk(web3, made.address, there.executor, plan, maker) == desk
    wallet = (
        str(call(web3, made.functions.wallet()))
        if late
        else created_address(made.address, WALLET_NONCE)
    )
    token = at(web3, "DemoToken", there.token("USDC").address)
    send(web3, token.functions.mint(wallet, UNITS), maker)
    yield DeskStage(anvil, model, circuit, there, made.address, desk, wallet, tool)
    anvil.revert(snapshot)


def _later_tool(anvil: Anvil) -> str:
    keeper = anvil.accounts[0]
    about = "See the balance of a token in the pool and in the wallet"
    described = ([(ADDRESS, "asset", "address of the token to view the balance of")],)
    places = (keeper.address, "ViewBalance", about, described)
    return str(deploy(anvil.web3, contract("LaterTool"), keeper, *places).address)
