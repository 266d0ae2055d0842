"""Wordings of criteria that training never sees, twelve of each kind, and 300 cases of them.

Written by hand before anything was trained. A wording with a limit makes four cases: a score far
below the limit, right at it, right beside it on the side where it matters, and far above. One of a
kind without a limit makes four with any score; one that says no rule makes one case.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: Limits are taken in turn, so that no wording is tied to a number.
LIMITS = (650, 580, 720, 610, 700, 545, 680, 760, 625, 590, 800, 635)
SCORES = (120, 480, 655, 930)

WORDINGS: dict[str, tuple[str, ...]] = {
    "at least": (
        "Members voted that a borrower's score must not fall short of {n}.",
        "Grant the money when the credit score comes to {n} or better.",
        "We only serve customers who score at least {n}.",
        "Nobody with a score under {n} shall receive a loan.",
        "The minimum credit score is {n}.",
        "Turn away every applicant who scores less than {n}.",
        "A credit score of {n} or higher is what it takes.",
        "Approve provided that the score is no lower than {n}.",
        "Whoever reaches {n} points qualifies for a loan.",
        "Scores below {n} are to be declined.",
        "Do not lend to people whose rating is lower than {n}.",
        "To qualify, an applicant needs {n} points or more.",
    ),
    "above": (
        "A loan takes a score strictly greater than {n}.",
        "The applicant's rating has to be higher than {n}.",
        "Grant loans only to those who score more than {n}.",
        "Decline everyone whose score is {n} or less.",
        "Scores must exceed {n} points.",
        "Whoever is not above {n} gets nothing.",
        "We approve borrowers with a credit score over {n}.",
        "No money for anybody with a score of at most {n}.",
        "Approve if the score surpasses {n}.",
        "Customers need to be rated better than {n}.",
        "Refuse applicants who score {n} or lower.",
        "It takes more than {n} points to be approved.",
    ),
    "at most": (
        "This pool is for borrowers who score {n} at most.",
        "Grant the money when the credit score is {n} or lower.",
        "The maximum credit score is {n}.",
        "Turn away every applicant who scores more than {n}.",
        "Nobody with a score over {n} shall receive a loan.",
        "Approve provided that the score is no higher than {n}.",
        "A rating of {n} or less is what it takes.",
        "Scores above {n} are to be declined.",
        "We only serve customers whose score does not exceed {n}.",
        "Do not lend to people whose rating is higher than {n}.",
        "To qualify, an applicant may have {n} points or fewer.",
        "Members voted that a borrower's score must not be greater than {n}.",
    ),
    "below": (
        "A loan takes a score strictly lower than {n}.",
        "The applicant's rating has to be less than {n}.",
        "Grant loans only to those who score less than {n}.",
        "Decline everyone whose score is {n} or more.",
        "Scores must stay under {n} points.",
        "We approve borrowers with a credit score below {n}.",
        "No money for anybody with a score of at least {n}.",
        "Approve if the score is smaller than {n}.",
        "Customers need to be rated worse than {n}.",
        "Refuse applicants who score {n} or higher.",
        "Only those who do not reach {n} get a loan.",
        "It takes fewer than {n} points to be approved.",
    ),
    "open": (
        "Grant every request.",
        "All borrowers get their money.",
        "Approve everybody, whatever the score.",
        "No applicant is to be turned away.",
        "Loans are open to anyone who asks.",
        "Say yes to all applications.",
        "There is no minimum score at present.",
        "Lend to whoever applies.",
        "Each request shall be approved.",
        "The score does not matter, approve the loan.",
        "Members voted to accept all customers.",
        "Anybody may borrow.",
    ),
    "closed": (
        "Grant no request.",
        "No borrower gets any money.",
        "Decline everybody, whatever the score.",
        "Every applicant is to be turned away.",
        "Loans are closed until further notice.",
        "Say no to all applications.",
        "The pool does not lend at present.",
        "Lend to nobody.",
        "Each request shall be refused.",
        "The score does not matter, deny the loan.",
        "Members voted to stop all lending.",
        "Nobody may borrow.",
    ),
    "no rule": (
        "Members meet again in spring.",
        "The committee thanks all who voted.",
        "A good score is welcome.",
        "Please read the forum before you vote.",
        "The score should be neither below {n} nor above {m}.",
        "Interest is paid each month.",
        "Use your own judgement.",
        "The treasury holds {n} USDC.",
        "Our next vote is on day {n}.",
        "Criteria will follow.",
        "We like our borrowers.",
        "It is up to the committee.",
    ),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A criterion as the DAO's contract says it, an applicant's score, and what is right: approve,
    deny or ask. kind: of the criterion."""

    kind: str
    text: str
    score: int
    expected: str


def cases(texts: Mapping[str, Sequence[str]] = WORDINGS) -> tuple[Case, ...]:
    """All 300, or as many of each of other texts, by kind."""
    found: list[Case] = []
    for kind, wordings in texts.items():
        for place, wording in enumerate(wordings):
            limit = LIMITS[place % len(LIMITS)]
            text = wording.format(n=limit, m=limit + 100)
            found += [Case(kind, text, s, right(kind, s, limit)) for s in _scores(kind, limit)]
    return tuple(found)


def right(kind: str, score: int, limit: int) -> str:
    """What follows from a criterion of this kind."""
    if kind == "no rule":
        return "ask"
    holds = {
        "at least": score >= limit,
        "above": score > limit,
        "at most": score <= limit,
        "below": score < limit,
        "open": True,
        "closed": False,
    }
    return "approve" if holds[kind] else "deny"


def _scores(kind: str, limit: int) -> tuple[int, ...]:
    if kind == "no rule":
        return (limit + 40,)
    if kind in {"open", "closed"}:
        return SCORES
    beside = limit + 1 if kind in {"above", "at most"} else limit - 1
    return (limit - 160, limit, beside, limit + 150)


__all__ = ["WORDINGS", "Case", "cases", "right"]
