"""The API's routes; `zkagent.prover.service.api.application` makes an application of them."""

import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import SkipValidation
from starlette.concurrency import run_in_threadpool

from zkagent.circuits.artifacts import Proof
from zkagent.prover.service.api.bodies import ReadingRoute
from zkagent.prover.service.api.deps import Deps, From, Using
from zkagent.prover.service.api.event_stream import EventStream
from zkagent.prover.service.api.intake import read_request
from zkagent.prover.service.api.lists import PiecewiseResponse
from zkagent.prover.service.api.problems import responses
from zkagent.prover.service.api.views import CURSOR_PATTERN
from zkagent.prover.service.api.watchers import wait
from zkagent.prover.service.catalogue.catalogue import Artifact, Card
from zkagent.prover.service.errors import KeyRefused
from zkagent.prover.service.queue.keys import Caller
from zkagent.prover.service.queue.wake import CANCELLED, CHANGED, WORK
from zkagent.prover.service.wire.schemas import (
    BatchView,
    CircuitList,
    CircuitView,
    Health,
    ProofDocument,
    ProofPage,
    ProofRequest,
    ProofView,
    VerdictView,
)
from zkagent.prover.service.wire.states import FINISHED, State

LONGEST_WAIT_S = 60.0
KEEP_ALIVE_S = 15.0
EVENT_SCHEMA = {
    "type": "object",
    "required": ["event", "id", "data"],
    "properties": {
        "event": {"const": "proof"},
        "id": {"type": "string", "description": "the proof's version"},
        "data": {"type": "string", "description": "a ProofView as JSON"},
    },
}

ProofId = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="a proof's content hash")]
CircuitId = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="a circuit's digest")]

router = APIRouter(responses=responses(), route_class=ReadingRoute)
open_router = APIRouter()


@router.post(
    "/v1/proofs",
    summary="Ask for a proof",
    status_code=202,
    response_model=ProofView,
    responses={
        200: {"model": ProofView, "description": "It was finished before"},
        **responses(403, 404, 415),
    },
)
def ask(
    body: SkipValidation[ProofRequest], deps: Using, caller: From, response: Response
) -> ProofView:
    """Answers at once. The same request again, from anyone, leads to the same proof, whether it is
    finished or not; each key has its own handle on it."""
    urgent = caller.allowance.urgent
    deadline = None if body.deadline_s is None else deps.store.in_seconds(body.deadline_s)
    request = read_request(body, deps.catalogue, deps.rules, urgent=urgent, deadline=deadline)
    ticket = deps.store.submit(caller.key_id, request, caller.allowance.quota)
    deps.wake.send(WORK)
    view = deps.views.proof(caller.key_id, ticket.proof_id)
    response.headers["location"] = f"/v1/proofs/{ticket.proof_id}"
    if view.state in FINISHED:
        response.status_code = 200
    return view


@router.get("/v1/proofs", summary="List your proofs", response_model=ProofPage)
async def list_proofs(
    deps: Using,
    caller: From,
    state: State | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(pattern=CURSOR_PATTERN)] = None,
) -> Response:
    """Newest first."""

    def made() -> bytes:
        page = deps.views.page(caller.key_id, state, limit, cursor)
        return page.model_dump_json().encode()

    with ExitStack() as stack:
        stack.enter_context(deps.lists.place(caller.key_id))
        content = await deps.lists.make(caller.key_id, made)
        return PiecewiseResponse(content, stack.pop_all(), "application/json")


@router.get(
    "/v1/proofs/{proof_id}",
    summary="State, progress, timings, result",
    response_model=ProofView,
    responses=responses(404),
)
async def show(
    proof_id: ProofId,
    deps: Using,
    caller: From,
    request: Request,
    wait_s: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S, allow_inf_nan=False)] = 0,
) -> ProofView:
    """With `wait_s` the answer comes when the proof is finished, or after that time."""
    with ExitStack() as stack:
        if wait_s > 0:
            stack.enter_context(deps.watchers.following(caller.key_id, _address(request)))
        event = stack.enter_context(deps.watchers.watch(proof_id))
        end = time.monotonic() + wait_s
        _, state = await deps.watchers.look(_look, deps, caller, proof_id)
        while state not in FINISHED and not deps.watchers.closing:
            if (left := end - time.monotonic()) <= 0:
                break
            await wait(event, left)
            _, state = await deps.watchers.look(_look, deps, caller, proof_id)
    return await run_in_threadpool(deps.views.proof, caller.key_id, proof_id)


@router.get(
    "/v1/proofs/{proof_id}/events",
    summary="Follow a proof",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events named `proof`, each a ProofView as it is then; "
            "changes in quick succession are told together; ends when finished",
            "content": {"text/event-stream": {"schema": EVENT_SCHEMA}},
        },
        **responses(404),
    },
)
async def follow(
    proof_id: ProofId, deps: Using, caller: From, request: Request
) -> StreamingResponse:
    """One event now and one for every change."""
    with ExitStack() as stack:
        stack.enter_context(deps.watchers.following(caller.key_id, _address(request)))
        first = await run_in_threadpool(deps.views.proof, caller.key_id, proof_id)
        events = _events(deps, caller, first)
        return EventStream(events, stack.pop_all())


@router.delete(
    "/v1/proofs/{proof_id}",
    summary="Cancel your request",
    response_model=ProofView,
    responses=responses(404),
)
def cancel(proof_id: ProofId, deps: Using, caller: From) -> ProofView:
    """Gives up your handle; the work stops when nobody else wants it. A finished proof stays."""
    if deps.store.cancel(caller.key_id, proof_id):
        deps.wake.send(CANCELLED, proof_id)
        deps.wake.send(CHANGED, proof_id)
    return deps.views.proof(caller.key_id, proof_id)


@router.get("/v1/circuits", summary="What can be proven", response_model=CircuitList)
def list_circuits(deps: Using, caller: From) -> CircuitList:
    return CircuitList(circuits=[_circuit(card) for card in deps.catalogue.cards()])


@router.get(
    "/v1/circuits/{circuit}",
    summary="One circuit",
    response_model=CircuitView,
    responses=responses(404),
)
def show_circuit(circuit: CircuitId, deps: Using, caller: From) -> CircuitView:
    return _circuit(deps.catalogue.card(circuit))


@router.get(
    "/v1/circuits/{circuit}/{artifact}",
    summary="Download a circuit's public file",
    response_class=Response,
    responses={
        200: {
            "description": "The file",
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        },
        **responses(404),
    },
)
def download(circuit: CircuitId, artifact: Artifact, deps: Using, caller: From) -> Response:
    """The verifying key, the Solidity verifier, its ABI, the settings. Proving keys stay here."""
    content = deps.catalogue.artifact(circuit, artifact)
    disposition = f'attachment; filename="{circuit[:16]}-{artifact.value}"'
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"content-disposition": disposition},
    )


@router.post(
    "/v1/verify",
    summary="Verify a proof",
    response_model=VerdictView,
    responses=responses(404, 415),
)
async def verify(body: SkipValidation[ProofDocument], deps: Using, caller: From) -> VerdictView:
    """A verdict for any proof of a circuit that this service has: on its numbers, and not on what
    the file says that they are about."""

    def decide() -> VerdictView:
        card = deps.catalogue.card(body.circuit)
        if reason := card.objection(body.inputs, body.outputs):
            return VerdictView(valid=False, reason=reason)  # reading so many would take seconds
        verdict = deps.catalogue.verify(Proof.from_json(body.model_dump_json()))
        return VerdictView(valid=verdict.valid, reason=verdict.reason)

    return await deps.verifications.decide(caller.key_id, decide)


@router.get(
    "/metrics",
    summary="Prometheus metrics",
    response_class=PlainTextResponse,
)
def metrics(deps: Using, caller: From) -> Response:
    return Response(deps.metrics.render(), media_type="text/plain; version=0.0.4")


@open_router.get("/healthz", summary="Is the process alive?", response_model=Health)
async def health() -> Health:
    """Answered before anything else is looked at; this is its description."""
    return Health(status="ok", detail="the process answers", workers=0)


@open_router.get(
    "/readyz",
    summary="Can it take work?",
    response_model=Health,
    responses={503: {"model": Health, "description": "Not yet, or not now"}},
)
async def readiness() -> Health:
    """What is known of disk, database, clock and workers; it never waits for the database."""
    raise NotImplementedError  # open_pages.py answers before this; it is its description


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _look(deps: Deps, caller: Caller, proof_id: str) -> tuple[int, State]:
    """Version and state. Raises KeyRefused when the key was revoked meanwhile, ProofUnknown."""
    if not deps.keys.is_valid(caller.key_id):
        raise KeyRefused
    return deps.views.version(caller.key_id, proof_id)


async def _events(deps: Deps, caller: Caller, view: ProofView) -> AsyncIterator[str]:
    with deps.watchers.watch(view.id) as event:
        yield _event(view)
        said = time.monotonic()
        while view.state not in FINISHED and not deps.watchers.closing:
            await wait(event, KEEP_ALIVE_S)
            try:
                now = await deps.watchers.look(_look, deps, caller, view.id)
            except KeyRefused:
                return
            if now != (view.version, view.state):
                view = await deps.watchers.look(deps.views.proof, caller.key_id, view.id)
                said = time.monotonic()
                yield _event(view)
            elif time.monotonic() - said > KEEP_ALIVE_S:
                said = time.monotonic()
                yield ": still here\n\n"


def _event(view: ProofView) -> str:
    return f"event: proof\nid: {view.version}\ndata: {view.model_dump_json()}\n\n"


def _circuit(card: Card) -> CircuitView:
    batches = [BatchView(circuit=form.circuit, capacity=form.capacity) for form in card.batches]
    return CircuitView(
        digest=card.digest,
        models=list(card.models),
        input_count=card.input_count,
        output_count=card.output_count,
        exact=card.exact,
        input_scale_bits=card.input_scale_bits,
        development_srs=card.development_srs,
        proof_bytes=card.proof_bytes,
        batches=batches,
    )


__all__ = ["open_router", "router"]
