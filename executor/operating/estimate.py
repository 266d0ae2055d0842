"""What a request would cost, before anything is sent: its run is planned and proven here, and the
node is asked for the gas of an answer as if the request were posted already."""

from dataclasses import dataclass, replace
from typing import Any

from eth_abi.abi import encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from zkagent.executor.chain import abi, desk
from zkagent.executor.chain.desk import Order, Posted, Request, Status
from zkagent.executor.operating.policy import PARTS_OF_WAITING
from zkagent.executor.operating.session import DeskSession
from zkagent.executor.runs.derivation import text
from zkagent.executor.runs.plan import Plan
from zkagent.executor.runs.runner import GAS_MARGIN_PERCENT
from zkagent.verifier_contracts.chain.local import translated
from zkagent.verifier_contracts.chain.node import ask, number
from zkagent.verifier_contracts.chain.signing import Fees, fees_now

STATES_SLOT = 2  # of RequestDesk's storage: a test holds it against a real request
RICH = hex(1 << 96)
#: Pays for any request; nobody signs for it.
SOMEBODY = "0x" + "5a" * 20


@dataclass(frozen=True, slots=True)
class Estimate:
    """Gas units of both transactions; callback_gas: of them, what the handler gets. proving_s: as
    long as it took here. fees: of now.

    waits_for: the tool that answers later, if the run calls one. All figures are then of its
    beginning alone, which has no answer: what comes after depends on what the tool says.
    """

    answer: str | None
    waits_for: str
    decisions: int
    posting_gas: int
    answering_gas: int
    callback_gas: int
    proving_s: float
    fees: Fees

    @property
    def least_fee_wei(self) -> int:
        """For which an operator who works for nothing answers at the prices of now. Of a run that
        waits, for which one begins it, who keeps half for what comes after."""
        return self._limit * (self.fees.base_wei + self.fees.priority_wei)

    @property
    def suggested_fee_wei(self) -> int:
        """The same where gas may become twice as dear."""
        return self._limit * (2 * self.fees.base_wei + self.fees.priority_wei)

    @property
    def _limit(self) -> int:
        limit = self.answering_gas * (100 + GAS_MARGIN_PERCENT) // 100
        return limit * PARTS_OF_WAITING if self.waits_for else limit


def estimate(session: DeskSession, order: Order) -> Estimate:
    """Raises what planning and proving raise; RevertError where the run fails, ChainError of a node
    that does not evaluate on a state that is given to it."""
    proven = session.runner.prove(session.runner.plan(order.prompt))
    web3, head = session.web3, session.desk.head()
    patron = session.names.patron
    account = SOMEBODY if patron == abi.NO_HANDLER else patron
    operator = session.sender.account
    (commitment,) = session.desk.reader.view(session.names.agent, abi.PINNED_COMMITMENT, head)
    order = replace(order, fee=1)  # crediting nothing would take less
    posted = Posted(session.desk.count(head) + 1, Request(account, commitment, order), 0, "")
    place, answer = desk.PLACE.call(order.fields), desk.fulfil_data(posted, proven.call)
    state = {session.desk.address: {"stateDiff": dict([_pending(posted)])}}
    with translated(web3):
        fees = fees_now(web3)
    return Estimate(
        answer=None if proven.plan.waits else text(proven.plan.answer),
        waits_for=_awaited(proven.plan),
        decisions=len(proven.plan.decisions),
        posting_gas=_gas(session, account, place, _rich(account), value_wei=1),
        answering_gas=_gas(session, operator, answer, state | _rich(operator)),
        callback_gas=0 if proven.plan.waits else order.gas_for_callback,
        proving_s=sum(proven.seconds),
        fees=fees,
    )


def _awaited(plan: Plan) -> str:
    """Name and address of the tool that the plan ends with."""
    if not plan.waits:
        return ""
    last = plan.decisions[-1]
    named = (t for t in last.context.reads.tools if text(t.name) == last.decision.action)
    return ", ".join(f"{text(tool.name)} ({tool.address.lower()})" for tool in named)


def _gas(
    session: DeskSession, account: str, data: bytes, state: dict[str, Any], *, value_wei: int = 0
) -> int:
    fields = {
        "from": to_checksum_address(account),
        "to": to_checksum_address(session.desk.address),
        "data": "0x" + data.hex(),
        "value": hex(value_wei),
    }
    with translated(session.web3):
        found = ask(session.web3, "eth_estimateGas", fields, "latest", state)
    return number("eth_estimateGas", found)


def _pending(posted: Posted) -> tuple[str, str]:
    """Slot and word of a desk that has the request."""
    slot = keccak(encode(["uint256", "uint256"], [posted.id, STATES_SLOT]))
    word = posted.request.hash[:-1] + bytes([Status.PENDING])
    return "0x" + slot.hex(), "0x" + word.hex()


def _rich(account: str) -> dict[str, Any]:
    return {account: {"balance": RICH}}


__all__ = ["Estimate", "estimate"]
