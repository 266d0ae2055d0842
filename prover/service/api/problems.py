"""Every refusal as one problem document (RFC 9457), and nothing else ever."""

import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from zkagent.circuits.errors import CircuitError, InputRefused, NumbersHidden, ProofMalformed
from zkagent.prover.errors import ProverError
from zkagent.prover.service import errors
from zkagent.prover.service.queue.trouble import trouble_of
from zkagent.prover.service.wire.schemas import Problem, ProblemError

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 20

#: Our errors -> (status, name of the problem). Subclasses before their roots.
KINDS: tuple[tuple[type[Exception], int, str], ...] = (
    (errors.KeyRefused, 401, "key-refused"),
    (errors.CircuitUnknown, 404, "unknown-circuit"),
    (errors.ArtifactUnknown, 404, "unknown-file"),
    (errors.ProofUnknown, 404, "unknown-proof"),
    (errors.CallbackRefused, 403, "callback-refused"),
    (errors.PriorityRefused, 403, "priority-refused"),
    (errors.BodyRefused, 400, "malformed-json"),
    (errors.RequestRefused, 422, "request-refused"),
    (InputRefused, 422, "input-refused"),
    (NumbersHidden, 422, "numbers-hidden"),
    (ProofMalformed, 422, "malformed-proof"),
    (errors.QuotaExceeded, 429, "limit-reached"),
    (errors.DatabaseLost, 503, "database-unavailable"),
    (sa.exc.SQLAlchemyError, 503, "database-unavailable"),
    (CircuitError, 503, "circuit-unusable"),
    (ProverError, 503, "prover-unavailable"),
)
TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    411: "Length Required",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


def problem(
    status: int,
    name: str,
    detail: str,
    *,
    errors: list[ProblemError] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """A problem document as a response; also used outside the application, by the guard."""
    document = Problem(
        type=f"urn:zkagent:problem:{name}",
        title=TITLES.get(status, "Error"),
        status=status,
        detail=detail,
        errors=errors,
    )
    return JSONResponse(
        document.model_dump(exclude_none=True), status, headers, media_type=MEDIA_TYPE
    )


def install(app: FastAPI, beside: Sequence[tuple[type[Exception], int, str]] = ()) -> None:
    """Make every error of `app` a problem document. beside: errors of others, as in KINDS."""

    async def theirs(_: Request, exc: Exception) -> JSONResponse:
        status, name = next((s, n) for kind, s, n in beside if isinstance(exc, kind))
        headers = {"retry-after": "5"} if status == 503 else {}
        return problem(status, name, str(exc), headers=headers)

    for kind, _, _ in beside:
        app.add_exception_handler(kind, theirs)
    for kind, _, _ in KINDS:
        app.add_exception_handler(kind, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For OpenAPI: these refusals, and the ones that every route knows."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    every = {400, 401, 408, 411, 413, 421, 422, 429, 503, *statuses}
    return {status: {"description": TITLES[status], "content": content} for status in sorted(every)}


async def _ours(_: Request, exc: Exception) -> JSONResponse:
    return refusal(exc)


def refusal(exc: Exception) -> JSONResponse:
    """The problem document of one of our errors, or the database's."""
    status, name = next((s, n) for kind, s, n in KINDS if isinstance(exc, kind))
    headers = {}
    if isinstance(exc, errors.KeyRefused):
        headers["www-authenticate"] = "Bearer"
    if isinstance(exc, errors.QuotaExceeded):
        headers["retry-after"] = str(max(1, math.ceil(exc.retry_after_s)))
    detail = str(exc)
    database = isinstance(exc, (sa.exc.SQLAlchemyError, errors.DatabaseLost))
    if database:
        detail = trouble_of(exc).detail
    if status == 503:
        log.warning("refused: %s", detail if database else type(exc).__name__)
        headers["retry-after"] = "5"
    return problem(status, name, detail, headers=headers)


async def _invalid(_: Request, exc: Exception) -> JSONResponse:
    assert isinstance(exc, RequestValidationError)
    found = exc.errors()
    if any(error["type"] == "json_invalid" for error in found):
        return problem(400, "malformed-json", "the body is not JSON")
    listed = [
        ProblemError(where=".".join(map(str, error["loc"])), detail=error["msg"])
        for error in found[:MOST_ERRORS]
    ]
    detail = f"the request is not what the API expects ({len(found)} errors)"
    return problem(422, "invalid-request", detail, errors=listed)


async def _http(request: Request, exc: Exception) -> JSONResponse:
    assert isinstance(exc, HTTPException)
    if exc.status_code == 405:
        allowed = ", ".join(_methods(request))
        detail = f"{request.method} is not among {allowed}"
        return problem(405, "wrong-method", detail, headers={"allow": allowed})
    name = {404: "no-such-page"}.get(exc.status_code, "refused")
    return problem(exc.status_code, name, str(exc.detail), headers=exc.headers)


def _methods(request: Request) -> list[str]:
    """What this path can be asked with, over all its routes; Starlette names the first one's."""
    fitting = (r for r in request.app.state.routes if r.path_regex.match(request.url.path))
    return sorted({method for route in fitting for method in route.methods})


async def _unexpected(_: Request, exc: Exception) -> JSONResponse:
    return problem(500, "bug", f"this is a bug: {type(exc).__name__}; the service's log has more")


__all__ = ["install", "problem", "refusal", "responses"]
