"""Verifying a run, and auditing, by a node that lies: no contradiction passes, and nothing that the
requester signed can be changed. What a node can make up is in docs/receipt.md."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.lying_node import Lie, LyingNode, lying_node
from zkagent.errors import ZkagentError
from zkagent.executor.api.audits import audit_agent, audit_model
from zkagent.executor.api.receipts import verify_receipt
from zkagent.executor.audit.report import Audit
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model

OTHER = "0x" + "ab" * 32
EMPTY = "0x"


@dataclass(frozen=True)
class Recorded:
    """A transfer that happened, its receipt, and a node that may lie about it."""

    receipt: Receipt
    node: LyingNode
    chain: EmbeddedChain

    def verdict(self) -> str:
        """What verifying comes to: the verdict with its problems, or the error."""
        try:
            report = verify_receipt(self.receipt, rpc=self.node.url)
        except ZkagentError as exc:
            return f"error: {exc}"
        return "\n".join([report.verdict, *map(str, report.problems)])


@pytest.fixture(scope="module")
def recorded(opened: tuple[Session, EmbeddedChain], wallet: Model) -> Iterator[Recorded]:
    session, chain = opened
    snapshot = chain.anvil.snapshot()
    run = session.runner.run(f"send 3 USDC to {chain.friend.address}".encode())
    receipt = write_receipt(session.chain, wallet, [run], session.signer)
    with lying_node(chain.anvil.rpc_url) as node:
        yield Recorded(receipt, node, chain)
    chain.anvil.revert(snapshot)


@pytest.fixture(autouse=True)
def honest_at_first(recorded: Recorded) -> None:
    recorded.node.lies.clear()


def changed(**fields: Any) -> Lie:
    """The honest answer with other fields; a function makes them of the honest ones."""

    def lie(honest: Callable[[], Any]) -> Any:
        found = honest()
        new = {k: v(found[k]) if callable(v) else v for k, v in fields.items()}
        return found | new

    return lie


def without_transfers(logs: list[Any]) -> list[Any]:
    return [log for log in logs if not is_word(log)]


def other_data(logs: list[Any]) -> list[Any]:
    return [log | {"data": log["data"][:-2] + "77"} if is_word(log) else log for log in logs]


def is_word(log: dict[str, Any]) -> bool:
    """Whether it carries one value, as transfers do."""
    return len(log["data"]) == 66


def of_other_transaction(logs: list[Any]) -> list[Any]:
    return [log | {"transactionHash": OTHER} for log in logs]


RECEIPT, TRANSACTION = "eth_getTransactionReceipt", "eth_getTransactionByHash"
BLOCK = "eth_getBlockByNumber"
LIES: list[tuple[str, Lie, str]] = [
    (RECEIPT, changed(status="0x0"), "rejected\n.*was reverted"),
    (RECEIPT, changed(logs=[]), "rejected\n"),
    (
        RECEIPT,
        changed(logs=without_transfers),
        "rejected\n.*no such transfer is in the transaction",
    ),
    (RECEIPT, changed(logs=other_data), "rejected\n.*where 3000000 units of .* was decided"),
    (RECEIPT, changed(logs=lambda logs: logs[::-1]), "error: the node contradicts itself"),
    (RECEIPT, changed(logs=of_other_transaction), "error: the node contradicts itself"),
    (RECEIPT, changed(blockHash=OTHER), "error: the node contradicts itself|rejected"),
    (RECEIPT, changed(transactionHash=OTHER), "error: the node contradicts itself"),
    (TRANSACTION, changed(input=lambda data: data[:-2] + "77"), "rejected\n.*calldata is"),
    (TRANSACTION, changed(to="0x" + "11" * 20), "error: the node contradicts itself"),
    (TRANSACTION, changed(nonce="0x77"), "rejected\n.*nonce is 119"),
    (TRANSACTION, changed(hash=OTHER), "error: the node contradicts itself"),
    (TRANSACTION, lambda honest: None, "rejected\n.*there is no transaction"),
    (BLOCK, changed(hash=OTHER), "rejected\n.*block"),
    (BLOCK, changed(parentHash=OTHER), "rejected\n.*the block before is"),
    (BLOCK, changed(transactions=[]), "error: the node contradicts itself"),
    ("eth_getCode", lambda honest: EMPTY, "rejected\n.*there is no contract at"),
    ("eth_getCode", lambda honest: "0x5f355f55", "(unknown|rejected)\n"),
    ("eth_call", lambda honest: EMPTY, "rejected\n"),
    ("eth_call", lambda honest: "0x" + "00" * 64, "rejected\n"),
    ("eth_getLogs", lambda honest: [], "rejected\n.*units came to"),
    ("eth_chainId", lambda honest: "0x1", "error: .* chain 1"),
]


def test_an_honest_node_is_believed(recorded: Recorded) -> None:
    assert recorded.verdict() == "accepted"


@pytest.mark.parametrize(
    ("method", "lie", "verdict"), LIES, ids=[f"{n}-{m}" for n, (m, _, _) in enumerate(LIES)]
)
def test_a_lie_about_a_run_is_noticed(
    recorded: Recorded, method: str, lie: Lie, verdict: str
) -> None:
    recorded.node.lies[method] = lie
    found = recorded.verdict()
    assert re.match(verdict, found, re.DOTALL), found


@pytest.mark.parametrize("answer", [EMPTY, "0x5f355f55", OTHER])
@pytest.mark.parametrize("method", ["eth_getCode", "eth_call"])
def test_no_audit_ends_well_on_what_is_not_there(
    recorded: Recorded, method: str, answer: str
) -> None:
    recorded.node.says(method, answer)
    there = recorded.chain.deployment
    for audit in (
        lambda: audit_agent(there.agent, recorded.node.url),
        lambda: audit_model(there.model_id, there.registry, recorded.node.url),
    ):
        assert concluded(audit) in {"unsound", "unknown", "error"}


def concluded(audit: Callable[[], Audit]) -> str:
    """The verdict, or that there is none."""
    try:
        return audit().verdict
    except ZkagentError:
        return "error"
