"""Telling requesters that their proof is finished: signed, and so that nobody's host delays
another's.

Signatures follow Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over id, time and body. The
address is checked when it is given and resolved again when it is called, and the connection goes
to the very address that was checked, so that a name cannot change its mind in between.

What is to be told stands in the handles' table. A worker takes what is due, a few for each host and
key, by moving its due time; should it die, the message is due again when that time has come.
"""

import asyncio
import base64
import contextlib
import hmac
import json
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import sqlalchemy as sa

from zkagent.prover.service.errors import CallbackFailed, CallbackRefused
from zkagent.prover.service.queue.database import Database, patiently, shared_clock
from zkagent.prover.service.queue.endings import as_it_ended
from zkagent.prover.service.queue.jobs import HandleState
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.line import CLOCK_SLACK_S
from zkagent.prover.service.queue.tables import handles, keys, proofs
from zkagent.prover.service.queue.trouble import trouble_of
from zkagent.prover.service.wire.states import FINISHED, State
from zkagent.prover.service.worker.callback_rules import CallbackRules
from zkagent.prover.service.worker.callback_shares import AT_ONCE, Shares

log = logging.getLogger(__name__)

TIMEOUT_S = 10.0
TRIES = 15
FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 4 * 3600.0
TAKEN_FOR_S = 60.0  # longer than a try lasts
POLL_S = 0.5
WAIT_S = "wait_s"  # among what is noted: until the next try
WAITING = handles.c.callback_state == "waiting"
GIVEN_UP = (HandleState.CANCELLED, HandleState.EXPIRED)


def wait_s(tries: int) -> float:
    """How long to wait after so many tries: a little more than a day in all."""
    return float(min(FIRST_WAIT_S * 3 ** (tries - 1), LONGEST_WAIT_S))


def _is_due(now: float) -> sa.ColumnElement[bool]:
    """Whether a message may be tried now. What is to be tried later than it would be, had it been
    put off, or taken, just now, was put off before the clock was set back."""
    due, tries = handles.c.callback_due, handles.c.callback_tries
    longest = {count: max(TAKEN_FOR_S, wait_s(count)) for count in range(1, TRIES)}
    planned = sa.case(longest, value=tries, else_=TAKEN_FOR_S)
    return due.is_(None) | (due <= now) | (due > now + CLOCK_SLACK_S + planned)


@dataclass(frozen=True)
class Message:
    """One event for one key. id: the same at every try, and of no other event."""

    id: str
    key_id: str
    proof_id: str
    url: str  # empty when it is not wanted any more
    host: str
    tries: int
    due: float


class Callbacks:
    """A thread that calls back whatever is due."""

    def __init__(self, database: Database, rules: CallbackRules) -> None:
        self._database = database
        self._rules = rules
        self._keys = Keys(database)
        self._shares = Shares(rules.hosts)
        self._stop = threading.Event()
        self._halt: Callable[[], object] | None = None  # ends the pause between two rounds
        self._thread: threading.Thread | None = None
        self._pool = ThreadPoolExecutor(AT_ONCE, "callbacks")
        self._names = ThreadPoolExecutor(AT_ONCE, "names")  # whose servers may hang, too

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="callbacks", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """What is being sent has a second; others try it again."""
        self._stop.set()
        with contextlib.suppress(RuntimeError):  # it has just ended by itself
            if self._halt:
                self._halt()
        if self._thread:
            self._thread.join()
        self._pool.shutdown(wait=False)
        self._names.shutdown(wait=False, cancel_futures=True)

    def once(self) -> int:
        """Send what is due now and wait for it; how many."""

        async def round_trip() -> int:
            taken = self.take()
            await asyncio.gather(*map(self._send, taken))
            return len(taken)

        return asyncio.run(round_trip())

    def take(self) -> list[Message]:
        """Make some of what is due ours: a few for each host and key, so that one that hangs holds
        up nobody else's."""
        taken: list[Message] = []
        for message in self._due() if self._shares.count < AT_ONCE else ():
            try:
                if not self._shares.fits(message.host, message.key_id):
                    continue
                if self._is_taken(message):
                    self._shares.take(message.host, message.key_id)
                    taken.append(message)
            except Exception as exc:
                if not taken:
                    raise
                log.warning("some callbacks wait: %s", trouble_of(exc).detail)
                break  # those that are ours by now have to be sent
        return taken

    def _run(self) -> None:
        asyncio.run(self._rounds())

    async def _rounds(self) -> None:
        loop = asyncio.get_running_loop()
        running: set[asyncio.Task[None]] = set()
        halted = asyncio.Event()
        self._halt = lambda: loop.call_soon_threadsafe(halted.set)
        while not self._stop.is_set():
            try:
                taken = await loop.run_in_executor(self._pool, self.take)
            except Exception as exc:
                log.warning("callbacks wait: %s", trouble_of(exc).detail)
                taken = []
            for message in taken:
                task = asyncio.create_task(self._send(message))
                running.add(task)
                task.add_done_callback(running.discard)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0 if taken else POLL_S):
                    await halted.wait()
        self._halt = None
        if running:
            await asyncio.wait(running, timeout=1.0)
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _send(self, message: Message) -> None:
        loop = asyncio.get_running_loop()
        try:
            values = await self._outcome(message)
            await loop.run_in_executor(self._pool, self._note, message, values)
        except asyncio.CancelledError:
            self._note(message, {WAIT_S: 0.0})
            raise
        except Exception as exc:
            log.warning("a callback is not settled: %s", trouble_of(exc).detail)
        finally:
            self._shares.give_back(message.host, message.key_id)

    async def _outcome(self, message: Message) -> dict[str, object]:
        """Call; what is to be noted then."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._pool, self._body, message)
        if found is None:
            return {"callback_state": "failed"}
        body, headers, state = found
        if state not in FINISHED:  # it asked again meanwhile: there will be another end
            return {WAIT_S: TAKEN_FOR_S}
        try:
            await self._call(message, body, headers)
        except CallbackRefused as exc:
            return self._given_up(message, exc)
        except CallbackFailed as exc:
            return self._later(message, exc)
        return {"callback_state": "delivered", "callback_tries": message.tries + 1}

    async def _call(self, message: Message, body: str, headers: dict[str, str]) -> None:
        """Once. Raises CallbackRefused; CallbackFailed, also for what nobody expected: nobody is
        called for ever."""
        from zkagent.prover.service.worker import posting  # slow, and seldom needed

        try:
            async with asyncio.timeout(TIMEOUT_S):
                address = await self._resolved(message)
                status = await posting.post(message.url, address, body, headers, TIMEOUT_S)
        except (CallbackRefused, CallbackFailed):
            raise
        except TimeoutError as exc:
            raise CallbackFailed(message.url, f"no answer within {TIMEOUT_S:g} s") from exc
        except Exception as exc:
            log.warning("a callback failed: %s", type(exc).__name__, extra=_named(message))
            raise CallbackFailed(message.url, type(exc).__name__) from exc
        if not 200 <= status < 300:
            raise CallbackFailed(message.url, f"it answered {status}")

    async def _resolved(self, message: Message) -> str:
        """Its address. Who is asked for it may hang longer than we wait, and counts until then."""
        asked = self._names.submit(self._rules.resolve, message.url)
        self._shares.take(message.host, message.key_id)
        asked.add_done_callback(lambda _: self._shares.give_back(message.host, message.key_id))
        return await asyncio.wrap_future(asked)

    def _later(self, message: Message, exc: CallbackFailed) -> dict[str, object]:
        tries = message.tries + 1
        if tries >= TRIES:
            return self._given_up(message, exc)
        log.info("callback failed; once more in %g s", wait_s(tries), extra=_named(message))
        return {"callback_tries": tries, WAIT_S: wait_s(tries)}

    def _given_up(
        self, message: Message, exc: CallbackFailed | CallbackRefused
    ) -> dict[str, object]:
        log.warning("callback given up: %s", exc.reason, extra=_named(message))
        return {"callback_state": "failed", "callback_tries": message.tries + 1}

    def _due(self) -> list[Message]:
        """What is due, longest first, but for hosts, wildcards and keys that have enough of us."""
        due, host = handles.c.callback_due, handles.c.callback_host
        query = sa.select(handles).where(WAITING)
        for column, kind in ((host, "host"), (handles.c.key_id, "key")):
            if full := self._shares.full(kind):
                query = query.where(column.not_in(full))
        for ending in self._shares.full("wildcard"):
            query = query.where(~host.contains(f"{ending}:", autoescape=True))
        query = query.order_by(due).limit(AT_ONCE)
        with self._database.read() as connection:
            query = query.where(_is_due(shared_clock(connection)))
            rows = connection.execute(query).all()
        return [
            Message(
                row.callback_id,
                row.key_id,
                row.proof_id,
                row.callback_url or "",
                row.callback_host,
                row.callback_tries,
                row.callback_due,
            )
            for row in rows
        ]

    def _is_taken(self, message: Message) -> bool:
        """Whether nobody else has taken it, and it is still to be sent there."""
        ours = _row_of(message) & (handles.c.callback_due == message.due)
        ours &= sa.func.coalesce(handles.c.callback_url, "") == message.url
        with self._database.write() as connection:
            until = shared_clock(connection) + TAKEN_FOR_S
            statement = sa.update(handles).where(ours).values(callback_due=until)
            return connection.execute(statement).rowcount == 1

    def _body(self, message: Message) -> tuple[str, dict[str, str], str] | None:
        """Body, headers and how the proof ended for this key, whatever others had done with it
        since; None when it is not to be sent any more."""
        joined = handles.join(proofs, handles.c.proof_id == proofs.c.id)
        joined = joined.outerjoin(keys, keys.c.id == handles.c.key_id)
        columns = (proofs.c.circuit, proofs.c.failure, proofs.c.reason)
        wanted = (handles.c.state, handles.c.ended, handles.c.callback_url, keys.c.revoked_at)
        query = sa.select(*columns, *wanted).select_from(joined)
        with self._database.read() as connection:
            row = connection.execute(query.where(_row_of(message))).one_or_none()
        if row is None or row.revoked_at is not None or row.state in GIVEN_UP:
            return None
        if not message.url or row.callback_url != message.url:
            return None
        data = {"id": message.proof_id, "circuit": row.circuit, "state": row.state}
        ended_badly = row.state in (State.FAILED, State.POISON)
        told, names = as_it_ended(row._mapping), ("failure", "reason")
        data |= {name: told[name] if ended_badly else None for name in names}
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        body = json.dumps({"type": "proof.finished", "timestamp": stamp, "data": data})
        secret = self._keys.callback_secret(message.key_id)
        headers = {"content-type": "application/json", **signature(secret, message.id, body)}
        return body, headers, row.state

    def _note(self, message: Message, found: dict[str, object]) -> None:
        values = {name: value for name, value in found.items() if name != WAIT_S}

        def note() -> None:
            with self._database.write() as connection:
                if WAIT_S in found:
                    values["callback_due"] = shared_clock(connection) + float(str(found[WAIT_S]))
                connection.execute(sa.update(handles).where(_row_of(message)).values(values))

        patiently(note)


def _row_of(message: Message) -> sa.ColumnElement[bool]:
    """Its handle, as long as it waits for this very message."""
    ours = (handles.c.key_id == message.key_id) & (handles.c.proof_id == message.proof_id)
    return ours & (handles.c.callback_id == message.id) & WAITING


def _named(message: Message) -> dict[str, object]:
    return {"proof": message.proof_id, "key": message.key_id, "host": message.host}


def signature(secret: str, message_id: str, body: str, now: float | None = None) -> dict[str, str]:
    """Standard Webhooks' three headers."""
    stamp = str(int(time.time() if now is None else now))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    code = hmac.digest(key, f"{message_id}.{stamp}.{body}".encode(), "sha256")
    return {
        "webhook-id": message_id,
        "webhook-timestamp": stamp,
        "webhook-signature": f"v1,{base64.b64encode(code).decode()}",
    }


__all__ = ["Callbacks", "signature", "wait_s"]
