"""Steps that wait for somebody, in memory and in a file alike."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.executor.runtime.permissions.asking import asked, step_verdict, tool
from zkagent.executor.runtime.core.errors import AgentConfigRefused, ApprovalNeeded, RoleMissing
from zkagent.executor.runtime.core.permissions import Verdict
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.durable.approvals import KeptApprovals
from zkagent.executor.runtime.durable.database import VARIABLE, open_runs
from zkagent.executor.runtime.permissions.approvals import (
    ApprovalDesk,
    ApprovalStore,
    MemoryApprovals,
    Request,
    State,
    Supervised,
    step_digest,
)
from zkagent.executor.runtime.permissions.audit.recorder import MemoryAudit
from zkagent.executor.runtime.permissions.engine import PermissionEngine
from zkagent.executor.runtime.permissions.ledger import Ledger
from zkagent.executor.runtime.permissions.roles import Principal

ADA = Principal("ada", frozenset({"approver"}))
PAY = PlanStep("tool", "pay", {"to": "bob", "amount": 5})
DIGEST = step_digest(asked(), PAY)


@contextmanager
def kept(folder: Path) -> Iterator[KeptApprovals]:
    with closing(open_runs(folder / "runs.sqlite")) as database:
        yield KeptApprovals(database)


@pytest.fixture(params=["memory", "file"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ApprovalStore]:
    monkeypatch.setenv(VARIABLE, "ab" * 32)
    if request.param == "memory":
        yield MemoryApprovals()
    else:
        with kept(tmp_path) as found:
            yield found


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def desk(store: ApprovalStore, clock: Clock | None = None, **others: Any) -> ApprovalDesk:
    usual: dict[str, Any] = {"wait_s": 0, "poll_s": 0.001, "expires_s": 60}
    return ApprovalDesk(store, clock=clock or Clock(), **{**usual, **others})


def wait(at: ApprovalDesk, of: PlanStep = PAY, **others: Any) -> Verdict:
    return asyncio.run(at.wait(asked(**others), of, "payments are approved"))


def decide(at: ApprovalDesk, *, approve: bool = True, digest: str = DIGEST) -> None:
    asyncio.run(at.decide(digest, ADA, approve=approve))


def asking(at: ApprovalDesk) -> None:
    with pytest.raises(ApprovalNeeded, match=DIGEST):
        wait(at)


def test_calls_of_supervised_tools_wait_and_others_do_not() -> None:
    engine = PermissionEngine([Supervised(["pay"])])
    found = step_verdict(engine, tool("pay"))
    assert (found.allowed, found.waits, found.rules) == (False, True, ("approvals",))
    assert step_verdict(engine, tool("look")).allowed


def test_only_those_wait_that_the_owner_means() -> None:
    engine = PermissionEngine([Supervised(["pay"], when=lambda given: given["amount"] > 9)])  # type: ignore[index, call-overload, operator]
    assert step_verdict(engine, tool("pay"), {"amount": 9}).allowed
    assert step_verdict(engine, tool("pay"), {"amount": 10}).waits
    assert not step_verdict(engine, tool("pay"), {}).allowed
    with pytest.raises(AgentConfigRefused, match="at least one"):
        Supervised([])


@pytest.mark.parametrize("approve", [True, False])
def test_an_answer_is_what_the_run_goes_on_with(store: ApprovalStore, approve: bool) -> None:
    at = desk(store)
    asking(at)
    decide(at, approve=approve)
    found = wait(at)
    assert found.allowed is approve
    assert approve or "ada denied" in found.reason


@pytest.mark.parametrize(
    ("step", "others"),
    [
        (replace(PAY, input={"to": "eve", "amount": 5}), {}),
        (replace(PAY, input={"to": "bob", "amount": 5.0}), {}),
        (replace(PAY, tool_id="refund"), {}),
        (PAY, {"run": "other"}),
        (PAY, {"step": 1}),
        (PAY, {"agent": "chief"}),
    ],
)
def test_an_approval_fits_no_other_step(
    store: ApprovalStore, step: PlanStep, others: dict[str, Any]
) -> None:
    at = desk(store)
    asking(at)
    decide(at)
    assert wait(at).allowed
    with pytest.raises(ApprovalNeeded):
        wait(at, step, **others)


def test_an_answer_is_given_once(store: ApprovalStore) -> None:
    at = desk(store)
    asking(at)
    decide(at, approve=False)
    with pytest.raises(ApprovalNeeded, match="answered or expired"):
        decide(at)
    assert not wait(at).allowed


def test_what_nobody_asked_for_is_not_approved_beforehand(store: ApprovalStore) -> None:
    with pytest.raises(ApprovalNeeded, match="answered or expired"):
        decide(desk(store))


def test_nobody_approves_without_the_role(store: ApprovalStore) -> None:
    at = desk(store)
    asking(at)
    with pytest.raises(RoleMissing, match="bob may not approve"):
        asyncio.run(at.decide(DIGEST, Principal("bob", frozenset({"operator"})), approve=True))
    asking(at)


def test_a_question_and_an_approval_expire(store: ApprovalStore) -> None:
    clock = Clock()
    at = desk(store, clock)
    asking(at)
    clock.now += 59.9
    decide(at)
    assert wait(at).allowed
    clock.now += 0.1
    assert "expired" in wait(at).reason
    asked_late = replace(PAY, input={})
    with pytest.raises(ApprovalNeeded):
        wait(at, asked_late)
    clock.now += 60
    with pytest.raises(ApprovalNeeded, match="expired"):
        decide(at, digest=step_digest(asked(), asked_late))


def test_a_run_waits_for_an_answer_that_comes_later(store: ApprovalStore) -> None:
    at = desk(store, wait_s=600)

    async def meanwhile() -> Verdict:
        waiting = asyncio.create_task(at.wait(asked(), PAY, "payments"))
        while not store.waiting():
            await asyncio.sleep(0.001)
        assert [each.input for each in store.waiting()] == [PAY.input]
        await at.decide(DIGEST, ADA, approve=True)
        return await waiting

    assert asyncio.run(meanwhile()).allowed
    assert not store.waiting()


def test_an_answer_is_there_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "ab" * 32)
    with kept(tmp_path) as store:
        asking(desk(store))
    with kept(tmp_path) as store:
        decide(desk(store))
    with kept(tmp_path) as store:
        assert wait(desk(store)).allowed


def test_answers_are_in_the_audit_log_before_they_hold() -> None:
    audit = MemoryAudit()
    at = desk(MemoryApprovals(), audit=audit)
    asking(at)
    decide(at)
    assert [record["kind"] for record in audit.records] == ["approving", "approved"]
    for record in audit.records:
        assert (record["by"], record["run"]) == ("ada", "run")
        assert record["value"] == audit.digest([PAY.tool_id, PAY.message, PAY.input])


def test_whoever_was_not_first_has_approved_nothing_by_the_audit_log() -> None:
    audit, store = MemoryAudit(), MemoryApprovals()
    asking(desk(store))
    first = store.find(DIGEST)
    store.decide(DIGEST, "denied", "bob")
    store.find = lambda digest: first  # type: ignore[method-assign]
    with pytest.raises(ApprovalNeeded, match="it was answered"):
        decide(desk(store, audit=audit))
    assert [record["kind"] for record in audit.records] == ["approving"]


@pytest.mark.parametrize("doing", ["ask", "look", "answer"])
def test_a_store_that_takes_its_time_keeps_nothing_else_waiting(doing: str) -> None:
    threads: list[int] = []

    class Slow(MemoryApprovals):
        def add(self, request: Request) -> Request:
            threads.append(threading.get_ident())
            return super().add(request)

        def find(self, digest: str) -> Request | None:
            threads.append(threading.get_ident())
            return super().find(digest)

        def decide(self, digest: str, state: State, by: str) -> Request | None:
            threads.append(threading.get_ident())
            return super().decide(digest, state, by)

    at = desk(Slow(), wait_s=0.01 if doing == "look" else 0)
    asking(at)
    if doing == "answer":
        decide(at)
    assert threads
    assert threading.get_ident() not in threads


def test_the_ledger_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    Ledger(path)
    assert path.stat().st_mode & 0o777 == 0o600
