"""API keys: made here, shown once, kept as hashes.

A key is `zk_<id>_<secret>`; the secret has 256 random bits, so one SHA-256 is enough to keep it.
"""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from zkagent.prover.service.errors import (
    MOST_NAME,
    DatabaseUnusable,
    KeyNameRefused,
    KeyRefused,
    KeyUnknown,
)
from zkagent.prover.service.queue.database import Database, insert_once, shared_clock
from zkagent.prover.service.queue.store import Quota, give_up_all
from zkagent.prover.service.queue.tables import keys, meta

LOCAL = "local"
ID_LENGTH = 12


@dataclass(frozen=True)
class Allowance:
    """What a key may do. per_minute: HTTP requests; unfinished, per_day: proofs. urgent: whether it
    may ask for proofs before all others."""

    per_minute: int = 600
    unfinished: int = 10_000
    per_day: int = 100_000
    urgent: bool = False

    @property
    def quota(self) -> Quota:
        return Quota(self.unfinished, self.per_day)


@dataclass(frozen=True)
class Caller:
    """Who sent a request: a key, or `local` where none is needed."""

    key_id: str
    allowance: Allowance


@dataclass(frozen=True)
class KeyRecord:
    """A key as listed; its secret is not known any more."""

    id: str
    name: str
    allowance: Allowance
    created_at: float
    revoked_at: float | None


class Keys:
    """Keys in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, name: str, allowance: Allowance = Allowance()) -> str:
        """A new key, in the only form in which it is ever shown. Raises KeyNameRefused;
        DatabaseUnusable for a name that is short enough, and not for an encoding of bytes."""
        if not (0 < len(name) <= MOST_NAME and name.isprintable() and name == name.strip()):
            raise KeyNameRefused(name)
        key_id, secret = secrets.token_hex(ID_LENGTH // 2), secrets.token_urlsafe(32)
        row: dict[str, object] = {
            "id": key_id,
            "name": name,
            "secret_sha256": _hash(secret),
            "per_minute": allowance.per_minute,
            "unfinished": allowance.unfinished,
            "per_day": allowance.per_day,
            "urgent": allowance.urgent,
        }
        try:
            with self._database.write() as connection:
                row["created_at"] = shared_clock(connection)
                connection.execute(sa.insert(keys).values(row))
        except sa.exc.DataError as exc:
            reason = f"its encoding counts bytes, and has no room for the name {name!r}"
            raise DatabaseUnusable(self._database.shown, reason) from exc
        return f"zk_{key_id}_{secret}"

    def all(self) -> list[KeyRecord]:
        """All keys, revoked ones too, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(sa.select(keys).order_by(keys.c.created_at)).all()
        return [_record(row) for row in rows]

    def revoke(self, key_id: str) -> list[str]:
        """Refuse this key from now on, then give up all that it waits for; which proofs that
        touched. Raises KeyUnknown, also for a revoked one that waits for nothing any more."""
        valid = (keys.c.id == key_id) & keys.c.revoked_at.is_(None)
        with self._database.write() as connection:
            statement = sa.update(keys).where(valid).values(revoked_at=shared_clock(connection))
            revoked = connection.execute(statement).rowcount == 1
        touched = [] if self.is_valid(key_id) else give_up_all(self._database, key_id)
        if not (revoked or touched):
            raise KeyUnknown(key_id)
        return touched

    def is_valid(self, key_id: str) -> bool:
        """Whether a caller that was let in may stay; where no key is needed, everybody may."""
        revoked = sa.select(keys.c.revoked_at).where(keys.c.id == key_id)
        with self._database.read() as connection:
            return connection.execute(revoked).scalar_one_or_none() is None

    def any_valid(self) -> bool:
        return any(record.revoked_at is None for record in self.all())

    def authenticate(self, text: str) -> Caller:
        """The caller behind a key; as slow for a wrong secret as for a right one. Raises
        KeyRefused."""
        prefix, _, rest = text.partition("_")
        key_id, _, secret = rest.partition("_")
        with self._database.read() as connection:
            row = connection.execute(sa.select(keys).where(keys.c.id == key_id)).one_or_none()
        expected = row.secret_sha256 if row else _hash("")
        same = hmac.compare_digest(_hash(secret), expected)
        if not row or not same or prefix != "zk" or row.revoked_at is not None:
            raise KeyRefused()
        return Caller(row.id, _record(row).allowance)

    def callback_secret(self, key_id: str) -> str:
        """What this key's callbacks are signed with, in Standard Webhooks' form."""
        secret = hmac.digest(self._service_secret(), f"callback {key_id}".encode(), "sha256")
        return f"whsec_{base64.b64encode(secret).decode()}"

    def _service_secret(self) -> bytes:
        """One for all processes on this database, made when first needed."""
        query = sa.select(meta.c.value).where(meta.c.name == "secret")
        with self._database.read() as connection:
            found = connection.execute(query).scalar_one_or_none()
        if found is None:
            with self._database.write() as connection:
                insert_once(connection, meta, {"name": "secret", "value": secrets.token_hex(32)})
                found = connection.execute(query).scalar_one()
        return bytes.fromhex(found)


def _record(row: sa.Row[Any]) -> KeyRecord:
    allowance = Allowance(row.per_minute, row.unfinished, row.per_day, bool(row.urgent))
    return KeyRecord(row.id, row.name, allowance, row.created_at, row.revoked_at)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


__all__ = ["LOCAL", "Allowance", "Caller", "KeyRecord", "Keys"]
