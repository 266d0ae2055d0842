"""The requests of a desk that are open, as the chain has them now.

Blocks near the head are read again each time, since they may be replaced: a request that was in
one may be gone, or be another one under the same number. What a node says is nothing but a reason
to try: the desk compares a request with its hash before anything happens.
"""

from dataclasses import dataclass, field

from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.desk import Posted, Status
from zkagent.executor.chain.web3_desk import Web3Desk

DEPTH = 64  # blocks that may be replaced


@dataclass
class Watch:
    """first: the block from which requests are looked for."""

    desk: Web3Desk
    first: int = 0
    known: dict[int, Posted] = field(default_factory=dict)
    status: dict[int, Status] = field(default_factory=dict)
    _read: int = -1  # the last block that was read

    def refresh(self, head: Block) -> None:
        """Read what is new, and how far each request is."""
        start = max(self.first, min(self._read, head.number) - DEPTH + 1)
        if self._read < 0:
            start = self.first
        self.known = {n: posted for n, posted in self.known.items() if posted.block < start}
        for posted in self.desk.posted(start, head.number):
            self.known[posted.id] = posted
        self._read = head.number
        self.status = {n: self.desk.status(n, head) for n in self.known}
        settled = head.number - DEPTH
        for number, posted in tuple(self.known.items()):
            if self.status[number].ended and posted.block < settled:
                del self.known[number], self.status[number]
        self._begin_at_the_oldest(head)

    @property
    def open(self) -> tuple[Posted, ...]:
        """Those that wait for an answer, the oldest first."""
        return tuple(
            posted
            for number, posted in sorted(self.known.items())
            if self.status[number] is Status.PENDING
        )

    def is_there(self, number: int, request: str) -> bool:
        """Whether this request is among those of now."""
        posted = self.known.get(number)
        return posted is not None and posted.request.hash.hex() == request

    def _begin_at_the_oldest(self, head: Block) -> None:
        oldest = min((posted.block for posted in self.known.values()), default=head.number)
        self.first = max(self.first, min(oldest, head.number - DEPTH))


__all__ = ["DEPTH", "Watch"]
