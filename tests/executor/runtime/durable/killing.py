"""Runs an agent in processes that end with SIGKILL where it is told, and in ones after them.

One process loads everything and forks one for each attempt, which is what makes many points quick.
Points: "before NAME" and "after NAME" of a record's transaction, "end" for the last events, "in
TOOL" for the middle of its call; "" for none.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.executor.runtime.scripts import agent, use
from zkagent.executor.runtime import Agent, CallContext, PlanStep, ToolDefinition, ToolOutput
from zkagent.executor.runtime.durable.runtime import DurableRuntime
from zkagent.executor.runtime.durable.store import Attempt, RunStore, Written

RUN = "run-1"
SECRET = "planted 4111111111111111"


def clerk(folder: Path, kind: str, point: str) -> Agent:
    """Pays, notes and finishes. kind: whether tools honour keys, or what becomes of calls that were
    interrupted."""
    others: dict[str, Any] = {"honours_keys": kind == "keys"}
    if kind != "keys":
        others["interrupted"] = kind
    tools = [effect(folder, name, point, others) for name in ("pay", "note")]
    script = (use("pay", eur=SECRET), use("note", text="paid"), PlanStep("finish", result="done"))
    return agent(*script, tools=tools, task_prompt=f"Pay {SECRET}.")


def effect(folder: Path, name: str, point: str, others: dict[str, Any]) -> ToolDefinition:
    """A line of a file for each call; for one key once, if keys are honoured."""

    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        log = folder / f"{name}.effects"
        seen = log.read_text().split() if log.exists() else []
        if not others["honours_keys"] or context.key not in seen:
            log.write_text("".join(f"{key}\n" for key in [*seen, context.key]))
        if point == f"in {name}":
            die()
        return ToolOutput(True, f"{name} done")

    schema = {"type": "object"}
    return ToolDefinition(name, "Has an effect.", schema, run, safe_by_default=True, **others)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(point: str) -> None:
    """Ends this process at the transaction that is named."""
    write, begin = RunStore.write, RunStore.begin

    def around(do: Callable[..., None], written: Written, *given: Any) -> None:
        names = [name for name, _ in written.records]
        names += ["end"] if "result" in written.changes else []
        if any(point == f"before {name}" for name in names):
            die()
        do(*given, written)
        if any(point == f"after {name}" for name in names):
            die()

    def armed_write(self: RunStore, attempt: Attempt, written: Written) -> None:
        around(write, written, self, attempt)

    def armed_begin(self: RunStore, attempt: Attempt, task: str, written: Written) -> None:
        around(begin, written, self, attempt, task)

    setattr(RunStore, "write", armed_write)  # noqa: B010
    setattr(RunStore, "begin", armed_begin)  # noqa: B010


def attempt(folder: Path, kind: str, point: str) -> None:
    """In a process of its own: the run from where it is to its end."""
    if point:
        arm(point)
    with DurableRuntime(folder / "runs.sqlite") as runtime:
        run = runtime.session(clerk(folder, kind, point), run_id=RUN)
        (folder / "result.json").write_text(json.dumps(run.run().to_json()))


def forked(do: Callable[[], None]) -> int:
    """The signal that ended the process which did it; 0 if it ended by itself."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        do()
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def main() -> None:
    """Lines of JSON: folder, kind, points in turn. Answers with how each attempt ended."""
    for line in sys.stdin:
        folder, kind, points = json.loads(line)
        Path(folder).mkdir(parents=True, exist_ok=True)
        ends = [forked(lambda: attempt(Path(folder), kind, point)) for point in points]  # noqa: B023
        print(json.dumps(ends), flush=True)


if __name__ == "__main__":
    main()
