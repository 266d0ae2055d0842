"""`zkagent request` and `zkagent estimate`: ask for a run of an agent, which others prove."""

import json
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.api.limits import MOST_SECONDS
from zkagent.executor.cli import output
from zkagent.executor.cli.desk_options import (
    FROM_BLOCK_OPTION,
    MOST_BLOCK,
    Ether,
    desk_opened,
    ether,
    proving_options,
    where_options,
)
from zkagent.executor.cli.options import JSON_OPTION, FiniteRange, given_address
from zkagent.executor.cli.run import signer_of
from zkagent.executor.cli.sending import Command, fee_options
from zkagent.executor.commands import typed

if TYPE_CHECKING:
    from zkagent.executor.chain.desk import Order, Posted
    from zkagent.executor.operating.estimate import Estimate
    from zkagent.executor.operating.requester import Outcome, Requester
    from zkagent.verifier_contracts.chain.signing import FeeCaps

MOST_LIFETIME_S = 30 * 86_400  # as the desk has it
CALLBACK_OPTIONS = (
    click.option(
        "--handler",
        callback=given_address,
        help="Contract that is told the result (IERCAgentClient).",
    ),
    click.option(
        "--callback-gas",
        type=click.IntRange(1, (1 << 32) - 1),
        help="Gas for it.",
    ),
)


def callback_options(command: Command) -> Command:
    """--handler, --callback-gas."""
    for option in reversed(CALLBACK_OPTIONS):
        command = option(command)
    return command


@click.command("request")
@click.argument("prompt", required=False)
@where_options
@click.option("--fee", type=Ether(), metavar="ETH", help="For whoever answers; held by the desk.")
@click.option(
    "--deadline",
    type=click.IntRange(1, MOST_LIFETIME_S),
    default=3600,
    show_default=True,
    metavar="SECONDS",
    help="From now: not answered by then, the fee can be taken back.",
)
@click.option("--last-block", type=click.IntRange(1, MOST_BLOCK), help="Answered by then, or not.")
@click.option("--operator", callback=given_address, help="Who alone may answer.")
@callback_options
@click.option("--show", type=click.IntRange(1, MOST_BLOCK), metavar="N", help="How far N is.")
@click.option(
    "--refund", type=click.IntRange(1, MOST_BLOCK), metavar="N", help="Take the fee of N back."
)
@FROM_BLOCK_OPTION
@click.option("--no-wait", is_flag=True, help="End when it is posted.")
@click.option(
    "--timeout",
    type=FiniteRange(0, MOST_SECONDS, min_open=True),
    default=600.0,
    show_default=True,
    help="Seconds to wait for the answer.",
)
@click.option("--yes", is_flag=True, help="Do not ask before sending.")
@fee_options
@JSON_OPTION
def request_command(
    *,
    prompt: str | None,
    show: int | None,
    refund: int | None,
    from_block: int,
    no_wait: bool,
    timeout: float,
    yes: bool,
    as_json: bool,
    fee_caps: "FeeCaps",
    **options: Any,
) -> None:
    """Have PROMPT carried out by an agent whose desk takes requests: pay a fee into escrow, wait
    for an operator's proven answer.

    What was interrupted after it was signed is gone on with. An answer that comes late is shown by
    --show, and --refund takes the fee back once the deadline has passed.
    """
    given = [each for each in (prompt, show, refund) if each is not None]
    if len(given) != 1:
        raise click.UsageError("give a PROMPT, or --show N, or --refund N")
    from zkagent.executor.cli.progress import working

    with working() as told:
        requester = _requester(options, fee_caps, told)
        if refund is not None:
            _refunded(requester, requester.find(refund, from_block), as_json)
            return
        if show is not None:
            _print(requester.outcome(requester.find(show, from_block)), as_json)
            return
        order = _order(requester, str(prompt), options)
    _ask(order, options["desk"], yes=yes)
    with working() as told:
        requester.told = told
        posted = requester.post(order)
        output.show(f"request {posted.id} in transaction {posted.transaction}", err=True)
        outcome = requester.outcome(posted) if no_wait else requester.wait(posted, timeout)
    _print(outcome, as_json)


@click.command("estimate")
@click.argument("prompt")
@where_options
@proving_options
@callback_options
@fee_options
@JSON_OPTION
def estimate_command(*, prompt: str, as_json: bool, fee_caps: "FeeCaps", **options: Any) -> None:
    """Show what a request of PROMPT would cost: its run is planned and proven here, and nothing is
    sent. A key is not needed."""
    from eth_account import Account

    from zkagent.executor.chain.desk import Order
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.operating.estimate import estimate
    from zkagent.executor.runs.derivation import raw_bytes

    handler, gas = _callback(options)
    signer = signer_of(options["key_file"]) if options["key_file"] else Account.create()
    tell = Narrator()
    with tell.working(), desk_opened(tell, signer, options, fee_caps=fee_caps) as session:
        until = session.desk.time(session.desk.head()) + MOST_LIFETIME_S
        order = Order(raw_bytes(prompt), 0, until, gas_for_callback=gas)
        found = estimate(session, replace(order, handler=handler) if handler else order)
    _print_estimate(found, as_json)


def _requester(options: dict[str, Any], fee_caps: "FeeCaps", told: Any) -> "Requester":
    from zkagent.circuits.support.cache import cache_root
    from zkagent.executor.chain.web3_sender import Web3Sender
    from zkagent.executor.operating.journal import AnswerJournal
    from zkagent.executor.operating.policy import USUAL
    from zkagent.executor.operating.requester import REQUESTS, Requester
    from zkagent.executor.operating.session import checked_desk, place_of
    from zkagent.verifier_contracts.chain.local import connect

    signer = signer_of(options["key_file"])
    web3 = connect(options["rpc"], options["chain_id"], caps=fee_caps)
    told("comparing the desk's code")
    desk, _ = checked_desk(web3, options["desk"])
    sender = Web3Sender(web3, desk.address, signer)
    journal = AnswerJournal(place_of(sender, desk), cache_root() / REQUESTS)
    wanted = USUAL.wanted(local=sender.local)
    return Requester(desk, sender, journal, wanted, told=told)


def _order(requester: "Requester", prompt: str, options: dict[str, Any]) -> "Order":
    from zkagent.executor.chain.desk import Order
    from zkagent.executor.runs.derivation import raw_bytes

    if options["fee"] is None:
        raise click.UsageError(f"say what the answer is worth: --fee ETH; {_typed_estimate()}")
    handler, gas = _callback(options)
    desk = requester.desk
    deadline = max(int(time.time()), desk.time(desk.head())) + options["deadline"]
    order = Order(
        raw_bytes(prompt),
        options["fee"],
        deadline,
        last_block=options["last_block"] or 0,
        gas_for_callback=gas,
    )
    if handler:
        order = replace(order, handler=handler)
    return replace(order, operator=options["operator"].lower()) if options["operator"] else order


def _callback(options: dict[str, Any]) -> tuple[str | None, int]:
    """Raises click.UsageError for the one without the other."""
    handler, gas = options["handler"], options["callback_gas"]
    if (handler is None) != (gas is None):
        raise click.UsageError("--handler and --callback-gas belong together")
    return (handler.lower() if handler else None), gas or 0


def _typed_estimate() -> str:
    return f"`{typed('estimate')}` tells what it takes"


def _ask(order: "Order", desk: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("there is nobody here to ask: give --yes")
    if not click.confirm(f"pay {ether(order.fee)} ETH into escrow at {desk}?", err=True):
        output.show("nothing was sent", err=True)
        sys.exit(7)


def _refunded(requester: "Requester", posted: "Posted", as_json: bool) -> None:
    taken = requester.refund(posted)
    if as_json:
        output.show(json.dumps({"request": posted.id, "withdrawn_wei": taken}))
    else:
        output.show(f"request {posted.id} is refunded; {ether(taken)} ETH were withdrawn")


def _print(found: "Outcome", as_json: bool) -> None:
    from zkagent.errors import in_line
    from zkagent.executor.runs.derivation import text

    answer = None if found.answer is None else text(found.answer)
    status, awaited = found.status.name.lower(), found.waits_for
    if as_json:
        shown = {"request": found.posted.id, "status": status, "answer": answer}
        shown["waits_for"] = awaited and {
            "tool": awaited.tool.lower(),
            "call": awaited.call,
            "answered": awaited.answered,
        }
        output.show(json.dumps(shown | {"transaction": found.transaction or None}))
        return
    more = f": it {found.next}" if awaited else ""
    open_still = f"request {found.posted.id} is {status}{more}"
    output.show(in_line(answer) if answer is not None else open_still)
    if answer is not None:
        output.show(f"request {found.posted.id}, {status} in {found.transaction}", err=True)


def _print_estimate(found: "Estimate", as_json: bool) -> None:
    from zkagent.errors import in_line

    shown = {
        "answer": found.answer,
        "waits_for": found.waits_for or None,
        "decisions": found.decisions,
        "posting_gas": found.posting_gas,
        "answering_gas": found.answering_gas,
        "callback_gas": found.callback_gas,
        "proving_seconds": round(found.proving_s, 3),
        "least_fee_wei": found.least_fee_wei,
        "suggested_fee_wei": found.suggested_fee_wei,
    }
    if as_json:
        output.show(json.dumps(shown))
        return
    if found.waits_for:
        _print_beginning(found)
        return
    output.show(f"answer as things are: {in_line(found.answer or '')}")
    output.show(f"{found.decisions} decisions, proven in {found.proving_s:.1f} s here")
    output.show(f"gas to post it: {found.posting_gas:,}")
    of_it = f", {found.callback_gas:,} of them for the callback" if found.callback_gas else ""
    output.show(f"gas to answer it: {found.answering_gas:,}{of_it}")
    output.show(f"fee that covers an answer now: {ether(found.least_fee_wei)} ETH")
    output.show(f"and when gas is twice as dear: {ether(found.suggested_fee_wei)} ETH")


def _print_beginning(found: "Estimate") -> None:
    from zkagent.errors import in_line

    output.show(f"no answer at once: the run waits for {in_line(found.waits_for)}")
    output.show("what comes after that depends on what it says, and is not in these figures")
    output.show(f"{found.decisions} decisions until then, proven in {found.proving_s:.1f} s here")
    output.show(f"gas to post it: {found.posting_gas:,}")
    output.show(f"gas to begin it: {found.answering_gas:,}")
    output.show(
        f"fee for which it is begun now: {ether(found.least_fee_wei)} ETH, half of it for that"
    )
    output.show(f"and when gas is twice as dear: {ether(found.suggested_fee_wei)} ETH")


__all__ = ["estimate_command", "request_command"]
