"""A run of another framework, written down call by call, and its signed receipt.

The receipt says what the tools were given and what they gave, as this process saw it, with names of
the models that were asked. Whose word it is says the signature; it proves nothing of the models.
"""

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.errors import in_line
from zkagent.executor.runtime.adapters.offered import plain
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.steps import ActionResult, ActionState, PlanStep
from zkagent.executor.runtime.core.world import World
from zkagent.executor.runtime.receipts.format import AgentReceipt
from zkagent.executor.runtime.receipts.signing import ReceiptDraft


@dataclass
class Recording:
    """framework: with its version. withhold: digests stand for values in the receipt; what opens
    them is in `openings`, once it is signed. Calls may end in several threads."""

    agent: str
    task: Json
    framework: str
    withhold: bool = False
    world: World = field(default_factory=World)
    openings: dict[str, tuple[str, Json]] = field(default_factory=dict, init=False)
    _models: list[str] = field(default_factory=list, init=False)
    _done: list[tuple[ActionResult, datetime, datetime, str | None]] = field(
        default_factory=list, init=False
    )
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        self.run_id, self._began = uuid.uuid4().hex, self.now()

    def now(self) -> datetime:
        return self.world.clock()

    def asked(self, model: str) -> None:
        """A model, by its name; what is called from now on, it decided."""
        with self._lock:
            if model not in self._models:
                self._models.append(model)
            self._model = model

    def called(
        self,
        tool: str,
        given: Any,
        began: datetime,
        *,
        output: Any = None,
        error: BaseException | None = None,
    ) -> None:
        """A call that ended: with an output or an error."""
        state: ActionState = "ok" if error is None else "failed"
        told = plain(output) if error is None else _told(error)
        with self._lock:
            step = PlanStep("tool", tool, plain(given))
            done = ActionResult(len(self._done), step, state, told)
            self._done.append((done, began, self.now(), getattr(self, "_model", None)))

    def around(self, tool: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose calls are written down."""

        def recorded(*values: Any, **named: Any) -> Any:
            given: Any = named if not values else {"values": list(values), **named}
            began = self.now()
            try:
                output = function(*values, **named)
            except BaseException as exc:
                self.called(tool, given, began, error=exc)
                raise
            self.called(tool, given, began, output=output)
            return output

        return recorded

    def receipt(
        self, account: LocalAccount, *, result: Any = None, error: BaseException | None = None
    ) -> AgentReceipt:
        """Of all that was done so far. error: with which the run ended, if it did."""
        draft = ReceiptDraft(
            agent=self.agent,
            run_id=self.run_id,
            task=plain(self.task),
            framework=self.framework,
            started_at=self._began,
            withhold=self.withhold,
            models=list(self._models),
            openings=self.openings,
        )
        for done, began, ended, model in self._done:
            draft.add(done, started_at=began, finished_at=ended, model=model)
        came = plain(result) if error is None else _told(error)
        return draft.signed(account, result=came, success=error is None, finished_at=self.now())


@dataclass(frozen=True, slots=True)
class ReceiptedRun:
    """output: None where an error ended the run, which is given and not raised: there is a receipt
    of that, too."""

    output: Any
    receipt: AgentReceipt
    error: Exception | None = None


def _told(error: BaseException) -> Json:
    return {"error": in_line(f"{type(error).__name__}: {error}", 500)}


__all__ = ["ReceiptedRun", "Recording"]
