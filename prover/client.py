"""Asking a prover service for proofs: `ServiceClient`, `AsyncServiceClient`, `ServiceProver`.

All wait by long polling, so that a finished proof is there a round trip later; a service that is
restarted in between is asked again, which is safe: the same request is the same proof.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Self

import httpx

from zkagent.circuits.artifacts import Proof
from zkagent.circuits.networks.batch import own_row
from zkagent.circuits.support.progress import Told, silent
from zkagent.prover.service.errors import ServiceAnswered
from zkagent.prover.service.wire.exchange import (
    PATIENCE_S,
    Attempts,
    Wanted,
    check_time,
    checked,
    headers,
    is_made,
    poll_s,
    read_view,
)
from zkagent.prover.service.wire.schemas import ProofView
from zkagent.prover.service.wire.states import State

TIMEOUT = httpx.Timeout(connect=5.0, read=75.0, write=30.0, pool=5.0)

#: Called with what is known of a proof, about once a second.
Listener = Callable[[ProofView], None]


class ServiceClient:
    """The service at `url`, synchronously; use it in a `with` block, or close it.

        >>> with zkagent.ServiceClient("http://127.0.0.1:8642") as service:
        ...     proof = service.prove_features(circuit.digest, x)

    key: by default from $ZKAGENT_KEY. patience_s: how long to go on while the service is down or
    overloaded; trouble: told in words each time. Raises ServiceUnreachable for what is no address.
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
        self._http = httpx.Client(base_url=self.url, headers=headers(key), timeout=TIMEOUT)

    def submit(self, wanted: Wanted) -> ProofView:
        """Ask for a proof. Raises ServiceAnswered, ServiceUnreachable."""
        return read_view(self._call("POST", "/v1/proofs", json=wanted.fields))

    def get(self, proof_id: str, wait_s: float = 0) -> ProofView:
        """A proof's state, at the latest after `wait_s`."""
        return read_view(self._call("GET", f"/v1/proofs/{proof_id}", params={"wait_s": wait_s}))

    def cancel(self, proof_id: str) -> ProofView:
        return read_view(self._call("DELETE", f"/v1/proofs/{proof_id}"))

    def check_alive(self) -> None:
        """Raises ServiceUnreachable, ServiceAnswered."""
        self._call("GET", "/healthz")

    def proofs(self, state: State | None = None) -> Iterator[dict[str, Any]]:
        """All of this key's proofs, newest first."""
        params: dict[str, Any] = {"limit": 500} | ({"state": state.value} if state else {})
        while True:
            page = self._call("GET", "/v1/proofs", params=params).json()
            yield from page["proofs"]
            if page["next"] is None:
                return
            params["cursor"] = page["next"]

    def circuits(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._call("GET", "/v1/circuits").json()["circuits"]
        return found

    def artifact(self, circuit: str, name: str) -> bytes:
        return self._call("GET", f"/v1/circuits/{circuit}/{name}").content

    def verify(self, proof: Proof) -> tuple[bool, str]:
        """The service's verdict, and why not."""
        answer = self._call("POST", "/v1/verify", json=json.loads(proof.to_json())).json()
        return answer["valid"], answer["reason"]

    def wait(
        self, proof_id: str, *, timeout_s: float | None = None, listener: Listener | None = None
    ) -> ProofView:
        """Until the proof is made. Raises ProofNotMade, NoProofYet, ServiceUnreachable."""
        end = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            view = self.get(proof_id, poll_s(end))
            if listener:
                listener(view)
            if is_made(view):
                return view
            check_time(proof_id, end, timeout_s)

    def prove(
        self,
        wanted: Wanted,
        *,
        timeout_s: float | None = None,
        listener: Listener | None = None,
    ) -> ProofView:
        """Submit and wait."""
        view = self.submit(wanted)
        return self.wait(view.id, timeout_s=timeout_s, listener=listener)

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
        return proof_of(view, features)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _call(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        attempts = Attempts(self.url, self._patience_s, self._trouble)
        while True:
            try:
                answer = self._http.request(method, path, **arguments)
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
        self._http = httpx.AsyncClient(base_url=self.url, headers=headers(key), timeout=TIMEOUT)

    async def submit(self, wanted: Wanted) -> ProofView:
        return read_view(await self._call("POST", "/v1/proofs", json=wanted.fields))

    async def get(self, proof_id: str, wait_s: float = 0) -> ProofView:
        params = {"wait_s": wait_s}
        return read_view(await self._call("GET", f"/v1/proofs/{proof_id}", params=params))

    async def cancel(self, proof_id: str) -> ProofView:
        return read_view(await self._call("DELETE", f"/v1/proofs/{proof_id}"))

    async def wait(
        self, proof_id: str, *, timeout_s: float | None = None, listener: Listener | None = None
    ) -> ProofView:
        """Until the proof is made. Raises ProofNotMade, NoProofYet, ServiceUnreachable."""
        end = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            view = await self.get(proof_id, poll_s(end))
            if listener:
                listener(view)
            if is_made(view):
                return view
            check_time(proof_id, end, timeout_s)

    async def prove(self, wanted: Wanted, *, timeout_s: float | None = None) -> ProofView:
        """Submit and wait."""
        view = await self.submit(wanted)
        return await self.wait(view.id, timeout_s=timeout_s)

    async def prove_features(
        self, circuit: str, features: Sequence[int], *, timeout_s: float | None = None
    ) -> Proof:
        """Like ServiceClient.prove_features."""
        wanted = Wanted.of_features(circuit, features, batch="never")
        return proof_of(await self.prove(wanted, timeout_s=timeout_s), features)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def _call(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        attempts = Attempts(self.url, self._patience_s, self._trouble)
        while True:
            try:
                answer = await self._http.request(method, path, **arguments)
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
        listener: Listener | None = None,
    ) -> None:
        """circuit: its digest, or the name of a model that the service offers."""
        super().__init__()
        self._client = self.enter_context(ServiceClient(url, key=key))
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


def proof_of(view: ProofView, features: Sequence[int]) -> Proof:
    """The proof in a finished view, if it is the one that was asked for. Raises ServiceAnswered."""
    assert view.result is not None
    proof = Proof.from_json(view.result.proof.model_dump_json())
    try:
        own_row(proof, list(features), view.result.position)
    except ValueError as exc:
        raise ServiceAnswered(200, "OK", f"with a proof of something else: {exc}") from exc
    return proof


__all__ = [
    "AsyncServiceClient",
    "ServiceClient",
    "ServiceProver",
    "Wanted",
    "proof_of",
    "prove_by_service",
]
