"""Heads of an audit log in transactions: nobody takes one back, and blocks tell when it was.

The transaction goes from the owner's account to itself and carries the head as its data. What is
kept of it is what was signed, so its content is checked without a node; that it is in a block is a
node's word, which any other node confirms.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from eth_utils.crypto import keccak

from zkagent.executor.chain.agent import ContractCall
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.chain.web3_sender import Mined, Web3Sender
from zkagent.executor.runtime.core.errors import AuditBroken
from zkagent.executor.runtime.permissions.audit.anchors import Head
from zkagent.models.whole import write_file

GAS_MARGIN_PERCENT = 10
RAW = re.compile(r"0x(?:[0-9a-f]{2}){1,4096}", re.ASCII)
WAIT_S, POLL_S = 180.0, 0.2


class Chain(Protocol):
    """What a check asks of a node: whether a transaction is in a block, and succeeded."""

    @property
    def chain_id(self) -> int: ...

    def mined(self, transaction: str) -> Mined | None: ...


@dataclass(frozen=True, slots=True)
class SentHead:
    """raw: the signed transaction, in hex."""

    raw: str

    @property
    def transaction(self) -> str:
        return "0x" + keccak(bytes.fromhex(self.raw[2:])).hex()

    def read(self) -> tuple[str, int, Head]:
        """Who signed it, for which chain, and the head. Raises ValueError."""
        found = read_transaction(bytes.fromhex(self.raw[2:]))
        if found is None:
            raise ValueError("it is no signed transaction")
        sender, fields = found
        if fields["to"] != sender:
            raise ValueError("the transaction goes to another account than its own")
        return sender, int(fields["chainId"]), Head.from_data(fields["data"])


def sent_file(path: Path) -> Callable[[SentHead], None]:
    """For `send_head`: keeps each transaction as a line of this file."""

    def keep(sent: SentHead) -> None:
        before = [each.raw for each in read_sent(path)] if path.exists() else []
        content = "".join(f"{raw}\n" for raw in [*before, sent.raw])
        try:
            write_file(path, content.encode(), private=True)
        except OSError as exc:
            raise AuditBroken(f"{path}: the sent heads cannot be written: {exc}") from exc

    return keep


def read_sent(path: Path) -> tuple[SentHead, ...]:
    """Raises AuditBroken."""
    try:
        lines = path.read_text("ascii").splitlines()
    except (OSError, ValueError) as exc:
        raise AuditBroken(f"{path}: the sent heads of the audit log: {exc}") from exc
    if bad := next((line for line in lines if not RAW.fullmatch(line)), None):
        raise AuditBroken(f"{path}: {bad[:40]!r} is no transaction in hex")
    return tuple(SentHead(line) for line in lines)


def send_head(
    sender: Web3Sender,
    head: Head,
    keep: Callable[[SentHead], None],
    *,
    wait_s: float = WAIT_S,
) -> SentHead:
    """Sends the head and waits till it is in a block.

    keep: gets what was signed before it is sent, so that it is not lost. sender:
    Web3Sender(web3, account.address, account). Raises ChainError; AuditBroken where it is in no
    block within wait_s, or failed."""
    call = ContractCall(head.data())
    gas = sender.gas_limit(sender.estimate_gas(call), GAS_MARGIN_PERCENT)
    raw = sender.sign(call, gas=gas, fees=sender.fees(), nonce=sender.next_nonce())
    sent = SentHead("0x" + raw.hex())
    keep(sent)
    sender.broadcast(raw)
    until = time.monotonic() + wait_s
    while (found := sender.mined(sent.transaction)) is None:
        if time.monotonic() > until:
            raise AuditBroken(
                f"head {head.number} of the audit log is in no block after {wait_s} s"
            )
        time.sleep(POLL_S)
    if not found.succeeded:
        raise AuditBroken(f"the transaction {sent.transaction} with the log's head failed")
    return sent


__all__ = ["Chain", "SentHead", "read_sent", "send_head", "sent_file"]
