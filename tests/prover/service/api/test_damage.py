"""A database whose file is damaged: named, and nothing is acknowledged."""

import asyncio
from pathlib import Path

import httpx

from zkagent.prover.service.api.application import Service
from zkagent.prover.service.api.guard import GuardRules
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import prepare_engine
from zkagent.prover.service.worker.callback_rules import CallbackRules

PAGE_BYTES = 4096


def damaged(folder: Path) -> str:
    """A database of which only the first page is left, as its schema says there are more: its
    URL."""
    file = folder / "service.sqlite"
    url = f"sqlite:///{file}"
    database = Database(url)
    database.prepare()
    prepare_engine(database)
    database.close()
    content = file.read_bytes()
    file.write_bytes(content[:PAGE_BYTES] + b"\xa5" * (len(content) - PAGE_BYTES))
    return url


async def answers(service: Service) -> list[httpx.Response]:
    """To a request, and to the questions whether it is ready and whether it lives."""
    transport = httpx.ASGITransport(service.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        body = {"model": "quick", "features": [7391846250, 2, 3, 4]}
        asked = await client.post("/v1/proofs", json=body)
        return [asked, await client.get("/readyz"), await client.get("/healthz")]


def test_a_damaged_file_is_named_and_nothing_is_acknowledged(tmp_path: Path) -> None:
    database = Database(damaged(tmp_path))
    catalogue = FakeCatalogue(tmp_path, {"quick": 0.0})
    service = Service(
        database, catalogue, CallbackRules(), GuardRules(), keys_needed=False, least_free_bytes=0
    )
    asked, ready, alive = asyncio.run(answers(service))
    assert (asked.status_code, "7391846250" in asked.text) == (503, False)
    assert ready.status_code == 503
    assert "database-corrupt" in {trouble["cause"] for trouble in ready.json()["troubles"]}
    assert alive.status_code == 200
    service.close()
    database.close()
