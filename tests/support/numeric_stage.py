"""The thermostat of examples/ on a chain of its own; tests set the numbers of feed and pool."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eth_account.signers.local import LocalAccount

from tests.support.checkout import ROOT
from tests.support.progress import quiet
from zkagent.circuits.systems import ProofSystem
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.demo.attacks.stage import FALSE_PROOF, REFUSALS
from zkagent.executor.runs.session import Session, local_circuit, open_agent
from zkagent.models.catalogue import NumericModel, load_model
from zkagent.verifier_contracts.chain.local import Anvil, call, send
from zkagent.verifier_contracts.deployment.arguments import constructor_arguments
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier, Step, create
from zkagent.verifier_contracts.deployment.own_model import OwnModel
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.own import compile_file

FOLDER = ROOT / "examples" / "agents" / "thermostat"
GAS = 5_000_000


@dataclass(frozen=True)
class NumericStage:
    """demo: feed and pool; rate: what the agent changes."""

    anvil: Anvil
    web3: Any
    owner: LocalAccount
    stranger: LocalAccount
    model: NumericModel
    agent: Any
    rate: Any
    demo: Any
    session: Session

    def set(self, name: str, *values: int) -> None:
        send(self.web3, getattr(self.demo.functions, name)(*values), self.owner)

    @property
    def rate_now(self) -> int:
        return int(call(self.web3, self.rate.functions.rate()))

    @property
    def verifier(self) -> str:
        """In lower case."""
        chain = self.session.chain
        return chain.identity(chain.head()).model.verifier.lower()

    def wait(self, seconds: int) -> None:
        self.anvil.rpc("evm_increaseTime", seconds)
        self.anvil.rpc("evm_mine")

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


@contextmanager
def numeric_stage(system: ProofSystem, folder: Path = FOLDER) -> Iterator[NumericStage]:
    model = load_model(folder, NumericModel)
    circuit = local_circuit(model, None, quiet, system)
    compiled = compile_file(folder / "Thermostat.sol")
    demo_compiled = compile_file(folder / "Demo.sol")["Demo"]
    with Anvil() as anvil:
        web3 = anvil.web3
        owner, stranger = anvil.accounts[:2]
        carrier = DirectCarrier(web3, owner)
        demo = create(carrier, Step("demo", "demo"), demo_compiled)
        given = {"feed": demo.address, "pool": demo.address}
        known = {"owner": owner.address, **OwnModel(model, circuit).deploy(carrier)}
        arguments = constructor_arguments(compiled["Thermostat"], given, known)
        agent = create(carrier, Step("agent", "agent"), compiled["Thermostat"], *arguments)
        address = call(web3, agent.functions.RATE())
        rate = web3.eth.contract(address=address, abi=list(compiled["ThermostatRate"].abi))
        with open_agent(web3, agent.address, owner, model, srs=None, stage=quiet) as session:
            yield NumericStage(anvil, web3, owner, stranger, model, agent, rate, demo, session)


__all__ = ["FOLDER", "NumericStage", "numeric_stage"]
