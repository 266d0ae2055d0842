"""No secret is in any file that permissions write: log, key, head, ledger and SQLite's own."""

import asyncio
from pathlib import Path

import pytest
from eth_account import Account

from tests.executor.runtime.permissions.asking import asked, step_verdict, tool, verdict
from tests.executor.runtime.permissions.samples import positives
from zkagent.executor.runtime.core.errors import ApprovalNeeded
from zkagent.executor.runtime.core.steps import PlanStep
from zkagent.executor.runtime.durable.approvals import KeptApprovals
from zkagent.executor.runtime.durable.database import VARIABLE, open_runs
from zkagent.executor.runtime.permissions.approvals import ApprovalDesk, Supervised
from zkagent.executor.runtime.permissions.audit.anchors import head_file
from zkagent.executor.runtime.permissions.audit.log import AuditLog
from zkagent.executor.runtime.permissions.audit.verify import verify_log
from zkagent.executor.runtime.permissions.defaults import default_permissions
from zkagent.executor.runtime.permissions.ledger import Ledger
from zkagent.executor.runtime.permissions.redaction.kinds import KINDS

PAY = tool("pay")
OWNER = Account.from_key(b"\x01" * 32)


def test_what_is_planted_is_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "ab" * 32)
    store = KeptApprovals(open_runs(tmp_path / "runs.sqlite"))
    ledger = Ledger(tmp_path / "ledger")
    audit = AuditLog(tmp_path / "log", anchor=head_file(tmp_path / "head", OWNER))
    desk = ApprovalDesk(store, wait_s=0, audit=audit)
    engine = default_permissions(
        redact=KINDS, rules=[Supervised(["pay"])], rate_store=ledger, audit=audit
    )
    samples = [each for each in positives() if len(each.planted) > 7][::4]

    async def run() -> None:
        for number, sample in enumerate(samples):
            about = asked("input", PAY, step=number)
            given = (await engine.judge_value(about, {"x": sample.value})).value
            step = PlanStep("tool", "pay", given)
            found = await engine.judge_step(asked("plan", PAY, step=number), step)
            assert found.waits
            with pytest.raises(ApprovalNeeded) as waiting:
                await desk.wait(about, step, found.reason)
            assert sample.planted not in str(waiting.value)

    asyncio.run(run())
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert len(samples) > 40
    assert [each for each in samples if each.planted.encode() in written] == []
    assert verify_log(tmp_path / "log").records > len(samples)
    assert len(store.waiting()) > 40


def test_a_refusal_in_the_log_tells_where_it_was(tmp_path: Path) -> None:
    engine = default_permissions(audit=AuditLog(tmp_path / "log"))
    assert not step_verdict(engine, tool("wipe", destructive=True), run="r1", step=4).allowed
    assert verdict(engine, "password=hunter2x", run="r1").changed
    text = (tmp_path / "log").read_text()
    assert '"kind":"refused"' in text
    assert '"rules":["safe_tools"],"run":"r1","step":4,"tool":"wipe"' in text
    assert "hunter2x" not in text
