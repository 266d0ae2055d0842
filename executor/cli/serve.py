"""`zkagent serve` and `zkagent worker`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.api.limits import (
    MOST_DAYS,
    MOST_SECONDS,
    MOST_SLOTS,
    MOST_THREADS,
    MOST_TIMES,
)
from zkagent.executor.cli import output
from zkagent.executor.cli.options import (
    PROOF_SYSTEM_OPTION,
    PROVER_OPTION,
    SECONDS,
    SRS_OPTION,
    FiniteRange,
)
from zkagent.executor.cli.serve_agents import AgentsServed, agents_options, beside
from zkagent.executor.cli.termination import Ending

if TYPE_CHECKING:
    import socket

    from zkagent.prover.service.api.application import Service
    from zkagent.prover.service.api.beside import Beside
    from zkagent.prover.service.api.server import Server
    from zkagent.prover.service.assembly import Assembly

LOOPBACK = ("127.0.0.1", "::1", "localhost")
PORT = 8642
MOST_ROWS = 10_000  # of a batch: each is a value in the database's questions
MOST_SOCKETS = 1_000_000
LEAST_STALE_S = 3  # some heartbeats, each with its upkeep
EXIT_LOST = 75  # EX_TEMPFAIL: start me again


def _options(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


DATABASE_OPTION = click.option(
    "--database",
    metavar="URL",
    envvar="ZKAGENT_DATABASE",
    help="postgresql://... or sqlite:///PATH; by default a file in the user's data folder.",
)


def _hosts(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> Any:
    if not given:
        return given
    from zkagent.prover.outbound.hosts import check_rule

    try:
        return tuple(map(check_rule, given))
    except ValueError as exc:
        raise click.BadParameter(str(exc)) from exc


WORKER_OPTIONS = _options(
    DATABASE_OPTION,
    click.option("--model", "models", multiple=True, help="Model to offer; by default all."),
    PROOF_SYSTEM_OPTION,
    PROVER_OPTION,
    click.option("--no-models", is_flag=True, help="Offer circuits by their digests only."),
    SRS_OPTION,
    click.option("--threads", type=click.IntRange(1, MOST_THREADS),
                 help="Per proof; by default all cores."),
    click.option("--timeout", "timeout_s", type=SECONDS, default=300.0, show_default=True),
    click.option("--grace", "grace_s", type=FiniteRange(0, MOST_SECONDS), default=30.0,
                 show_default=True, help="Seconds for running proofs when told to stop."),
    click.option("--batch", "batches", nargs=2, multiple=True, metavar="CIRCUIT BATCH",
                 help="Let requests for CIRCUIT share proofs of BATCH."),
    click.option("--batch-size", type=click.IntRange(1, MOST_ROWS), default=16, show_default=True),
    click.option("--linger", "linger_s", type=FiniteRange(0, 60), default=0.05,
                 show_default=True, help="Longest wait of a request for company in a batch."),
    click.option("--max-crashes", type=click.IntRange(1, MOST_TIMES), default=12, show_default=True,
                 help="Set a proof aside when its process ended this often, in some four hours."),
    click.option("--max-deaths", type=click.IntRange(1, MOST_TIMES), default=10, show_default=True,
                 help="Set a proof aside when its worker died this often, in about an hour."),
    click.option("--least-free", "least_free_mib", type=click.IntRange(0, MOST_TIMES),
                 default=64, show_default=True,
                 help="MiB free, below which a disk counts as full."),
    click.option("--stale", "stale_s", type=FiniteRange(LEAST_STALE_S, MOST_SECONDS),
                 default=30.0, show_default=True,
                 help="Take a worker for dead after this time without a sign."),
    click.option("--keep", "keep_days", type=FiniteRange(0, MOST_DAYS), default=30.0,
                 show_default=True, help="Days that finished proofs are kept."),
    click.option("--allow-callback", "callback_hosts", multiple=True, metavar="HOST",
                 callback=_hosts,
                 help="Host that callbacks may go to: name, *.name, or http://name:port."),
    click.option("--private-callbacks", is_flag=True, help="Allow private addresses, too."),
    click.option("--log-json", is_flag=True, help="Log JSON lines."),
    click.option("--fake", type=click.Path(path_type=Path), hidden=True),
)  # fmt: skip


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True)
@click.option(
    "--slots",
    type=click.IntRange(0, MOST_SLOTS),
    default=1,
    show_default=True,
    help="Proofs at once in this process; 0 for the API alone.",
)
@click.option("--require-keys", is_flag=True, help="Require API keys on loopback, too.")
@click.option("--max-body", type=click.IntRange(1024, 1 << 30), default=2 << 20, show_default=True)
@click.option(
    "--connections", type=click.IntRange(1, MOST_SOCKETS), default=1000, show_default=True
)
@agents_options
@WORKER_OPTIONS
@click.pass_context
def serve_command(ctx: click.Context, /, **given: Any) -> None:
    """Serve proofs over HTTP; with a worker in the same process unless --slots is 0; with --agents
    runs of agents as well.

    Without a database server or any other set-up: the queue is a file in the user's data folder.
    On an address other than loopback it starts only when there are API keys.
    """
    from zkagent.prover.service.api.server import make_server

    host, port = given.pop("host"), given.pop("port")
    require_keys, max_body = given.pop("require_keys"), given.pop("max_body")
    connections, served = given.pop("connections"), AgentsServed.taken_from(given)
    keys_needed = require_keys or host not in LOOPBACK
    with served.mounted() as mounted:
        assembly = _assemble(ctx, given, keys_for=host if keys_needed else None)
        service = _service(assembly, beside(mounted), keys_needed=keys_needed, max_body=max_body)
        server, listener = make_server(service, host, port, connections=connections)
        if mounted:
            mounted.begin(service.watchers.woken)
        shown = f"[{host}]" if ":" in host else host
        _serve(assembly, service, server, listener, shown)


def _serve(
    assembly: "Assembly",
    service: "Service",
    server: "Server",
    listener: "socket.socket",
    host: str,
) -> None:
    worker = assembly.worker(server.end) if assembly.options.slots else None
    output.show(f"http://{host}:{listener.getsockname()[1]}")
    try:
        server.run(sockets=[listener])
    finally:
        try:
            service.close()
        finally:
            if worker:
                worker.stop()
            _leave(assembly)


@click.command("worker")
@click.option(
    "--slots",
    type=click.IntRange(1, MOST_SLOTS),
    default=1,
    show_default=True,
    help="Proofs at once.",
)
@WORKER_OPTIONS
@click.pass_context
def worker_command(ctx: click.Context, /, **given: Any) -> None:
    """Prove what is queued in the same file, or from any machine on the same Postgres."""
    assembly = _assemble(ctx, given)
    end = Ending()
    worker = assembly.worker(end.begin)
    output.show(f"worker {worker.id}")
    end.wait()
    worker.stop()
    _leave(assembly)


def _assemble(
    ctx: click.Context, given: dict[str, Any], *, keys_for: str | None = None
) -> "Assembly":
    from zkagent.prover.service.assembly import Options, assemble
    from zkagent.prover.service.logs import catch_the_rest, set_up_logging

    as_json = given.pop("log_json")
    set_up_logging(as_json=as_json, verbose=bool((ctx.obj or {}).get("verbose")))
    assembly = assemble(Options(**given), keys_for=keys_for)
    catch_the_rest()
    return assembly


def _service(
    assembly: "Assembly", others: "Beside", *, keys_needed: bool, max_body: int
) -> "Service":
    from zkagent.prover.service.api.application import Service
    from zkagent.prover.service.api.guard import GuardRules

    guard = GuardRules(most_bytes=max_body, local_only=not keys_needed)
    rules = assembly.options.callbacks
    return Service(
        assembly.database,
        assembly.catalogue,
        rules,
        guard,
        keys_needed=keys_needed,
        least_free_bytes=assembly.options.least_free_mib << 20,
        beside=others,
    )


def _leave(assembly: "Assembly") -> None:
    assembly.close()
    if assembly.lost:
        output.show(f"error: {assembly.lost}", err=True)
        sys.exit(EXIT_LOST)


__all__ = ["DATABASE_OPTION", "serve_command", "worker_command"]
