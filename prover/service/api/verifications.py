"""Who waits for a verdict on a proof, with a place from before its request is read."""

from collections.abc import Callable
from typing import TypeVar

from zkagent.prover.service.api.keys_in_turn import MOST_PER_KEY, KeysInTurn
from zkagent.prover.service.errors import VerifierBusy

Found = TypeVar("Found")
#: Longer than a verdict may take (verifier_process.py), so that whoever waits behind one that hangs
#: has its own; and not as long, lest all give up in the moment in which their turn comes.
PATIENCE_S = 45.0


class Verifications(KeysInTurn):
    """The line for verdicts."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        super().__init__("verifications", patience_s, VerifierBusy)

    async def decide(self, key_id: str, ask: Callable[[], Found]) -> Found:
        """The verdict, when it is this key's turn. Raises VerifierBusy, and what `ask` raises."""
        return await self.make(key_id, ask)


__all__ = ["MOST_PER_KEY", "Verifications"]
