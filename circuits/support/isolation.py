"""One call in a process of its own: a request, reports while it works, then an answer or an error.

`call_module` is the caller's side, `answer_call` what the called module's `main` does. Both sides
raise and catch CircuitErrors; what the called one warns of is logged by the caller, since nobody
sees its standard error.
"""

import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any

from zkagent.circuits import errors
from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.cache import refused_below
from zkagent.circuits.support.child_process import ChildProcess, ParentLink
from zkagent.circuits.support.memory import limit_memory

PACKAGE = "zkagent"

Report = Callable[[Any], None]


def call_module(
    module: str, request: Mapping[str, Any], report: Report, *, engine: str = "ezkl"
) -> Any:
    """The answer of `python -m module` to `request`; everything that passes is JSON. engine: what
    is said to have failed when the process dies.

    Ends the process in any case. Raises its CircuitError, and EngineCrashed when it dies.
    """
    child = ChildProcess(module, [], engine=engine)
    try:
        child.send(request)
        while "answer" not in (message := child.receive()):
            _heed(message, report)
    finally:
        child.kill()
    return message["answer"]


def answer_call(work: Callable[[dict[str, Any], Report], Any]) -> None:
    """In the called process: send what `work` makes of the request, or its CircuitError. It may
    take the memory that there is, and no more."""
    limit_memory()
    link = ParentLink(int(sys.argv[1]))
    for name in (PACKAGE, "__main__"):  # as the called module is called here
        logging.getLogger(name).addHandler(_WarningsToParent(link))
    try:
        answer = work(next(link.requests()), lambda value: link.send({"report": value}))
        link.send({"answer": answer})
    except CircuitError as exc:
        link.send({"type": type(exc).__name__, "error": str(exc)})
    except OSError as exc:
        if not (refused := refused_below(exc)):
            raise
        link.send({"type": type(refused).__name__, "error": str(refused)})


def _heed(message: Mapping[str, Any], report: Report) -> None:
    if "error" in message:
        raise same_error(message["type"], message["error"])
    if "warning" in message:
        logging.getLogger(message["logger"]).log(message["level"], "%s", message["warning"])
    else:
        report(message["report"])


def same_error(name: str, text: str) -> CircuitError:
    """The child's error: its type and message, without its attributes."""
    kind = getattr(errors, name, CircuitError)
    error: CircuitError = kind.__new__(kind)
    error.args = (text,)
    return error


class _WarningsToParent(logging.Handler):
    """Sends records from WARNING up, each as one line."""

    def __init__(self, link: ParentLink) -> None:
        super().__init__(logging.WARNING)
        self._link = link

    def emit(self, record: logging.LogRecord) -> None:
        line = " ".join(record.getMessage().splitlines())
        name = PACKAGE if record.name == "__main__" else record.name
        self._link.send({"warning": line, "logger": name, "level": record.levelno})


__all__ = ["Report", "answer_call", "call_module", "same_error"]
