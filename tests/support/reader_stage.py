"""An agent that reads its tools (`test/reader/Steward.sol`), with a contact, on its own chain."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from eth_abi.abi import encode
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from tests.support.progress import quiet
from tests.support.reading_chain import DESCRIPTION, EXAMPLES, INPUT, INPUT_TYPE, NAME
from zkagent.circuits.systems import GROTH16, ProofSystem
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.demo.attacks.stage import FALSE_PROOF, REFUSALS
from zkagent.executor.runs.session import Session, local_circuit, open_agent
from zkagent.models.catalogue import ReaderModel, load_decider
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy, send
from zkagent.verifier_contracts.deployment.arguments import constructor_arguments
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier, Step, create
from zkagent.verifier_contracts.deployment.deployer import Deployer
from zkagent.verifier_contracts.deployment.own_model import OwnModel
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import PACKAGE, compile_sources

SOURCE, FAKES = "test/reader/Steward.sol", "test/reader/ReadingFakes.sol"
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
    carrier: DirectCarrier,
    known: dict[str, str],
    contacts: str,
    others: Sequence[tuple[str, bool]] = (),
) -> tuple[Any, Any]:
    """An agent, also with others' tools, each with whether its code fixes what it says; and its
    manor."""
    compiled = compile_sources({SOURCE: (PACKAGE / SOURCE).read_text()})
    given = {"contacts": contacts, "others": json.dumps(others)}
    arguments = constructor_arguments(compiled["Steward"], given, known)
    agent = create(carrier, Step("agent", "steward"), compiled["Steward"], *arguments)
    address = call(carrier.web3, agent.functions.MANOR())
    return agent, carrier.web3.eth.contract(address=address, abi=list(compiled["Manor"].abi))


class Talker:
    """A tool of a stranger's that says what it is told to."""

    def __init__(self, web3: Any, maker: LocalAccount) -> None:
        self.web3, self.maker = web3, maker
        compiled = compile_sources({FAKES: (PACKAGE / FAKES).read_text()})["SayingTool"]
        self.contract = deploy(web3, compiled, maker)
        self.address = str(self.contract.address)

    def say(
        self,
        name: bytes,
        description: bytes,
        parameters: Sequence[tuple[int, bytes, bytes]] = (),
        examples: Sequence[bytes] = (),
    ) -> None:
        self.say_raw(
            {
                NAME: encode(["bytes"], [name]),
                DESCRIPTION: encode(["bytes"], [description]),
                INPUT: encode([INPUT_TYPE], [(list(parameters),)]),
                EXAMPLES: encode(["bytes[]"], [list(examples)]),
            },
            has_examples=bool(examples),
        )

    def say_raw(self, answers: Mapping[bytes, bytes], *, has_examples: bool) -> None:
        said = list(answers), list(answers.values()), has_examples
        send(self.web3, self.contract.functions.say(*said), self.maker)

    def look(self, told: bytes = encode(["bool"], [True]), *, quiet: bool = False) -> None:
        """Says that it only looks, or what else is told. quiet: whether that is true."""
        send(self.web3, self.contract.functions.sayLooks(True, told), self.maker)
        if quiet:
            send(self.web3, self.contract.functions.beQuiet(), self.maker)

    @property
    def runs(self) -> int:
        return int(call(self.web3, self.contract.functions.runs()))


@contextmanager
def another_steward(stage: ReaderStage, *others: Talker | str) -> Iterator[ReaderStage]:
    """With tools of strangers, or at addresses whose code fixes what they say."""
    contacts = call(stage.web3, stage.agent.functions.contactBook())
    carrier = DirectCarrier(stage.web3, stage.owner)
    given = [(each, True) if isinstance(each, str) else (each.address, False) for each in others]
    made = made_steward(carrier, stage.known, contacts, given)
    with open_agent(
        stage.web3, made[0].address, stage.owner, stage.model, srs=None, stage=quiet
    ) as session:
        yield replace(stage, agent=made[0], manor=made[1], session=session)


@contextmanager
def reader_stage(system: ProofSystem = GROTH16) -> Iterator[ReaderStage]:
    model = load_decider("reader")
    assert isinstance(model, ReaderModel)
    circuit = local_circuit(model, None, quiet, system)
    with Anvil() as anvil:
        web3 = anvil.web3
        owner, stranger = anvil.accounts[:2]
        carrier = DirectCarrier(web3, owner)
        contacts = Deployer(carrier).contact_book([("bob", BOB)])
        known = {"owner": owner.address, **OwnModel(model, circuit).deploy(carrier)}
        agent, manor = made_steward(carrier, known, contacts)
        with open_agent(web3, agent.address, owner, model, srs=None, stage=quiet) as session:
            yield ReaderStage(anvil, web3, owner, stranger, model, known, agent, manor, session)


__all__ = ["BOB", "ReaderStage", "Talker", "another_steward", "made_steward", "reader_stage"]
