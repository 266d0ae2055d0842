"""What the service writes to stderr: lines, or JSON on request; never anyone's inputs."""

import json
import logging
import sys
import time

OURS = ("zkagent",)
STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """One JSON object per line; extras become fields."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_extras(record),
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str)


class LineFormatter(logging.Formatter):
    """For people: time, level, message, extras."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        extras = " ".join(f"{name}={_short(value)}" for name, value in _extras(record).items())
        return f"{super().format(record)}  {extras}".rstrip()


def set_up_logging(*, as_json: bool, verbose: bool) -> None:
    """Send everything to stderr."""
    handler = logging.StreamHandler(sys.stderr)
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


def _extras(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in STANDARD}


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    text = str(value)
    return f"{text[:16]}…" if len(text) == 64 else text


__all__ = ["set_up_logging"]
