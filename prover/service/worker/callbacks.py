"""Telling requesters that their proof is finished: signed, to allowed hosts, never inwards.

Signatures follow Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over id, time and body. The
address is checked when it is given and resolved again when it is called, and the connection goes
to the very address that was checked, so that a name cannot change its mind in between.
"""

import asyncio
import base64
import hmac
import ipaddress
import json
import logging
import socket
import time
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import SplitResult, urlsplit

import sqlalchemy as sa

from zkagent.prover.service.errors import CallbackFailed, CallbackRefused
from zkagent.prover.service.queue.database import Database, patiently
from zkagent.prover.service.queue.jobs import CallbackRun
from zkagent.prover.service.queue.keys import Keys
from zkagent.prover.service.queue.store import RunQueue
from zkagent.prover.service.queue.tables import handles, proofs

log = logging.getLogger(__name__)

TIMEOUT_S = 10.0
TRIES = 8
FIRST_WAIT_S = 2.0  # then twice as long each time: about four minutes in all
DEFAULT_PORTS = {"http": 80, "https": 443}
LONGEST_URL = 2000
NAT64 = ipaddress.ip_network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class CallbackRules:
    """Where callbacks may go. hosts: `hooks.example.org` and `*.example.org` mean https on its
    usual port, `http://name:8000` exactly that. private: also to private addresses."""

    hosts: tuple[str, ...] = ()
    private: bool = False

    def check(self, url: str) -> None:
        """Without looking anything up. Raises CallbackRefused."""
        if len(url) > LONGEST_URL:
            raise CallbackRefused(url, f"it is longer than {LONGEST_URL} characters")
        parts, port = _split(url)
        if not any(_matches(allowed, parts, port) for allowed in self.hosts):
            allowed = ", ".join(self.hosts) or "none: see zkagent serve --allow-callback"
            raise CallbackRefused(url, f"its host is not among the allowed ones ({allowed})")

    def resolve(self, url: str) -> str:
        """The address to connect to. Raises CallbackRefused, or CallbackFailed without one."""
        self.check(url)
        parts, port = _split(url)
        assert parts.hostname
        try:
            found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as exc:
            raise CallbackFailed(url, f"its name cannot be resolved ({exc})") from exc
        addresses = [ipaddress.ip_address(entry[4][0]) for entry in found]
        if not self.private and (inner := [a for a in addresses if not is_public(a)]):
            raise CallbackRefused(url, f"it leads to {inner[0]}, which is not a public address")
        return str(addresses[0])


class Callbacks:
    """What the engine's "call back" does."""

    def __init__(self, database: Database, rules: CallbackRules, queue: RunQueue) -> None:
        self._database = database
        self._rules = rules
        self._queue = queue
        self._keys = Keys(database)

    def deliver(self, run: CallbackRun) -> None:
        """Post the proof's state to the handle's address; if that fails, try again later."""
        found = self._find(run)
        if found is None or found.callback_url is None:
            return
        body = json.dumps(
            {
                "type": "proof.finished",
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "data": {
                    "id": run.proof_id,
                    "circuit": found.circuit,
                    "state": found.state,
                    "failure": found.failure,
                    "reason": found.reason,
                },
            }
        )
        try:
            self._post(found.callback_url, body, self._headers(run, body))
        except CallbackRefused as exc:
            self._give_up(run, exc)
        except CallbackFailed as exc:
            self._try_again(run, exc)
        else:
            patiently(lambda: self._note(run, "delivered"))

    def _try_again(self, run: CallbackRun, exc: CallbackFailed) -> None:
        if run.attempt >= TRIES:
            self._give_up(run, exc)
            return
        log.info("%s; once more in %g s", exc, wait_s := FIRST_WAIT_S * 2 ** (run.attempt - 1))
        later = replace(run, attempt=run.attempt + 1, delay_s=wait_s)
        patiently(lambda: self._enqueue(later))

    def _give_up(self, run: CallbackRun, exc: Exception) -> None:
        log.warning("%s; given up", exc, extra={"proof": run.proof_id, "key": run.key_id})
        patiently(lambda: self._note(run, "failed"))

    def _enqueue(self, run: CallbackRun) -> None:
        with self._database.write() as connection:
            self._queue.enqueue_callback(connection, run)

    def _headers(self, run: CallbackRun, body: str) -> dict[str, str]:
        secret = self._keys.callback_secret(run.key_id)
        return {"content-type": "application/json", **signature(secret, run.proof_id, body)}

    def _post(self, url: str, body: str, headers: dict[str, str]) -> None:
        status = asyncio.run(_send(url, self._rules.resolve(url), body, headers))
        if not 200 <= status < 300:
            raise CallbackFailed(url, f"it answered {status}")

    def _find(self, run: CallbackRun) -> Any:
        ours = (handles.c.key_id == run.key_id) & (handles.c.proof_id == run.proof_id)
        ours &= handles.c.callback_number == run.number
        joined = handles.join(proofs, handles.c.proof_id == proofs.c.id)
        columns = (handles.c.callback_url, proofs.c.circuit, proofs.c.state, proofs.c.failure)
        query = sa.select(*columns, proofs.c.reason).select_from(joined).where(ours)
        with self._database.read() as connection:
            return connection.execute(query).one_or_none()

    def _note(self, run: CallbackRun, state: str) -> None:
        ours = (handles.c.key_id == run.key_id) & (handles.c.proof_id == run.proof_id)
        ours &= handles.c.callback_number == run.number
        with self._database.write() as connection:
            connection.execute(sa.update(handles).where(ours).values(callback_state=state))


async def _send(url: str, address: str, body: str, headers: dict[str, str]) -> int:
    """Post to this very address, and no longer than TIMEOUT_S however slowly it answers: the
    status. Redirects and proxies are not followed. Raises CallbackFailed."""
    import httpx  # slow, and seldom needed

    parts, port = _split(url)
    assert parts.hostname
    target = httpx.URL(url).copy_with(host=address, port=port)
    headers = {**headers, "host": parts.netloc}
    extensions = {"sni_hostname": parts.hostname}
    try:
        async with (
            asyncio.timeout(TIMEOUT_S),
            httpx.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False, trust_env=False) as client,
            client.stream(
                "POST", target, content=body, headers=headers, extensions=extensions
            ) as answer,
        ):
            return answer.status_code
    except TimeoutError as exc:
        raise CallbackFailed(url, f"no answer within {TIMEOUT_S:g} s") from exc
    except httpx.HTTPError as exc:
        raise CallbackFailed(url, f"{type(exc).__name__}: {exc}") from exc


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


def is_public(address: Address) -> bool:
    """Whether an address is one of the internet's, whatever it is wrapped in."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None:
            return False
    return address.is_global and not address.is_multicast


def _split(url: str) -> tuple[SplitResult, int]:
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError as exc:
        raise CallbackRefused(url, str(exc)) from exc
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise CallbackRefused(url, "expected https://host/path")
    if parts.username is not None or parts.password is not None:
        raise CallbackRefused(url, "it carries a user name or password")
    return parts, port


def _matches(allowed: str, parts: SplitResult, port: int) -> bool:
    rule = urlsplit(allowed if "://" in allowed else f"https://{allowed}")
    rule_port = rule.port or DEFAULT_PORTS.get(rule.scheme, 0)
    name, host = (rule.hostname or "").rstrip("."), (parts.hostname or "").rstrip(".")
    fits = host.endswith(name[1:]) if name.startswith("*.") else host == name
    return bool(name) and fits and (rule.scheme, rule_port) == (parts.scheme, port)


__all__ = ["CallbackRules", "Callbacks", "is_public", "signature"]
