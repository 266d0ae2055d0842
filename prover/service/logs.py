"""What the service writes to stderr: lines, or JSON on request; never anyone's inputs.

Errors of libraries quote what they were given: rows, numbers, whole bodies. So of an error that is
not ours its kind is written and where it happened, not what it says.
"""

import json
import logging
import re
import sys
import threading
import time
import traceback
from types import TracebackType
from typing import TextIO

import sqlalchemy as sa

from zkagent.prover.durable.errors import LeaseLost
from zkagent.prover.service.errors import DatabaseLost, DatabaseUnusable, StartRefused
from zkagent.prover.service.log_writer import LogWriter
from zkagent.prover.service.queue.trouble import trouble_of

log = logging.getLogger(__name__)

OURS = ("zkagent",)
MOST_ERRORS = 5
#: Where what a library says goes over to what it was given.
QUOTES = re.compile(r"[\n(<{\['\"]|: ")
#: Ours that never speak of a request's content.
SPEAKING = (DatabaseLost, DatabaseUnusable, LeaseLost, StartRefused)
STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
BRIEF = "brief"  # of a record: its message without what an extra tells in full


class JsonFormatter(logging.Formatter):
    """One JSON object per line; extras become fields."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": getattr(record, BRIEF, None) or record.getMessage(),
            **_extras(record),
        }
        if record.exc_info:
            fields["traceback"] = discreet(record.exc_info[1])
        return json.dumps(fields, default=str)


class LineFormatter(logging.Formatter):
    """For people: time, level, message, and extras that it does not tell in full."""

    def formatException(  # noqa: N802 - logging's name
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        return discreet(ei[1])

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        told = {} if hasattr(record, BRIEF) else _extras(record)
        extras = " ".join(f"{name}={_short(value)}" for name, value in told.items())
        return f"{super().format(record)}  {extras}".rstrip()


def discreet(exc: BaseException | None) -> str:
    """Where an error happened and of what kind it was, with the errors behind it."""
    parts: list[str] = []
    while exc is not None and len(parts) < MOST_ERRORS:
        frames = traceback.extract_tb(exc.__traceback__)
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        parts.append("\n  ".join([_said(exc), *reversed(places)]))
        exc = exc.__cause__ or exc.__context__
    return "\nbehind it: ".join(parts)


def _said(exc: BaseException) -> str:
    """Our own errors are made to be read, but those about requests may quote them."""
    kind = type(exc).__name__
    if isinstance(exc, sa.exc.SQLAlchemyError):
        return f"{kind}: {trouble_of(exc).detail}"
    if isinstance(exc, OSError):
        return f"{kind}: {exc.strerror} {exc.filename or ''}"
    return f"{kind}: {exc}" if isinstance(exc, SPEAKING) else kind


class Discreet(logging.Filter):
    """Of what libraries log: the beginning of the first line, and nothing that they quote in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.name.startswith(OURS):
            text = QUOTES.split(record.getMessage(), maxsplit=1)[0].rstrip(" :")
            record.msg, record.args = text[:200], ()
        return True


def set_up_logging(*, as_json: bool, verbose: bool) -> None:
    """Send everything to stderr."""
    handler = LogWriter(sys.stderr) if _is_file(sys.stderr) else logging.StreamHandler(sys.stderr)
    handler.addFilter(Discreet())
    handler.setFormatter(JsonFormatter() if as_json else LineFormatter())
    level = logging.DEBUG if verbose else logging.INFO
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for package in OURS:  # the command line's own handlers are for short commands
        logger = logging.getLogger(package)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(level)
    logging.getLogger().setLevel(logging.WARNING)
    for chatty in ("httpx", "httpcore", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _is_file(stream: TextIO) -> bool:
    """Whether something else may be slow to read it; not so in memory, as under tests."""
    try:
        return stream.fileno() >= 0
    except (OSError, ValueError):
        return False


def catch_the_rest() -> None:
    """Of this process, from now on: what ends a thread, or an object, and warnings would be written
    by Python, with their words; what an event loop cannot hand to anybody comes by the logger
    `asyncio`."""

    def unhandled(where: str, exc: BaseException | None) -> None:
        if not isinstance(exc, SystemExit):
            info = (type(exc), exc, exc.__traceback__) if exc else None
            log.error("an error that nobody handled, in %s", where, exc_info=info)

    threading.excepthook = lambda told: unhandled(
        told.thread.name if told.thread else "a thread", told.exc_value
    )
    sys.unraisablehook = lambda told: unhandled("an object's end", told.exc_value)
    logging.captureWarnings(True)


def _extras(record: logging.LogRecord) -> dict[str, object]:
    left_out = STANDARD | {BRIEF}
    return {name: value for name, value in vars(record).items() if name not in left_out}


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    text = str(value)
    return f"{text[:16]}…" if len(text) == 64 else text


__all__ = ["Discreet", "catch_the_rest", "discreet", "set_up_logging"]
