"""The loan model as it is shipped: what it reads first, what a limit is, how often it is right."""

from dataclasses import replace

import pytest

from zkagent.models.agents.loan import ABOVE, AT, BELOW, NO_LIMIT, rows_in, side_of
from zkagent.models.catalogue import LoanModel, load_model
from zkagent.models.encoding.book import SymbolBook
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import ToolSignature
from zkagent.models.errors import ApplicantUnclear, ForeignHistory
from zkagent.models.loan.evaluate import PROMPT, context_of, decided, measured
from zkagent.models.loan.heldout import WORDINGS, Case, cases
from zkagent.models.loan.train import SEED, training_texts

APPROVING = (0, 0, 9, 0, 0)


@pytest.fixture(scope="module")
def model() -> LoanModel:
    return load_model("loan", LoanModel)


def test_300_cases_of_wordings_that_training_did_not_see(model: LoanModel) -> None:
    assert len(cases()) == 300
    assert all(len(wordings) == len(set(wordings)) == 12 for wordings in WORDINGS.values())
    held = {text for wordings in WORDINGS.values() for text in wordings}
    assert held.isdisjoint(text for _, text in training_texts(SEED))
    assert measured(model) == model.manifest.accuracy
    assert model.manifest.accuracy["cases"] >= 95


def test_criteria_come_first_then_the_score(model: LoanModel) -> None:
    whole = context_of(Case("at least", "At least 650.", 700, "approve"))
    asked = [
        model.decide(replace(whole, reasoning=whole.reasoning[:count])).action for count in range(3)
    ]
    assert asked == ["LoanCriteria", "CreditScoreAgent", "answer"]


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_is_approved_before_both_are_there(model: LoanModel, count: int) -> None:
    whole = context_of(Case("at least", "At least 650.", 700, "approve"))
    early = replace(whole, reasoning=whole.reasoning[:count])
    assert model.decode(early, APPROVING).answer.startswith("The criteria do not say")
    assert model.decode(whole, APPROVING).answer == f"Approved: {PROMPT}"


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("at least 650 points", 650),
        ("at least 650.", 650),
        ("at least six hundred", None),
        ("at least 650 and at most 700", None),
        ("at least 1,000", None),
        ("at least 65000", None),
        ("at least 650.5", None),
        ("whatever", None),
    ],
)
def test_a_limit_is_the_one_number(model: LoanModel, text: str, limit: int | None) -> None:
    _, found = rows_in(text.encode(), SymbolBook(()), model.vocabulary, 1024)
    assert found == limit


def test_the_side_is_exact() -> None:
    assert [side_of(s, 650) for s in (649, 650, 651, None)] == [BELOW, AT, ABOVE, NO_LIMIT]
    assert side_of(650, None) == NO_LIMIT


def test_the_difference_is_a_feature(model: LoanModel) -> None:
    x = model.encode(context_of(Case("at least", "At least 650.", 493, "deny")))
    assert x[:3] == (32, 32, -157)


def test_another_limit_decides_otherwise(model: LoanModel) -> None:
    low, high = (Case("at least", f"The score must be at least {n}.", 700, "") for n in (650, 750))
    assert [decided(model, each) for each in (low, high)] == ["approve", "deny"]


def test_foreign_history_is_refused(model: LoanModel) -> None:
    whole = context_of(Case("open", "Approve everyone.", 700, "approve"))
    for reasoning in (whole.reasoning[1:], (*whole.reasoning, whole.reasoning[1]), (b"x\n",)):
        with pytest.raises(ForeignHistory):
            model.encode(replace(whole, reasoning=reasoning))


@pytest.mark.parametrize(
    "prompt",
    [
        b"Loan of 500 USDC",
        b"0x" + b"5e" * 20,
        b"Loan for 0x" + b"5E" * 20,
        b"a 0x" + b"5e" * 20 + b" ",
    ],
)
def test_the_prompt_ends_in_an_account(model: LoanModel, prompt: bytes) -> None:
    with pytest.raises(ApplicantUnclear):
        model.encode(Context(prompt))


def test_a_missing_tool_is_an_answer(model: LoanModel) -> None:
    context = Context(PROMPT.encode())
    held = (ToolSignature("LoanCriteria", ("string",)),)
    decision = model.decide(context, held)
    assert decision.answer == "This agent has no tool LoanCriteria."
