"""The learning curve over writers: what is counted as right, wrong, and not done."""

import pytest

torch = pytest.importorskip("torch")

from zkagent.models.training.gated import GatedSizes  # noqa: E402
from zkagent.models.training.gated_training import Recipe  # noqa: E402
from zkagent.models.wallet.learning import (  # noqa: E402
    NOTHING,
    Counts,
    Curve,
    Outcome,
    curve,
    learned,
    lines,
)
from zkagent.models.wallet.text.tagged import Tagged, Verdict, tagged  # noqa: E402
from zkagent.models.wallet.text.written import messages, understood  # noqa: E402

OUTCOMES = [
    Outcome("plain", 3.0, acts=True, same=True),
    Outcome("plain", 1.0, acts=True, same=True),
    Outcome("plain", 1.0, acts=True, same=False),
    Outcome("plain", 9.0, acts=False, same=False),  # its tags come to nothing
    Outcome(NOTHING, 1.5, acts=True, same=True),  # whatever its tags say
    Outcome(NOTHING, -1.0, acts=True, same=False),
]


@pytest.mark.parametrize(
    ("margin", "plain", "nothing"),
    [
        (0.0, Counts(4, 2, 1), Counts(2, 0, 1)),
        (1.0, Counts(4, 1, 0), Counts(2, 0, 1)),
        (2.0, Counts(4, 1, 0), Counts(2, 0, 0)),
        (3.0, Counts(4, 0, 0), Counts(2, 0, 0)),
    ],
)
def test_what_acts_otherwise_than_asked_is_wrong(
    margin: float, plain: Counts, nothing: Counts
) -> None:
    assert Curve(OUTCOMES).at(margin) == {"plain": plain, NOTHING: nothing}


def test_a_line_of_the_table_has_right_and_wrong_in_percent() -> None:
    assert next(lines(7, Curve(OUTCOMES))) == "| 7 | 0 | 50.0 / 25.00 | 0.0 / 50.00 |"


def test_messages_that_cannot_be_read_count_as_not_done() -> None:
    """Those of groups that ask for calls; of others nothing is asked."""
    kept = [found for found in tagged(messages()[:400]) if found is not None]
    trained = learned(kept, Recipe(epochs=1), GatedSizes(units=4, seen=2, hidden=4))
    long = read("plain | " + "please " * 29 + "put 4 dai in the pool | D 4 DAI")
    assert long is None
    unseen = [("plain", None), ("question", None), *((m.message.kind, m) for m in kept)]
    outcomes = curve(trained, unseen).outcomes
    assert outcomes[0] == Outcome("plain", 0.0, acts=False, same=False)
    acting = [found for found in kept if found.verdict is Verdict.ACT]
    assert sum(each.group == NOTHING for each in outcomes) == len(kept) - len(acting)
    assert len(outcomes) <= 1 + len(kept)
    assert len({each.margin for each in outcomes}) > 50


def test_a_text_that_is_read_but_too_long_for_the_network_moves_nothing() -> None:
    kept = [found for found in tagged(messages()[:200]) if found is not None]
    trained = learned(kept, Recipe(epochs=1), GatedSizes(units=4, seen=2, hidden=4))
    long = read("plain | " + "please " * 25 + "put 4 dai in the pool | D 4 DAI")
    assert long is not None
    assert len(long.tokens) == 31
    (found,) = curve(trained, [("plain", long)]).outcomes
    assert found == Outcome("plain", 0.0, acts=False, same=False)


def read(line: str) -> Tagged | None:
    return next(iter(tagged([understood(1, line)])))
