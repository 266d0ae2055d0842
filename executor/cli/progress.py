"""What commands show on stderr while they work: the stage and the time it has taken."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count


@contextmanager
def stages(total: int) -> Iterator[Callable[[str], None]]:
    """A bar that moves on with each call, on a terminal; elsewhere nothing.

    Call what it yields with the name of each of the `total` stages as it begins.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=total, visible=False)
        done = count()

        def begin(stage: str) -> None:
            bar.update(task, description=stage, completed=next(done), visible=True, refresh=True)

        yield begin


@contextmanager
def working() -> Iterator[Callable[[str], None]]:
    """A line with what is being done and for how long, on a terminal; elsewhere nothing.

    For work whose number of steps is not known before. Call what it yields with each step.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("")
        yield lambda step: bar.update(task, description=step)


__all__ = ["stages", "working"]
