"""One decision or event beside the one on record."""

from collections.abc import Mapping
from typing import Any

from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.permissions.redaction.leaves import TOKEN
from zkagent.executor.runtime.replays.report import Outcome

#: What a result says of the process it was made in.
OF_THE_PROCESS = ("diagnostics",)
#: Of a step, whatever the rules say.
ALWAYS_TOLD = ("kind", "tool_id")


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
    if _is_withheld(recorded) and step["kind"] == made["kind"] and _named_alike(step, made):
        return "redacted", "the rules refused the step, so all but its tool is withheld"
    changed = is_changed(recorded)
    differing = [name for name in dict.fromkeys((*step, *made)) if step.get(name) != made.get(name)]
    if changed:
        differing = [name for name in differing if not _is_redacted(name, step, made)]
    if not differing:
        return "redacted", "the rules changed texts of the step"
    name = differing[0]
    now = "something else" if changed else _shown(made.get(name))  # what it is may be a secret
    return "differs", f"{name} is {_shown(step.get(name))} on record, now it is {now}"


def is_changed(found: Any) -> bool:
    """Whether the rules changed something of it. What waits, or is refused as a step, is as it
    was."""
    verdicts = found.get("verdicts", ()) if isinstance(found, Mapping) else ()
    return any(verdict["allowed"] and verdict["rules"] for verdict in verdicts)


def _is_withheld(recorded: Mapping[str, Any]) -> bool:
    """Whether it was refused for what it says, so that nothing of that is on record: then there is
    no verdict on the step as such, which comes last and withholds nothing."""
    verdicts, last = recorded["verdicts"], recorded["verdicts"][-1]
    by_content = not last["allowed"] and (len(verdicts) == 1 or last["place"] == "input")
    return by_content and recorded["step"].keys() <= set(ALWAYS_TOLD)


def _named_alike(step: Mapping[str, Any], made: Mapping[str, Any]) -> bool:
    return step.get("tool_id") in (made.get("tool_id"), "withheld")


def _is_redacted(name: str, step: Mapping[str, Any], made: Mapping[str, Any]) -> bool:
    return name not in ALWAYS_TOLD and alike(step.get(name), made.get(name))


def alike(recorded: Any, made: Any) -> bool:
    """Whether two JSON values are the same but for what tokens stand for in the recorded one."""
    if isinstance(recorded, str) and TOKEN.search(recorded):
        return _fits(recorded, made)
    if isinstance(recorded, Mapping) and isinstance(made, Mapping):
        same_names = recorded.keys() == made.keys()
        return same_names and all(alike(recorded[key], made[key]) for key in recorded)
    if isinstance(recorded, list | tuple) and isinstance(made, list | tuple):
        return len(recorded) == len(made) and all(map(alike, recorded, made))
    return bool(recorded == made)


def _fits(recorded: str, made: Any) -> bool:
    """Whether it is the recorded text with anything in place of its tokens; a number is one whole
    token."""
    if not isinstance(made, str):
        is_number = isinstance(made, int | float) and not isinstance(made, bool)
        return is_number and TOKEN.fullmatch(recorded) is not None
    first, *between, last = TOKEN.split(recorded)[:: TOKEN.groups + 1]
    at, end = len(first), len(made) - len(last)
    if at > end or not made.startswith(first) or not made.endswith(last):
        return False
    for part in between:
        found = made.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


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


__all__ = ["alike", "compared", "different", "is_changed"]
