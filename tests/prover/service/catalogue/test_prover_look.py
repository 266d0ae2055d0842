"""What proves is looked for rarely, and in nobody's way."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from zkagent.circuits.errors import CircuitError, PackagesMissing
from zkagent.prover.service.catalogue import built, prover_look
from zkagent.prover.service.catalogue.built import BuiltCircuits
from zkagent.prover.service.catalogue.prover_look import ProverLook


class Missing:
    """A prover that is not there, or hangs, and is counted."""

    def __init__(self) -> None:
        self.asked = 0
        self.there = False
        self.answers = threading.Event()
        self.answers.set()

    def __call__(self) -> None:
        self.asked += 1
        self.answers.wait(600)
        if not self.there:
            raise PackagesMissing("it is not there")


@pytest.fixture(autouse=True)
def no_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first who asks waits for whatever looks, but where a test says that it hangs."""
    monkeypatch.setattr(prover_look, "FIRST_S", 120.0)


@pytest.fixture
def missing() -> Iterator[Missing]:
    missing = Missing()
    yield missing
    missing.answers.set()


def refused(look: Callable[[], object]) -> str:
    with pytest.raises(CircuitError) as caught:
        look()
    return str(caught.value)


def test_one_that_is_missing_is_asked_for_once_in_a_while_and_found_when_it_is_there(
    missing: Missing, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = ProverLook(missing)
    assert {refused(look.check) for _ in range(50)} == {"it is not there"}
    assert missing.asked == 1
    missing.there = True
    monkeypatch.setattr(prover_look, "LOOK_EVERY_S", 0)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            look.check()
            break
        except PackagesMissing:
            time.sleep(0.01)
    look.check()
    assert missing.asked == 2


def eventually_found(look: ProverLook) -> bool:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            look.check()
        except PackagesMissing:
            time.sleep(0.01)
        else:
            return True
    return False


@pytest.mark.parametrize("error", [PermissionError(13, "denied", "/x"), ValueError("odd")])
def test_a_look_that_fails_is_told_and_made_again(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Exception] = [error]

    def check() -> None:
        if answers:
            raise answers.pop()

    look = ProverLook(check)
    for _ in range(2):
        assert refused(look.check).startswith(prover_look.FAILED)
    monkeypatch.setattr(prover_look, "LOOK_EVERY_S", 0)
    assert eventually_found(look)


def test_where_no_thread_starts_it_is_looked_for_again(
    missing: Missing, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, missing.there = ProverLook(missing), True

    def none(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", none)
        assert "can't start new thread" in refused(look.check)
    assert missing.asked == 0
    monkeypatch.setattr(prover_look, "LOOK_EVERY_S", 0)
    assert eventually_found(look)


def test_one_that_hangs_is_waited_for_by_the_first_alone_and_not_for_long(
    missing: Missing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prover_look, "FIRST_S", 0.3)
    missing.answers.clear()
    look, began = ProverLook(missing), time.monotonic()
    assert {refused(look.check) for _ in range(50)} == {prover_look.UNKNOWN}
    assert 0.2 < time.monotonic() - began < 60
    assert missing.asked == 1


def test_one_that_begins_to_hang_keeps_nobody(
    missing: Missing, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = ProverLook(missing)
    refused(look.check)
    missing.answers.clear()
    monkeypatch.setattr(prover_look, "LOOK_EVERY_S", 0)
    began = time.monotonic()
    assert {refused(look.check) for _ in range(50)} == {"it is not there"}
    assert time.monotonic() - began < 30
    assert missing.asked == 2


def test_circuits_of_one_system_have_one_look(
    tmp_path: Path, missing: Missing, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = built.PROVERS["snarkjs"]
    stored = SimpleNamespace(origin=SimpleNamespace(system=system.name))
    names = [f"{number}" * 64 for number in range(8)]
    monkeypatch.setattr(built, "list_circuits", lambda _: names)
    monkeypatch.setattr(built, "read_stored", lambda *_: stored)
    monkeypatch.setattr(type(system), "check_prover", lambda _: missing())
    circuits = BuiltCircuits(cache=tmp_path, prover="snarkjs")
    try:
        for _ in range(5):
            assert circuits.offered() == frozenset()
        assert missing.asked == 1
        assert len(circuits.troubles()) == 8
    finally:
        circuits.close()
