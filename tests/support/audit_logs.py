"""Audit logs as their owner writes them, beside which others change them."""

from pathlib import Path

from eth_account import Account
from eth_account.signers.local import LocalAccount

from zkagent.executor.runtime.permissions.audit.anchors import head_file
from zkagent.executor.runtime.permissions.audit.log import AuditLog

OWNER: LocalAccount = Account.from_key(b"\x01" * 32)
EVE: LocalAccount = Account.from_key(b"\x02" * 32)
Lines = list[bytes]


def opened(path: Path, account: LocalAccount | None = OWNER) -> AuditLog:
    """account: whose head is in the file `head` beside the log; None for no head."""
    return AuditLog(path, anchor=account and head_file(path.with_name("head"), account))


def written(path: Path, records: int = 6, account: LocalAccount | None = OWNER) -> AuditLog:
    """With so many records, of which the first says that the log begins."""
    log = opened(path, account)
    for number in range(records - 1):
        log.append({"kind": "refused", "run": f"run{number}"})
    return log
