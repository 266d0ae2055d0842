"""What a planner asks models through: judged, recorded, told. Implements `Models`."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import ModelFault, ModelTimeout, NoModelFits, StepRefused
from zkagent.executor.runtime.core.models import CallOptions, TokenUsage
from zkagent.executor.runtime.core.patience import within
from zkagent.executor.runtime.core.result import ModelCall
from zkagent.executor.runtime.core.steps import ChatMessage
from zkagent.executor.runtime.providers.router import Answered, Router
from zkagent.executor.runtime.running.faults import fault_json, fault_of
from zkagent.executor.runtime.running.run import Run, refusing

#: Characters at the end of a stream that are held back, for what is redacted is rarely one chunk,
#: and is known for what it is when most of it is there. Secrets that the owner named may be longer.
HELD_BACK = 400
MOST_STANDING = 100  # instructions of one agent that are known to pass
MOST_NAME = 200  # characters of what a model calls itself
LEAST, SHARE = 16, 8  # characters to judge and tell at a time: so many, or this part of all


@dataclass
class RecordedModels:
    """Of one step. left_s: how long it may go on. closed: from then on nothing is asked: a planner
    that is given up may not end."""

    run: Run
    router: Router | None
    left_s: Callable[[], float]
    asked: int = field(default=0, init=False)
    closed: bool = field(default=False, init=False)

    async def ask(self, messages: "str | list[ChatMessage]", **options: Any) -> str:
        """Raises NoModelFits, ModelTimeout, ModelFault, StepRefused."""
        if self.closed:
            raise ModelTimeout("the step is over: its planner was given up")
        if self.router is None:
            raise NoModelFits("the agent has no model_providers: name some in its config")
        said = [ChatMessage("user", messages)] if isinstance(messages, str) else list(messages)
        wanted = self._wanted(options)
        self.asked += 1
        name, router = f"{self.run.step}.model.{self.asked}", self.router
        found = await self.run.record(name, lambda: self._answer(router, said, wanted))
        return await self._told(said, wanted, found)

    def _wanted(self, options: dict[str, Any]) -> CallOptions:
        options.setdefault("seed", self.run.options.seed)
        options["needs"] = frozenset(options.get("needs", ()))
        options["stop"] = tuple(options.get("stop", ()))
        try:
            return CallOptions(**options)
        except TypeError as exc:
            raise ModelFault(f"no such option of a model's call: {exc}") from exc

    async def _answer(
        self, router: Router, messages: list[ChatMessage], options: CallOptions
    ) -> dict[str, Any]:
        """What goes on record: an answer or a fault, with what the permissions said."""
        said, verdict = await self._allowed(messages)
        if said is None:
            return {"verdicts": [verdict]}
        changed = [message.to_json() for message in said] if verdict["rules"] else None
        kept = {"messages": changed, "verdicts": [verdict]}
        began = self.run.world.clock()
        try:
            answered = await self._ask(router, said, options)
        except ModelFault as fault:
            message, _ = await self.run.judge("model", str(fault))
            told = fault_json(fault) | {"message": message or "withheld"}
            return kept | {"fault": told, "seconds": self.run.seconds_since(began)}
        return kept | await self._judged(answered, verdict, began)

    async def _allowed(
        self, messages: list[ChatMessage]
    ) -> tuple[list[ChatMessage] | None, dict[str, Any]]:
        """Messages that passed unchanged before in this run are not looked at again: most of what a
        model is asked was asked the step before. Nor are an agent's instructions in later runs."""
        passed, standing = self.run.passed, self.run.standing
        fresh = [n for n, one in enumerate(messages) if one not in passed and one not in standing]
        plain = [messages[number].to_json() for number in fresh]
        allowed, verdict = await self.run.judge("model", plain)
        if allowed is None:
            return None, verdict
        said = list(messages)
        for number, found in zip(fresh, allowed, strict=True):
            said[number] = ChatMessage(**found)
            if said[number] == messages[number]:
                is_standing = found["role"] == "system" and len(standing) < MOST_STANDING
                (standing if is_standing else passed).add(messages[number])
        return said, verdict

    async def _judged(
        self, answered: Answered, verdict: dict[str, Any], began: datetime
    ) -> dict[str, Any]:
        response = answered.response
        text, judged = await self.run.judge("model", response.text)
        model, _ = await self.run.judge("model", in_line(response.model, MOST_NAME))
        return {
            "verdicts": [verdict, judged],
            "text": text,
            "usage": response.usage.to_json(),
            "model": model or "withheld",
            "provider": answered.provider,
            "attempts": answered.attempts,
            "last_error": answered.last_error,
            "seconds": self.run.seconds_since(began),
        }

    async def _ask(
        self, router: Router, messages: list[ChatMessage], options: CallOptions
    ) -> Answered:
        listener = _Stream(self.run) if self.run.telling.is_heard else None
        left_s = self.left_s()
        if left_s <= 0:
            raise ModelTimeout("the step has no time left, so no model was asked")
        try:
            asking = router.ask(messages, options, listener.take if listener else None)
            answered = await within(left_s, asking)
        except TimeoutError as exc:
            raise ModelTimeout(
                f"no model answered within the {left_s:.3g} s that the step had left"
            ) from exc
        if listener:
            await listener.end()
        return answered

    async def _told(
        self, messages: list[ChatMessage], options: CallOptions, found: dict[str, Any]
    ) -> str:
        await self.run.tell_verdicts(found["verdicts"])
        if refused := refusing(found["verdicts"]):
            raise StepRefused(
                f"what a model is asked or answers is refused: {refused['reason']}",
                rules=refused["rules"],
            )
        if "fault" in found:
            raise fault_of(found["fault"])
        told = found["messages"] or [message.to_json() for message in messages]
        call = self._called(told, found)
        await self.run.telling.tell(
            "model_called",
            step=self.run.step,
            provider=call.provider,
            model=call.model,
            messages=told,
            options=_described(options),
            text=found["text"],
            usage=found["usage"],
            seconds=call.seconds,
        )
        return str(found["text"])

    def _called(self, messages: Sequence[dict[str, Any]], found: dict[str, Any]) -> ModelCall:
        digest = hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()
        usage = TokenUsage(**found["usage"])
        run = self.run
        call = ModelCall(
            run.step, found["provider"], found["model"], digest, usage, found["seconds"]
        )
        run.model_calls.append(call)
        run.retries += found["attempts"] - 1
        run.last_error = found["last_error"] or run.last_error
        return call


class _Stream:
    """Tells what is streamed, judged as a whole each time, but for its last few characters. The
    more there is, the rarer that is: all of it together takes about as long as ten times the last.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._held_back = max(HELD_BACK, getattr(run.permissions, "longest_secret", 0))
        self._begin()

    def _begin(self) -> None:
        self._parts: list[str] = []
        self._length = self._judged = self._told = 0

    async def take(self, text: str | None) -> None:
        """None: it begins anew."""
        if text is None:
            self._begin()
            return
        self._parts.append(text)
        self._length += len(text)
        fresh = self._length - max(self._judged, self._held_back)
        if fresh >= max(LEAST, self._length // SHARE):
            await self._tell(self._held_back)

    async def end(self) -> None:
        await self._tell(0)

    async def _tell(self, held_back: int) -> None:
        text, self._judged = "".join(self._parts), self._length
        self._parts = [text]
        allowed = await self._run.judge_part(text)
        end = len(allowed or "") - held_back
        if allowed is not None and end > self._told:
            text, self._told = allowed[self._told : end], end
            await self._run.telling.tell("model_tokens", step=self._run.step, text=text)


def _described(options: CallOptions) -> dict[str, Any]:
    values = {name: getattr(options, name) for name in options.__dataclass_fields__}
    return values | {"needs": sorted(options.needs), "stop": list(options.stop)}


__all__ = ["RecordedModels"]
