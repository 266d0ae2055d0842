"""Every way to ask a proof service, and services that lie: one plain line, in time."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import exit_code, one_line_error
from tests.support.command_tree import TREE
from tests.support.fleet import eventually
from tests.support.liars import CIRCUIT, FEATURES, LIES, WORDS, lying_service, says, view
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.errors import ZkagentError
from zkagent.executor.cli import prove
from zkagent.executor.runs.service_prover import CheckedService
from zkagent.prover.client import AsyncServiceClient, ServiceClient, ServiceProver, Wanted
from zkagent.prover.errors import ProofFalse
from zkagent.prover.service.errors import NoProofYet, ServiceGarbled
from zkagent.prover.service.wire import asking, exchange, polling

TIMEOUT_S = 0.4  # for who never ends an answer
LONG_S = 60.0  # for everybody else: they answer at once, if this machine lets them
#: Of a service at an address, in so many seconds.
Asking = Callable[[str, float], None]
ASKED = "ef" * 32
SUMMARY = dict.fromkeys(("started_at", "finished_at", "deadline", "failure", "callback")) | {
    **{"id": "cd" * 32, "circuit": CIRCUIT, "state": "waiting", "priority": 0, "attempts": 0},
    "created_at": "2026-01-01T00:00:00Z",
}


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_ANSWER_BYTES", 1 << 22)
    monkeypatch.setattr(prove, "PATIENCE_S", 0.3)
    monkeypatch.setattr(polling, "LATE_S", 0.1)
    monkeypatch.setattr(exchange, "SHORTEST_S", LONG_S)


def time_for(why: str) -> float:
    """Seconds for a service that tells this lie."""
    return TIMEOUT_S if why == "no whole answer within" else LONG_S


@pytest.fixture
def given(tmp_path: Path) -> Path:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(FEATURES))
    return path


def by_run(url: str, timeout_s: float) -> None:
    with ServiceProver(url, CIRCUIT, timeout_s=timeout_s, patience_s=0.3) as prover:
        prover.prove(FEATURES)


def by_asyncio(url: str, timeout_s: float) -> None:
    async def ask() -> None:
        async with AsyncServiceClient(url, patience_s=0.3) as service:
            await service.prove_features(CIRCUIT, FEATURES, timeout_s=timeout_s)

    asyncio.run(ask())


@pytest.mark.parametrize("name", LIES)
def test_prove_says_it_in_one_plain_line(
    name: str, given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lie, why = LIES[name]
    began = time.monotonic()
    with lying_service(lie) as url:
        words = ("--input", given, "--service", url, "--timeout", time_for(why))
        assert exit_code("prove", CIRCUIT, *words) == 1
    line = one_line_error(capsys).rstrip("\n")
    assert time.monotonic() - began < LONG_S
    assert why in line
    assert url in line or "proof cdcdcdcd" in line
    assert line.isprintable()
    assert len(line) < 1500


@pytest.mark.parametrize("ask", [by_run, by_asyncio])
@pytest.mark.parametrize("name", LIES)
def test_the_other_ways_to_ask_say_the_same(name: str, ask: Asking) -> None:
    lie, why = LIES[name]
    with lying_service(lie) as url, pytest.raises(ZkagentError) as error:
        ask(url, time_for(why))
    assert why in str(error.value)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 1500


def test_whatever_asks_a_service_asks_by_these_ways() -> None:
    """All but `prove` have their proofs made by `executor.runs.target.Proving`."""
    asking_one = {
        name
        for name, found in TREE.items()
        if any("--service" in option.opts for option in found.params)
    }
    assert asking_one == {
        "zkagent agent run",
        "zkagent estimate",
        "zkagent mcp",
        "zkagent operate",
        "zkagent prove",
        "zkagent run",
        "zkagent runs replace",
        "zkagent runs resume",
    }
    assert issubclass(CheckedService, ServiceProver)


def test_an_honest_answer_is_taken(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scale = {"format": "zkagent-proof-2", "input_scale_bits": 0, "output_scale_bits": [0]}
    about = dict.fromkeys(("model", "prompt", "decision"), WORDS)
    with lying_service(says(view(proof={**scale, "about": about}))) as url:
        words = ("prove", CIRCUIT, "--input", given, "--service", url)
        assert exit_code(*words) == 0
        printed = capsys.readouterr()
        assert exit_code(*words, "--out", given.with_name("proof.json")) == 0
        assert ", not verified, circuit abab" in capsys.readouterr().out
        assert exit_code(*words, "--json") == 0
        assert json.loads(capsys.readouterr().out)["verified"] is False
    assert Proof.from_json(printed.out).about is None
    assert f"not verified here: circuit {CIRCUIT[:16]}" in printed.err


def test_waiting_for_who_never_ends_an_answer_ends() -> None:
    drip, _ = LIES["a body that drips"]
    began = time.monotonic()
    with lying_service(drip) as url, ServiceClient(url) as service, pytest.raises(NoProofYet):
        service.wait("cd" * 32, timeout_s=TIMEOUT_S)
    assert time.monotonic() - began < LONG_S


def test_who_never_comes_to_an_answer_keeps_no_thread_busy() -> None:
    """Also while the client stays open, and tries again."""

    def for_ever(asked: socket.socket) -> None:
        while True:
            asked.sendall(b"HTTP/1.1 102 Processing\r\n\r\n" * 500)

    before = requests()
    with lying_service(for_ever) as url, ServiceClient(url) as service:
        for _ in range(2):
            with pytest.raises(NoProofYet):
                service.wait("cd" * 32, timeout_s=TIMEOUT_S)
        eventually(lambda: requests() <= before, LONG_S)


def requests() -> set[threading.Thread]:
    """Those under way."""
    return {thread for thread in threading.enumerate() if thread.name == "zkagent-request"}


@pytest.mark.parametrize("value", [[], {}, {"circuits": 1}, {"proofs": [{}], "next": None}])
def test_lists_and_verdicts_are_looked_at_too(value: object) -> None:
    with lying_service(says(value)) as url, ServiceClient(url) as service:
        proof = Proof(CIRCUIT, FEATURES, (5, 6), b"")
        asked = (service.circuits, lambda: list(service.proofs()), lambda: service.verify(proof))
        for ask in asked:
            with pytest.raises(ServiceGarbled):
                ask()
        with pytest.raises(ServiceGarbled):
            service.submit(Wanted.of_features(CIRCUIT, FEATURES))


def test_an_answer_about_another_proof_is_none() -> None:
    async def ask_at_once(url: str, *, cancel: bool) -> None:
        async with AsyncServiceClient(url) as service:
            await (service.cancel(ASKED) if cancel else service.get(ASKED))

    with lying_service(says(view(id="cd" * 32))) as url, ServiceClient(url) as service:
        for ask in (
            lambda: service.get(ASKED),
            lambda: service.cancel(ASKED),
            lambda: service.wait(ASKED, timeout_s=LONG_S),
            lambda: asyncio.run(ask_at_once(url, cancel=False)),
            lambda: asyncio.run(ask_at_once(url, cancel=True)),
        ):
            with pytest.raises(ServiceGarbled, match="about another proof"):
                ask()
        assert service.get("cd" * 32).id == "cd" * 32


@pytest.mark.parametrize("listed", [[], [SUMMARY]])
def test_a_list_that_goes_round_in_circles_ends(listed: list[object]) -> None:
    with (
        lying_service(says({"proofs": listed, "next": "here"})) as url,
        ServiceClient(url) as service,
        pytest.raises(ServiceGarbled, match="in circles"),
    ):
        list(service.proofs())


def test_a_false_proof_is_the_services_and_not_the_circuits(circuit: Circuit) -> None:
    features = [0] * circuit.facts.input_count
    proof = {
        "circuit": circuit.digest,
        "inputs": features,
        "outputs": [0] * circuit.facts.output_count,
    }
    with (
        lying_service(says(view(proof=proof))) as url,
        CheckedService(url, circuit) as prover,
        pytest.raises(ProofFalse, match=f"by the service at {url} .* do not rely on that service"),
    ):
        prover.prove(features)
