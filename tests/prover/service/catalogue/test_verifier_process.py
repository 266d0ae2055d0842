"""The process that verifies, stopped in mid-sentence: nobody waits for it for long."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from zkagent.circuits.artifacts import Proof
from zkagent.prover.errors import ProverError, ProverTroubled
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


def test_a_verifier_whose_temporary_folder_was_swept_away_is_replaced(
    verifier: VerifierProcess, proof: Proof
) -> None:
    """As tools do that keep the folder for temporary files small."""
    assert verifier._child
    shutil.rmtree(verifier._child._folder.path)
    with pytest.raises(ProverTroubled):
        verifier.verify(proof)
    assert verifier.verify(proof) == Verdict(True)


@contextmanager
def stopped(verifier: VerifierProcess) -> Iterator[None]:
    """Its process does nothing meanwhile, and is gone afterwards."""
    assert verifier._child
    pid = verifier._child.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("inputs", [4, 60_000])
def test_a_verifier_that_is_stopped_is_given_up_in_time_and_replaced(
    verifier: VerifierProcess, proof: Proof, inputs: int
) -> None:
    """Also while a proof longer than a pipe is written to it, and for those who wait behind."""
    asked = replace(proof, inputs=(0,) * inputs)
    verifier._timeout_s = 0.3
    began = time.monotonic()
    with ThreadPoolExecutor() as pool, stopped(verifier):
        answers: list[Future[Verdict]] = [pool.submit(verifier.verify, asked) for _ in range(3)]
        errors = [answer.exception(300) for answer in answers]
    assert VerifierBusy in {type(error) for error in errors}
    assert time.monotonic() - began < 100
    verifier._timeout_s = 300.0
    assert verifier.verify(proof) == Verdict(True)


def test_nobody_waits_longer_than_for_a_verdict_until_others_have_theirs(
    verifier: VerifierProcess, proof: Proof
) -> None:
    verifier._timeout_s = 0.1
    with ThreadPoolExecutor() as pool, verifier._lock:
        answer = pool.submit(verifier.verify, proof)
        assert isinstance(answer.exception(300), VerifierBusy)
    verifier._timeout_s = 300.0
    assert verifier.verify(proof)


def test_closing_waits_for_no_verdict(verifier: VerifierProcess, proof: Proof) -> None:
    with ThreadPoolExecutor() as pool, stopped(verifier):
        answers = [pool.submit(verifier.verify, proof) for _ in range(2)]
        threading.Event().wait(0.1)
        began = time.monotonic()
        verifier.close()
        assert all(isinstance(answer.exception(300), ProverError) for answer in answers)
    assert time.monotonic() - began < 100
    assert verifier._child is None
