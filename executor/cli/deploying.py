"""What all commands that deploy have in common: what it will cost is shown and asked, and what was
begun is resumed.

Called by `deploy`, `model register-batch` and `agent deploy`.
"""

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output
from zkagent.executor.cli.options import SettingOption, checksummed

if TYPE_CHECKING:
    from eth_account.signers.local import LocalAccount

    from zkagent.executor.cli.narrator import Narrator
    from zkagent.models.whole import Place
    from zkagent.verifier_contracts.chain.signing import Fees
    from zkagent.verifier_contracts.deployment.carrier import Carrier
    from zkagent.verifier_contracts.deployment.journal import Subject
    from zkagent.verifier_contracts.deployment.journalled import JournalledCarrier
    from zkagent.verifier_contracts.deployment.rehearsal import Rehearsed

ETHER, GWEI = 10**18, 10**9

YES_OPTION = click.option("--yes", is_flag=True, help="Do not ask.")
DRY_RUN_OPTION = click.option("--dry-run", is_flag=True, help="Show what it costs; send nothing.")
GAS_FACTOR_OPTION = click.option(
    "--gas-factor",
    type=click.FloatRange(min=1, max=1000),
    default=1.0,
    show_default=True,
    help="How many times Ethereum's gas the chain counts, at most (Arbitrum: with L1's part).",
)
RPC_OPTION = click.option("--rpc", cls=SettingOption, required=True, help="RPC address.")
CHAIN_ID_OPTION = click.option(
    "--chain-id", cls=SettingOption, type=int, help="Refuse to sign for another chain."
)


def somebody_to_ask(*, yes: bool, dry_run: bool = False) -> None:
    """Refuse to work for nothing where nobody can answer the question at its end."""
    if not (yes or dry_run or sys.stdin.isatty()):
        raise click.UsageError("there is nobody here to ask: give --yes")


@contextmanager
def resumable(
    web3: Any, signer: "LocalAccount", out: Path, subject: "Subject"
) -> "Iterator[JournalledCarrier]":
    """Carries out what ends with the file `out`, once somebody agreed to it; the journal lies
    beside it until whoever carried it out says that it is `finished`, which is once `out` is
    written.

    Raises JournalError for that of something else than `subject`.
    """
    from zkagent.verifier_contracts.deployment.journal import Journal, journal_path
    from zkagent.verifier_contracts.deployment.journalled import JournalledCarrier

    with Journal(journal_path(out), here(web3, signer.address, subject)) as journal:
        carrier = JournalledCarrier(web3, signer, journal)
        carrier.bind({})
        try:
            yield carrier
        except BaseException:
            if journal.steps:
                output.show(f"{journal.path} has what was sent; repeat the command", err=True)
            raise


def here(web3: Any, account: str, subject: "Subject") -> "Subject":
    """The subject, with whose it is and on which chain."""
    from zkagent.verifier_contracts.chain.local import translated
    from zkagent.verifier_contracts.chain.signing import policy_of

    with translated(web3):
        genesis = web3.eth.get_block(0)["hash"]
    where: dict[str, str | int] = {
        "chain": policy_of(web3).chain_id,
        "genesis block": "0x" + bytes(genesis).hex(),
    }
    return {**where, "account": account, **subject}


def agree(
    carrier: "JournalledCarrier",
    what: str,
    work: "Callable[[Carrier], object]",
    tell: "Narrator",
    *,
    fork: str | None,
    yes: bool,
    dry_run: bool,
    gas_factor: float,
    details: Sequence[str] = (),
    record: Path | None = None,
) -> bool:
    """Show what `work` costs, found out on a chain of our own, and ask; whether to go on.

    What is sent from then on are the steps that were shown to be left, each with the rehearsal's
    limit of gas, times gas_factor (>= 1), and for no more than the fee that was shown, so that all
    of it costs no more than was said; where that does not do, the command ends and can be repeated.
    details: of what is signed, each a line that nobody else has written into, shown behind `what`.
    fork: the RPC address, where the work uses what is on the chain already. record: what the work
    ends with; a file that is there already may be its own only where nothing is left to pay. Raises
    InsufficientFunds, FileInTheWay, RecordUnwritten.
    """
    from zkagent.verifier_contracts.chain.signing import policy_of, set_policy
    from zkagent.verifier_contracts.deployment.rehearsal import rehearse

    tell.stage("working out what it costs")
    rehearsed = rehearse(policy_of(carrier.web3).chain_id, carrier.account, work, fork)
    steps = [each.times(gas_factor) for each in rehearsed]
    names = [each.step.name for each in steps]
    signed = [name for name in names if name in carrier.journal.steps]
    made = {name: block for name in signed if (block := carrier.made_in(name)) is not None}
    left = [each for each in steps if each.step.name not in made]
    if left and record:
        _record_place(record, begun=bool(signed))
    resumed = [_resumed(len(signed), len(steps), made.values(), carrier)] if signed else []
    with tell.aside():
        fees = _show((what, *details, *resumed), left, carrier, dry_run)
        if dry_run:
            return False
        _check_funds(carrier, left)
        if yes or click.confirm("go ahead?", err=True):
            policy = policy_of(carrier.web3)
            caps = replace(policy.caps, agreed_wei=fees.max_fee_wei)
            set_policy(carrier.web3, replace(policy, caps=caps))
            carrier.bind({each.step.name: each.limit for each in left})
            return True
        output.show("nothing was sent", err=True)
        sys.exit(1)


def _resumed(
    signed: int, all_steps: int, made: "Collection[int]", carrier: "JournalledCarrier"
) -> str:
    """What is taken up and not done again, and how old it is: what was made then may be in another
    state by now, and whoever put the journal there may have taken it from another deployment."""
    from zkagent.verifier_contracts.chain.local import translated

    told = f"resumed: {signed} of {all_steps} transactions were signed before, as "
    told += f"{carrier.journal.path} says"
    others = "those that took no effect so far are counted again"
    if not made:
        return f"{told}: {others}"
    with translated(carrier.web3):
        now = int(carrier.web3.eth.block_number)
    first, last = min(made), max(made)
    which = f"block {first}" if first == last else f"blocks {first} to {last}"
    told += ", and are in" if len(made) == signed else f"; {len(made)} of them are in"
    told += f" {which} of {now}: what they made is taken as it is now, whatever was done with it"
    return f"{told} since" if len(made) == signed else f"{told} since; {others}"


def _show(
    what: "Sequence[str]",
    left: "Sequence[Rehearsed]",
    carrier: "JournalledCarrier",
    dry_run: bool,
) -> "Fees":
    """By part: on stdout where it is the result. Returns the fees that it names, which do for
    replacing what was signed and no longer does, too. Raises FeeRefused."""
    from zkagent.verifier_contracts.chain.signing import fees_now, policy_of
    from zkagent.verifier_contracts.deployment.rehearsal import by_part

    def say(text: str) -> None:
        output.show(text, err=not dry_run)

    fees, total = fees_now(carrier.web3), sum(each.gas for each in left)
    bids = [carrier.bid(each.step.name, fees) for each in left]
    agreed = replace(fees, max_fee_wei=max(each.max_fee_wei for each in (fees, *bids)))
    for rehearsed, bid in zip(left, bids, strict=True):
        policy_of(carrier.web3).caps.check(bid, rehearsed.limit)
    first, *details = what
    say(f"{first}, by {carrier.account}")
    for each in details:
        say(f"  {each}")
    for part in by_part(left):
        say(f"  {part.part:24s} {part.transactions:3d} {part.gas:14,d} gas")
    say(f"  {'in all':24s} {len(left):3d} {total:14,d} gas")
    likely = fees.likely_cost_wei(total) / ETHER
    most = sum(carrier.most_wei(each.step.name, each.limit, agreed) for each in left) / ETHER
    price = (fees.base_wei + fees.priority_wei) / GWEI
    say(f"  about {likely:.6f} ETH at {price:.4g} gwei, the fee of now; at most {most:.6f} ETH")
    return agreed


def _check_funds(carrier: "JournalledCarrier", left: "Sequence[Rehearsed]") -> None:
    """Enough for the fee of now; more may be needed when it rises, and the rest is resumed then."""
    from zkagent.executor.errors import InsufficientFunds
    from zkagent.verifier_contracts.chain.local import translated
    from zkagent.verifier_contracts.chain.signing import fees_now

    needed = fees_now(carrier.web3).likely_cost_wei(sum(each.gas for each in left))
    with translated(carrier.web3):
        balance = carrier.web3.eth.get_balance(carrier.account)
    if balance < needed:
        raise InsufficientFunds(carrier.account, balance, needed)


def record_place(out: Path) -> "Place":
    """Where the record of a deployment will be written, that may be begun: then a file that is
    there may be its own, which `agree` and `write_record` find out. Raises FileInTheWay,
    PlaceRefused, RecordUnwritten."""
    from zkagent.verifier_contracts.deployment.journal import journal_path

    begun = journal_path(out).exists()
    return _record_place(out, begun=begun, replaceable=lambda _: begun)


def _record_place(
    out: Path, *, begun: bool, replaceable: Callable[[str], bool] = lambda _: False
) -> "Place":
    """begun: what was paid is known by this place alone, so no other is proposed."""
    from zkagent.executor.errors import PlaceRefused, RecordUnwritten
    from zkagent.executor.places import check_place

    try:
        return check_place(out, replaceable=replaceable)
    except PlaceRefused as exc:
        if begun:
            raise RecordUnwritten(exc) from exc
        raise


def write_record(place: "Place", text: str) -> None:
    """Of what was deployed and paid for: printed where it cannot be written. Raises
    RecordUnwritten."""
    from zkagent.executor.errors import PlaceRefused, RecordUnwritten

    try:
        write_new(place, text)
    except (PlaceRefused, OSError) as exc:
        output.show(text.rstrip("\n"))
        if isinstance(exc, OSError):
            exc = PlaceRefused(place.named, exc.strerror or str(exc))
        raise RecordUnwritten(exc, made=True) from exc


def finished(carrier: "JournalledCarrier") -> None:
    """All of it is done and written: the journal goes. Where it cannot, that is said."""
    try:
        carrier.finished()
    except OSError as exc:
        path, why = carrier.journal.path, exc.strerror or str(exc)
        output.show(
            f"note: {path} cannot be removed ({why}): all of it is done: remove it", err=True
        )


def write_new(place: "Path | Place", text: str) -> None:
    """All of it or nothing. Raises FileInTheWay for a file that says something else."""
    from zkagent.executor.errors import FileInTheWay
    from zkagent.executor.places import write_whole
    from zkagent.models.files import open_regular
    from zkagent.models.whole import Place, place_of

    found = place if isinstance(place, Place) else place_of(place)
    if found.file and found.file.is_file() and found.file.stat().st_size:
        with open_regular(found.file) as file:
            if file.read(len(text.encode()) + 1) != text.encode():
                raise FileInTheWay(found.named)
        return
    write_whole(replace(found, new=True), text)


def checked_tokens(
    ctx: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """The callback of --token SYMBOL=ADDRESS."""
    pairs = [text.partition("=") for text in given]
    for symbol, equals, address in pairs:
        if not (symbol and equals and address):
            raise click.BadParameter(f"{symbol}{equals}{address} is not SYMBOL=ADDRESS")
    return tuple((symbol, checksummed(address)) for symbol, _, address in pairs)


def checked_contacts(
    ctx: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """The callback of --contact NAME=ADDRESS, names in lower case and each once."""
    from zkagent.models.encoding.symbols import checked_contact
    from zkagent.models.errors import RefusedContact

    pairs = [text.partition("=") for text in given]
    found: dict[str, str] = {}
    for name, equals, address in pairs:
        if not (name and equals and address):
            raise click.BadParameter(f"{name}{equals}{address} is not NAME=ADDRESS")
        try:
            lower = checked_contact(name)
        except RefusedContact as exc:
            raise click.BadParameter(str(exc)) from None
        if lower in found:
            raise click.BadParameter(f"{name} is given twice")
        found[lower] = checksummed(address)
    return tuple(found.items())


__all__ = ["CHAIN_ID_OPTION", "DRY_RUN_OPTION", "RPC_OPTION", "YES_OPTION"]
__all__ += ["agree", "checked_contacts", "checked_tokens", "finished", "resumable"]
__all__ += ["somebody_to_ask"]
__all__ += ["record_place", "write_new", "write_record"]
