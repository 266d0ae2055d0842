"""What can go wrong between a request for a proof and a verified proof.

ProverError
├── TransientProverError   worth another try, after `delay_s`
│   ├── ProverCrashed      the child process ended; the next request starts a fresh one
│   ├── ProofTimedOut      no proof in time; the child was ended
│   ├── ProverTroubled     no disk, damaged keys, a failing engine: not the inputs' fault
│   └── AddressUnresolved  nobody says now where a host is
└── PermanentProverError   the same request would fail again
    ├── ProofFalse         what was proven does not verify: wrong keys or set-up
    └── AddressRefused     an address that may not be called

Wrong inputs are circuits' InputRefused, the only verdict on them. That somebody's proof does not
hold is a verdict (verification.py), not an error.
"""

from zkagent.circuits.support.urls import shown_url
from zkagent.errors import ZkagentError, in_line

MOST_SHOWN = 130  # characters of an address

TROUBLES = {
    "disk": "free or mend the disk, then try again",
    "keys": "then try again",
    "prover": "then try again",
}


class ProverError(ZkagentError):
    """Root of this package's errors; the message is one line and names the remedy."""


class TransientProverError(ProverError):
    """Another try may succeed, `delay_s` seconds later."""

    delay_s = 1.0


class ProverCrashed(TransientProverError):
    """The process that proves ended."""

    def __init__(self, ending: str, log: str) -> None:
        detail = f": {log}" if log else ""
        super().__init__(
            f"the prover's process ended with {ending}{detail}; try again "
            "(SIGKILL often means that the machine ran out of memory)"
        )
        self.ending = ending


class ProofTimedOut(TransientProverError):
    """The proof took longer than it was given."""

    def __init__(self, timeout_s: float) -> None:
        super().__init__(f"no proof after {timeout_s:g} s: try again with more time")
        self.timeout_s = timeout_s


class PermanentProverError(ProverError):
    """Trying again would fail again."""


class ProverTroubled(TransientProverError):
    """No proof, and the inputs are not the reason. cause: disk, keys, prover or engine."""

    def __init__(self, cause: str, detail: str) -> None:
        remedy = TROUBLES.get(cause, "try again")
        super().__init__(f"the prover cannot work ({cause}): {detail}: {remedy}")
        self.cause = cause
        self.detail = detail


class ProofFalse(PermanentProverError):
    """The engine, or a service, returned a proof that does not verify. service: its address."""

    def __init__(self, circuit: str, reason: str, service: str = "") -> None:
        maker = f" by the service at {shown_url(service)}" if service else ""
        remedy = "do not rely on that service" if service else "build the circuit again"
        super().__init__(
            f"the proof made{maker} for circuit {circuit[:16]} does not verify ({reason}): {remedy}"
        )
        self.service = service
        self.circuit = circuit
        self.reason = reason


class AddressRefused(PermanentProverError):
    """Nobody is called at this address. reason: without it."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{_quoted(url)} may not be called: {reason}")
        self.url, self.reason = url, reason


class AddressUnresolved(TransientProverError):
    """There is no address to call."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{_quoted(url)} cannot be called: {reason}; try again")
        self.url, self.reason = url, reason


def _quoted(url: str) -> str:
    """Without what may be a key; whatever else stands in it on one line."""
    return in_line(repr(shown_url(url)), MOST_SHOWN)


__all__ = [
    "AddressRefused",
    "AddressUnresolved",
    "PermanentProverError",
    "ProofFalse",
    "ProofTimedOut",
    "ProverCrashed",
    "ProverError",
    "ProverTroubled",
    "TransientProverError",
]
