"""What a command is about to send: shown, asked about, and sent, one transaction after the other.

Called by the commands that change an agent or its guard, or deploy something for one.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.deploying import somebody_to_ask

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount


@dataclass(frozen=True)
class Change:
    """One transaction. line: what it comes to, in words."""

    line: str
    call: Any


def agreed(lines: Sequence[str], *, yes: bool, question: str = "do that?") -> None:
    """Shows the lines, and ends the command with 7 unless somebody agrees. Raises click.UsageError
    where nobody can be asked."""
    somebody_to_ask(yes=yes)
    for line in lines:
        output.show(line, err=True)
    if not yes and not click.confirm(question, err=True):
        output.show("nothing was sent", err=True)
        sys.exit(7)


def send_agreed(
    web3: Any,
    signer: "LocalAccount | None",
    changes: Sequence[Change],
    *,
    yes: bool,
    before: str = "",
) -> None:
    """All of the changes, once somebody agreed, each line printed when it is done. before: said
    before each in the question. Raises KeyFileError without a signer, RevertError, ChainError."""
    from zkagent.executor.cli.run import signer_of
    from zkagent.verifier_contracts.chain.local import send

    somebody_to_ask(yes=yes)
    signer = signer or signer_of(None)  # which says that it takes one
    agreed([before + change.line for change in changes], yes=yes)
    for change in changes:
        send(web3, change.call, signer)
        output.show(change.line)


__all__ = ["Change", "agreed", "send_agreed"]
