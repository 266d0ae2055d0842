"""The loan model as it is shipped: what it reads first, what a limit is, how often it is right."""

from dataclasses import replace

import pytest

from zkagent.models.agents.criteria import Lexicon, read_criterion, slots_of
from zkagent.models.agents.loan import (
    ABOVE,
    AT,
    BELOW,
    MARK,
    NO_LIMIT,
    rows_of,
    side_of,
    sum_of,
)
from zkagent.models.catalogue import LoanModel, load_model
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import ToolSignature
from zkagent.models.encoding.hashing import keccak_int
from zkagent.models.errors import ApplicantUnclear, ForeignHistory
from zkagent.models.loan.evaluate import PROMPT, context_of, decided, measured
from zkagent.models.loan.heldout import WORDINGS, Case, cases
from zkagent.models.loan.lexicon import build_lexicon, class_codes
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
        ("650 or more; below 650, nothing", 650),
        ("at least 1,000", 1000),
        ("score>=650", 650),
        ("650+ only", 650),
        ("sub-650 scores", 650),
        ("at least six hundred and fifty", 650),
        ("six hundred fifty, that is 650", 650),
        ("no one under 650, one of us says", 650),
        ("at least 650 and at most 700", None),
        ("at least 650, one hundred more is better", None),
        ("at least 65000", None),
        ("at least 650.5", None),
        ("at least 0650", None),
        ("at least 650k", None),
        ("at least 65%", None),
        ("at most $650", None),
        ("from -650", None),
        ("600-650", None),
        ("whatever", None),
        ("one of them", None),
    ],
)
def test_a_limit_is_the_one_number(model: LoanModel, text: str, limit: int | None) -> None:
    assert read_criterion(text.encode(), model.lexicon).limit == limit


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Approve if the score is >= 650.", "Approve if the score is at least 650."),
        ("Approve if the score is \u2265 650.", "Approve if the score is >= 650."),
        ("Score => 650", "score >= 650"),
        ("We don't lend below 650", "We don\u2019t lend below 650"),
        ("APPROVE 650 OR MORE!", "approve 650 or more."),
    ],
)
def test_what_is_read_alike_is_decided_alike(model: LoanModel, text: str, other: str) -> None:
    for score in (649, 650, 651):
        first, second = (decided(model, Case("", each, score, "")) for each in (text, other))
        assert first == second


@pytest.mark.parametrize("arrow", ["->", "=>", "-->"])
def test_an_arrow_compares_nothing(model: LoanModel, arrow: str) -> None:
    text = f"650 or more {arrow} approve"
    without = read_criterion(b"650 or more approve", model.lexicon)
    assert read_criterion(text.encode(), model.lexicon) == without


def test_only_an_ngrams_own_row_counts(model: LoanModel) -> None:
    read = read_criterion(b"Lend to those of 650 or more.", model.lexicon)
    rows = rows_of(read, model.table)
    assert 0 < len(rows) < len(read.ngrams)
    other = model.table.copy()
    other[list(rows), MARK] += 1
    assert rows_of(read, other) == ()
    assert not sum_of(read, other).any()
    assert sum_of(read, model.table).any()
    assert sum_of(read, model.table)[MARK] == 0


def test_a_word_is_known_by_either_slot() -> None:
    lexicon = build_lexicon(())
    codes = class_codes()
    found = [lexicon.class_of(keccak_int(word.encode())) for word in codes]
    assert found.count(None) < len(codes) / 20
    kept = {w: c for w, c in zip(codes, found, strict=True) if c is not None}
    assert kept == {word: codes[word] for word in kept}
    second = [w for w in kept if not _in_first(lexicon, keccak_int(w.encode()))]
    assert second


def _in_first(lexicon: Lexicon, found: int) -> bool:
    return lexicon.fingerprints[slots_of(found)[0]] == found >> 248


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
