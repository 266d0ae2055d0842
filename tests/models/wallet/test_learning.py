"""The learning curve over writers: what is counted as right, wrong, and not done."""

import math

import pytest

torch = pytest.importorskip("torch")

from zkagent.models.instructions.packing import TOKENS, Verdict  # noqa: E402
from zkagent.models.training.gated import GatedSizes  # noqa: E402
from zkagent.models.training.gated_training import Recipe, Trained  # noqa: E402
from zkagent.models.wallet.learning import (  # noqa: E402
    MARGINS,
    NOTHING,
    OTHERS,
    VIEWS,
    Counts,
    Curve,
    Outcome,
    curve,
    learned,
    lines,
)
from zkagent.models.wallet.text.tagged import Tagged, tagged  # noqa: E402
from zkagent.models.wallet.text.written import messages, understood  # noqa: E402


def outcome(kind: str, verdict: Verdict, margin: float, acts: bool, same: bool) -> Outcome:
    return Outcome(kind, verdict, margin, acts=acts, same=same)


OUTCOMES = [
    outcome("plain", Verdict.ACT, 3.0, True, True),
    outcome("plain", Verdict.ACT, 1.0, True, True),
    outcome("plain", Verdict.ACT, 1.0, True, False),
    outcome("plain", Verdict.ACT, 9.0, False, False),  # its tags come to nothing
    outcome("twin", Verdict.ACT, 2.0, True, True),  # of a kind that is in no group
    outcome("view", Verdict.VIEW, 0.5, False, True),
    outcome("twin", Verdict.DECLINE, 1.5, True, True),  # whatever its tags say
    outcome("talk", Verdict.DECLINE, -1.0, True, False),
    outcome("missing", Verdict.ASK, 5.0, False, False),
]


@pytest.mark.parametrize(
    ("margin", "plain", "others", "nothing"),
    [
        (0.0, Counts(4, 2, 1), Counts(1, 1, 0), Counts(3, 2, 1)),
        (1.0, Counts(4, 1, 0), Counts(1, 1, 0), Counts(3, 2, 1)),
        (2.0, Counts(4, 1, 0), Counts(1, 0, 0), Counts(3, 3, 0)),
        (3.0, Counts(4, 0, 0), Counts(1, 0, 0), Counts(3, 3, 0)),
    ],
)
def test_what_acts_otherwise_than_asked_is_wrong(
    margin: float, plain: Counts, others: Counts, nothing: Counts
) -> None:
    """Views make nothing else look better: they are counted apart."""
    views = Counts(1, 1, 0)
    found = {"plain": plain, OTHERS: others, VIEWS: views, NOTHING: nothing}
    assert Curve(OUTCOMES).at(margin) == found


def test_the_worst_kinds_are_told_one_by_one() -> None:
    found = Curve(OUTCOMES).worst(0.0)
    assert found[:2] == [("twin (nothing may move)", Counts(1, 0, 1)), ("plain", Counts(4, 2, 1))]


def test_a_line_of_the_table_has_right_and_wrong_in_percent() -> None:
    table = list(lines(7, Curve(OUTCOMES)))
    assert table[0] == "| 7 | 0 | 50.0 / 25.00 | 100.0 / 0.00 | 100.0 / 0.00 | 66.7 / 33.33 |"
    assert table[len(MARGINS)] == "twin (nothing may move): 0.0 / 100.00 of 1"


def test_every_message_counts_and_what_cannot_be_read_is_not_done() -> None:
    written = messages()[:400]
    read_ = list(zip(written, tagged(written), strict=True))
    trained = small([found for _, found in read_ if found is not None])
    lost = understood(1, "plain | " + "please " * 29 + "put 4 dai in the pool | D 4 DAI")
    quiet = understood(1, "talk | " + "la " * 40 + "| -")
    assert list(tagged([lost, quiet])) == [None, None]
    outcomes = curve(trained, [(lost, None), (quiet, None), *read_]).outcomes
    assert len(outcomes) == 402
    assert outcomes[0] == Outcome("plain", Verdict.ACT, -math.inf, acts=False, same=False)
    counted = Curve(outcomes[:2]).at(-99.0)
    assert counted == {"plain": Counts(1, 0, 0), NOTHING: Counts(1, 1, 0)}
    assert len({each.margin for each in outcomes}) > 50


def test_a_text_is_read_up_to_as_many_tokens_as_the_network_has() -> None:
    order = "put 4 dai in the pool | D 4 DAI"
    whole, long = (understood(1, f"plain | {'please ' * n}{order}") for n in (24, 25))
    read_, refused = tagged([whole, long])
    assert read_ is not None
    assert len(read_.tokens) == TOKENS
    assert refused is None


def small(kept: list[Tagged]) -> Trained:
    return learned(kept, Recipe(epochs=1), GatedSizes(units=4, seen=2, hidden=4))
