"""The agents of examples/ that read their tools, on one chain, with the reader registered once."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from tests.support.checkout import ROOT
from tests.support.progress import quiet
from zkagent.circuits.systems import PROVING
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.cli.agent_sources import compiled_file
from zkagent.executor.demo.attacks.stage import FALSE_PROOF, REFUSALS
from zkagent.executor.runs.derivation import claim_for
from zkagent.executor.runs.runner import ProvenRun
from zkagent.executor.runs.session import Session, local_circuit, open_agent
from zkagent.models.catalogue import ReaderModel, load_decider
from zkagent.models.encoding.book import Asset
from zkagent.verifier_contracts.chain.local import Anvil, call, send
from zkagent.verifier_contracts.deployment.arguments import constructor_arguments
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier, Step, create
from zkagent.verifier_contracts.deployment.deployer import Deployer
from zkagent.verifier_contracts.deployment.own_model import OwnModel
from zkagent.verifier_contracts.errors import RevertError

FOLDERS = ROOT / "examples" / "agents"
GAS = 8_000_000
ALICE = to_checksum_address("0x" + "a1" * 20)
DAI = Asset("DAI", "Dai", 18)
COIN = 10**18


@dataclass(frozen=True)
class ExampleStage:
    """agent, and what it acts on; token: what the treasury pays in."""

    anvil: Anvil
    web3: Any
    owner: LocalAccount
    stranger: LocalAccount
    agent: Any
    world: Any
    session: Session
    token: Any

    def proven(self, prompt: bytes) -> ProvenRun:
        runner = self.session.runner
        return runner.prove(runner.plan(prompt))

    def answer(self, prompt: bytes) -> bytes:
        """Of a run with a proof, sent."""
        return self.session.runner.run(prompt).inclusion.result.answer

    def told(self, name: str, *values: Any) -> Any:
        """What the world's view says."""
        return call(self.web3, getattr(self.world.functions, name)(*values))

    def do(self, name: str, *values: Any) -> None:
        """By the owner, without the agent."""
        send(self.web3, getattr(self.world.functions, name)(*values), self.owner)

    def wait(self, seconds: int) -> None:
        self.anvil.rpc("evm_increaseTime", seconds)
        self.anvil.rpc("evm_mine")

    def error(self, run: RunCall, sender: LocalAccount | None = None) -> str:
        """The name of the error that a call of this run ends with, FALSE_PROOF where the verifier
        refuses it; empty where it succeeds."""
        account = sender or self.owner
        fields = {"to": self.agent.address, "data": abi.run_data(run), "gas": GAS}
        chain = self.session.chain
        verifier = chain.identity(chain.head()).model.verifier.lower()
        try:
            with explained(self.web3, fields | {"from": account.address}):
                self.web3.eth.call(fields | {"from": account.address})
        except RevertError as exc:
            false = exc.name in REFUSALS or exc.arguments.get("site") == verifier
            return FALSE_PROOF if false else exc.name
        return ""


def forged(run: ProvenRun, *y: int) -> tuple[Any, Any]:
    """Claims with this output for the features of a run."""
    claim = claim_for(run.plan.claims[0].model_id, run.plan.decisions[0].x, y)
    return claim, claim


@contextmanager
def reader_examples() -> Iterator[dict[str, ExampleStage]]:
    """game and treasury."""
    model = load_decider("reader")
    assert isinstance(model, ReaderModel)
    circuit = local_circuit(model, None, quiet, PROVING["groth16"])
    with Anvil() as anvil, ExitStack() as opened:
        owner, stranger = anvil.accounts[:2]
        carrier = DirectCarrier(anvil.web3, owner)
        deployer = Deployer(carrier)
        coin, other = deployer.tokens([DAI, Asset("USDC", "USD Coin", 6)])
        given = {
            "book": deployer.symbol_book([coin, other]),
            "contacts": deployer.contact_book([("alice", ALICE)]),
            "token": coin.address,
        }
        known = {"owner": owner.address, **OwnModel(model, circuit).deploy(carrier)}
        stages = {}
        for name, world in (("Game", "Field"), ("Treasury", "Vault")):
            compiled = compiled_file(FOLDERS / name.lower() / f"{name}.sol")
            wanted = given if name == "Treasury" else {}
            arguments = constructor_arguments(compiled[name], wanted, known)
            agent = create(carrier, Step("agent", name), compiled[name], *arguments)
            place = call(anvil.web3, getattr(agent.functions, world.upper())())
            found = anvil.web3.eth.contract(place, abi=list(compiled[name + world].abi))
            session = opened.enter_context(
                open_agent(anvil.web3, agent.address, owner, model, srs=None, stage=quiet)
            )
            token = deployer_token(anvil.web3, coin.address)
            stages[name.lower()] = ExampleStage(
                anvil, anvil.web3, owner, stranger, agent, found, session, token
            )
        yield stages


def deployer_token(web3: Any, address: str) -> Any:
    """A demo token, of which anybody can make more."""
    from zkagent.verifier_contracts.toolchain.compile import contract

    return web3.eth.contract(address, abi=list(contract("DemoToken").abi))


__all__ = ["ALICE", "COIN", "ExampleStage", "forged", "reader_examples"]
