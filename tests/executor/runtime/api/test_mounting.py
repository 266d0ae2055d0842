"""Runs beside a service: closed with it, also where their clients cannot be closed."""

import asyncio
import time
from collections.abc import Iterator

import pytest

from zkagent.executor.runtime.api import mounting
from zkagent.executor.runtime.api.memory_runs import MemoryRuns
from zkagent.executor.runtime.api.mounting import Mounted
from zkagent.executor.runtime.running.background import background


class Closing(MemoryRuns):
    """how: what its clients do when they are closed."""

    def __init__(self, how: str) -> None:
        super().__init__([])
        self.how, self.is_closed = how, False

    async def close(self) -> None:
        if self.how == "raises":
            raise OSError("the password is hunter2")
        if self.how == "hangs":
            await asyncio.Event().wait()
        self.is_closed = True


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(mounting, "CLOSE_S", 120.0)
    yield
    assert background.run(asyncio.sleep(0, True))


def test_runs_are_closed_with_the_service() -> None:
    runs = Closing("well")
    Mounted(runs).beside.close()
    assert runs.is_closed


@pytest.mark.parametrize(("how", "said"), [("raises", "OSError"), ("hangs", "TimeoutError")])
def test_clients_that_cannot_be_closed_hold_up_nothing(
    how: str, said: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "hangs":
        monkeypatch.setattr(mounting, "CLOSE_S", 0.05)
    began = time.monotonic()
    Mounted(Closing(how)).beside.close()
    assert time.monotonic() - began < 60
    assert caplog.messages == [f"runs were not closed: {said}"]
    assert "hunter2" not in caplog.text
