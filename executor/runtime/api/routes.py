"""The routes of runs; `mounting` puts them beside the prover's."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import SkipValidation

from zkagent.executor.runtime.api.bodies import RunsRoute
from zkagent.executor.runtime.api.desk import At, RunsDesk
from zkagent.executor.runtime.api.following import Following
from zkagent.executor.runtime.api.schemas import (
    RUN_ID,
    AgentList,
    AgentView,
    Answer,
    ResultView,
    RunPage,
    RunRequest,
    RunView,
    WaitingList,
)
from zkagent.executor.runtime.core.errors import ApprovalNeeded, NotFinished, RunUnknown
from zkagent.executor.runtime.core.runs import ENDED, Page, RunRecord, RunState
from zkagent.executor.runtime.events.contents import GROUPS, Include
from zkagent.prover.service.api.deps import From, Using
from zkagent.prover.service.api.event_stream import EventStream
from zkagent.prover.service.api.problems import responses
from zkagent.prover.service.api.watchers import wait
from zkagent.prover.service.errors import QuotaExceeded

LONGEST_WAIT_S = 60.0
MOST_GOING = 32  # runs of a caller that have not ended
COME_AGAIN_S = 5.0
EVENT_SCHEMA = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string", "description": "the event's kind"},
        "id": {"type": "string", "description": "its number; passing ones have none"},
        "data": {"type": "string", "description": "the event as JSON"},
    },
}
RunId = Annotated[str, Path(pattern=RUN_ID, description="a run's id")]

router = APIRouter(responses=responses(403), route_class=RunsRoute)


@router.get("/v1/agents", summary="What can be run", response_model=AgentList)
async def list_agents(desk: At, caller: From) -> AgentList:
    desk.access.require(desk.access.principal(caller.key_id), "start_runs")
    return AgentList(agents=[AgentView.model_validate(one) for one in desk.runs.agents()])


@router.post(
    "/v1/runs",
    summary="Run an agent",
    status_code=202,
    response_model=RunView,
    responses={
        200: {"model": RunView, "description": "It has ended before"},
        **responses(404, 415),
    },
)
async def start(
    body: SkipValidation[RunRequest], desk: At, caller: From, response: Response
) -> RunView:
    """Answers at once; the same request with the same `key` leads to the same run."""
    principal = desk.access.principal(caller.key_id)
    desk.access.require(principal, "start_runs")
    run_id = desk.run_id(principal, body)
    if body.key is None or not await _is_there(desk, run_id):
        await _refuse_many(desk, principal.name)
    work = desk.runs.start(body.agent, body.options(), principal.name, run_id)
    run = await desk.ask(work)
    response.headers["location"] = f"/v1/runs/{run.id}"
    if run.state in ENDED:
        response.status_code = 200
    return RunView.of(run)


@router.get("/v1/runs", summary="List runs", response_model=RunPage, responses=responses(404))
async def list_runs(
    *,
    desk: At,
    caller: From,
    agent: Annotated[str | None, Query(max_length=64)] = None,
    state: RunState | None = None,
    everybody: Annotated[bool, Query(description="those of others too: takes a role")] = False,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(pattern=RUN_ID)] = None,
) -> RunPage:
    """Your own, newest first."""
    principal = desk.access.principal(caller.key_id)
    if everybody:
        desk.access.require(principal, "read_runs")
    if cursor is not None:
        await desk.seen(principal, cursor)
    owner = None if everybody else principal.name
    found = await desk.ask(desk.runs.page(Page(owner, agent, state, limit + 1, cursor)))
    shown = found[:limit]
    following = shown[-1].id if len(found) > limit else None
    return RunPage(runs=[RunView.of(run) for run in shown], next=following)


@router.get(
    "/v1/runs/{run_id}",
    summary="State of a run",
    response_model=RunView,
    responses=responses(404),
)
async def show(
    *,
    run_id: RunId,
    desk: At,
    deps: Using,
    caller: From,
    request: Request,
    wait_s: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S, allow_inf_nan=False)] = 0,
) -> RunView:
    """With `wait_s` the answer comes when it has ended, or after that time."""
    principal = desk.access.principal(caller.key_id)
    run = await desk.seen(principal, run_id)
    end = time.monotonic() + wait_s
    with ExitStack() as stack:
        if wait_s > 0:
            stack.enter_context(deps.watchers.following(caller.key_id, _address(request)))
        event = stack.enter_context(deps.watchers.watch(run_id))
        stack.enter_context(desk.live.line(run_id))
        while run.state not in ENDED and not deps.watchers.closing:
            if (left := end - time.monotonic()) <= 0:
                break
            await wait(event, left)
            run = await desk.seen(principal, run_id)
    return RunView.of(run)


@router.get(
    "/v1/runs/{run_id}/result",
    summary="What a run came to",
    response_model=ResultView,
    responses=responses(404, 409),
)
async def show_result(run_id: RunId, desk: At, caller: From) -> Response:
    """All of it, contents included."""
    run = await desk.seen(desk.access.principal(caller.key_id), run_id)
    result = await desk.ask(desk.runs.result(run_id))
    if result is None:
        raise NotFinished(f"run {run_id} has no result: it is {run.state}", run=run_id)
    return _json(result.to_json())


@router.get(
    "/v1/runs/{run_id}/events",
    summary="Follow a run",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events; whoever comes back with Last-Event-ID goes on "
            "after it; ends when the run has ended. Contents are withheld unless they are included",
            "content": {"text/event-stream": {"schema": EVENT_SCHEMA}},
        },
        **responses(404),
    },
)
async def follow(
    *,
    run_id: RunId,
    desk: At,
    deps: Using,
    caller: From,
    request: Request,
    include: Annotated[
        list[str], Query(max_length=8, description=f"contents: {', '.join(GROUPS)}, or all")
    ] = [],  # noqa: B006
    last_event_id: Annotated[str | None, Header(pattern=r"^[0-9]{1,9}$")] = None,
) -> StreamingResponse:
    wanted = Include.of(include)
    await desk.seen(desk.access.principal(caller.key_id), run_id)
    since = 0 if last_event_id is None else int(last_event_id) + 1
    events = Following(desk, deps, caller.key_id, run_id, since, wanted)
    with ExitStack() as stack:
        stack.enter_context(deps.watchers.following(caller.key_id, _address(request)))
        return EventStream(_text(events), stack.pop_all())


@router.delete(
    "/v1/runs/{run_id}",
    summary="Abort a run",
    status_code=202,
    response_model=RunView,
    responses=responses(404, 409),
)
async def abort(run_id: RunId, desk: At, caller: From) -> RunView:
    """It ends at what it is waiting for; what it has told stays."""
    principal = desk.access.principal(caller.key_id)
    desk.access.check_abort(principal, await desk.seen(principal, run_id))
    return RunView.of(await desk.ask(desk.runs.abort(run_id)))


@router.get(
    "/v1/runs/{run_id}/approvals",
    summary="What waits for approval",
    response_model=WaitingList,
    responses=responses(404),
)
async def list_waiting(run_id: RunId, desk: At, caller: From) -> Response:
    """With the inputs as they would be carried out."""
    await desk.seen(desk.access.principal(caller.key_id), run_id)
    found = await desk.ask(desk.runs.waiting(run_id))
    return _json({"waiting": [asdict(one) for one in found]})


@router.post(
    "/v1/runs/{run_id}/approvals",
    summary="Approve or decline a step",
    response_model=RunView,
    responses=responses(404, 409, 415),
)
async def decide(run_id: RunId, body: SkipValidation[Answer], desk: At, caller: From) -> RunView:
    """For one exact step, by its digest; once. Takes the role of an approver, also for one's own
    runs."""
    principal = desk.access.principal(caller.key_id)
    await desk.seen(principal, run_id)
    desk.access.require(principal, "approve")
    waiting = await desk.ask(desk.runs.waiting(run_id))
    if body.digest not in {one.digest for one in waiting}:
        raise ApprovalNeeded(f"no step of run {run_id} waits for {body.digest}")
    await desk.ask(desk.runs.decide(body.digest, principal.name, approve=body.approve))
    return RunView.of(await desk.seen(principal, run_id))


def _json(content: dict[str, Any]) -> Response:
    """In ASCII: models may say half of a surrogate pair, which is no UTF-8."""
    return Response(json.dumps(content, default=_time), media_type="application/json")


def _time(value: Any) -> str:
    if not isinstance(value, datetime):
        raise TypeError(f"a {type(value).__name__} is no JSON")
    return value.isoformat()


async def _is_there(desk: RunsDesk, run_id: str) -> bool:
    """Whoever asks for a run again asks for no more of them."""
    try:
        await desk.ask(desk.runs.find(run_id))
    except RunUnknown:
        return False
    return True


async def _refuse_many(desk: RunsDesk, owner: str) -> None:
    going: list[RunRecord] = []
    states: tuple[RunState, ...] = ("running", "waiting")
    for state in states:
        page = Page(owner, None, state, MOST_GOING)
        going += await desk.ask(desk.runs.page(page))
    if len(going) >= MOST_GOING:
        raise QuotaExceeded("runs at once per key", MOST_GOING, COME_AGAIN_S)


async def _text(events: Following) -> AsyncIterator[str]:
    async for one in events:
        yield one


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


__all__ = ["router"]
