"""Asking a prover service for proofs: `ServiceClient`, `AsyncServiceClient`, `ServiceProver`.

All wait by long polling, so that a finished proof is there a round trip later; a service that is
restarted in between is asked again, which is safe: the same request is the same proof.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Self

import httpx

from zkagent.circuits.artifacts import Proof, is_digest
from zkagent.circuits.errors import ProofMalformed
from zkagent.circuits.networks.batch import own_row
from zkagent.circuits.support.plain_text import plain
from zkagent.circuits.support.progress import Told, silent
from zkagent.prover.service.errors import ServiceAnswered, ServiceGarbled, ServiceUnreachable
from zkagent.prover.service.wire.asking import Answer, ask, ask_async, settings
from zkagent.prover.service.wire.exchange import (
    PATIENCE_S,
    RETRIED,
    Attempts,
    Wanted,
    checked,
    is_made,
    read,
    read_view,
)
from zkagent.prover.service.wire.polling import CROWDED, Polls
from zkagent.prover.service.wire.schemas import CircuitList, ProofPage, ProofView, VerdictView
from zkagent.prover.service.wire.states import State

#: Called with what is known of a proof, about once a second.
Listener = Callable[[ProofView], None]

#: Who waits for a proof knows better what it means that there are too many.
POLLED = RETRIED - {CROWDED}


class ServiceClient:
    """The service at `url`, synchronously; use it in a `with` block, or close it.

        >>> with zkagent.ServiceClient("http://127.0.0.1:8642") as service:
        ...     proof = service.prove_features(circuit.digest, x)

    key: by default from $ZKAGENT_KEY. patience_s: how long to go on while the service is down or
    overloaded; trouble: told in words each time. Raises ServiceUnreachable for what is no address.
    All methods raise ServiceUnreachable, ServiceAnswered and ServiceGarbled.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        patience_s: float = PATIENCE_S,
        trouble: Told = silent,
    ) -> None:
        self.url = checked(url)
        self._patience_s, self._trouble = patience_s, trouble
        self._http = httpx.Client(**settings(self.url, key))

    def submit(self, wanted: Wanted) -> ProofView:
        """Ask for a proof."""
        return self._submit(wanted)

    def get(self, proof_id: str, wait_s: float = 0) -> ProofView:
        """A proof's state, at the latest after `wait_s`."""
        path, params = f"/v1/proofs/{proof_id}", {"wait_s": wait_s}
        return read_view(self._call("GET", path, params=params), proof_id)

    def cancel(self, proof_id: str) -> ProofView:
        return read_view(self._call("DELETE", f"/v1/proofs/{proof_id}"), proof_id)

    def check_alive(self) -> None:
        """Raises what all methods raise."""
        self._call("GET", "/healthz")

    def proofs(self, state: State | None = None) -> Iterator[dict[str, Any]]:
        """All of this key's proofs, newest first; there is no end to what a liar lists, so whoever
        does not trust the service stops reading when it is enough."""
        params: dict[str, Any] = {"limit": 500} | ({"state": state.value} if state else {})
        asked: set[str] = set()
        while True:
            answer = self._call("GET", "/v1/proofs", params=params)
            read(answer, ProofPage)
            page = answer.value
            yield from page["proofs"]
            if page["next"] is None:
                return
            if page["next"] in asked or not page["proofs"]:
                raise ServiceGarbled(self.url, "the list of proofs goes round in circles")
            asked.add(page["next"])
            params["cursor"] = page["next"]

    def circuits(self) -> list[dict[str, Any]]:
        answer = self._call("GET", "/v1/circuits")
        read(answer, CircuitList)
        found: list[dict[str, Any]] = answer.value["circuits"]
        return found

    def artifact(self, circuit: str, name: str) -> bytes:
        return self._call("GET", f"/v1/circuits/{circuit}/{name}").content

    def verify(self, proof: Proof) -> tuple[bool, str]:
        """The service's verdict, and why not."""
        verdict = read(self._call("POST", "/v1/verify", json=proof.document), VerdictView)
        return verdict.valid, plain(verdict.reason)

    def wait(
        self, proof_id: str, *, timeout_s: float | None = None, listener: Listener | None = None
    ) -> ProofView:
        """Until the proof is made. Raises ProofNotMade, NoProofYet, ServiceUnreachable."""
        return self._wait(proof_id, timeout_s, _end(timeout_s), listener)

    def prove(
        self,
        wanted: Wanted,
        *,
        timeout_s: float | None = None,
        listener: Listener | None = None,
    ) -> ProofView:
        """Submit and wait, `timeout_s` in all."""
        end = _end(timeout_s)
        view = self._submit(wanted, end)
        if listener:
            listener(view)
        return self._wait(view.id, timeout_s, end, listener)

    def prove_features(
        self,
        circuit: str,
        features: Sequence[int],
        *,
        timeout_s: float | None = None,
        listener: Listener | None = None,
    ) -> Proof:
        """The proof that y = f(features), by itself. circuit: a digest, or a model's name.

        What comes back is compared with what was asked; whether it is true is for `verify` to say,
        since the service may be anyone's. Raises ProverError.
        """
        wanted = Wanted.of_features(circuit, features, batch="never")
        view = self.prove(wanted, timeout_s=timeout_s, listener=listener)
        return proof_alone(view, features, circuit, self.url)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _submit(self, wanted: Wanted, end: float | None = None) -> ProofView:
        return read_view(self._call("POST", "/v1/proofs", end, json=wanted.fields))

    def _poll(self, proof_id: str, polls: Polls) -> ProofView:
        path, params = f"/v1/proofs/{proof_id}", {"wait_s": polls.wait_s()}
        answer = self._call("GET", path, polls.late_end, POLLED, params=params)
        return read_view(answer, proof_id)

    def _wait(
        self,
        proof_id: str,
        timeout_s: float | None,
        end: float | None,
        listener: Listener | None,
    ) -> ProofView:
        polls = Polls(proof_id, timeout_s, end)
        while True:
            try:
                view = self._poll(proof_id, polls)
            except ServiceUnreachable:
                polls.check_time()
                raise
            except ServiceAnswered as exc:
                time.sleep(polls.refused_s(exc))
                continue
            if listener:
                listener(view)
            if is_made(view):
                return view
            time.sleep(polls.again_s())

    def _call(
        self,
        method: str,
        path: str,
        end: float | None = None,
        retried: frozenset[int] = RETRIED,
        **arguments: Any,
    ) -> Answer:
        attempts = Attempts(self.url, self._patience_s, self._trouble, end, retried)
        while True:
            try:
                answer = ask(self._http, attempts.request_s, method, path, **arguments)
            except httpx.TransportError as exc:
                time.sleep(attempts.unreachable(exc))
                continue
            if answer.is_success:
                return answer
            time.sleep(attempts.refused(answer))


class AsyncServiceClient:
    """The same for asyncio: submit, get, cancel, wait, prove, prove_features.

    >>> async with zkagent.AsyncServiceClient("http://127.0.0.1:8642") as service:
    ...     proofs = await asyncio.gather(*(service.prove_features(name, x) for x in xs))
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        patience_s: float = PATIENCE_S,
        trouble: Told = silent,
    ) -> None:
        self.url = checked(url)
        self._patience_s, self._trouble = patience_s, trouble
        self._http = httpx.AsyncClient(**settings(self.url, key))

    async def submit(self, wanted: Wanted) -> ProofView:
        return await self._submit(wanted)

    async def get(self, proof_id: str, wait_s: float = 0) -> ProofView:
        path, params = f"/v1/proofs/{proof_id}", {"wait_s": wait_s}
        return read_view(await self._call("GET", path, params=params), proof_id)

    async def cancel(self, proof_id: str) -> ProofView:
        return read_view(await self._call("DELETE", f"/v1/proofs/{proof_id}"), proof_id)

    async def wait(
        self, proof_id: str, *, timeout_s: float | None = None, listener: Listener | None = None
    ) -> ProofView:
        """Until the proof is made. Raises ProofNotMade, NoProofYet, ServiceUnreachable."""
        return await self._wait(proof_id, timeout_s, _end(timeout_s), listener)

    async def prove(self, wanted: Wanted, *, timeout_s: float | None = None) -> ProofView:
        """Submit and wait, `timeout_s` in all."""
        end = _end(timeout_s)
        view = await self._submit(wanted, end)
        return await self._wait(view.id, timeout_s, end)

    async def prove_features(
        self, circuit: str, features: Sequence[int], *, timeout_s: float | None = None
    ) -> Proof:
        """Like ServiceClient.prove_features."""
        wanted = Wanted.of_features(circuit, features, batch="never")
        view = await self.prove(wanted, timeout_s=timeout_s)
        return proof_alone(view, features, circuit, self.url)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def _submit(self, wanted: Wanted, end: float | None = None) -> ProofView:
        return read_view(await self._call("POST", "/v1/proofs", end, json=wanted.fields))

    async def _poll(self, proof_id: str, polls: Polls) -> ProofView:
        path, params = f"/v1/proofs/{proof_id}", {"wait_s": polls.wait_s()}
        answer = await self._call("GET", path, polls.late_end, POLLED, params=params)
        return read_view(answer, proof_id)

    async def _wait(
        self,
        proof_id: str,
        timeout_s: float | None,
        end: float | None,
        listener: Listener | None = None,
    ) -> ProofView:
        polls = Polls(proof_id, timeout_s, end)
        while True:
            try:
                view = await self._poll(proof_id, polls)
            except ServiceUnreachable:
                polls.check_time()
                raise
            except ServiceAnswered as exc:
                await asyncio.sleep(polls.refused_s(exc))
                continue
            if listener:
                listener(view)
            if is_made(view):
                return view
            await asyncio.sleep(polls.again_s())

    async def _call(
        self,
        method: str,
        path: str,
        end: float | None = None,
        retried: frozenset[int] = RETRIED,
        **arguments: Any,
    ) -> Answer:
        attempts = Attempts(self.url, self._patience_s, self._trouble, end, retried)
        while True:
            try:
                request_s = attempts.request_s
                answer = await ask_async(self._http, request_s, method, path, **arguments)
            except httpx.TransportError as exc:
                await asyncio.sleep(attempts.unreachable(exc))
                continue
            if answer.is_success:
                return answer
            await asyncio.sleep(attempts.refused(answer))


class ServiceProver(ExitStack[None]):
    """What the executor needs of a prover, by way of a service: one circuit, single proofs.

    Use it in a `with` block, or close it.
    """

    def __init__(
        self,
        url: str,
        circuit: str,
        *,
        key: str | None = None,
        timeout_s: float = 600.0,
        patience_s: float = PATIENCE_S,
        listener: Listener | None = None,
    ) -> None:
        """circuit: its digest, or the name of a model that the service offers."""
        super().__init__()
        self._client = self.enter_context(ServiceClient(url, key=key, patience_s=patience_s))
        self.url = self._client.url
        self._circuit = circuit
        self._timeout_s = timeout_s
        self._listener = listener

    def prove(self, x: Sequence[int]) -> Proof:
        """The proof that y = f(x). Raises ProverError.

        What comes back is compared with what was asked; whether the proof is true is checked by
        whoever relies on it, since the service may be anyone's.
        """
        return self._client.prove_features(
            self._circuit, x, timeout_s=self._timeout_s, listener=self._listener
        )


def prove_by_service(
    url: str,
    model: str,
    features: Sequence[int],
    *,
    key: str | None = None,
    timeout_s: float | None = None,
    listener: Listener | None = None,
) -> Proof:
    """One proof, with a client of its own. model: a model's name or a circuit's digest."""
    with ServiceClient(url, key=key) as client:
        return client.prove_features(model, features, timeout_s=timeout_s, listener=listener)


def proof_of(view: ProofView, features: Sequence[int], url: str = "the service") -> Proof:
    """The proof in a finished view, if it is one of what was asked for; what it says that it is
    about is left out. Raises ServiceGarbled."""
    if view.result is None:
        raise ServiceGarbled(url, "a proof that is done has no result")
    try:
        proof = Proof.from_json(view.result.proof.model_dump_json())
        own_row(proof, list(features), view.result.position)
    except ProofMalformed as exc:
        raise ServiceGarbled(url, f"no proof: {plain(exc.reason)}") from exc
    except ValueError as exc:
        raise ServiceGarbled(url, f"a proof of something else: {exc}") from exc
    return replace(proof, about=None)


def proof_alone(view: ProofView, features: Sequence[int], circuit: str, url: str) -> Proof:
    """Like `proof_of`, for one that nobody shares. circuit: compared where it is a digest."""
    proof = proof_of(view, features, url)
    if len(proof.inputs) != len(features):
        raise ServiceGarbled(url, "a proof of something else: others share it")
    if is_digest(circuit) and proof.circuit != circuit:
        raise ServiceGarbled(url, f"a proof of something else: of circuit {proof.circuit[:16]}")
    return proof


def _end(timeout_s: float | None) -> float | None:
    return None if timeout_s is None else time.monotonic() + timeout_s


__all__ = [
    "AsyncServiceClient",
    "ServiceClient",
    "ServiceProver",
    "Wanted",
    "proof_alone",
    "proof_of",
    "prove_by_service",
]
