"""What the service and its parts raise, on top of zkagent.prover.errors.

ProverError
└── ServiceError
    ├── DatabaseUnusable      the database cannot be opened, or belongs to another version
    │   └── DatabaseMissing   there is none, and the command makes none
    ├── DatabaseLost          its file was removed or replaced while it was in use
    ├── StartRefused          the service would be open to strangers, or a setting makes no sense
    ├── CircuitUnknown        no such circuit or model here
    ├── ArtifactUnknown       a circuit of this proof system has no such file
    ├── BodyRefused           the body of a request cannot be read, or would take too long
    ├── RequestRefused        a request that cannot become a proof (wrong features, refused text)
    ├── KeyRefused            no key, a wrong one, or a revoked one
    ├── KeyMalformed          to a client: what it was given as its key cannot be one
    ├── KeyUnknown            no valid key of this id
    ├── KeyNameRefused        a name that no key may have
    ├── CallbackRefused       the callback's address is not allowed
    ├── CallbackFailed        the callback's host did not take it; tried again
    ├── ProofUnknown          no such proof under this key
    ├── PriorityRefused       the key may not ask for `urgent`
    ├── QuotaExceeded         the key has used up what it was given
    ├── NotRetried            there is nothing to retry
    ├── VerifierBusy          no verdict in time, neither true nor false
    ├── ServiceAnswered       to a client: the service said no
    ├── ServiceGarbled        to a client: what came is no answer of a service
    ├── ServiceUnreachable    to a client: nobody answers
    ├── NoProofYet            to a client: not within the time that it gave
    └── ProofNotMade          to a client: the proof ended without a result
"""

from zkagent.circuits.support.urls import shown_url
from zkagent.prover.errors import ProverError

MOST_NAME = 64
EMPTIED = "emptied or written over"  # what was done to a log of SQLite's


class ServiceError(ProverError):
    """Root of what the service's own parts raise."""


class DatabaseUnusable(ServiceError):
    """The queue has nowhere to live."""

    def __init__(self, database: str, reason: str) -> None:
        super().__init__(f"the database {database} cannot be used: {reason}")
        self.database = database
        self.reason = reason


class DatabaseMissing(DatabaseUnusable):
    """A mistyped address, or nothing has begun yet."""

    def __init__(self, database: str) -> None:
        remedy = "check --database; `zkagent serve`, `worker` and `key create` make one"
        super().__init__(database, f"there is none ({remedy})")


class DatabaseLost(ServiceError):
    """What is written now would be gone with the next start."""

    def __init__(
        self,
        path: str,
        what: str,
        *,
        can_return: bool = True,
        unsaved: str | None = None,
        aside: str | None = None,
    ) -> None:
        """unsaved: why what a removed log held could not be saved so far. aside: where it is kept
        when it can be put back no more."""
        remedy = "stop every process on it and start them again"
        remedy = f"put it back, or {remedy}" if can_return else remedy
        if what == EMPTIED:
            remedy = (
                "what was acknowledged last is lost, but for what the file had already: stop every "
                "process on it, move its -wal and -shm elsewhere, and start them again"
            )
        elif unsaved:
            remedy = (
                f"what it held is not saved yet ({unsaved}): mend that first, and stop and start "
                f"nothing until it is saved, which is tried all the time; then {remedy}"
            )
        elif aside:
            remedy = (
                "another program has written there meanwhile, so what it held is not put back: "
                "what was acknowledged last is lost, but for what the file had already. It is kept "
                f"as {aside} (docs/operating.md, A removed log); {remedy}"
            )
        super().__init__(f"the database's file {path} was {what} while in use: {remedy}")
        self.path = path
        self.what = what
        self.can_return = can_return


class StartRefused(ServiceError):
    """`zkagent serve` or `zkagent worker` does not start like this."""


class CircuitUnknown(ServiceError):
    """Neither a circuit's digest nor a model's name that this service has."""

    def __init__(self, name: str, known: list[str]) -> None:
        shown = ", ".join(known) or "none yet"
        super().__init__(f"no circuit or model {name[:80]!r} here; there are: {shown}")
        self.name = name


class ArtifactUnknown(ServiceError):
    """Proof systems differ in what their circuits consist of."""

    def __init__(self, circuit: str, name: str, system: str) -> None:
        super().__init__(f"circuit {circuit[:16]} is of {system}, which has no {name}")
        self.circuit = circuit
        self.name = name


class RequestRefused(ServiceError):
    """The same request will always be refused."""


class BodyRefused(ServiceError):
    """Nothing of it was looked at."""


class CallbackRefused(ServiceError):
    """The service does not call this address."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"callback {url[:120]!r} refused: {reason}")
        self.url = url
        self.reason = reason


class CallbackFailed(ServiceError):
    """Another try may succeed."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"callback to {url[:120]!r} failed: {reason}")
        self.url = url
        self.reason = reason


class KeyRefused(ServiceError):
    """Which of the reasons it is, is not told."""

    def __init__(self) -> None:
        super().__init__("a valid API key is needed: Authorization: Bearer zk_...")


class KeyMalformed(ServiceError):
    """Nobody was asked; what was given is told to nobody."""

    def __init__(self, source: str, problem: str) -> None:
        super().__init__(f"{source} cannot be an API key: {problem}: copy it once more")
        self.source = source


class KeyNameRefused(ServiceError):
    """Of a key, in lists that people read line by line."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:80]!r} cannot be a key's name: use 1 to {MOST_NAME} printable characters, "
            "with no blank at either end"
        )


class KeyUnknown(ServiceError):
    """Nothing to revoke."""

    def __init__(self, key_id: str) -> None:
        super().__init__(f"no valid key {key_id!r}: see `zkagent key list`")
        self.key_id = key_id


class ProofUnknown(ServiceError):
    """There is no such proof, or this key did not ask for it."""

    def __init__(self, proof_id: str, *, ambiguous: bool = False) -> None:
        several = f"several proofs start with {proof_id[:64]}: give more digits"
        super().__init__(several if ambiguous else f"no proof {proof_id[:64]} was asked for here")
        self.proof_id = proof_id


class QuotaExceeded(ServiceError):
    """Too many requests for this key; `retry_after_s` says when to come back."""

    def __init__(self, what: str, limit: int, retry_after_s: float) -> None:
        super().__init__(f"limit reached: {limit} {what}; try again in {retry_after_s:.0f} s")
        self.limit = limit
        self.retry_after_s = retry_after_s


class PriorityRefused(ServiceError):
    """Before all others comes only who was given the right."""

    def __init__(self) -> None:
        super().__init__(
            "this key may not ask for priority urgent: use normal, or ask the operator for a key "
            "made with `zkagent key create NAME --urgent`"
        )


class NotRetried(ServiceError):
    """Only what failed, was cancelled or set aside can be tried again."""

    def __init__(self, proof_id: str, state: str) -> None:
        super().__init__(f"proof {proof_id[:16]} is {state}: there is nothing to retry")
        self.proof_id = proof_id
        self.state = state


class VerifierBusy(ServiceError):
    """Other proofs are being verified, or what verifies does not answer."""

    def __init__(self, waited_s: float) -> None:
        super().__init__(f"no verdict on the proof after {waited_s:g} s: try again later")


class ListsBusy(ServiceError):
    """Other lists are being made, or the database is slow."""

    def __init__(self, waited_s: float) -> None:
        super().__init__(f"no list after {waited_s:g} s: try again later")


class ServiceAnswered(ServiceError):
    """The service refused; `status` and `title` are its problem document's. retry_after_s: what it
    asks for, 0 for nothing; any number, since it may be anyone's."""

    def __init__(
        self, url: str, status: int, title: str, detail: str, *, retry_after_s: float = 0.0
    ) -> None:
        super().__init__(
            f"the prover service at {shown_url(url)} answered {status} {title}: {detail}"
        )
        self.url = url
        self.status = status
        self.title = title
        self.detail = detail
        self.retry_after_s = retry_after_s


class ServiceGarbled(ServiceError):
    """Whoever answers there is no prover service, or lies. reason: plain text."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"what {shown_url(url)} answered is not what a prover service says ({reason}): is the "
            "address right, and the service to be relied on?"
        )
        self.url = url
        self.reason = reason


class ServiceUnreachable(ServiceError):
    """Nobody answers at this address."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"no prover service at {shown_url(url)} ({reason}): start one with `zkagent serve`"
        )
        self.url = url
        self.reason = reason


class NoProofYet(ServiceError, TimeoutError):
    """The proof goes on; asking again attaches to it."""

    def __init__(self, proof_id: str, timeout_s: float) -> None:
        super().__init__(
            f"proof {proof_id[:16]} is not finished after {timeout_s:g} s: it goes on, ask again"
        )
        self.proof_id = proof_id
        self.timeout_s = timeout_s


class ProofNotMade(ServiceError):
    """The request ended without a proof."""

    def __init__(self, proof_id: str, state: str, failure: str | None, reason: str | None) -> None:
        super().__init__(f"proof {proof_id[:16]} is {state}: {reason or failure or 'no reason'}")
        self.proof_id = proof_id
        self.state = state
        self.failure = failure


__all__ = [
    "MOST_NAME",
    "BodyRefused",
    "CallbackFailed",
    "CallbackRefused",
    "CircuitUnknown",
    "DatabaseLost",
    "DatabaseMissing",
    "DatabaseUnusable",
    "KeyMalformed",
    "KeyNameRefused",
    "KeyRefused",
    "KeyUnknown",
    "NoProofYet",
    "NotRetried",
    "PriorityRefused",
    "ProofNotMade",
    "ProofUnknown",
    "QuotaExceeded",
    "RequestRefused",
    "ServiceAnswered",
    "ServiceError",
    "ServiceGarbled",
    "ServiceUnreachable",
    "StartRefused",
    "VerifierBusy",
]
