"""The requests of a desk that are open, as the chain has them now.

Blocks near the head are read again each time, since they may be replaced: a request that was in
one may be gone, or be another one under the same number. What a node says is nothing but a reason
to try: the desk compares a request with its hash before anything happens.
"""

from dataclasses import dataclass, field

from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.desk import Posted, Status
from zkagent.executor.chain.web3_desk import Web3Desk
from zkagent.executor.errors import NotOnChain

DEPTH = 64  # blocks that may be replaced


@dataclass
class Watch:
    """first: the block from which requests are looked for."""

    desk: Web3Desk
    first: int = 0
    known: dict[int, Posted] = field(default_factory=dict)
    status: dict[int, Status] = field(default_factory=dict)
    _read: Block | None = None  # the last block that was read
    _ended: dict[int, int] = field(default_factory=dict)  # by which block it was seen to have

    def refresh(self, head: Block) -> None:
        """Read what is new, and how far each request is. On the chain that was read before, what
        has ended stays so; on another one all is asked for again."""
        kept = self._read if self._read and self._is_there_still(self._read) else None
        start = kept.number + 1 if kept else self._beginning(head)
        self.known = {n: posted for n, posted in self.known.items() if posted.block < start}
        for posted in self.desk.posted(start, head.number):
            self.known[posted.id] = posted
        before = self.status if kept else {}
        self._ended = self._ended if kept else {}
        self.status = {
            n: before[n] if n in before and before[n].ended else self.desk.status(n, head)
            for n in self.known
        }
        self._read = head
        self._forget(head)

    @property
    def open(self) -> tuple[Posted, ...]:
        """Those without an answer, the oldest first."""
        return self._in(Status.PENDING, Status.WAITING)

    @property
    def waiting(self) -> tuple[Posted, ...]:
        """Of those, whose run waits for a tool that answers later."""
        return self._in(Status.WAITING)

    def is_there(self, number: int, request: str) -> bool:
        """Whether this request is among those of now."""
        posted = self.known.get(number)
        return posted is not None and posted.request.hash.hex() == request

    def _in(self, *states: Status) -> tuple[Posted, ...]:
        there = sorted(self.known.items())
        return tuple(posted for number, posted in there if self.status[number] in states)

    def _is_there_still(self, block: Block) -> bool:
        try:
            return self.desk.block(block.number) == block
        except NotOnChain:
            return False

    def _beginning(self, head: Block) -> int:
        if self._read is None:
            return self.first
        return max(self.first, min(self._read.number, head.number) - DEPTH + 1)

    def _forget(self, head: Block) -> None:
        """What has ended in a block that is not replaced any more; a later look begins at the
        oldest that is left."""
        ended = [number for number in self.known if self.status[number].ended]
        self._ended = {
            number: min(self._ended.get(number, head.number), head.number) for number in ended
        }
        for number, seen in tuple(self._ended.items()):
            if seen < head.number - DEPTH:
                del self.known[number], self.status[number], self._ended[number]
        oldest = min((posted.block for posted in self.known.values()), default=head.number)
        self.first = max(self.first, min(oldest, head.number - DEPTH))


__all__ = ["DEPTH", "Watch"]
