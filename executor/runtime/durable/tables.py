"""The tables of runs, beside each other in an encrypted file or on Postgres.

Times are seconds since 1970. Texts are JSON as the permissions let them through: what was refused
or redacted is in none of them. Each row of records and events carries a keyed hash, see seals.py.
"""

from sqlalchemy import Boolean, Column, Double, Index, Integer, MetaData, String, Table, Text

SCHEMA_VERSION = "1"

metadata = MetaData()

facts = Table(
    "zkagent_run_fact",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", String(64), nullable=False),
)

# principal: who began it. state: kept.State. owner: the process that runs it, by its lease; none:
# whoever comes. incarnation: the attempt that may write; all others are fenced off. stalls:
# attempts that ended their process since the last record. records, events, head, seal: how many
# there are, the hash of the newest event, and the keyed hash over all of it. result:
# AgentResult.to_json(), at the end.
runs = Table(
    "zkagent_run",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("agent", String(64), nullable=False),
    Column("principal", String(64), nullable=False),
    Column("session", String(64), nullable=False),
    Column("seed", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("owner", String(64)),
    Column("incarnation", String(64), nullable=False),
    Column("abort", Boolean, nullable=False, default=False),
    Column("stalls", Integer, nullable=False, default=0),
    Column("reason", Text),
    Column("started", Double, nullable=False),
    Column("finished", Double),
    Column("steps", Integer, nullable=False, default=0),
    Column("success", Boolean),
    Column("code", String(32)),
    Column("result", Text),
    Column("records", Integer, nullable=False, default=0),
    Column("events", Integer, nullable=False, default=0),
    Column("head", String(64), nullable=False),
    Column("seal", String(64), nullable=False),
    Index("zkagent_run_by_state", "state", "agent"),
    Index("zkagent_run_by_start", "started"),
    Index("zkagent_run_by_principal", "principal", "started"),
)

records = Table(
    "zkagent_run_record",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
    Column("seal", String(64), nullable=False),
)

events = Table(
    "zkagent_run_event",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("event", Text, nullable=False),
    Column("head", String(64), nullable=False),
)

# request: permissions/approvals.Request as JSON; seal: over it.
approvals = Table(
    "zkagent_run_approval",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("run_id", String(64), nullable=False),
    Column("state", String(12), nullable=False),
    Column("asked", Double, nullable=False),
    Column("request", Text, nullable=False),
    Column("seal", String(64), nullable=False),
    Index("zkagent_run_approval_by_state", "state", "asked"),
)

__all__ = ["SCHEMA_VERSION", "approvals", "events", "facts", "metadata", "records", "runs"]
