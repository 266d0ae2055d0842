"""`zkagent jobs` and `zkagent key`: for whoever runs the service, straight on its database."""

import json
from typing import TYPE_CHECKING, Any

import click

from zkagent.errors import plain
from zkagent.executor.api.limits import MOST_DAYS, MOST_TIMES
from zkagent.executor.cli import output
from zkagent.executor.cli.consent import YES_OPTION, ask
from zkagent.executor.cli.group import Group
from zkagent.executor.cli.options import FiniteRange
from zkagent.executor.cli.serve import DATABASE_OPTION

if TYPE_CHECKING:
    from zkagent.prover.service.queue.database import Database
    from zkagent.prover.service.queue.engine import EngineQueue
    from zkagent.prover.service.queue.store import Store

JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
STATES = ("waiting", "proving", "done", "failed", "poison", "cancelled", "expired")


@click.group("jobs", cls=Group)
def jobs_group() -> None:
    """Look after the service's queue."""


@jobs_group.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only these.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@JSON_OPTION
@DATABASE_OPTION
def list_command(state: str | None, limit: int, as_json: bool, database: str | None) -> None:
    """List proofs, newest first, whoever asked for them."""
    from zkagent.prover.service.api.views import Views
    from zkagent.prover.service.wire.states import State

    page = Views(_open(database)).page(None, State(state) if state else None, limit, None)
    if as_json:
        output.show(json.dumps([proof.model_dump(mode="json") for proof in page.proofs]))
        return
    for proof in page.proofs:
        why = f"  {proof.failure.reason[:60]}" if proof.failure else ""
        line = f"{proof.id[:16]}  {proof.state:<9}  {proof.circuit[:12]}"
        output.show(f"{line}  {proof.created_at:%Y-%m-%d %H:%M:%S}  {proof.attempts} tries{why}")
    if not page.proofs:
        output.show("no proofs")


@jobs_group.command("show")
@click.argument("proof")
@DATABASE_OPTION
def show_command(proof: str, database: str | None) -> None:
    """Show a PROOF by its id or the beginning of it, as JSON; without its inputs."""
    from zkagent.prover.service.api.views import Views

    views = Views(_open(database))
    proof_id = views.find(proof)
    output.show(json.dumps(views.operator(proof_id), indent=1, default=str))


@jobs_group.command("cancel")
@click.argument("proof", required=False)
@click.option("--key", "key_id", metavar="KEY_ID", help="All that this key waits for, instead.")
@DATABASE_OPTION
def cancel_command(proof: str | None, key_id: str | None, database: str | None) -> None:
    """Cancel a PROOF for everybody who asked for it, or, with --key, all that one key asked for."""
    from zkagent.prover.service.api.views import Views
    from zkagent.prover.service.queue.wake import CANCELLED

    if (proof is None) == (key_id is None):
        raise click.UsageError("expected a PROOF or --key KEY_ID, one of the two")
    opened = _open(database)
    if proof is None:
        assert key_id is not None
        _told(opened, touched := _store(opened).cancel_of_key(_known(opened, key_id)))
        output.show(f"{len(touched)} cancelled")
        return
    proof_id = Views(opened).find(proof)
    changed = _store(opened).cancel_for_all(proof_id)
    _wake(opened, CANCELLED, proof_id)
    output.show("cancelled" if changed else "it was finished already")


@jobs_group.command("retry")
@click.argument("proofs", nargs=-1, required=True, metavar="PROOF...")
@DATABASE_OPTION
def retry_command(proofs: tuple[str, ...], database: str | None) -> None:
    """Try failed, poisonous or cancelled proofs afresh."""
    from zkagent.prover.service.api.views import Views
    from zkagent.prover.service.queue.wake import WORK

    opened = _open(database)
    store, views = _store(opened), Views(opened)
    for proof in proofs:
        proof_id = views.find(proof)
        store.retry(proof_id)
        output.show(f"{proof_id[:16]} waits again")
    _wake(opened, WORK, "")


@jobs_group.command("purge")
@click.option("--days", type=FiniteRange(0, MOST_DAYS), required=True, help="Finished longer ago.")
@YES_OPTION
@DATABASE_OPTION
def purge_command(days: float, *, yes: bool, database: str | None) -> None:
    """Forget finished proofs and their results."""
    from zkagent.prover.service.queue.store import DAY_S

    opened = _open(database)
    if not yes:
        ask(f"forget what finished more than {days:g} days ago?", "nothing was forgotten")
    store = _store(opened)
    before = store.in_seconds(-days * DAY_S)
    count = store.purge(before)
    queue = _queue(opened)
    while queue.forget(before):
        pass
    output.show(f"{count} proofs forgotten")


@click.group("key", cls=Group)
def key_group() -> None:
    """API keys of the service."""


@key_group.command("create")
@click.argument("name")
@click.option(
    "--per-minute",
    type=click.IntRange(1, MOST_TIMES),
    default=600,
    show_default=True,
    help="HTTP requests.",
)
@click.option(
    "--unfinished",
    type=click.IntRange(1, MOST_TIMES),
    default=10_000,
    show_default=True,
    help="Proofs asked for and not yet finished.",
)
@click.option(
    "--per-day",
    type=click.IntRange(1, MOST_TIMES),
    default=100_000,
    show_default=True,
    help="Proofs asked for.",
)
@click.option("--urgent", is_flag=True, help="Let it ask for proofs before all others.")
@JSON_OPTION
@DATABASE_OPTION
def create_command(
    name: str, as_json: bool, urgent: bool, database: str | None, **limits: int
) -> None:
    """Make a key called NAME and show it, this once."""
    from zkagent.prover.service.queue.keys import Allowance, Keys

    keys = Keys(_open(database, new=True))
    key = keys.create(name, Allowance(**limits, urgent=urgent))
    secret = keys.callback_secret(key.split("_")[1])
    if as_json:
        output.show(json.dumps({"key": key, "callback_secret": secret}))
        return
    output.show(key)
    output.show(f"its callbacks are signed with {secret}", err=True)


@key_group.command("list")
@JSON_OPTION
@DATABASE_OPTION
def list_keys_command(as_json: bool, database: str | None) -> None:
    """List keys; their secrets are not kept."""
    from dataclasses import asdict

    from zkagent.prover.service.queue.keys import Keys

    records = Keys(_open(database)).all()
    if as_json:
        output.show(json.dumps([asdict(record) for record in records]))
        return
    for record in records:
        state = "revoked" if record.revoked_at else "valid"
        limits = record.allowance
        output.show(
            f"{record.id}  {state:<7}  {plain(record.name)}  {limits.per_minute}/min  "
            f"{limits.unfinished} unfinished  {limits.per_day}/day"
            f"{'  urgent' if limits.urgent else ''}"
        )
    if not records:
        output.show("no keys")


@key_group.command("callback-secret")
@click.argument("key_id", default="local")
@DATABASE_OPTION
def callback_secret_command(key_id: str, database: str | None) -> None:
    """Show what the callbacks of KEY_ID are signed with; without it, those of keyless callers."""
    from zkagent.prover.service.queue.keys import Keys

    opened = _open(database)
    output.show(Keys(opened).callback_secret(_known(opened, key_id)))


@key_group.command("revoke")
@click.argument("key_id")
@YES_OPTION
@DATABASE_OPTION
def revoke_command(key_id: str, *, yes: bool, database: str | None) -> None:
    """Refuse a key from now on, and cancel what it waits for."""
    from zkagent.prover.service.queue.keys import Keys

    opened = _open(database)
    known = _known(opened, key_id)
    if not yes:
        ask(f"refuse {known} for good, and cancel what it waits for?", "nothing was revoked")
    _told(opened, touched := Keys(opened).revoke(key_id))
    output.show(f"{key_id} is revoked, {len(touched)} of its proofs are cancelled")


def _known(opened: "Database", key_id: str) -> str:
    """The key's id, also of one that is revoked, or that of keyless callers. Raises KeyUnknown."""
    from zkagent.prover.service.errors import KeyUnknown
    from zkagent.prover.service.queue.keys import LOCAL, Keys

    if key_id not in {LOCAL, *(record.id for record in Keys(opened).all())}:
        raise KeyUnknown(key_id)
    return key_id


def _open(url: str | None, *, new: bool = False) -> "Database":
    """new: made where there is none; who looks for trouble at a mistyped place would find none."""
    from zkagent.prover.service.queue.engine import open_database

    database = open_database(url, new=new)
    click.get_current_context().call_on_close(database.close)
    return database


def _store(database: "Database") -> "Store":
    from zkagent.prover.service.queue.store import Store

    return Store(database, _queue(database))


def _queue(database: "Database") -> "EngineQueue":
    from zkagent.prover.service.queue.engine import EngineQueue

    queue = EngineQueue(database)
    click.get_current_context().call_on_close(queue.close)
    return queue


def _told(database: "Database", touched: list[str]) -> None:
    """Let workers and whoever follows these proofs look."""
    from zkagent.prover.service.queue.wake import CANCELLED, CHANGED

    for proof_id in touched:
        _wake(database, CHANGED, proof_id)
    if touched:
        _wake(database, CANCELLED, touched[0])


def _wake(database: "Database", topic: str, subject: Any) -> None:
    from zkagent.prover.service.queue.wake import open_wake

    open_wake(database).send(topic, subject)


__all__ = ["jobs_group", "key_group"]
