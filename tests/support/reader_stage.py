"""An agent that reads its tools (`test/reader/Steward.sol`), with a contact, on its own chain."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from tests.support.progress import quiet
from zkagent.circuits.systems import PROVING
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.demo.attacks.stage import FALSE_PROOF, REFUSALS
from zkagent.executor.runs.session import Session, local_circuit, open_agent
from zkagent.models.catalogue import ReaderModel, load_decider
from zkagent.verifier_contracts.chain.local import Anvil, call
from zkagent.verifier_contracts.deployment.arguments import constructor_arguments
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier, Step, create
from zkagent.verifier_contracts.deployment.deployer import Deployer
from zkagent.verifier_contracts.deployment.own_model import OwnModel
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, compile_sources

SOURCE = "test/reader/Steward.sol"
GAS = 8_000_000
BOB = to_checksum_address("0x" + "b0" * 20)


@dataclass(frozen=True)
class ReaderStage:
    """manor: what the agent looks after. known: what agents of this reader are made with."""

    anvil: Anvil
    web3: Any
    owner: LocalAccount
    stranger: LocalAccount
    model: ReaderModel
    known: dict[str, str]
    agent: Any
    manor: Any
    session: Session

    @property
    def verifier(self) -> str:
        """In lower case."""
        chain = self.session.chain
        return chain.identity(chain.head()).model.verifier.lower()

    def error(self, run: RunCall, sender: LocalAccount | None = None) -> str:
        """The name of the error that a call of this run ends with, FALSE_PROOF where the verifier
        refuses it; empty where it succeeds."""
        account = sender or self.owner
        fields = {"to": self.agent.address, "data": abi.run_data(run), "gas": GAS}
        try:
            with explained(self.web3, fields | {"from": account.address}):
                self.web3.eth.call(fields | {"from": account.address})
        except RevertError as exc:
            false = exc.name in REFUSALS or exc.arguments.get("site") == self.verifier
            return FALSE_PROOF if false else exc.name
        return ""

    @property
    def is_open(self) -> bool:
        return bool(call(self.web3, self.manor.functions.isOpen()))

    def paid(self, account: str) -> int:
        return int(call(self.web3, self.manor.functions.paid(account)))


def made_steward(
    carrier: DirectCarrier, known: dict[str, str], contacts: str, others: Sequence[str] = ()
) -> tuple[Any, Any]:
    """An agent, also with others' tools; and its manor."""
    compiled = compile_sources({SOURCE: (PACKAGE / SOURCE).read_text()})
    given = {"contacts": contacts, "others": "[" + ",".join(f'"{each}"' for each in others) + "]"}
    arguments = constructor_arguments(compiled["Steward"], given, known)
    agent = create(carrier, Step("agent", "steward"), compiled["Steward"], *arguments)
    address = call(carrier.web3, agent.functions.MANOR())
    return agent, carrier.web3.eth.contract(address=address, abi=list(compiled["Manor"].abi))


@contextmanager
def reader_stage() -> Iterator[ReaderStage]:
    model = load_decider("reader")
    assert isinstance(model, ReaderModel)
    circuit = local_circuit(model, None, quiet, PROVING["groth16"])
    with Anvil() as anvil:
        web3 = anvil.web3
        owner, stranger = anvil.accounts[:2]
        carrier = DirectCarrier(web3, owner)
        contacts = Deployer(carrier).contact_book([("bob", BOB)])
        known = {"owner": owner.address, **OwnModel(model, circuit).deploy(carrier)}
        agent, manor = made_steward(carrier, known, contacts)
        with open_agent(web3, agent.address, owner, model, srs=None, stage=quiet) as session:
            yield ReaderStage(anvil, web3, owner, stranger, model, known, agent, manor, session)


__all__ = ["BOB", "ReaderStage", "made_steward", "reader_stage"]
