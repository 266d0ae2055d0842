"""`zkagent runs audit`: is an audit log what was written?"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.options import JSON_OPTION, checked_address, checked_url

if TYPE_CHECKING:
    from zkagent.executor.runtime.permissions.audit.anchors import SignedHead
    from zkagent.executor.runtime.permissions.audit.chain import Chain, SentHead
    from zkagent.executor.runtime.permissions.audit.verify import AuditReport

FILE = click.Path(path_type=Path)


@click.command("audit")
@click.argument("log", type=FILE)
@click.option("--head", "heads", type=FILE, multiple=True, help="A signed head that was kept.")
@click.option("--sent", type=FILE, multiple=True, help="Heads that were sent in transactions.")
@click.option(
    "--signer",
    "signers",
    multiple=True,
    metavar="ADDRESS",
    callback=lambda ctx, option, given: tuple(map(checked_address, given)),
    help="Who may have signed or sent heads; repeat it for each.",
)
@click.option("--rpc", metavar="URL", callback=checked_url, help="Asked for what was sent.")
@JSON_OPTION
def audit_command(
    *,
    log: Path,
    heads: tuple[Path, ...],
    sent: tuple[Path, ...],
    signers: tuple[str, ...],
    rpc: str | None,
    as_json: bool,
) -> None:
    """Check LOG, the audit log of what an agent's permissions refused or changed.

    Any edit, deletion or change of order within it shows; that it was cut off, or written anew,
    shows by the heads that were kept elsewhere. Exit code 1 if it is not what was written.
    """
    from zkagent.errors import in_line
    from zkagent.executor.runtime.core.errors import AuditBroken
    from zkagent.executor.runtime.permissions.audit.anchors import read_head
    from zkagent.executor.runtime.permissions.audit.chain import read_sent
    from zkagent.executor.runtime.permissions.audit.verify import verify_log

    if (heads or sent) and not signers:
        raise click.UsageError("heads of --head and --sent count by who signs: add --signer")
    found: list[SignedHead | SentHead] = [read_head(path) for path in heads]
    found += [one for path in sent for one in read_sent(path)]
    chain = _chain(rpc) if rpc and sent else None
    report = verify_log(log, found, signers=signers, chain=chain)
    if report.faults and not (report.records or found):
        raise AuditBroken(f"{in_line(str(log))} is no audit log: {report.faults[0]}")
    for line in [json.dumps(_json(report))] if as_json else _lines(report):
        output.show(line)
    if not report.intact:
        sys.exit(1)


def _chain(rpc: str) -> "Chain":
    from zkagent.executor.chain.web3_sender import NodeChain
    from zkagent.verifier_contracts.chain.local import connect

    return NodeChain(connect(rpc))


def _json(report: "AuditReport") -> dict[str, object]:
    return {
        "intact": report.intact,
        "records": report.records,
        "anchored": report.anchored,
        "unanchored": report.unanchored,
        "repaired": list(report.repaired),
        "faults": list(report.faults),
        "notes": list(report.notes),
    }


def _lines(report: "AuditReport") -> list[str]:
    heads = "no head" if report.anchored is None else f"a head of record {report.anchored}"
    state = "intact" if report.intact else "not what was written"
    lines = [f"the log is {state}: {report.records} records in order, {heads}"]
    if report.intact and report.unanchored:
        lines.append(f"the last {report.unanchored} records have no head that speaks for them")
    lines += [f"fault: {fault}" for fault in report.faults]
    lines += [f"note: {note}" for note in report.notes]
    lines += [f"note: record {number} tells of a torn line" for number in report.repaired]
    return lines


__all__ = ["audit_command"]
