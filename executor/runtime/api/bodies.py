"""Reads the bodies of requests as the service does: how large and deep they are is looked at first,
and what can be read in two ways is refused."""

from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError

from zkagent.executor.runtime.api.schemas import Answer, RunRequest
from zkagent.prover.service.api.bodies import check_size, read_json

MOST_ENTRIES = 4096
#: By the path of the route.
FORMS: dict[str, type[BaseModel]] = {
    "/v1/runs": RunRequest,
    "/v1/runs/{run_id}/approvals": Answer,
}


def is_read(path: str) -> bool:
    """Whether the body of a POST to this path is read."""
    if path == "/v1/runs":
        return True
    return path.startswith("/v1/runs/") and path.endswith("/approvals")


class RunsRoute(APIRoute):
    """Its parameter `body` is declared with SkipValidation."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer, form = super().get_route_handler(), FORMS.get(self.path_format)
        if form is None:
            return answer

        async def read_and_answer(request: Request) -> Response:
            if request.method == "POST" and (body := await request.body()):
                request._json = await anyio.to_thread.run_sync(read_body, body, form)
            return await answer(request)

        return read_and_answer


def read_body(body: bytes, form: type[BaseModel]) -> BaseModel:
    """Raises BodyRefused, RequestValidationError."""
    check_size(body, MOST_ENTRIES)
    try:
        return form.model_validate(read_json(body))
    except ValidationError as exc:
        found = exc.errors(include_url=False, include_context=False, include_input=False)
        errors = [{**error, "loc": ("body", *error["loc"])} for error in found]
    raise RequestValidationError(errors)


__all__ = ["RunsRoute", "is_read", "read_body"]
