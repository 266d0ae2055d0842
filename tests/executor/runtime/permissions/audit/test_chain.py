"""Heads in transactions: what was signed is checked here, that it is in a block by a node."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount

from zkagent.executor.chain.web3_sender import Mined, Web3Sender
from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.permissions.audit.anchors import Head
from zkagent.executor.runtime.permissions.audit.chain import (
    SentHead,
    read_sent,
    send_head,
    sent_file,
)
from zkagent.executor.runtime.permissions.audit.log import AuditLog
from zkagent.executor.runtime.permissions.audit.verify import AuditReport, verify_log
from zkagent.verifier_contracts.chain.local import Anvil

OWNER: LocalAccount = Account.from_key(b"\x01" * 32)
EVE: LocalAccount = Account.from_key(b"\x02" * 32)


@dataclass
class Node:
    """has: the transactions in its blocks, and whether they succeeded."""

    has: dict[str, bool] = field(default_factory=dict)
    chain_id: int = 31337

    def mined(self, transaction: str) -> Mined | None:
        found = self.has.get(transaction)
        return None if found is None else Mined({"status": int(found)})


def sent(head: Head, account: LocalAccount = OWNER, **others: Any) -> SentHead:
    fields: dict[str, Any] = {
        "type": 2,
        "chainId": 31337,
        "nonce": 0,
        "to": account.address,
        "value": 0,
        "gas": 50_000,
        "maxFeePerGas": 10,
        "maxPriorityFeePerGas": 1,
        "data": head.data(),
    }
    raw = account.sign_transaction(fields | others).raw_transaction
    return SentHead("0x" + raw.hex().removeprefix("0x"))


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    log = AuditLog(tmp_path / "log")
    for _ in range(3):
        log.append({"kind": "refused"})
    return log


def checked(log: AuditLog, head: SentHead, node: Node | None = None) -> AuditReport:
    return verify_log(log.path, [head], signers=[OWNER.address], chain=node)


def test_a_head_in_a_block_speaks_for_the_log(log: AuditLog) -> None:
    head = sent(log.head())
    found = checked(log, head, Node({head.transaction: True}))
    assert (found.intact, found.anchored, found.notes) == (True, 3, ())


def test_a_log_that_was_cut_off_lacks_what_was_sent(log: AuditLog) -> None:
    head = sent(log.head())
    lines = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(b"".join(lines[:-1]))
    assert "cut off" in checked(log, head, Node({head.transaction: True})).faults[0]


@pytest.mark.parametrize(
    ("others", "account"),
    [
        ({"to": EVE.address}, OWNER),
        ({"data": b"another"}, OWNER),
        ({"chainId": 1}, OWNER),
        ({}, EVE),
    ],
)
def test_another_transaction_does_not(
    log: AuditLog, others: dict[str, Any], account: LocalAccount
) -> None:
    head = sent(log.head(), account, **others)
    assert not checked(log, head, Node({head.transaction: True})).intact


def test_a_transaction_that_is_in_no_block_or_failed_does_not(log: AuditLog) -> None:
    head = sent(log.head())
    assert "in no block" in checked(log, head, Node()).faults[0]
    assert "in no block" in checked(log, head, Node({head.transaction: False})).faults[0]


def test_without_a_node_it_is_told_what_was_not_checked(log: AuditLog) -> None:
    found = checked(log, sent(log.head()))
    assert found.intact
    assert "was not checked" in found.notes[0]


def test_what_was_sent_is_kept_in_a_file(tmp_path: Path, log: AuditLog) -> None:
    keep, path = sent_file(tmp_path / "sent"), tmp_path / "sent"
    heads = (sent(log.head()), sent(log.head(), nonce=1))
    for head in heads:
        keep(head)
    assert read_sent(path) == heads
    path.write_text("0x02\nhello\n")
    with pytest.raises(AuditBroken, match="'hello' is no transaction"):
        read_sent(path)


@pytest.mark.chain
def test_a_head_is_sent_to_a_chain_and_found_there(
    tmp_path: Path, log: AuditLog, chain: Anvil
) -> None:
    account = chain.accounts[3]
    sender = Web3Sender(chain.web3, account.address, account)
    send_head(sender, log.head(), sent_file(tmp_path / "sent"))
    (head,) = read_sent(tmp_path / "sent")
    found = verify_log(log.path, [head], signers=[account.address], chain=sender)
    assert (found.intact, found.anchored, found.notes) == (True, 3, ())
