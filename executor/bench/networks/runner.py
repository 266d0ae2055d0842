"""Builds, proves and verifies the networks of a folder, one after the other, each in a process with
a time and a memory of its own; a network that takes too much of either is no end of the run."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from zkagent.circuits.errors import EngineCrashed
from zkagent.circuits.networks.judging import RELATIVE_TOLERANCE
from zkagent.circuits.support.child_process import ChildProcess
from zkagent.executor.bench.networks.cases import Case
from zkagent.executor.bench.networks.child import EZKL, OURS
from zkagent.executor.bench.networks.results import (
    FAILED,
    PROVEN,
    REFUSED,
    TIMED_OUT,
    Made,
    Outcome,
)
from zkagent.executor.bench.verification_gas import call_cost
from zkagent.verifier_contracts.chain.local import Anvil

MODULE = "zkagent.executor.bench.networks.child"
ENTRIES = {OURS: "verify", EZKL: "verifyProof"}
#: What a network is refused for in good order; anything else that stops it has failed.
IN_ORDER = frozenset(
    {"NetworkRefused", "SamplesRefused", "MemoryTooSmall", "ProductsTooLarge", "SettingsRefused"}
)
Say = Callable[[str], None]


@dataclass(frozen=True)
class Limits:
    """Of one network and side. proofs: whose median counts."""

    seconds: float = 600.0
    memory_bytes: int = 16 << 30
    proofs: int = 1


class Stopped(Exception):
    """A side that came to no proof. verdict: as an outcome has it."""

    def __init__(self, verdict: str, reason: str) -> None:
        self.verdict, self.reason = verdict, reason
        super().__init__(reason)


class Worker:
    """One side's process for one network. Its requests share the time that the limits allow."""

    def __init__(self, side: str, case: Case, limits: Limits, say: Say) -> None:
        self._side, self._say = side, say
        self._began, self._limits = time.monotonic(), limits
        self._child = ChildProcess(MODULE, [side])
        self._request = {
            "do": "make",
            "onnx": str(case.onnx.absolute()),
            "samples": str(case.samples.absolute()) if case.samples else None,
            "memory": limits.memory_bytes,
        }

    def make(self, share: float = RELATIVE_TOLERANCE) -> dict[str, Any]:
        """share: how near numbers have to be. Raises Stopped."""
        return self._ask({**self._request, "share": share})

    def prove(self) -> dict[str, Any]:
        """Raises Stopped."""
        return self._ask({"do": "prove"})

    def begin(self) -> None:
        """Its time begins now."""
        self._began = time.monotonic()

    def close(self) -> None:
        self._child.kill()

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._began

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            self._child.send(request, self._left)
            while "stage" in (reply := self._child.receive(self._left)):
                self._say(reply["stage"])
        except TimeoutError:
            reason = f"no end after {self._limits.seconds:g} s"
            raise Stopped(TIMED_OUT, reason) from None
        except EngineCrashed as exc:
            raise Stopped(FAILED, str(exc)) from exc
        if "refused" in reply:
            verdict = REFUSED if reply["refused"] in IN_ORDER else FAILED
            raise Stopped(verdict, reply["reason"])
        return reply

    @property
    def _left(self) -> float:
        return max(0.0, self._limits.seconds - self.seconds)


def run_case(
    case: Case, limits: Limits, *, chain: Anvil | None = None, against: bool = False, say: Say
) -> Outcome:
    """What becomes of one network. chain: to measure gas on. against: ezkl's own pipeline is
    measured as well, its proofs and ours in turns; numbers then have to be as near to onnxruntime's
    as ezkl's are, where that is nearer than usual."""
    if not against:
        with _worker(OURS, case, limits, say) as ours:
            return _outcome(case, ours, None, limits, chain)
    with _worker(EZKL, case, limits, say) as rival, _worker(OURS, case, limits, say) as ours:
        return _outcome(case, ours, rival, limits, chain)


def _outcome(
    case: Case, ours: Worker, rival: Worker | None, limits: Limits, chain: Anvil | None
) -> Outcome:
    theirs = Rival(rival) if rival else None
    ours.begin()
    try:
        made = ours.make(theirs.share if theirs else RELATIVE_TOLERANCE)
        proofs = [ours.prove()]
        made["seconds"] = seconds = ours.seconds
        for _ in range(limits.proofs - 1):
            if theirs:
                theirs.prove()
            proofs.append(ours.prove())
    except Stopped as exc:
        return Outcome(case.name, exc.verdict, ours.seconds, _own(case, exc.reason))
    fidelity = made["fidelity"] or {}
    return Outcome(
        case.name,
        PROVEN,
        seconds,
        made=_made(OURS, made, proofs, chain),
        agreement=fidelity.get("agreement"),
        kinds=tuple(fidelity.get("kinds", ())),
        changes=tuple(made["changes"]),
        ezkl=_made(EZKL, theirs.made, theirs.proofs, chain) if theirs and theirs.made else None,
        ezkl_reason=theirs.reason if theirs else "",
    )


class Rival:
    """ezkl's side: made and proven once from the start. made: None where it came to no proof;
    reason: why."""

    def __init__(self, worker: Worker) -> None:
        self._worker, self.reason = worker, ""
        self.made: dict[str, Any] | None = None
        self.proofs: list[dict[str, Any]] = []
        worker.begin()
        try:
            made = worker.make()
            made["seconds"] = worker.seconds
            self.proofs.append(worker.prove())
            self.made = made
        except Stopped as exc:
            self.reason = exc.reason

    @property
    def share(self) -> float:
        """How near the other side has to be."""
        off = self.proofs[0]["deviation"] if self.made else None
        return RELATIVE_TOLERANCE if off is None else min(off, RELATIVE_TOLERANCE)

    def prove(self) -> None:
        """Once more, if it came to a first proof."""
        if self.made is None:
            return
        try:
            self.proofs.append(self._worker.prove())
        except Stopped as exc:
            self.made, self.reason = None, exc.reason


@contextmanager
def _worker(side: str, case: Case, limits: Limits, say: Say) -> Iterator[Worker]:
    worker = Worker(side, case, limits, lambda stage: say(f"{case.name}: {stage}"))
    try:
        yield worker
    finally:
        worker.close()


def _made(
    side: str,
    made: dict[str, Any],
    proofs: list[dict[str, Any]],
    chain: Anvil | None,
) -> Made:
    last = proofs[-1]
    gas = None
    if chain is not None:
        instances = [int(each) for each in last["instances"]]
        proof = bytes.fromhex(last["proof"])
        gas = call_cost(chain, made["verifier"], ENTRIES[side], proof, instances).execution_gas
    return Made(
        rows=made["rows"],
        logrows=made["logrows"],
        seconds=made["seconds"],
        prove_s=median(each["prove_s"] for each in proofs),
        verify_s=median(each["verify_s"] for each in proofs),
        key_bytes=made["key_bytes"],
        peak_bytes=max(each["peak_bytes"] for each in (made, *proofs)),
        gas=gas,
        deviation=last["deviation"],
    )


def _own(case: Case, reason: str) -> str:
    """Without the network's path, which each refusal begins with, and with the samples' name alone:
    tables are to say the same wherever the folder lies."""
    if case.samples:
        reason = reason.replace(str(case.samples.absolute()), case.samples.name)
    return reason.replace(f"{case.onnx.absolute()} ", "").replace("cannot become a circuit: ", "")


__all__ = ["Limits", "run_case"]
