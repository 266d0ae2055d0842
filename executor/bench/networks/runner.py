"""Builds, proves and verifies the networks of a folder, one after the other, each in a process with
a time and a memory of its own; a network that takes too much of either is no end of the run."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from zkagent.circuits.errors import EngineCrashed
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

    def make(self) -> dict[str, Any]:
        """Raises Stopped."""
        return self._ask(self._request)

    def prove(self) -> dict[str, Any]:
        """Raises Stopped."""
        return self._ask({"do": "prove"})

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
    measured as well, its proofs and ours in turns."""
    with _worker(OURS, case, limits, say) as ours:
        try:
            made = ours.make()
            proofs = [ours.prove()]
        except Stopped as exc:
            return Outcome(case.name, exc.verdict, ours.seconds, _own(case, exc.reason))
        made["seconds"] = seconds = ours.seconds
        theirs, reason = None, ""
        if against:
            with _worker(EZKL, case, limits, say) as rival:
                theirs, reason = _rival(limits.proofs, (ours, proofs), rival, chain)
        else:
            proofs += [ours.prove() for _ in range(limits.proofs - 1)]
        fidelity = made["fidelity"] or {}
        return Outcome(
            case.name,
            PROVEN,
            seconds,
            made=_made(OURS, made, proofs, chain),
            agreement=fidelity.get("agreement"),
            kinds=tuple(fidelity.get("kinds", ())),
            changes=tuple(made["changes"]),
            ezkl=theirs,
            ezkl_reason=reason,
        )


def _rival(
    count: int,
    ours: tuple[Worker, list[dict[str, Any]]],
    rival: Worker,
    chain: Anvil | None,
) -> tuple[Made | None, str]:
    """ezkl's figures, or why there are none; our further proofs, which are added to those of ours,
    are made in turns with its own."""
    worker, proofs = ours
    try:
        made = rival.make()
        made["seconds"], theirs = rival.seconds, [rival.prove()]
        for _ in range(count - 1):
            proofs.append(worker.prove())
            theirs.append(rival.prove())
        return _made(EZKL, made, theirs, chain), ""
    except Stopped as exc:
        return None, exc.reason


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
    """Without the path, which each refusal begins with."""
    return reason.replace(f"{case.onnx.absolute()} ", "").replace("cannot become a circuit: ", "")


__all__ = ["Limits", "run_case"]
