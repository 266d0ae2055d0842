"""The `zkagent` command: one verb for each stage of the pipeline, in its order. Heavy imports
happen late."""

import errno
import logging
import sys
import traceback
from typing import NoReturn, TextIO

import click

from zkagent.circuits.support.urls import without_keys
from zkagent.errors import ZkagentError, plain, was_interrupted
from zkagent.executor.cli import output
from zkagent.executor.cli.group import Group

#: Command name -> (module, attribute, help line), in the pipeline's order.
COMMANDS = {
    "model": ("zkagent.executor.cli.model", "model_group", "Train, evaluate and audit models."),
    "agent": ("zkagent.executor.cli.agent", "agent_group", "Agents of one's own; audits."),
    "guard": (
        "zkagent.executor.cli.guard",
        "guard_group",
        "What an agent may call and spend, and who has the last word.",
    ),
    "decide": ("zkagent.executor.cli.model", "decide_command", "Show a decision without a proof."),
    "classify": (
        "zkagent.executor.cli.classify",
        "classify_command",
        "Show which label a classifier gives a text.",
    ),
    "circuit": (
        "zkagent.executor.cli.circuit",
        "circuit_group",
        "Build circuits, look at built ones, remove them.",
    ),
    "ceremony": (
        "zkagent.executor.cli.ceremony",
        "ceremony_group",
        "Set-ups of one's own, made by several people.",
    ),
    "prove": ("zkagent.executor.cli.prove", "prove_command", "Prove one inference."),
    "verify": ("zkagent.executor.cli.verify", "verify_command", "Verify a proof file."),
    "serve": ("zkagent.executor.cli.serve", "serve_command", "Serve proofs over HTTP."),
    "worker": ("zkagent.executor.cli.serve", "worker_command", "Prove what is queued."),
    "mcp": (
        "zkagent.executor.cli.mcp",
        "mcp_command",
        "Offer decisions, runs and receipts to MCP clients.",
    ),
    "jobs": ("zkagent.executor.cli.jobs", "jobs_group", "Look after the service's queue."),
    "key": ("zkagent.executor.cli.jobs", "key_group", "API keys of the service."),
    "chain": ("zkagent.executor.cli.deploy", "chain_command", "Keep a local chain with an agent."),
    "deploy": ("zkagent.executor.cli.deploy", "deploy_command", "Deploy an agent on a chain."),
    "run": (
        "zkagent.executor.cli.run",
        "run_command",
        "Run an instruction on a chain, every decision proven.",
    ),
    "runs": (
        "zkagent.executor.cli.runs",
        "runs_group",
        "Runs of agents: begin, list, follow, replay, go on.",
    ),
    "decisions": (
        "zkagent.executor.cli.decisions",
        "decisions_group",
        "Record decisions, for runs without proofs.",
    ),
    "verify-run": (
        "zkagent.executor.cli.run",
        "verify_run_command",
        "Re-verify a run from its receipt.",
    ),
    "estimate": (
        "zkagent.executor.cli.request",
        "estimate_command",
        "What a request of a run would cost.",
    ),
    "request": (
        "zkagent.executor.cli.request",
        "request_command",
        "Have others prove a run, for a fee.",
    ),
    "operate": (
        "zkagent.executor.cli.operate",
        "operate_command",
        "Answer the requests of a desk.",
    ),
    "bench": ("zkagent.executor.cli.bench", "bench_group", "Measure what a proof costs."),
    "demo": (
        "zkagent.executor.cli.demo",
        "demo_command",
        "The whole story on an embedded chain, attacks included.",
    ),
    "config": (
        "zkagent.executor.cli.config",
        "config_group",
        "Settings that need not be typed again.",
    ),
    "completion": (
        "zkagent.executor.cli.completion",
        "completion_command",
        "Let a shell complete commands and options.",
    ),
}


INTERRUPTED = 130  # 128 and SIGINT
CRASHED = 70  # EX_SOFTWARE
UNREAD = 141  # 128 and SIGPIPE: whoever reads has seen enough
#: A disk, a quota, `ulimit -f`.
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
ROOM = "make room or choose another place"


@click.group(cls=Group, late=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-v", "--verbose", is_flag=True, help="Show tracebacks.")
@click.version_option(package_name="zkagent")
@click.pass_context
def command(ctx: click.Context, verbose: bool) -> None:
    """On-chain agents whose every decision is proven.

    \b
    zkagent demo                          watch it all on an embedded chain
    zkagent decide wallet "PROMPT"        what would the model do?
    zkagent run "PROMPT" --rpc URL ...    do it, proven, on a chain
    """
    ctx.obj = {"verbose": verbose}
    _show_progress(logging.DEBUG if verbose else logging.INFO)


class _Plain(logging.Formatter):
    """Log lines quote strangers, too, and addresses with keys in them."""

    def format(self, record: logging.LogRecord) -> str:
        return without_keys("\n".join(map(plain, super().format(record).split("\n"))))


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to what standard error is at the time: while a progress bar is shown, above it."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr  # the one before was flushed after its last record
        super().emit(record)


def _show_progress(level: int) -> None:
    """Send our own log lines (installing, compiling, building) to stderr."""
    handler = _StderrHandler()
    handler.setFormatter(_Plain("%(message)s"))
    logger = logging.getLogger("zkagent")
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(level)


def main(arguments: list[str] | None = None) -> None:
    """Entry point: errors made for users are one line and exit code 1, a traceback with -v."""
    given = sys.argv[1:] if arguments is None else arguments
    verbose = any(a in ("-v", "--verbose") for a in given[:1])
    try:
        command.main(args=given, prog_name="zkagent", standalone_mode=False)
    except click.ClickException as exc:
        exc.message = without_keys(plain(exc.message))  # type: ignore[misc]
        exc.show()
        sys.exit(exc.exit_code)
    except SystemExit:
        if type(sys.stdout).__name__.endswith(
            "PacifyFlushWrapper"
        ):  # which click leaves where nobody reads
            sys.exit(UNREAD)
        raise
    except (click.Abort, KeyboardInterrupt):
        _say_interrupted()
    except Exception as exc:
        if was_interrupted(exc) and not isinstance(exc, ZkagentError):
            _say_interrupted()
        line = _one_line(exc)
        if verbose or line is None:
            output.show(without_keys(traceback.format_exc()).rstrip("\n"), err=True)
        else:
            output.show(f"error: {without_keys(line)}", err=True)
        sys.exit(_exit_code(exc, line))


def _say_interrupted() -> NoReturn:
    output.show("interrupted", err=True)
    sys.exit(INTERRUPTED)


def _exit_code(exc: Exception, line: str | None) -> int:
    """What nobody foresaw is no verdict, and has a code of its own."""
    if isinstance(exc, ZkagentError):
        return exc.exit_code
    return CRASHED if line is None else 1


def _one_line(exc: Exception) -> str | None:
    """What users are told; None for what only a traceback explains."""
    if isinstance(exc, ZkagentError):
        return str(exc)
    if type(exc).__module__.partition(".")[0] in {"web3", "requests"}:
        kind = type(exc).__name__
        return f"the node's answer cannot be used ({kind}: {exc}): ask another node"
    full = isinstance(exc, OSError) and exc.errno in FULL
    if isinstance(exc, OSError) and exc.filename:
        from zkagent.circuits.support.cache import refused_below

        if refused := refused_below(exc):
            return str(refused)
        remedy = ROOM if full else "choose another place"
        return f"{exc.filename} cannot be read or written ({exc.strerror}): {remedy}"
    if isinstance(exc, OSError) and full:
        return f"cannot write ({exc.strerror}): {ROOM}"
    return None


if __name__ == "__main__":
    main()
