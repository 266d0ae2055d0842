"""Where a run's effects are written down, so that a run that was killed goes on where it was.

The runner does nothing irreproducible but through `record`: what is on record is not done again.
`DirectJournal` keeps nothing (runs in memory); the durable one is in durable/; a replay's gives
what is on record and does nothing. Everything is judged by the permissions before it is on record.

The runner's names, N a step from 0, K from 1:
start      when it began, the task and what memory gave, as allowed
N.model.K  the K-th answer that the step's planner got of a model
N.plan     the planner's step as allowed, or why there is none; the planner has run before
N.approval whether somebody approved a step that waits
N.begin.K  the incarnation that began the K-th attempt of the step's tool call
N.call.K   what became of it
N.again.K  whether somebody approved that it is made again, though it may have happened
N.memory   what was written to the memory after the step
result.memory, result.database
           what of its result was written there
finish     when it ended, and whether it was aborted
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol


class Journal(Protocol):
    @property
    def incarnation(self) -> str:
        """Differs for each process, and each time a run is taken up again."""

    @property
    def kept_events(self) -> int:
        """How many events of the run are kept of earlier incarnations: they are told again."""

    async def record(self, name: str, do: Callable[[], Awaitable[Any]]) -> Any:
        """What `do` gave, JSON; done at most once more after a crash within it, never after its
        result is on record. name: the same whenever this run comes here, once in a run."""


class DirectJournal:
    """For runs that end with their process."""

    incarnation = "direct"
    kept_events = 0

    async def record(self, name: str, do: Callable[[], Awaitable[Any]]) -> Any:
        return await do()


__all__ = ["DirectJournal", "Journal"]
