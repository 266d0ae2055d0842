"""A queue that only takes notes, for tests of what is enqueued."""

from dataclasses import dataclass, field

import sqlalchemy as sa

from zkagent.prover.service.queue.jobs import Run


@dataclass
class ListedRuns:
    """In the order in which they came."""

    runs: list[Run] = field(default_factory=list)

    def enqueue(self, connection: sa.Connection, run: Run) -> None:
        self.runs.append(run)
