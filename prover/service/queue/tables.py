"""The service's own tables, beside the engine's in one database.

Times are seconds since 1970. A proof is named by the digest of what it proves; a handle is one
key's interest in it; a result is written once and never changed. Databases of earlier versions are
brought up by migration.py.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

SCHEMA_VERSION = 6

metadata = MetaData()

meta = Table(
    "zkagent_meta",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

# state: jobs.State. generation counts the engine's runs of it; a run of an older one
# has no say. claim is the token of whoever proves it now (fencing). version grows with every change
# that a watcher can see. batch: where several are proven in one, the first of them. alone: never
# batch it again. asker: the key that asked first. resumes: it has had its turn and goes first (see
# line.py). not_before: the time of the next try. crashes, deaths: attempts that ended badly, see
# claims.py.
proofs = Table(
    "zkagent_proof",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("circuit", String(64), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("priority", Integer, nullable=False),
    Column("generation", Integer, nullable=False, default=0),
    Column("version", Integer, nullable=False, default=0),
    Column("claim", String(32)),
    Column("worker", String(64)),
    Column("avoid", String(64)),
    Column("batch", String(64)),
    Column("alone", Boolean, nullable=False, default=False),
    Column("asker", String(32), nullable=False, default=""),
    Column("resumes", Boolean, nullable=False, default=False),
    Column("not_before", Double),
    Column("crashes", Integer, nullable=False, default=0),
    Column("deaths", Integer, nullable=False, default=0),
    Column("failure", String(16)),
    Column("reason", Text),
    Column("created_at", Double, nullable=False),
    Column("queued_at", Double, nullable=False),
    Column("started_at", Double),
    Column("finished_at", Double),
    Index("zkagent_proof_waiting", "state", "circuit", "queued_at"),
    Index("zkagent_proof_priority", "state", "priority", "circuit"),
    Index("zkagent_proof_asker", "state", "priority", "asker", "queued_at"),
    Index("zkagent_proof_resumes", "state", "resumes", "queued_at"),
    Index("zkagent_proof_claim", "claim"),
    Index("zkagent_proof_finished", "state", "finished_at"),
)

# When each key's last turn was, at workers that are alike: which of theirs it was (line.py).
turns = Table(
    "zkagent_turn",
    metadata,
    Column("key_id", String(32), primary_key=True),
    Column("priority", Integer, primary_key=True),
    Column("alike", String(64), primary_key=True),
    Column("turn", BigInteger, nullable=False),
    Column("begun_at", Double, nullable=False),
    Index("zkagent_turn_last", "alike", "priority", "turn"),
)

results = Table(
    "zkagent_result",
    metadata,
    Column("proof_id", String(64), primary_key=True),
    Column("document", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("worker", String(64), nullable=False),
    Column("accepted_at", Double, nullable=False),
    Column("prove_s", Double, nullable=False),
    Column("verify_s", Double, nullable=False),
    Column("peak_rss_bytes", BigInteger, nullable=False),
    Index("zkagent_result_recent", "accepted_at"),
)

# state: jobs.HandleState. circuit: its proof's, and priority: what its key wished, so that a key's
# line is found without the proofs (line.py); a proof has that of its most urgent open handle.
# ended: what there was to tell when it ended, since others may try the proof again (endings.py).
# callback_*: the message about the proof's end. id: the message's, the same at every try; number:
# how many there were; host: origin that it goes to; due: when it is tried next, or while it is
# being sent, when others may take it for lost.
handles = Table(
    "zkagent_handle",
    metadata,
    Column("key_id", String(32), primary_key=True),
    Column("proof_id", String(64), ForeignKey(proofs.c.id, ondelete="CASCADE"), primary_key=True),
    Column("state", String(12), nullable=False),
    Column("circuit", String(64), nullable=False, default=""),
    Column("priority", Integer, nullable=False, default=0),
    Column("callback_url", Text),
    Column("callback_state", String(12)),
    Column("callback_id", String(32)),
    Column("callback_host", Text),
    Column("callback_tries", Integer, nullable=False, default=0),
    Column("callback_due", Double),
    Column("callback_number", Integer, nullable=False, default=0),
    Column("deadline", Double),
    Column("created_at", Double, nullable=False),
    Column("ended", Text),
    Index("zkagent_handle_proof", "proof_id", "state"),
    Index("zkagent_handle_deadline", "state", "deadline"),
    Index("zkagent_handle_listing", "key_id", "created_at"),
    Index("zkagent_handle_state", "key_id", "state", "created_at", "proof_id"),
    Index(
        "zkagent_handle_line", "state", "priority", "key_id", "created_at", "proof_id", "circuit"
    ),
    Index("zkagent_handle_callback", "callback_state", "callback_due"),
)

keys = Table(
    "zkagent_key",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("secret_sha256", String(64), nullable=False),
    Column("per_minute", Integer, nullable=False),
    Column("unfinished", Integer, nullable=False),
    Column("per_day", Integer, nullable=False),
    Column("urgent", Boolean, nullable=False, default=False),
    Column("created_at", Double, nullable=False),
    Column("revoked_at", Double),
)

# How often a key asked for proofs, by the hour (seconds since 1970 / 3600); what it cancels counts.
usage = Table(
    "zkagent_usage",
    metadata,
    Column("key_id", String(32), primary_key=True),
    Column("hour", BigInteger, primary_key=True),
    Column("count", Integer, nullable=False),
)

# beats: counts heartbeats, so that nobody needs a clock to see that it lives. circuits: digests
# that it can prove, as JSON. troubles: what keeps it from proving, as JSON.
workers = Table(
    "zkagent_worker",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("slots", Integer, nullable=False),
    Column("state", String(12), nullable=False),
    Column("started_at", Double, nullable=False),
    Column("seen_at", Double, nullable=False),
    Column("memory_bytes", BigInteger, nullable=False, default=0),
    Column("children_bytes", BigInteger, nullable=False, default=0),
    Column("beats", BigInteger, nullable=False, default=0),
    Column("circuits", Text, nullable=False, default="[]"),
    Column("troubles", Text, nullable=False, default="[]"),
)

# Counters that outlive processes and purges, for /metrics.
tallies = Table(
    "zkagent_tally",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("label", String(64), primary_key=True),
    Column("value", Double, nullable=False),
)

__all__ = ["SCHEMA_VERSION", "handles", "keys", "meta", "metadata", "proofs", "results", "tallies"]
__all__ += ["turns", "usage", "workers"]
