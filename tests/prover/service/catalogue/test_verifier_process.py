"""The process that verifies, stopped in mid-sentence: nobody waits for it for long."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from zkagent.circuits.artifacts import Proof
from zkagent.prover.errors import ProverError
from zkagent.prover.service.catalogue.verifier_process import VerifierProcess
from zkagent.prover.service.errors import VerifierBusy
from zkagent.prover.verification import Verdict


@pytest.fixture
def verifier(session_cache: Path, proof: Proof) -> Iterator[VerifierProcess]:
    """One that has given a verdict."""
    started = VerifierProcess(session_cache)
    assert started.verify(proof)
    yield started
    started.close()


def stop(verifier: VerifierProcess) -> None:
    assert verifier._child
    os.kill(verifier._child.pid, signal.SIGSTOP)


@pytest.mark.parametrize("inputs", [4, 60_000])
def test_a_verifier_that_is_stopped_is_given_up_in_time_and_replaced(
    verifier: VerifierProcess, proof: Proof, inputs: int
) -> None:
    """Also while a proof longer than a pipe is written to it, and for those who wait behind."""
    asked = replace(proof, inputs=(0,) * inputs)
    stop(verifier)
    verifier._timeout_s = 0.3
    began = time.monotonic()
    with ThreadPoolExecutor() as pool:
        answers: list[Future[Verdict]] = [pool.submit(verifier.verify, asked) for _ in range(3)]
        errors = [answer.exception(20) for answer in answers]
    assert VerifierBusy in {type(error) for error in errors}
    assert time.monotonic() - began < 10
    verifier._timeout_s = 30.0
    assert verifier.verify(proof) == Verdict(True)


def test_closing_waits_for_no_verdict(verifier: VerifierProcess, proof: Proof) -> None:
    stop(verifier)
    with ThreadPoolExecutor() as pool:
        answers = [pool.submit(verifier.verify, proof) for _ in range(2)]
        threading.Event().wait(0.1)
        began = time.monotonic()
        verifier.close()
        assert all(isinstance(answer.exception(20), ProverError) for answer in answers)
    assert time.monotonic() - began < 10
    assert verifier._child is None
