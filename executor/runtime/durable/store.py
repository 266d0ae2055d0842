"""All that is asked of the tables of runs; each call is one transaction.

Whoever writes for a run names its incarnation: of an earlier attempt nothing is kept any more.
"""

import json
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from zkagent.executor.runtime.core.errors import RecordsBroken, RunTakenOver, RunUnknown
from zkagent.executor.runtime.core.events import Event
from zkagent.executor.runtime.core.json_values import canonical
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.durable.database import PATIENCE_S, RunsDatabase
from zkagent.executor.runtime.durable.kept import (
    KeptRun,
    Outcome,
    State,
    Whole,
    ending,
    given_up,
    run_of,
)
from zkagent.executor.runtime.durable.seals import chained, same
from zkagent.executor.runtime.durable.tables import approvals, events, records, runs

#: A run whose process ended so often, with nothing new on record between, is left alone.
MOST_STALLS = 5
MOST_LIKE = 5  # that are named where an id is not whole
OPEN = ("running", "waiting")
LOCAL = "local"  # whoever runs the process, where nobody else has a name
#: Made once, since they are needed with each record.
LOCKED = sa.select(runs).where(runs.c.id == sa.bindparam("key")).with_for_update()
CHANGED = sa.update(runs).where(runs.c.id == sa.bindparam("key"))
CHANGING: tuple[str, ...] = (
    "state",
    "owner",
    "stalls",
    "reason",
    "finished",
    "steps",
    "success",
    "code",
    "result",
)
CHANGING += ("records", "events", "head", "seal")
KEPT, TOLD = sa.insert(records), sa.insert(events)
#: All but the result, which has every attachment.
LISTED = tuple(column for column in runs.columns if column is not runs.c.result)


@dataclass(frozen=True)
class Attempt:
    """Of a run, by a process."""

    run_id: str
    agent: str
    session: str
    seed: int
    owner: str
    incarnation: str
    principal: str = LOCAL


@dataclass
class Written:
    """What one transaction adds to a run. changes: of columns of `runs`."""

    records: list[tuple[str, str]] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    changes: dict[str, Any] = field(default_factory=dict)


class RunStore:
    def __init__(self, database: RunsDatabase) -> None:
        self._database = database
        self._seals = database.seals
        self.in_thread = database.in_thread

    def begin(self, attempt: Attempt, task: str, written: Written) -> None:
        """A run with what its first transaction says. Raises RunTakenOver: there is one of that
        id."""

        def do(connection: sa.Connection, now: float) -> None:
            row = self._new_row(attempt, task, now)
            found = connection.execute(_run(runs, attempt.run_id, runs.c.incarnation)).scalar()
            if found == attempt.incarnation:
                return  # the answer to an earlier try was lost
            if found is not None:
                raise RunTakenOver(f"there is a run {attempt.run_id} already: take another id")
            self._add(connection, row, written)
            connection.execute(sa.insert(runs).values(row | {"seal": self._seals.run(row)}))

        self._database.write(do, patience_s=PATIENCE_S)

    def write(self, attempt: Attempt, written: Written) -> None:
        """Raises RunTakenOver: another attempt goes on with the run."""
        tried: set[str] = set()  # seals: one that is kept by now says that an answer was lost

        def do(connection: sa.Connection, now: float) -> None:
            row = self._locked(connection, attempt.run_id)
            is_ours = row["incarnation"] == attempt.incarnation
            if is_ours and row["seal"] in tried:
                return
            if not is_ours or row["state"] == "finished":
                raise RunTakenOver(f"run {attempt.run_id} goes on elsewhere: this attempt stops")
            self._add(connection, row, written)
            if row["state"] == "finished":
                row["finished"] = now
            row["seal"] = self._seals.run(row)
            tried.add(row["seal"])
            connection.execute(CHANGED, {name: row[name] for name in CHANGING} | {"key": row["id"]})

        self._database.write(do, patience_s=PATIENCE_S)

    def claim(
        self, run_id: str, owner: str, incarnation: str, is_dead: Callable[[str], bool]
    ) -> Whole | None:
        """All of a run that nobody else runs, which is the claimer's from now on; None if there is
        none to take up. is_dead: whether the process of that lease has ended. It is checked before
        it is claimed, so that nobody waits for that. Raises RunUnknown, RecordsBroken."""
        seen = self.find(run_id)
        if seen.state not in OPEN or not (seen.owner in (None, owner) or is_dead(str(seen.owner))):
            return None
        found = self.whole(run_id)

        def do(connection: sa.Connection, _: float) -> Whole | None:
            row = self._locked(connection, run_id)
            is_it = same(row["head"], found.head) and row["records"] == len(found.records)
            if row["state"] not in OPEN or row["owner"] != seen.owner or not is_it:
                return None
            stalls = row["stalls"] + int(row["owner"] is not None and row["state"] == "running")
            changes = {"owner": owner, "incarnation": incarnation, "stalls": stalls}
            if stalls >= MOST_STALLS:
                why = f"its process ended {stalls} times with nothing new on record"
                changes = {"owner": None, "state": "halted", "reason": why}
            connection.execute(sa.update(runs).where(runs.c.id == run_id).values(changes))
            return None if stalls >= MOST_STALLS else found

        return self._database.write(do)

    def release(self, owner: str) -> None:
        """What this process leaves, others may take up at once; whoever runs one here still, writes
        nothing more to it."""
        mine = (runs.c.owner == owner) & runs.c.state.in_(OPEN)
        change = _set(mine, owner=None, incarnation=uuid.uuid4().hex)
        self._database.write(lambda connection, _: connection.execute(change))

    def mark(self, attempt: Attempt, state: State, reason: str | None = None) -> None:
        """A state of one that has not finished."""
        mine = (runs.c.id == attempt.run_id) & (runs.c.incarnation == attempt.incarnation)
        change = _set(mine & (runs.c.state != "finished"), state=state, reason=reason)
        self._database.write(
            lambda connection, _: connection.execute(change), patience_s=PATIENCE_S
        )

    def halt(self, run_id: str, reason: str) -> None:
        """Nobody takes it up any more, unless it is told to go on."""
        self._change(run_id, runs.c.state.in_(OPEN), state="halted", owner=None, reason=reason)

    def ask_to_abort(self, run_id: str) -> bool:
        """Whether it had not finished yet. One that is halted ends at once: nobody could go on to
        where it was. Raises RunUnknown."""
        self.find(run_id)

        def do(connection: sa.Connection, now: float) -> bool:
            row = self._locked(connection, run_id)
            if row["state"] == "finished":
                return False
            if row["state"] == "halted":
                self._give_up(connection, row, now)
            else:
                connection.execute(_set(runs.c.id == run_id, abort=True))
            return True

        return self._database.write(do)

    def _give_up(self, connection: sa.Connection, row: dict[str, Any], now: float) -> None:
        """What somebody changed stays as wrong as it is."""
        is_whole = same(row["seal"], self._seals.run(row))
        result = given_up(run_of(row), now)
        told = {"result": result.to_json()}
        last = Event(row["id"], row["events"], result.finished_at, "run_finished", told)
        written = Written(events=[canonical(last.to_json())], changes=ending(told["result"]))
        self._add(connection, row, written)
        row["finished"] = now
        row["seal"] = self._seals.run(row) if is_whole else row["seal"]
        connection.execute(CHANGED, {name: row[name] for name in CHANGING} | {"key": row["id"]})

    def go_on(self, run_id: str) -> None:
        """Lets one that is halted be taken up again. Raises RunUnknown."""
        if self.find(run_id).state != "halted":
            raise RunUnknown(f"run {run_id} is not halted: there is nothing to resume")
        values = {"state": "running", "owner": None, "stalls": 0, "reason": None}
        self._change(run_id, runs.c.state == "halted", **values)

    def open_runs(self, agents: Collection[str]) -> list[KeptRun]:
        """Those of these agents that have not ended, oldest first."""
        query = sa.select(*LISTED).where(runs.c.state.in_(OPEN), runs.c.agent.in_(agents))
        return self._listed(query.order_by(runs.c.started, runs.c.id))

    def page(
        self,
        *,
        agent: str | None = None,
        state: State | None = None,
        outcome: Outcome | None = None,
        principal: str | None = None,
        before: str | None = None,
        most: int = 100,
    ) -> list[KeptRun]:
        """The newest first. outcome: of those that have finished; before: the id of the last one of
        the previous page. Raises RunUnknown."""
        query = sa.select(*LISTED).order_by(runs.c.started.desc(), runs.c.id.desc()).limit(most)
        if agent is not None:
            query = query.where(runs.c.agent == agent)
        if state is not None:
            query = query.where(runs.c.state == state)
        if outcome is not None:
            query = query.where(_is(outcome))
        if principal is not None:
            query = query.where(runs.c.principal == principal)
        if before is not None:
            last = self.find(before).id
            started = sa.select(runs.c.started).where(runs.c.id == last).scalar_subquery()
            query = query.where(sa.tuple_(runs.c.started, runs.c.id) < sa.tuple_(started, last))
        return self._listed(query)

    def find(self, run_id: str) -> KeptRun:
        """Raises RunUnknown."""
        found = self._listed(_run(runs, run_id, *LISTED))
        if not found:
            raise RunUnknown(f"there is no run {run_id!r:.80}: see the list of runs")
        return found[0]

    def complete(self, beginning: str) -> str:
        """The id of the one run whose id begins like this. Raises RunUnknown: none, or several."""
        query = sa.select(runs.c.id).where(runs.c.id.startswith(beginning, autoescape=True))
        ordered = query.order_by(runs.c.id).limit(MOST_LIKE)
        found = self._database.read(lambda connection: connection.scalars(ordered).all())
        if beginning in found:
            return beginning
        if len(found) != 1 or not beginning:
            several = f"more than one begins like this: {', '.join(found)}" if beginning else ""
            why = several if found and several else "see the list of runs"
            raise RunUnknown(f"there is no run {beginning!r:.80}: {why}")
        return str(found[0])

    def whole(self, run_id: str) -> Whole:
        """Raises RunUnknown, RecordsBroken."""

        def do(connection: sa.Connection) -> Whole | None:
            row = connection.execute(_run(runs, run_id)).mappings().first()
            return self._whole(connection, dict(row)) if row is not None else None

        found = self._database.read(do)
        if found is None:
            raise RunUnknown(f"there is no run {run_id!r:.80}: see the list of runs")
        return found

    def events(self, run_id: str, since: int = 0, most: int = 1000) -> list[Event]:
        """From that number on, as they stand; `whole` checks them."""
        query = _run(events, run_id, events.c.event).where(events.c.number >= since)
        ordered = query.order_by(events.c.number).limit(most)
        texts = self._database.read(lambda connection: connection.scalars(ordered).all())
        return [Event.from_json(json.loads(text)) for text in texts]

    def forget(self, before: float, most: int = 500) -> int:
        """Deletes what finished before this time, in seconds since 1970; how many runs."""

        def do(connection: sa.Connection, _: float) -> int:
            old = (runs.c.state == "finished") & (runs.c.finished < before)
            ids = connection.scalars(sa.select(runs.c.id).where(old).limit(most)).all()
            of_runs = [(table, "run_id") for table in (records, events, approvals)]
            for table, column in (*of_runs, (runs, "id")):
                connection.execute(sa.delete(table).where(table.c[column].in_(ids)))
            return len(ids)

        return self._database.write(do)

    def _change(self, run_id: str, where: sa.ColumnElement[bool], **values: Any) -> None:
        change = _set((runs.c.id == run_id) & where, **values)
        self._database.write(lambda connection, _: connection.execute(change))

    def _listed(self, query: sa.Select[Any]) -> list[KeptRun]:
        def do(connection: sa.Connection) -> list[KeptRun]:
            return [run_of(dict(row)) for row in connection.execute(query).mappings()]

        return self._database.read(do)

    def _new_row(self, attempt: Attempt, task: str, now: float) -> dict[str, Any]:
        row: dict[str, Any] = {column.name: None for column in runs.columns}
        return row | {
            "id": attempt.run_id,
            "agent": attempt.agent,
            "principal": attempt.principal,
            "session": attempt.session,
            "seed": str(attempt.seed),
            "task": task,
            "state": "running",
            "owner": attempt.owner,
            "incarnation": attempt.incarnation,
            "abort": False,
            "started": now,
            **dict.fromkeys(("stalls", "steps", "records", "events"), 0),
            "head": self._seals.first(attempt.run_id),
        }

    def _locked(self, connection: sa.Connection, run_id: str) -> dict[str, Any]:
        """Raises RunTakenOver: it is there no more."""
        row = connection.execute(LOCKED, {"key": run_id}).mappings().first()
        if row is None:
            raise RunTakenOver(f"run {run_id} was deleted")
        return dict(row)

    def _add(self, connection: sa.Connection, row: dict[str, Any], written: Written) -> None:
        """Records and events; what `row` says of them, too."""
        run_id = row["id"]
        kept = [
            {
                "run_id": run_id,
                "name": name,
                "value": value,
                "seal": self._seals.record(run_id, name, value),
            }
            for name, value in written.records
        ]
        told = []
        for number, text in enumerate(written.events, row["events"]):
            row["head"] = self._seals.following(row["head"], text)
            told.append({"run_id": run_id, "number": number, "event": text, "head": row["head"]})
        if kept:
            connection.execute(KEPT, kept)
            row["stalls"] = 0
        if told:
            connection.execute(TOLD, told)
        row["records"] += len(kept)
        row["events"] += len(told)
        row.update(written.changes)

    def _whole(self, connection: sa.Connection, row: Mapping[str, Any]) -> Whole:
        """Raises RecordsBroken."""
        run_id = row["id"]
        told = connection.execute(_run(events, run_id).order_by(events.c.number)).all()
        kept = connection.execute(_run(records, run_id)).all()
        lines = [(found.number, found.event, found.head) for found in told]
        head = chained(self._seals, run_id, lines)
        if head is None or len(lines) != row["events"] or not same(head, row["head"]):
            raise RecordsBroken(f"the events of run {run_id} are not those that were written")
        if len(kept) != row["records"] or not all(
            same(found.seal, self._seals.record(run_id, found.name, found.value)) for found in kept
        ):
            raise RecordsBroken(f"the records of run {run_id} are not those that were written")
        if not same(row["seal"], self._seals.run(row)):
            raise RecordsBroken(f"what is kept of run {run_id} itself is not what was written")
        result = row["result"] and AgentResult.from_json(json.loads(row["result"]))
        return Whole(
            run_of(row),
            {found.name: found.value for found in kept},
            tuple(Event.from_json(json.loads(text)) for _, text, _ in lines),
            head,
            result or None,
        )


def _run(table: sa.Table, run_id: str, *columns: sa.Column[Any]) -> sa.Select[Any]:
    key = table.c.id if table is runs else table.c.run_id
    return sa.select(*(columns or (table,))).where(key == run_id)


def _is(outcome: Outcome) -> sa.ColumnElement[bool]:
    ended, aborted = runs.c.state == "finished", runs.c.code == "aborted"
    if outcome == "done":
        return ended & runs.c.success.is_(True)
    return ended & runs.c.success.is_(False) & (aborted if outcome == "aborted" else ~aborted)


def _set(where: sa.ColumnElement[bool], **values: Any) -> sa.Update:
    return sa.update(runs).where(where).values(values)


__all__ = ["LOCAL", "MOST_STALLS", "Attempt", "RunStore", "Written"]
