"""What a run does: claim, find company, prove in a slot's child, settle or hand back.

Only InputRefused, which the prover has made certain of, is a verdict on a request. Whatever else
goes wrong is trouble of this machine or of the proof's process, and tried again. Words of libraries
go to whoever asked for the proof, never to the log: they may quote inputs.
"""

import logging
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from zkagent.circuits.errors import (
    ArtifactCorrupted,
    CircuitError,
    CircuitNotFound,
    CircuitOutdated,
    InputRefused,
    ProofSystemUnknown,
)
from zkagent.prover.errors import ProofTimedOut, ProverCrashed, ProverError, ProverTroubled
from zkagent.prover.service.catalogue.catalogue import Catalogue
from zkagent.prover.service.errors import CircuitUnknown
from zkagent.prover.service.queue.claims import Claim, Claims, Outcome, new_token
from zkagent.prover.service.queue.database import PATIENCE_S, patiently
from zkagent.prover.service.queue.trouble import Trouble
from zkagent.prover.service.queue.wake import CHANGED, PASSED, WORK, Wake
from zkagent.prover.service.wire.states import BLAMELESS, Cause, Failure
from zkagent.prover.service.worker.batching import Batching, lay_out
from zkagent.prover.service.worker.pool import SHORT_PROOF_S, Pool, Slot
from zkagent.prover.service.worker.troubles import Troubles

log = logging.getLogger(__name__)

LOOK_AGAIN_S = 0.02

#: Errors whose words are our own.
OURS: tuple[tuple[type[Exception], Failure], ...] = (
    (ProofTimedOut, Failure.TIMEOUT),
    (ArtifactCorrupted, Failure.KEYS),
    *(
        (kind, Failure.CIRCUIT)  # another worker may have it
        for kind in (CircuitUnknown, CircuitNotFound, CircuitOutdated, ProofSystemUnknown)
    ),
)


#: Of a child, by what it calls them; the others are its engine's. Without a prover's library a
#: worker is like one without the circuit.
TROUBLED = {"disk": Failure.DISK, "keys": Failure.KEYS, "prover": Failure.CIRCUIT}


@dataclass(frozen=True)
class Failed:
    """An attempt without a proof. reason: for who asked. log: for the operator, without inputs."""

    failure: Failure
    reason: str
    log: str = ""


class Proving:
    """The worker's proofs in progress."""

    def __init__(
        self,
        claims: Claims,
        catalogue: Catalogue,
        pool: Pool,
        batching: Batching,
        *,
        wake: Wake,
        troubles: Troubles,
    ) -> None:
        self._troubles = troubles
        self._claims = claims
        self._catalogue = catalogue
        self._pool = pool
        self._batching = batching
        self._wake = wake
        self._running: dict[str, Slot] = {}  # by the claim's token
        self._tokens: set[str] = set()  # of all claims, from before they are made until settled
        self._lock = threading.Lock()
        self._leaving = False

    def run(self, proof_id: str, generation: int) -> None:
        """The engine's "prove". Running it twice, or late, does nothing twice.

        Ends when this proof is in somebody's hands, or left to those who can prove it (turns.py);
        until then it proves what comes before it.
        """
        while circuit := patiently(lambda: self._claims.circuit_of(proof_id, generation)):
            if not self._pool.wait_free(SHORT_PROOF_S):
                patiently(lambda: self._claims.offer(proof_id, generation))
                self._wake.send(WORK)
            with self._token() as token:
                with self._pool.slot(circuit) as slot:
                    able = self._troubles.able()
                    claim = self._claim(proof_id, generation, able, token)
                    if claim is not None:
                        claim, attempt = self._work(claim, slot)
                if claim is not None:
                    self._settle(claim, attempt)
            if claim is None:
                if circuit not in able and not self._leaving:
                    self._wake.send(PASSED, self._claims.worker)
                return
            if proof_id in claim.members:
                return

    @contextmanager
    def _token(self) -> Iterator[str]:
        """A claim's name, and until when it is in good hands: what the database has under any
        other name of ours, the heartbeat hands back."""
        token = new_token()
        with self._lock:
            self._tokens.add(token)
        try:
            yield token
        finally:
            with self._lock:
                self._tokens.remove(token)

    def _work(self, claim: Claim, slot: Slot) -> tuple[Claim, Outcome | Failed]:
        """Find company, prove."""
        with self._tracked(claim, slot) as gathered:
            return gathered, self._attempt(slot, gathered)

    def _settle(self, claim: Claim, attempt: Outcome | Failed) -> None:
        patiently(lambda: self._finish(claim, attempt))
        self._tell(claim)

    def drop_lost(self) -> int:
        """End the children whose proof nobody wants from us any more; how many. Hand back what is
        ours by the database and in nobody's hands here: its claim or its end came to nothing as far
        as we were told."""
        with self._lock:
            running = set(self._running)
        held = self._claims.tokens()
        with self._lock:  # after the database: each is here before it is there
            strayed = held - self._tokens
        for token in strayed:
            if self._claims.hand_back(token):
                log.warning("claimed and in nobody's hands, handed back")
        return self._kill(running - held)

    def begin_no_more(self) -> None:
        """Put what comes from now on back into the queue; what runs may finish."""
        self._leaving = True

    def hand_back(self) -> None:
        """Stop now: end all children and put their proofs back into the queue."""
        deadline = time.monotonic() + PATIENCE_S
        while self.count and time.monotonic() < deadline:
            with self._lock:
                running = set(self._running)
            for token in running:
                self._claims.hand_back(token)
            self._kill(running)
            time.sleep(LOOK_AGAIN_S)

    def _kill(self, tokens: Collection[str]) -> int:
        """End the children that are at these claims; how many. What has ended meanwhile has given
        its slot to another proof, and none can while we hold the lock."""
        with self._lock:
            slots = [slot for token, slot in self._running.items() if token in tokens]
            for slot in slots:
                slot.kill()
        return len(slots)

    @property
    def count(self) -> int:
        """Proofs in progress, batches as one."""
        return len(self._running)

    def _claim(
        self, proof_id: str, generation: int, able: frozenset[str], token: str
    ) -> Claim | None:
        if self._leaving:
            patiently(lambda: self._claims.return_run(proof_id, generation))
            return None
        return patiently(lambda: self._claims.claim(proof_id, generation, able, token))

    @contextmanager
    def _tracked(self, claim: Claim, slot: Slot) -> Iterator[Claim]:
        """Keep the claim where `drop_lost` and `hand_back` find it; yields it with company."""
        with self._lock:
            self._running[claim.token] = slot
        try:
            self._tell(claim)
            yield self._gather(claim)
        finally:
            with self._lock:
                del self._running[claim.token]

    def _gather(self, claim: Claim) -> Claim:
        try:
            card = self._catalogue.card(claim.circuit)
        except Exception:
            return claim  # the attempt will meet it again, and say so
        gathered = patiently(lambda: self._batching.gather(claim, card))
        if len(gathered.members) > 1:
            self._tell(gathered)
        return gathered

    def _attempt(self, slot: Slot, claim: Claim) -> Outcome | Failed:
        try:
            batches = self._catalogue.card(claim.circuit).batches
            work = lay_out(claim, batches)
            proof, measured = slot.prove(work.circuit, work.inputs)
        except (ProverError, CircuitError, OSError) as exc:
            failed = _failed(exc)
            if failed.failure in BLAMELESS:
                cause = Cause.DISK if failed.failure is Failure.DISK else Cause.KEYS
                words = f"circuit {claim.circuit[:12]}: {failed.log}"
                self._troubles.note(claim.circuit, Trouble(cause, words))
            return failed
        except Exception as exc:  # no memory for a process, a bug: the proof must not be lost
            log.exception("attempt failed")
            return Failed(Failure.CRASH, type(exc).__name__, type(exc).__name__)
        self._troubles.clear(claim.circuit)
        log.info(
            "proven",
            extra={"circuit": work.circuit, "proofs": len(claim.members), "s": measured.prove_s},
        )
        return Outcome(
            proof.to_json(),
            work.positions,
            measured.prove_s,
            measured.verify_s,
            measured.peak_rss_bytes,
        )

    def _finish(self, claim: Claim, attempt: Outcome | Failed) -> None:
        if isinstance(attempt, Outcome):
            if accepted := self._claims.settle(claim, attempt):
                log.debug("accepted %d", accepted)
            else:
                log.info("nobody waits for this result any more", extra=_named(claim))
        elif attempt.failure is Failure.INPUT:
            log.info("the circuit refuses these inputs", extra=_named(claim))
            self._claims.fail(claim, attempt.failure, attempt.reason)
        elif self._claims.crash(claim, attempt.failure, attempt.reason):
            log.warning("no proof (%s) %s", attempt.failure, attempt.log, extra=_named(claim))
        else:
            log.info("ended a proof that nobody wants from us", extra=_named(claim))

    def _tell(self, claim: Claim) -> None:
        for proof_id in claim.members:
            self._wake.send(CHANGED, proof_id)


def _failed(exc: ProverError | CircuitError | OSError) -> Failed:
    words = str(exc)
    if isinstance(exc, OSError):  # on the way to a proof, only files of the circuit are read here
        words = f"a file of the circuit cannot be read: {exc.strerror or type(exc).__name__}"
        return Failed(Failure.KEYS, words, words)
    if isinstance(exc, InputRefused):
        return Failed(Failure.INPUT, words)
    if isinstance(exc, ProverTroubled):
        failure = TROUBLED.get(exc.cause, Failure.ENGINE)
        return Failed(failure, words, exc.detail if failure in BLAMELESS else "")
    if isinstance(exc, ProverCrashed):
        return Failed(Failure.CRASH, words, exc.ending)
    for kind, failure in OURS:
        if isinstance(exc, kind):
            return Failed(failure, words, words)
    return Failed(Failure.ENGINE, words, type(exc).__name__)


def _named(claim: Claim) -> dict[str, object]:
    return {"proof": next(iter(claim.members)), "circuit": claim.circuit}


__all__ = ["Proving"]
