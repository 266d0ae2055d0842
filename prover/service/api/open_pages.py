"""What is answered without asking who calls: pages that need no key, and that there is no other.

The guard sends it before the application sees anything, and once for each connection: whoever asks
as often as it can, and needs no key for it, costs little each time and then stands in line again
behind those who have one (acceptor.py).
"""

from collections.abc import Awaitable, Callable

from starlette.responses import Response

from zkagent.prover.service.api.monitor import Monitor
from zkagent.prover.service.api.problems import problem

JSON = "application/json"
GUARDED = ("/v1/", "/metrics")
READ = ("GET", "HEAD")
LIVES = "/healthz"
READY = "/readyz"
DESCRIPTION = "/openapi.json"
PAGES = (LIVES, READY, DESCRIPTION)


def is_open(path: str) -> bool:
    """Whether nobody is asked for a key there."""
    return not path.startswith(GUARDED)


class OpenPages:
    """Answers for every path that is open. describe: the API's description, written once."""

    def __init__(self, monitor: Monitor, describe: Callable[[], bytes]) -> None:
        self._monitor = monitor
        self._describe = describe
        self._pages: dict[str, Callable[[], Awaitable[Response]]] = {
            READY: self._readiness,
            DESCRIPTION: self._description,
        }

    async def answer(self, method: str, path: str) -> Response:
        if path not in PAGES:
            return problem(404, "no-such-page", "Not Found")
        if method not in READ:
            detail = f"{method} is not among {', '.join(READ)}"
            return problem(405, "wrong-method", detail, headers={"allow": ", ".join(READ)})
        return await self._pages[path]()

    async def _readiness(self) -> Response:
        found = await self._monitor.health()
        status = 200 if found.status == "ok" else 503
        return Response(found.model_dump_json(), status, media_type=JSON)

    async def _description(self) -> Response:
        return Response(self._describe(), media_type=JSON)


__all__ = ["LIVES", "PAGES", "READ", "OpenPages", "is_open"]
