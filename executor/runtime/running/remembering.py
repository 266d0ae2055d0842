"""What a run takes from long-term memory when it begins, and what it leaves there."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from zkagent.executor.runtime.core.config import name_of
from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.core.memory import MemoryClient
from zkagent.executor.runtime.core.patience import answered
from zkagent.executor.runtime.core.result import MemoryChange
from zkagent.executor.runtime.core.steps import ActionResult
from zkagent.executor.runtime.running.plain_values import plain_json
from zkagent.executor.runtime.running.run import Run

RESULTS = "results"  # the collection in which the database client has what runs gave
LOOKED_BACK = 50  # entries among which a run that goes on looks for what it wrote before


def stream_of(run: Run) -> str:
    return run.config.memory_policy.stream_of(run.config.id, run.session_id, run.principal)


async def recalled(run: Run) -> tuple[list[Any], list[dict[str, Any]]]:
    """The newest entries, oldest first, as allowed; and what the permissions said of them."""
    memory, policy = run.config.memory, run.config.memory_policy
    if memory is None or policy.recall == 0:
        return [], []
    kept, verdicts = [], []
    for entry in await _read(memory, stream_of(run), policy.recall):
        value, verdict = await run.judge("recall", entry)
        if verdict["allowed"]:
            kept.append(value)
        if verdict["rules"] or not verdict["allowed"]:
            verdicts.append(verdict)
    return kept, verdicts


async def remember_step(run: Run, done: ActionResult, *, resumed: bool) -> None:
    """Appends what was done, once."""
    entry = {"run": run.id, "step": done.index, "action": done.to_json()}
    await _append(run, f"{run.step}.memory", entry, resumed=resumed)


async def remember_result(run: Run, result: Mapping[str, Any]) -> None:
    """Appends what it came to, and writes it to the database."""
    database, keep = run.config.database, run.config.memory_policy.keep
    await _append(run, "result.memory", {"run": run.id, "result": dict(result)}, resumed=True)
    if database is None or not keep:
        return

    async def write() -> dict[str, Any]:
        value, verdict = await run.judge("memory", dict(result))
        found: dict[str, Any] = {"verdicts": [verdict], "changes": []}
        if verdict["allowed"]:
            who = f"database {name_of(database)}"
            await answered(who, lambda: database.write(RESULTS, run.id, value), MemoryFault)
            change = MemoryChange(run.step, "database", f"{RESULTS}/{run.id}", value)
            found["changes"] = [asdict(change)]
        return found

    await _tell(run, await run.record("result.database", write))


async def _append(run: Run, name: str, entry: dict[str, Any], *, resumed: bool) -> None:
    memory = run.config.memory
    if memory is None or not run.config.memory_policy.keep:
        return
    stream = stream_of(run)

    async def append() -> dict[str, Any]:
        value, verdict = await run.judge("memory", entry)
        found: dict[str, Any] = {"verdicts": [verdict], "changes": []}
        if verdict["allowed"]:
            before = await _read(memory, stream, LOOKED_BACK) if resumed else ()
            if value not in before:
                who = f"memory {name_of(memory)}"
                await answered(who, lambda: memory.append(stream, value), MemoryFault)
            found["changes"] = [asdict(MemoryChange(run.step, "memory", stream, value))]
        return found

    await _tell(run, await run.record(name, append))


async def _read(memory: MemoryClient, stream: str, last: int) -> list[Any]:
    """Raises MemoryFault: also of what is no list of JSON."""

    async def read() -> list[Any]:
        return [plain_json(entry) for entry in await memory.read(stream, last=last)]

    return await answered(f"memory {name_of(memory)}", read, MemoryFault)


async def _tell(run: Run, found: Mapping[str, Any]) -> None:
    await run.tell_verdicts(found["verdicts"])
    for change in found["changes"]:
        run.deltas.append(MemoryChange(**change))
        await run.telling.tell(
            "memory_written", step=run.step, store=change["store"], key=change["key"]
        )


__all__ = ["recalled", "remember_result", "remember_step", "stream_of"]
