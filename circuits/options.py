"""Options that several commands take."""

from pathlib import Path

import click

SRS_OPTION = click.option(
    "--srs",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="KZG set-up; without one, a development set-up that is good on local chains only.",
)
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

__all__ = ["JSON_OPTION", "SRS_OPTION"]
