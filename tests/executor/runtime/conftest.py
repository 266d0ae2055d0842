"""Limits of time that suit machines with nothing else to do are long here, but where a test gives
one of its own."""

import pytest

from zkagent.executor.runtime.events.bus import EventBus
from zkagent.executor.runtime.prompts.engine import Engine

LONG_S = 120.0


@pytest.fixture(autouse=True)
def no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sinks have taken all at the end of a run; a template that is no endless one is rendered."""
    named, in_turn = EventBus.__init__.__kwdefaults__, Engine.__init__.__defaults__
    assert named
    assert in_turn
    monkeypatch.setitem(named, "patience_s", LONG_S)
    monkeypatch.setattr(Engine.__init__, "__defaults__", (*in_turn[:-1], LONG_S))
