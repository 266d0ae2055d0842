"""What counts as equal, by what an output is."""

import numpy as np
import pytest

from zkagent.circuits.networks.judging import USUAL, Criterion, Judged, Kind

LARGEST = Criterion(decisions=True)


@pytest.mark.parametrize(
    ("outputs", "kind"),
    [
        (np.array([[1, 2, 3]]), Kind.LABELS),
        (np.array([True, False]), Kind.LABELS),
        (np.array([[0.25, 0.75]]), Kind.PROBABILITIES),
        (np.array([[0.25, 0.75], [1.0, 0.0]], dtype=np.float32), Kind.PROBABILITIES),
        (np.array([[0.25, 0.74]]), Kind.NUMBERS),
        (np.array([[-0.25, 1.25]]), Kind.NUMBERS),
        (np.array([1.0]), Kind.NUMBERS),
        (np.array(1.0), Kind.NUMBERS),
        (np.array([[3.0, -1.0]]), Kind.NUMBERS),
    ],
)
def test_an_output_is_judged_by_what_it_is(outputs: np.ndarray, kind: Kind) -> None:
    assert Judged.of([outputs], USUAL).kind is kind


def test_one_sample_that_sums_to_another_number_makes_numbers_of_all() -> None:
    rows = [np.array([[0.5, 0.5]]), np.array([[0.5, 0.6]])]
    assert Judged.of(rows[:1], USUAL).kind is Kind.PROBABILITIES
    assert Judged.of(rows, USUAL).kind is Kind.NUMBERS


def test_scores_decide_only_where_somebody_says_so() -> None:
    scores = [np.array([[3.0, -1.0]])]
    assert Judged.of(scores, LARGEST).kind is Kind.DECISIONS
    assert Judged.of([np.array([3.0])], LARGEST).kind is Kind.NUMBERS  # there is no other one


def agrees(theirs: list[float], ours: list[float], criterion: Criterion = USUAL) -> bool:
    """The circuit's numbers with four bits of fraction."""
    right, found = np.array([theirs]), np.array([[round(16 * each) for each in ours]], dtype=object)
    deviation = float(np.abs(right - np.array([ours])).max())
    return Judged.of([right], criterion).agrees(right, found, deviation, criterion)


def test_numbers_are_near_within_a_part_of_the_largest() -> None:
    assert agrees([100.0, -1.0], [101.0, -1.0])
    assert agrees([100.0, -1.0], [100.0, -2.0])
    assert not agrees([100.0, -1.0], [101.25, -1.0])
    assert not agrees([1.0, -1.0], [1.0, -1.0625])
    assert agrees([0.0, 0.0], [0.0, 0.0])
    assert not agrees([0.0, 0.0], [0.0625, 0.0])


def test_probabilities_need_the_same_largest_and_to_be_near() -> None:
    assert agrees([0.5, 0.5], [0.5, 0.5])
    assert not agrees([0.25, 0.75], [0.3125, 0.6875])  # the same largest, too far
    near = np.array([[0.499, 0.501]])
    judged = Judged.of([near], USUAL)
    assert judged.kind is Kind.PROBABILITIES
    assert judged.agrees(near, np.array([[499, 501]], dtype=object), 0.002, USUAL)
    assert not judged.agrees(near, np.array([[501, 499]], dtype=object), 0.002, USUAL)


def test_decisions_need_the_largest_alone() -> None:
    assert agrees([3.0, 1.0], [9.0, 8.0], LARGEST)
    assert not agrees([3.0, 1.0], [8.0, 9.0], LARGEST)


def test_labels_are_the_same_or_not() -> None:
    labels = np.array([3])
    judged = Judged.of([labels], USUAL)
    assert judged.agrees(labels, np.array([3], dtype=object), 0.0, USUAL)
    assert not judged.agrees(labels, np.array([4], dtype=object), 1.0, USUAL)


def test_a_tolerance_is_all_that_counts() -> None:
    assert agrees([0.25, 0.75], [0.3125, 0.6875], Criterion(0.1))
    assert not agrees([100.0, -1.0], [101.0, -1.0], Criterion(0.1))
