"""What an audit ends in: one verdict, its reasons in a line, and the same for machines."""

import pytest

from zkagent.executor.audit.report import Audit
from zkagent.executor.receipts.verdicts import Check

HELD = Check("executor", "is ours", "")
NOTED = Check("agent", "is ours", "", note="an older version")
UNKNOWN = Check("pool", "is ours", "nobody compiled it", unknown=True)
BROKEN = Check("tool", "is ours", "it has two faces")


@pytest.mark.parametrize(
    ("checks", "verdict", "conclusion"),
    [
        ((HELD,), "sound", "sound: agent 1"),
        ((HELD, NOTED), "sound", "sound: agent 1 (agent: an older version)"),
        ((HELD, UNKNOWN, UNKNOWN), "unknown", "unknown: agent 1: pool"),
        ((HELD, UNKNOWN, BROKEN, NOTED), "unsound", "unsound: agent 1: tool"),
        ((BROKEN, BROKEN), "unsound", "unsound: agent 1: tool"),
    ],
)
def test_the_verdict_names_what_it_rests_on(
    checks: tuple[Check, ...], verdict: str, conclusion: str
) -> None:
    audit = Audit("agent 1", checks)
    assert (audit.verdict, bool(audit)) == (verdict, verdict == "sound")
    assert audit.conclusion == conclusion
    assert audit.problems == tuple(check for check in checks if check in (UNKNOWN, BROKEN))
    assert audit.notes == tuple(check for check in checks if check is NOTED)


def test_machines_are_told_the_same() -> None:
    told = Audit("agent 1", (NOTED, UNKNOWN, BROKEN), {"owner": "0x1"}).to_json()
    assert (told["verdict"], told["held"], told["facts"]) == ("unsound", False, {"owner": "0x1"})
    assert [check["status"] for check in told["checks"]] == ["held", "unknown", "broken"]
    assert told["checks"][0] == {
        "subject": "agent",
        "claim": "is ours",
        "status": "held",
        "problem": "",
        "note": "an older version",
    }
