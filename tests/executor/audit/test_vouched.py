"""Of a contract that somebody can vouch for, what cannot be told says so."""

from typing import Any

from zkagent.executor.audit.agent import vouched
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.receipts.verdicts import Check

ADDRESS = "0x" + "11" * 20
TOOL = Place("tool 'Gold'", ADDRESS, ("SimpleSmartContractTool",))
UNKNOWN = Check("tool", "says the same to all", "who knows", unknown=True)
BROKEN = Check("tool", "says the same to all", "it does not")


def test_what_is_unknown_of_it_is_vouchable_until_it_is_trusted() -> None:
    nowhere: Any = None
    asked, trusting = Code(nowhere, nowhere), Code(nowhere, nowhere, {f"tool={ADDRESS}"})
    found = vouched(asked, TOOL, UNKNOWN)
    assert (found.unknown, found.vouchable, found.problem) == (True, True, "who knows")
    assert vouched(trusting, TOOL, UNKNOWN).held
    for code in (asked, trusting):
        assert vouched(code, TOOL, BROKEN) == BROKEN
