"""Steps that wait for somebody: which ones, what is asked, and who answered what.

An answer is for one exact step of one run: its digest is over run, agent, step, tool and input.
It is given once, by a principal who may approve, and counts until it expires. What tools, models
and memories say is no answer, whatever they call it.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Literal, Protocol

from zkagent.executor.runtime.core.errors import AgentConfigRefused, ApprovalNeeded
from zkagent.executor.runtime.core.json_values import Json, canonical
from zkagent.executor.runtime.core.permissions import Asked, Verdict
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.core.threads import apart
from zkagent.executor.runtime.permissions.audit.recorder import Audit
from zkagent.executor.runtime.permissions.engine import Opinion, Rule
from zkagent.executor.runtime.permissions.lists import plain_names
from zkagent.executor.runtime.permissions.roles import Principal, Roles

State = Literal["waits", "approved", "denied"]
EXPIRES_S = 86_400.0
POLL_S = 0.5


@dataclass(frozen=True, slots=True)
class Request:
    """One question. step: as it would be carried out, so secrets in it are tokens; reason: why it
    waits; times in seconds since 1970; by: the principal who answered."""

    digest: str
    run_id: str
    agent_id: str
    number: int
    tool: str
    input: Json
    reason: str
    asked_s: float
    expires_s: float
    state: State = "waits"
    by: str | None = None

    def at(self, now_s: float) -> State:
        """Denied, if nobody answered in time, and if the answer came too late to be used."""
        return "denied" if now_s >= self.expires_s and self.state != "denied" else self.state


def step_digest(asked: Asked, step: PlanStep) -> str:
    """SHA-256 of what an answer is for, in hex."""
    content: list[Json] = [asked.run_id, asked.agent_id, asked.step, step.tool_id, step.input]
    return hashlib.sha256(canonical(content).encode("utf-8", "surrogatepass")).hexdigest()


class ApprovalStore(Protocol):
    """Where questions and answers are. Both `add` and `decide` are atomic."""

    def add(self, request: Request) -> Request:
        """The one that is there already, if one is."""

    def find(self, digest: str) -> Request | None: ...

    def decide(self, digest: str, state: State, by: str) -> Request | None:
        """The request with its answer; None where none of this digest waits."""

    def waiting(self) -> Sequence[Request]:
        """Without an answer, oldest first; also those that have expired."""


class MemoryApprovals:
    """For one process."""

    def __init__(self) -> None:
        self._requests: dict[str, Request] = {}
        self._lock = Lock()

    def add(self, request: Request) -> Request:
        with self._lock:
            return self._requests.setdefault(request.digest, request)

    def find(self, digest: str) -> Request | None:
        with self._lock:
            return self._requests.get(digest)

    def decide(self, digest: str, state: State, by: str) -> Request | None:
        with self._lock:
            found = self._requests.get(digest)
            if found is None or found.state != "waits":
                return None
            self._requests[digest] = replace(found, state=state, by=by)
            return self._requests[digest]

    def waiting(self) -> Sequence[Request]:
        with self._lock:
            return tuple(each for each in self._requests.values() if each.state == "waits")


class ApprovalDesk:
    """Implements Approvals of a runner, and takes the answers.

    clock: seconds since 1970. wait_s: how long a runner waits within one process; 0 ends the run at
    once, and it is taken up again when the answer is there.
    """

    def __init__(
        self,
        store: ApprovalStore | None = None,
        *,
        roles: Roles | None = None,
        audit: Audit | None = None,
        clock: Callable[[], float] = time.time,
        expires_s: float = EXPIRES_S,
        wait_s: float = EXPIRES_S,
        poll_s: float = POLL_S,
    ) -> None:
        self.store = store or MemoryApprovals()
        self._roles, self._audit, self._clock = roles or Roles(), audit, clock
        self._expires_s, self._wait_s, self._poll_s = expires_s, wait_s, poll_s

    async def wait(self, asked: Asked, step: PlanStep, reason: str) -> Verdict:
        """Raises ApprovalNeeded: nobody answered within wait_s, and the question still stands."""
        request = await apart(self.store.add, self._request(asked, step, reason))
        until = asyncio.get_running_loop().time() + self._wait_s
        while (state := request.at(self._clock())) == "waits":
            if asyncio.get_running_loop().time() >= until:
                raise ApprovalNeeded(
                    f"step {asked.step} waits for approval {request.digest}: {reason}",
                    approval=request.digest,
                )
            await asyncio.sleep(self._poll_s)
            found = await apart(self.store.find, request.digest)
            request = found or request
        if state == "approved":
            return Verdict(True, by=request.by)
        by = request.by if request.state == "denied" else None
        why = f"{by} denied it" if by else "it expired"
        return Verdict(False, rules=("approvals",), reason=f"not approved: {why}", by=by)

    def _request(self, asked: Asked, step: PlanStep, reason: str) -> Request:
        now_s = self._clock()
        return Request(
            step_digest(asked, step),
            asked.run_id,
            asked.agent_id,
            asked.step,
            step.tool_id or "",
            step.input,
            reason,
            now_s,
            now_s + self._expires_s,
        )

    async def decide(self, digest: str, principal: Principal, *, approve: bool) -> Request:
        """Raises RoleMissing; ApprovalNeeded where nothing of this digest waits any more."""
        self._roles.require(principal, "approve")
        state: State = "approved" if approve else "denied"
        found = await apart(self.store.find, digest)
        if found is None or found.at(self._clock()) != "waits":
            raise _gone(digest)
        await self._note(found, "approving" if approve else "denying", principal.name)
        decided = await apart(self.store.decide, digest, state, principal.name)
        if decided is None:  # somebody else was first
            raise _gone(digest)
        await self._note(decided, state, principal.name)
        return decided

    async def _note(self, request: Request, kind: str, by: str) -> None:
        """What somebody means to answer is written down before it holds, that it holds after."""
        if self._audit:
            value = self._audit.digest([request.tool, None, request.input])  # as the engine has it
            await self._audit.record(_entry(request, kind, value, by))


def _gone(digest: str) -> ApprovalNeeded:
    return ApprovalNeeded(f"no step waits for approval {digest:.64}: it was answered or expired")


def _entry(request: Request, kind: str, value: str, by: str) -> dict[str, Json]:
    return {
        "kind": kind,
        "run": request.run_id,
        "agent": request.agent_id,
        "step": request.number,
        "place": "plan",
        "tool": request.tool,
        "rules": ["approvals"],
        "value": value,
        "by": by,
    }


class Supervised(Rule):
    """Calls of these tools wait for somebody; with `when`, those alone whose input it is true of.
    Raises AgentConfigRefused."""

    name = "approvals"

    def __init__(
        self, tools: Collection[str], *, when: Callable[[Json], bool] | None = None
    ) -> None:
        self._tools, self._when = plain_names(tools), when
        if not self._tools:
            raise AgentConfigRefused("supervised tools: name at least one")

    def restricted(self, agent_id: str) -> Collection[str]:
        return self._tools

    async def step(self, asked: Asked, step: PlanStep) -> Opinion | None:
        if asked.tool is None or asked.tool.id not in self._tools:
            return None
        if self._when and self._when(step.input) is False:
            return None
        return Opinion("wait", f"calls of {asked.tool.id} are approved one by one")


__all__ = ["EXPIRES_S", "ApprovalDesk", "ApprovalStore", "MemoryApprovals", "Request", "State"]
__all__ += ["Supervised", "step_digest"]
