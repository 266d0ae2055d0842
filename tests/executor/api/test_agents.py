"""What `zkagent.agent` refuses before anything is looked for."""

import pytest

import zkagent
from zkagent.errors import ZkagentError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tolerance", float("nan")),
        ("tolerance", -0.1),
        ("tolerance", 1.5),
        ("deadline_s", -5),
        ("deadline_s", 0),
        ("deadline_s", 10_000_001),
        ("deadline_s", 1 << 64),
        ("deadline_s", 1.5),
        ("deadline_s", float("nan")),
        ("timeout_s", 0.0),
        ("timeout_s", float("nan")),
        ("confirmations", 0),
        ("max_fee_gwei", float("nan")),
        ("max_priority_fee_gwei", -1.0),
    ],
)
def test_a_number_is_refused_by_its_own_name(name: str, value: float) -> None:
    with pytest.raises(ZkagentError, match=f"^{name} is "), zkagent.agent(**{name: value}):  # type: ignore[arg-type]
        pass
