"""Faults on record, and that they come back as they were."""

import pytest

from zkagent.executor.runtime.core.errors import ModelTimeout, RuntimeFault, ToolFault, ToolTimeout
from zkagent.executor.runtime.running import faults
from zkagent.executor.runtime.running.faults import fault_json, fault_of


class OfAHost(ToolFault):
    """Has no code of its own."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (ToolFault("no", retriable=True, status=3), ToolFault),
        (ToolTimeout("late"), ToolTimeout),
        (ModelTimeout("late"), ModelTimeout),
        (RuntimeFault("no"), RuntimeFault),
        (OfAHost("it", "failed"), ToolFault),
    ],
)
def test_a_fault_comes_back_as_its_kind_also_where_a_host_has_kinds_of_its_own(
    fault: RuntimeFault, kind: type[RuntimeFault], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "_KINDS", faults._by_code())  # as if the host had been first
    found = fault_of(fault_json(fault))
    assert (type(found), str(found), found.info) == (kind, str(fault), fault.info)
    assert getattr(found, "retriable", None) == getattr(fault, "retriable", None)


def test_a_fault_of_a_code_that_nobody_knows_is_one_all_the_same() -> None:
    found = fault_of({"code": "of_a_later_version", "message": "no", "info": {}})
    assert (type(found), str(found)) == (RuntimeFault, "no")
