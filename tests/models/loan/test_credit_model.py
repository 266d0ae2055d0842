"""The credit-score model as it is shipped."""

import pytest

from zkagent.models.agents.credit import HISTORY, RECORD
from zkagent.models.catalogue import CreditModel, load_model
from zkagent.models.encoding.context import Context, View
from zkagent.models.errors import ApplicantUnclear, UnansweredView
from zkagent.models.loan.credit import scorecard

AGENT, BOOK, ACCOUNT = "0x" + "1a" * 20, "0x" + "2b" * 20, "0x" + "5e" * 20
PROMPT = f"Credit score of {ACCOUNT}".encode()


@pytest.fixture(scope="module")
def model() -> CreditModel:
    return load_model("credit-score", CreditModel)


def told(*record: int) -> Context:
    """What the encoder asks, answered."""
    address = bytes.fromhex(BOOK[2:]).rjust(32, b"\0")
    asked = RECORD + bytes.fromhex(ACCOUNT[2:]).rjust(32, b"\0")
    words = b"".join(value.to_bytes(32, "big") for value in record)
    answers = {View(AGENT, HISTORY): address, View(BOOK, asked): words}
    return Context(PROMPT, agent=AGENT, answers=answers)


def score(model: CreditModel, *record: int) -> int:
    return int(model.decide(told(*record)).answer.rpartition(" ")[2])


@pytest.mark.parametrize(
    "record", [(20, 0, 60, 150, 0), (3, 3, 12, 60, 2), (0, 0, 0, 0, 0), (60, 12, 120, 400, 10)]
)
def test_it_scores_as_the_card_does(model: CreditModel, record: tuple[int, ...]) -> None:
    assert abs(score(model, *record) - scorecard(record)) <= 2


def test_what_is_beyond_a_limit_counts_as_the_limit(model: CreditModel) -> None:
    assert score(model, 61, 0, 2**255, 2**256 - 1, 0) == score(model, 60, 0, 120, 400, 0)


def test_the_account_is_asked_for_where_the_agent_says(model: CreditModel) -> None:
    context = told(1, 0, 0, 0, 0)
    first, second = model.views(context)
    assert (first.target, second.target) == (AGENT, BOOK)
    assert second.call.endswith(bytes.fromhex(ACCOUNT[2:]))


def test_without_answers_there_are_no_features(model: CreditModel) -> None:
    with pytest.raises(UnansweredView):
        model.encode(Context(PROMPT, agent=AGENT))
    with pytest.raises(ApplicantUnclear):
        model.encode(Context(b"Credit score", agent=AGENT))
