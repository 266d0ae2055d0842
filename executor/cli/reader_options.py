"""Options of `zkagent model train` and `model evaluate` that are about the reader alone."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

FILE = click.Path(path_type=Path, dir_okay=False)
Command = Callable[..., Any]
_TRAINING = (
    click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        default=None,
        metavar="DIR",
        help="Of the reader: folder of the public data sets that it learns from.",
    ),
    click.option(
        "--vectors", type=FILE, default=None, metavar="FILE", help="Of the reader: word vectors."
    ),
)
_EVALUATION = (
    click.option(
        "--data",
        type=FILE,
        default=None,
        metavar="FILE",
        help="Of the reader: prompts with the tools that they mean, JSON lines, plain or gzip.",
    ),
    click.option(
        "--tools", type=FILE, default=None, metavar="FILE", help="Of the reader: the tools, JSON."
    ),
    click.option(
        "--candidates",
        type=click.IntRange(2, 8),
        default=8,
        show_default=True,
        metavar="N",
        help="Of the reader: among how many tools it chooses.",
    ),
)


def training_options(command: Command) -> Command:
    """--data, --vectors."""
    return reduce(lambda made, option: option(made), reversed(_TRAINING), command)


def evaluation_options(command: Command) -> Command:
    """--data, --tools, --candidates."""
    return reduce(lambda made, option: option(made), reversed(_EVALUATION), command)


__all__ = ["evaluation_options", "training_options"]
