"""One decision or event beside the one on record."""

from collections.abc import Mapping, Sequence
from typing import Any

from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.replay.report import Outcome

#: What a result says of the process it was made in.
OF_THE_PROCESS = ("diagnostics",)


def compared(recorded: Mapping[str, Any], made: Mapping[str, Any]) -> tuple[Outcome, str]:
    """Of two records of a plan: what the planner decided, before any rules, stands in `made`."""
    fault, now = recorded.get("fault"), made.get("fault")
    if fault and fault["code"] == "model_timeout" and not now:
        return "not_compared", "the planner ran out of time, which a replay does not repeat"
    if fault or now:
        then, code = (one["code"] if one else "a step" for one in (fault, now))
        same = then == code
        return ("same", "") if same else ("differs", f"{then} is on record, now it is {code}")
    return _steps(recorded, made["step"])


def _steps(recorded: Mapping[str, Any], made: Mapping[str, Any]) -> tuple[Outcome, str]:
    step = recorded["step"]
    if step == made:
        return "same", ""
    is_refused = any(not verdict["allowed"] for verdict in recorded["verdicts"])
    is_changed = any(verdict["rules"] for verdict in recorded["verdicts"])
    if is_refused and step["kind"] == made["kind"] and _named_alike(step, made):
        return "redacted", "the rules refused the step, so all but its tool is withheld"
    if is_changed and alike(step, made):
        return "redacted", "the rules changed texts of the step"
    name = next(name for name in (*step, *made) if step.get(name) != made.get(name))
    then, now = step.get(name), made.get(name)
    return "differs", f"{name} is {_shown(then)} on record, now it is {_shown(now)}"


def _named_alike(step: Mapping[str, Any], made: Mapping[str, Any]) -> bool:
    return step.get("tool_id") in (made.get("tool_id"), "withheld")


def alike(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same but for texts."""
    if isinstance(one, str) and isinstance(other, str):
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def different(recorded: Event, told: Event) -> str:
    """How a replay's event differs, in a line without its values; empty where it does not."""
    if recorded.kind != told.kind:
        return f"event {recorded.number} is {recorded.kind} on record, now it is {told.kind}"
    then, now = _content(recorded), _content(told)
    for name in (*then, *now):
        if then.get(name) != now.get(name):
            return f"event {recorded.number} ({recorded.kind}): {name} differs"
    return ""


def _content(event: Event) -> Mapping[str, Any]:
    data = dict(event.data)
    data.pop("config", None)  # what an agent says of itself may grow; what it decides is compared
    result: Any = data.get("result")
    if event.kind == "run_finished" and isinstance(result, Mapping):
        return {name: value for name, value in result.items() if name not in OF_THE_PROCESS}
    return data


def _shown(value: Any) -> str:
    return "not there" if value is None else f"{value!r:.80}"


__all__ = ["alike", "compared", "different"]
