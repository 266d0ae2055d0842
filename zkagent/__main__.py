"""`zkagent`, and `python -m zkagent`: what is so before the command itself is loaded."""

import os
import sys

from zkagent.errors import was_interrupted

STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def main() -> None:
    """Like `zkagent.executor.cli.main.main`, from the first import on."""
    _open_streams()
    try:
        from zkagent.executor.cli.main import main as command
    except BaseException as exc:
        if not was_interrupted(exc):
            raise
        os.write(2, b"interrupted\n")
        raise SystemExit(130) from None
    command()


def _open_streams() -> None:
    """A stream that was closed (`2>&-`) is one of nothing; else Python has none, and the next file
    or pipe that is opened gets its number."""
    for number, (name, mode) in enumerate(STREAMS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


if __name__ == "__main__":
    main()
