"""Which of proving and evaluating a reader's decision is said to be cheaper, and from where on."""

import pytest

from zkagent.executor.bench.decision_cost import DecisionCost, sample_features
from zkagent.models.networks.reading import FEATURES, TOOL_FEATURES


@pytest.mark.parametrize(
    ("evaluated", "alone", "further", "first"),
    [
        (130_000, 400_000, 70_000, 6),
        (130_000, 130_000, 70_000, 2),  # as much, alone
        (130_000, 129_999, 200_000, 1),
        (100, 400, 50, 8),  # at seven both cost 700
        (70_000, 400_000, 70_000, None),
        (60_000, 400_000, 70_000, None),
    ],
)
def test_proofs_are_cheaper_from_so_many_together(
    evaluated: int, alone: int, further: int, first: int | None
) -> None:
    cost = DecisionCost(evaluated, alone, further)
    assert cost.proofs_from == first
    counted = [n for n in range(1, 100) if cost.proven(n) < n * evaluated]
    assert counted[:1] == ([] if first is None else [first])


def test_it_is_told_in_a_line() -> None:
    told = DecisionCost(130_000, 400_000, 70_000).told()
    assert told.endswith(
        "evaluating is cheaper; where 6 or more proofs are verified in one transaction, proofs are "
        "(70,000 for each further one)"
    )
    assert "130,000 gas evaluated" in told
    assert DecisionCost(60, 400, 70).told().endswith("however many proofs are verified together")
    assert DecisionCost(401, 400, 70).told().endswith("400 by a proof: a proof is cheaper")


def test_the_sample_has_eight_tools_and_six_candidates() -> None:
    x = sample_features()
    assert len(x) == FEATURES
    assert x[TOOL_FEATURES - 1] == 255
    assert all(x[: TOOL_FEATURES - 1][at] for at in range(0, TOOL_FEATURES - 1, 32))
    pairs = [x[at : at + 3] for at in range(TOOL_FEATURES, FEATURES - 1, 3)]
    assert sum(any(pair) for pair in pairs) == 6
    assert all(-(1 << 15) <= value < 1 << 15 for value in x)
