"""A classifier of random weights on a chain of its own, and the ticket desk of examples/."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from tests.support.classifiers import random_classifier
from tests.support.progress import quiet
from zkagent.circuits.systems import PROVING
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.embedded import EmbeddedChain, embedded_chain
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.runs.session import Session, local_circuit, open_session
from zkagent.models.catalogue import LabelModel
from zkagent.models.encoding.context import Context
from zkagent.verifier_contracts.chain.local import call, deploy, send
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import Contract
from zkagent.verifier_contracts.toolchain.own import compile_file

DESK = Path(__file__).parents[2] / "examples" / "tickets" / "TicketDesk.sol"
#: Of the classifier's labels, those that have a queue.
QUEUES = ("music", "silence")
WORDS = ("play some jazz", "stop it", "what a day", "rain", "no sun today", "sing", "be quiet")
GAS = 8_000_000
#: Of weights that give each of the labels to some of these texts.
SEED = 7


def desk_contract() -> Contract:
    return compile_file(DESK)["TicketDesk"]


@dataclass(frozen=True)
class TicketStage:
    """session: of the owner, with the desk."""

    chain: EmbeddedChain
    model: LabelModel
    session: Session
    desk: Any

    @property
    def web3(self) -> Any:
        return self.chain.web3

    @property
    def owner(self) -> LocalAccount:
        return self.chain.owner

    @property
    def stranger(self) -> LocalAccount:
        return self.chain.stranger

    def texts(self, label: str) -> list[str]:
        """Texts that have this label."""
        made = (f"{first} {second}" for first in WORDS for second in ("now", "please", "again"))
        return [text for text in (*WORDS, *made) if self.judged(text)[0] == label]

    def judged(self, text: str) -> tuple[str, int]:
        """Label and margin, in Python."""
        y = self.model.infer(self.model.encode(Context(text.encode())))
        judged = self.model.classifier.judge(y)
        return judged.label, judged.margin

    def filed(self, text: str, by: LocalAccount | None = None) -> int:
        """The number of a ticket that was filed."""
        send(self.web3, self.desk.functions.file(text), by or self.stranger)
        return int(call(self.web3, self.desk.functions.count()))

    def ticket(self, number: int) -> tuple[str, str, int]:
        """Customer, queue, margin."""
        customer, _, _, margin, queue = call(self.web3, self.desk.functions.ticket(number))
        return str(customer), str(queue), int(margin)

    def proven(self, text: str) -> RunCall:
        """A run that nobody has sent."""
        runner = self.session.runner
        return runner.prove(runner.plan(text.encode())).call

    def route(self, number: int, text: str, run: RunCall) -> Any:
        """The desk's function, for a run that is proven."""
        claims, proofs, (deadline, calls, facts) = abi.run_arguments(run)
        named = [(to_checksum_address(target), *rest) for target, *rest in facts]
        terms = (deadline, calls, named)
        return self.desk.functions.route(number, text, claims, proofs, terms)

    def error_of(self, run: RunCall, sender: LocalAccount | None = None) -> RevertError | None:
        """Why the desk refuses a run; None if it does not."""
        to = self.desk.address
        fields = {"to": to, "data": abi.run_data(run), "from": (sender or self.owner).address}
        try:
            with explained(self.web3, fields | {"gas": GAS}):
                self.web3.eth.call(fields | {"gas": GAS})
        except RevertError as exc:
            return exc
        return None

    def send_as(self, run: RunCall, sender: LocalAccount) -> bool:
        """Sends it for real; whether it was carried out."""
        fields = {"to": self.desk.address, "data": abi.run_data(run), "gas": GAS, "value": 0}
        fees = {"maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**9, "type": 2}
        nonce = self.web3.eth.get_transaction_count(sender.address)
        whole = {**fields, **fees, "chainId": self.web3.eth.chain_id, "nonce": nonce}
        raw = sender.sign_transaction(whole).raw_transaction
        hashed = self.web3.eth.send_raw_transaction(raw)
        receipt = self.web3.eth.wait_for_transaction_receipt(hashed, 60, 0.05)
        return bool(receipt["status"] == 1)


def desk_arguments(chain: EmbeddedChain, least: int = 0) -> tuple[Any, ...]:
    """Of the constructor, for the chain's classifier."""
    commitment = bytes.fromhex(chain.deployment.commitment.removeprefix("0x"))
    return chain.deployment.agent, commitment, chain.owner.address, list(QUEUES), least


@contextmanager
def ticket_stage(folder: Path, system: str = "ezkl") -> Iterator[TicketStage]:
    """folder: for the classifier. system: what decisions are proven by."""
    model = LabelModel.of(random_classifier(folder, SEED))
    circuit = local_circuit(model, None, quiet, PROVING[system])
    with embedded_chain(model, circuit, quiet) as chain:
        made = deploy(chain.web3, desk_contract(), chain.owner, *desk_arguments(chain))
        with open_session(chain.web3, made.address, chain.owner, model, circuit) as session:
            yield TicketStage(chain, model, session, made)


@contextmanager
def another_desk(stage: TicketStage, least: int) -> Iterator[TicketStage]:
    """With this margin."""
    arguments = desk_arguments(stage.chain, least)
    made = deploy(stage.web3, desk_contract(), stage.owner, *arguments)
    opened = stage.session
    with open_session(
        stage.web3, made.address, stage.owner, stage.model, opened.circuit
    ) as session:
        yield replace(stage, session=session, desk=made)
