"""`zkagent prove --service` when nobody answers there: said at once, and given up soon."""

import socket
from types import SimpleNamespace

import pytest

from tests.support.command_line import exit_code
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.cli import prove
from zkagent.executor.runs import service_prover
from zkagent.prover import client
from zkagent.prover.service.errors import ServiceUnreachable
from zkagent.prover.service.wire import exchange, polling


@pytest.fixture
def nobody() -> str:
    """An address at which nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{bound.getsockname()[1]}"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Time passes by sleeping alone."""
    now = [0.0]
    still = SimpleNamespace(
        monotonic=lambda: now[0], sleep=lambda s: now.__setitem__(0, now[0] + s)
    )
    for module in (prove, client, exchange, polling):
        monkeypatch.setattr(module, "time", still)
    return now


def asked(service: str, *more: str) -> int:
    return exit_code("prove", "wallet", "--prompt", "deposit 5 USDC", "--service", service, *more)


def test_it_is_said_and_given_up_soon(
    nobody: str,
    clock: list[float],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(prove, "PATIENCE_S", 1.0)
    monkeypatch.setattr(prove, "TELL_S", 0.2)
    assert asked(nobody) == 1
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith(f"no prover service at {nobody} (")
    assert first.endswith("start one with `zkagent serve`; trying for 1 s")
    assert last == f"error: {first.removesuffix('; trying for 1 s')}"


def test_the_user_hears_of_it_within_seconds() -> None:
    assert prove.TELL_S <= 2
    assert prove.PATIENCE_S <= 10


def test_with_wait_it_is_tried_for_as_long_as_the_proof_may_take(
    nobody: str, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prove, "PATIENCE_S", 0.1)
    assert asked(nobody, "--wait", "--timeout", "1.5") == 1
    assert 0.7 < clock[0] <= 1.5


def test_a_scheme_that_was_left_out_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked("localhost:8642") == 2
    assert "did you mean http://localhost:8642?" in capsys.readouterr().err


def test_a_run_looks_for_its_service_before_anything_is_planned(
    nobody: str, monkeypatch: pytest.MonkeyPatch, circuit: Circuit
) -> None:
    assert service_prover.FIRST_S <= 10
    monkeypatch.setattr(service_prover, "FIRST_S", 0.3)
    with pytest.raises(ServiceUnreachable, match=nobody):
        service_prover.CheckedService(nobody, circuit)
