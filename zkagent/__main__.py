"""`zkagent`, and `python -m zkagent`: what Ctrl-C meets before the command itself is loaded."""

import os


def main() -> None:
    """Like `zkagent.executor.cli.main.main`, from the first import on."""
    try:
        from zkagent.executor.cli.main import main as command
    except KeyboardInterrupt:
        os.write(2, b"interrupted\n")
        raise SystemExit(130) from None
    command()


if __name__ == "__main__":
    main()
