"""How the clients wait for a proof: how long the service may keep them, and when they ask again."""

import time

from zkagent.prover.service.errors import NoProofYet, ServiceAnswered

POLL_S = 1.0
LATE_S = 1.0  # what an answer may come late that is sent when the time is up
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 2.0
LONGEST_AWAY_S = 60.0  # whatever a service asks for that has too many who wait
CROWDED = 429


class Polls:
    """One wait for one proof. timeout_s: what the caller gave, None for ever; end: when it is up.

    An honest service keeps a request until the proof is finished or the poll's time is up. With too
    many of a key who wait it turns the next ones away, which says nothing of the proof: they come
    again and do not ask to be kept. Whoever answers sooner than that is asked more and more slowly.
    """

    def __init__(self, proof_id: str, timeout_s: float | None, end: float | None) -> None:
        self._proof_id, self._timeout_s, self._end = proof_id, timeout_s, end
        self._turned_away = False
        self._asked_at = self._kept_s = self._pause_s = 0.0

    @property
    def late_end(self) -> float | None:
        """Until when an answer is waited for."""
        return None if self._end is None else self._end + LATE_S

    def wait_s(self) -> float:
        """For how long the request that is sent now asks to be kept."""
        self._asked_at = time.monotonic()
        self._kept_s = 0.0 if self._turned_away else self._at_most(POLL_S)
        self._turned_away = False
        return self._kept_s

    def again_s(self) -> float:
        """Seconds to pause after an answer without a proof. Raises NoProofYet."""
        self.check_time()
        early = time.monotonic() - self._asked_at < self._kept_s / 2
        longer_s = min(max(2 * self._pause_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
        self._pause_s = longer_s if early else 0.0
        return self._at_most(self._pause_s)

    def refused_s(self, error: ServiceAnswered) -> float:
        """Seconds to stay away. Raises NoProofYet, and the error unless it is of too many."""
        if error.status != CROWDED:
            raise error
        self.check_time()
        self._turned_away = True
        return self._at_most(min(max(error.retry_after_s, POLL_S), LONGEST_AWAY_S))

    def check_time(self) -> None:
        """Raises NoProofYet when the time is up."""
        if self._timeout_s is not None and self._at_most(POLL_S) <= 0:
            raise NoProofYet(self._proof_id, self._timeout_s)

    def _at_most(self, seconds: float) -> float:
        left = seconds if self._end is None else self._end - time.monotonic()
        return max(0.0, min(seconds, left))


__all__ = ["CROWDED", "LATE_S", "Polls"]
