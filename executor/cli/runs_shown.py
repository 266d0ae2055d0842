"""How runs are shown, those of agents on chains and off them."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from zkagent.errors import MOST_IN_LINE, in_line, plain
from zkagent.executor.runtime.events.contents import WITHHELD

if TYPE_CHECKING:
    from zkagent.executor.cli.runs_options import Given
    from zkagent.executor.runs.records import RunRecord
    from zkagent.executor.runtime.core.events import Event
    from zkagent.executor.runtime.durable.kept import KeptRun
    from zkagent.executor.runtime.replays.report import ReplayReport

PROMPT_SHOWN = 40
#: What events have as a whole, and what a line shows of it; --json has all.
WHOLE = {
    "plan": ("kind", "tool_id", "input", "message", "result", "reason"),
    "action": ("state", "output"),
    "error": ("code", "message"),
    "result": ("success", "steps", "result", "error"),
}
VALUE_SHOWN = 200
#: A proof may be true and of another decision: of a planner told otherwise, say.
PROOFS = {
    "verified": "proof verified",
    "false": "no proof of this decision",
    "unverified": "proof unverified",
}


def on_chain_json(record: "RunRecord") -> dict[str, Any]:
    return asdict(record.intent) | {
        "id": record.id,
        "state": record.state,
        "age_s": round(record.age_s),
        "nonce": record.nonce,
        "transaction": record.hash,
        "transactions": list(record.hashes),
        "deadline": record.deadline,
        "taken_by": record.taken_by or None,
        "receipt": record.receipt or None,
        "note": record.note or None,
    }


def on_chain_line(record: "RunRecord") -> str:
    prompt = record.intent.prompt
    short = prompt if len(prompt) <= PROMPT_SHOWN else f"{prompt[: PROMPT_SHOWN - 3]}..."
    place = f"chain {record.intent.chain_id}, nonce {record.nonce}"
    return (
        f"{record.id}  {record.state:<10}  {age(record.age_s):>8}  {place}  {record.hash}  {short}"
    )


def age(seconds: float) -> str:
    for name, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"


def off_chain_json(kept: "KeptRun", *, left: bool) -> dict[str, Any]:
    """Without contents. left: nobody is at it, though it has not ended."""
    return {
        "id": kept.id,
        "agent": kept.agent,
        "state": _state(kept, left=left),
        "left": left,
        "owner": kept.principal,
        "session": kept.session,
        "started_at": kept.started_at.isoformat(),
        "finished_at": kept.finished_at.isoformat() if kept.finished_at else None,
        "steps": kept.steps,
        "events": kept.events,
        "error": kept.code,
        "reason": kept.reason,
    }


def _state(kept: "KeptRun", *, left: bool) -> str:
    """What somebody waits for can be answered, whether anybody is at it or not."""
    state = kept.outcome or kept.state
    return "left" if left and state == "running" else state


def off_chain_line(kept: "KeptRun", now: datetime, *, left: bool, given: "Given") -> str:
    """given: where runs are kept, as the user said it."""
    state = _state(kept, left=left)
    going_on = given.command("runs", "start", "FILE", "--run", "ID")
    nobody = f"its process has ended: {going_on} goes on with it"
    why = kept.code if state == "failed" else nobody if left else kept.reason
    since = age(max(0.0, (now - kept.started_at).total_seconds()))
    steps = f"{kept.steps} step{'' if kept.steps == 1 else 's'}"
    end = f"  {in_line(why, VALUE_SHOWN)}" if why else ""
    return f"{kept.id}  {state:<10}  {since:>8}  agent {plain(kept.agent)}, {steps}{end}"


def step_lines(action: Mapping[str, Any]) -> list[str]:
    """Of a step that was taken, with the contents that it has."""
    step, error = action["step"], action["error"] or {}
    what = plain(str(step.get("tool_id") or step["kind"]))
    code = f"  {error['code']}" if error and error["code"] != action["state"] else ""
    lines = [f"  step {action['index']}  {what}  {action['state']}{code}"]
    told = {name: step.get(name) for name in ("input", "message", "reason", "result")}
    told |= {"output": action["output"], "error": error.get("message")}
    return lines + content_lines(told, "    ")


def content_lines(told: Mapping[str, Any], before: str) -> list[str]:
    """A line for each value that is there and not withheld."""
    return [
        f"{before}{name}  {_value(value, MOST_IN_LINE)}"
        for name, value in told.items()
        if value not in (None, WITHHELD)
    ]


def event_line(event: "Event") -> str:
    """With the contents that it has."""
    number = "-" if event.number is None else str(event.number)
    data: dict[str, Any] = {}
    one: Any
    for name, one in event.data.items():
        is_whole = name in WHOLE and isinstance(one, dict)
        data |= {field: one.get(field) for field in WHOLE[name]} if is_whole else {name: one}
    data.pop("config", None)
    told = {name: value for name, value in data.items() if value not in (None, [], WITHHELD)}
    shown = ", ".join(f"{name}={_value(value)}" for name, value in told.items())
    return f"{event.at:%H:%M:%S}  {number:>4}  {event.kind:<14} {shown}".rstrip()


def _value(value: Any, most: int = VALUE_SHOWN) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return in_line(text, most)


def replay_lines(report: "ReplayReport") -> list[str]:
    lines = []
    for step in report.steps:
        what = step.plan.get("tool_id") or step.plan.get("kind") or "?"
        proof = f", {PROOFS[step.proof]}" if step.proof else ""
        why = "; ".join(filter(None, (step.why, step.proof_why)))
        outcome = step.outcome.replace("_", " ")
        taken = " (redacted)" if step.redacted and step.outcome != "redacted" else ""
        line = f"step {step.index}  {plain(str(what))}  {outcome}{taken}{proof}"
        lines.append(f"{line}: {in_line(why, VALUE_SHOWN)}" if why else line)
    if report.difference:
        lines.append(f"differs: {in_line(report.difference, VALUE_SHOWN)}")
    agrees = "agrees" if report.agrees else "does not agree"
    lines.append(f"the replay of run {report.run_id} {agrees}; {in_line(report.ended)}")
    return lines


__all__ = ["age", "content_lines", "event_line", "off_chain_json", "off_chain_line"]
__all__ += ["on_chain_json", "on_chain_line", "replay_lines", "step_lines"]
