"""Criteria in many words, to learn from: put together from parts, and written by hand (`corpus/`).

What a sentence asks for follows from two parts: how it compares (at least, above, at most, below),
and whether it says who gets a loan or who gets none. None of these sentences is a held-out one.
"""

import random
from collections.abc import Iterator
from pathlib import Path

from zkagent.models.errors import DatasetError
from zkagent.models.strict_json import load_json

#: How a score compares with the limit, in front of and behind which nouns it stands.
COMPARISONS: dict[str, tuple[str, ...]] = {
    "at least": (
        "of at least {n}", "of {n} or more", "of {n} or higher", "of {n} or above",
        "of {n} or better", "no lower than {n}", "not lower than {n}", "not below {n}",
        "not less than {n}", "no less than {n}", "of {n} and up", "from {n} upwards",
        "equal to or above {n}", "greater than or equal to {n}", "of a minimum of {n}",
        "that is at least {n}", "that is {n} or more", "that reaches {n}",
        "that is not under {n}", "which is no worse than {n}", "that does not fall below {n}",
        "that comes to at least {n}", "of {n} points or more", "of at least {n} points",
        "that is {n} or higher", "not under {n}", "of minimum {n}", "that is not lower than {n}",
        "that does not fall short of {n}",
    ),
    "above": (
        "above {n}", "over {n}", "of more than {n}", "higher than {n}", "greater than {n}",
        "better than {n}", "that exceeds {n}", "exceeding {n}", "strictly above {n}",
        "strictly higher than {n}", "that is more than {n}", "that is over {n}",
        "that is above {n}", "that is larger than {n}", "that is higher than {n}",
        "of more than {n} points", "past {n}", "that goes beyond {n}",
        "that is strictly greater than {n}", "beyond {n}", "that surpasses {n}",
        "that is better than {n}",
    ),
    "at most": (
        "of at most {n}", "of {n} or less", "of {n} or lower", "of {n} or below",
        "of {n} or fewer", "no higher than {n}", "not higher than {n}", "not above {n}",
        "not more than {n}", "no more than {n}", "not over {n}", "up to {n}",
        "equal to or below {n}", "less than or equal to {n}", "of a maximum of {n}",
        "that is at most {n}", "that is {n} or less", "that does not exceed {n}",
        "that is not over {n}", "which is no better than {n}", "that does not go beyond {n}",
        "that comes to at most {n}", "of {n} points or less", "of at most {n} points",
        "that is {n} or lower", "of maximum {n}", "that is not higher than {n}",
        "that is not greater than {n}", "that is not above {n}", "of {n} points or fewer",
    ),
    "below": (
        "below {n}", "under {n}", "of less than {n}", "lower than {n}", "smaller than {n}",
        "worse than {n}", "that falls below {n}", "that falls short of {n}",
        "strictly below {n}", "strictly lower than {n}", "that is less than {n}",
        "that is under {n}", "that is below {n}", "that is lower than {n}",
        "of less than {n} points", "of fewer than {n} points", "that does not reach {n}",
        "short of {n}", "that is smaller than {n}", "that stays under {n}",
        "that is worse than {n}", "that is strictly lower than {n}",
    ),
}  # fmt: skip
#: The same of people who score, and of scores that are the subject.
VERBS: dict[str, tuple[str, ...]] = {
    "at least": (
        "score at least {n}", "score {n} or more", "score {n} or higher",
        "score no less than {n}", "reach {n}", "reach {n} points", "have {n} points or more",
        "have at least {n} points", "are rated {n} or better", "are rated at least {n}",
        "come to at least {n}", "do not score less than {n}", "do not score below {n}",
        "are not rated below {n}", "score {n} or above", "score {n} points or more",
        "are not below {n}", "are not under {n}",
    ),
    "above": (
        "score more than {n}", "score above {n}", "score over {n}", "score higher than {n}",
        "exceed {n}", "have more than {n} points", "are rated above {n}",
        "are rated higher than {n}", "score better than {n}", "are above {n}", "are over {n}",
        "surpass {n}", "exceed {n} points", "are rated better than {n}", "have over {n} points",
        "pass {n}",
    ),
    "at most": (
        "score at most {n}", "score {n} or less", "score {n} or lower", "score no more than {n}",
        "do not exceed {n}", "have {n} points or less", "have at most {n} points",
        "are rated {n} or lower", "are rated at most {n}", "do not score more than {n}",
        "do not score above {n}", "are not rated above {n}", "score {n} or below",
        "score {n} points or fewer", "are not above {n}", "are not over {n}",
        "have {n} points or fewer", "are not better than {n}",
    ),
    "below": (
        "score less than {n}", "score below {n}", "score under {n}", "score lower than {n}",
        "fall short of {n}", "have fewer than {n} points", "are rated below {n}",
        "are rated lower than {n}", "score worse than {n}", "are below {n}", "are under {n}",
        "do not reach {n}", "stay below {n}", "are rated worse than {n}",
        "have less than {n} points", "stay under {n}", "do not come to {n}",
    ),
}  # fmt: skip
OPPOSITE = {"at least": "below", "below": "at least", "above": "at most", "at most": "above"}
PEOPLE = (
    "applicants", "borrowers", "people", "customers", "those", "accounts", "all applicants",
    "members", "all who", "clients", "only those", "only applicants", "only borrowers",
)  # fmt: skip
SCORES = ("a score", "a credit score", "a rating", "a credit rating", "scores", "credit scores")
#: {p}: people with their scores; those who get a loan.
YES = (
    "Approve {p}.", "Lend to {p}.", "We lend to {p}.", "Loans go to {p}.", "Grant loans to {p}.",
    "Accept {p}.", "We accept {p}.", "Give loans to {p}.", "The pool lends to {p}.",
    "This pool is for {p}.", "Loans are for {p}.", "We approve {p}.", "{p} get a loan.",
    "{p} qualify.", "{p} are approved.", "{p} may borrow.", "{p} qualify for a loan.",
    "{p} are accepted.", "We serve {p}.", "{p} are welcome to borrow.", "Grant the loan to {p}.",
    "The DAO approves {p}.", "{p} will be granted a loan.", "Say yes to {p}.",
)  # fmt: skip
#: Those who get none.
NO = (
    "Deny {p}.", "Reject {p}.", "Refuse {p}.", "Decline {p}.", "Turn down {p}.",
    "Turn away {p}.", "Do not lend to {p}.", "Never lend to {p}.", "We do not lend to {p}.",
    "No loans for {p}.", "No loan for {p}.", "{p} are denied.", "{p} are rejected.",
    "{p} get no loan.", "{p} get nothing.", "{p} do not qualify.", "{p} may not borrow.",
    "{p} are not approved.", "We refuse {p}.", "Do not approve {p}.", "{p} are to be declined.",
    "{p} shall not receive a loan.", "No money for {p}.", "{p} are turned away.",
    "Say no to {p}.", "{p} will be refused.", "Loans are not for {p}.", "Exclude {p}.",
)  # fmt: skip
#: {s}: a score as the sentence's own matter; it is what a loan takes.
NEEDS = (
    "Applicants need {s}.", "A borrower needs {s}.", "To be approved, an applicant needs {s}.",
    "An applicant must have {s}.", "Borrowers must have {s}.", "{s} is required.",
    "{s} is needed.", "It takes {s}.", "A loan takes {s}.", "A loan requires {s}.",
    "To qualify, you need {s}.", "Approve if there is {s}.", "Approve only with {s}.",
    "Grant the loan for {s}.", "We ask for {s}.", "The DAO requires {s}.",
    "Every applicant has to have {s}.", "Members voted to require {s}.",
    "To get a loan takes {s}.", "{s} is what we ask for.",
)  # fmt: skip
#: {c}: how the score compares, of the score itself.
MUST = (
    "The score must be {c}.", "The credit score has to be {c}.", "A score must be {c}.",
    "Approve if the score is {c}.", "Approve when the credit score is {c}.",
    "Grant the loan if the rating is {c}.", "The applicant's score must be {c}.",
    "Lend only if the score is {c}.", "A borrower's score needs to be {c}.",
    "Approve provided that the rating is {c}.", "Loans are granted when the score is {c}.",
    "The applicant's rating has to be {c}.", "Applicants need to be rated {c}.",
    "Members voted that the score must be {c}.", "The rating should be {c}.",
)  # fmt: skip
MUST_NOT = (
    "Deny if the score is {c}.", "Reject when the credit score is {c}.",
    "The score must not be {c}.", "Decline if the rating is {c}.",
    "Refuse the loan when the score is {c}.", "Do not approve if the score is {c}.",
    "The applicant's rating must not be {c}.", "No loan is granted when the score is {c}.",
    "Turn the applicant down if the score is {c}.", "A borrower's score may not be {c}.",
    "Members voted that the score must not be {c}.", "A score that is {c} is refused.",
    "The rating should not be {c}.",
)  # fmt: skip
#: {v}: how a score compares, as what it does.
DOES = (
    "Approve whoever {v}.", "Whoever {v} gets a loan.", "Everybody who {v} qualifies.",
    "Lend to anyone who {v}.", "Anyone who {v} may borrow.", "Approve if the applicant {v}.",
    "Whoever {v} is approved.", "Grant a loan to an applicant who {v}.",
)  # fmt: skip
DOES_NOT = (
    "Deny whoever {v}.", "Whoever {v} gets no loan.", "Whoever {v} gets nothing.",
    "Nobody who {v} qualifies.", "Do not lend to anyone who {v}.", "Nobody who {v} may borrow.",
    "Reject if the applicant {v}.", "Whoever {v} is refused.", "Nobody who {v} gets a loan.",
    "No applicant who {v} is approved.", "Refuse anyone who {v}.", "Decline everybody who {v}.",
    "Turn away everyone who {v}.",
)  # fmt: skip
#: How the score compares where it is the subject of a "must" of its own.
BARE: dict[str, tuple[str, ...]] = {
    "at least": (
        "at least {n}", "{n} or more", "{n} or higher", "{n} or above", "no lower than {n}",
        "not lower than {n}", "no less than {n}", "not below {n}", "not under {n}", "{n} and up",
        "{n} or better", "no worse than {n}", "not less than {n}",
    ),
    "above": (
        "above {n}", "over {n}", "more than {n}", "higher than {n}", "greater than {n}",
        "strictly above {n}", "strictly greater than {n}", "better than {n}", "larger than {n}",
        "strictly higher than {n}", "beyond {n}",
    ),
    "at most": (
        "at most {n}", "{n} or less", "{n} or lower", "{n} or below", "no higher than {n}",
        "not higher than {n}", "no more than {n}", "not above {n}", "not over {n}", "up to {n}",
        "{n} or fewer", "no better than {n}", "not more than {n}", "not greater than {n}",
    ),
    "below": (
        "below {n}", "under {n}", "less than {n}", "lower than {n}", "smaller than {n}",
        "strictly below {n}", "strictly less than {n}", "worse than {n}", "short of {n}",
        "strictly lower than {n}", "fewer than {n} points",
    ),
}  # fmt: skip
NAMED: dict[str, tuple[str, ...]] = {
    "at least": (
        "The minimum score is {n}.", "Minimum score: {n}.", "The lowest score we accept is {n}.",
        "Scores start at {n}.", "The minimum rating for a loan is {n}.", "At least {n} points.",
        "The score must reach {n}.", "Scores must reach {n} points.", "The least score is {n}.",
        "{n} points are enough.", "{n} is the minimum.",
        "A minimum credit score of {n} applies.", "Scores must not fall below {n}.",
        "The score may not drop below {n}.", "An applicant needs {n} points or more.",
        "It takes at least {n} points.",
    ),
    "above": (
        "The score must exceed {n}.", "More than {n} points.", "Scores have to exceed {n}.",
        "The score has to beat {n}.", "{n} points are not enough, it takes more.",
        "Approve if the score exceeds {n}.", "Scores must be above {n} points.",
        "It takes a score of more than {n}.", "It takes more than {n} points.",
        "Whoever does not exceed {n} gets no loan.", "Whoever is not over {n} is refused.",
    ),
    "at most": (
        "The maximum score is {n}.", "Maximum score: {n}.",
        "The highest score we accept is {n}.", "Scores end at {n}.",
        "The maximum rating for a loan is {n}.", "At most {n} points.",
        "The score must not exceed {n}.", "Scores must not exceed {n} points.",
        "The greatest score is {n}.", "{n} is the maximum.",
        "A maximum credit score of {n} applies.", "The score may not go over {n}.",
        "The score may not rise above {n}.", "An applicant may have at most {n} points.",
        "An applicant may have no more than {n} points.",
    ),
    "below": (
        "The score must stay below {n}.", "Fewer than {n} points.",
        "Scores have to stay under {n}.", "The score must not reach {n}.",
        "Scores must not reach {n} points.", "Less than {n} points.",
        "Approve if the score falls short of {n}.", "It takes a score of less than {n}.",
        "It takes less than {n} points.", "Scores must be under {n} points.",
        "Only those who stay below {n} get a loan.",
    ),
}  # fmt: skip
EVERYBODY = (
    "everyone", "everybody", "anyone", "anybody", "all applicants", "all borrowers",
    "all requests", "every applicant", "every request", "each applicant", "all applications",
    "any applicant", "whoever asks", "each request", "all customers", "all", "any request",
    "every borrower",
)  # fmt: skip
WHATEVER = (
    "",
    "",
    "",
    ", whatever the score",
    " with any score",
    ", no matter the score",
    " always",
)
OPEN = (
    "Approve {e}{w}.", "Lend to {e}{w}.", "Accept {e}{w}.", "Grant loans to {e}{w}.",
    "Serve {e}{w}.", "We approve {e}{w}.", "We lend to {e}{w}.", "{e} may borrow{w}.",
    "{e} gets a loan{w}.", "Say yes to {e}{w}.", "{e} is approved{w}.",
    "Loans are open to {e}{w}.", "Loans are for {e}{w}.", "Members voted to approve {e}{w}.",
    "{e} shall be approved{w}.", "{e} get their loan{w}.", "Do not refuse {e}{w}.",
    "Grant {e} a loan{w}.", "Members voted to lend to {e}{w}.", "{e} are accepted{w}.",
    "The pool lends to {e}{w}.", "{e} get the money{w}.",
)  # fmt: skip
OPEN_WRITTEN = (
    "No applicant is refused.", "Nobody is refused.", "Nobody is turned down.",
    "No request is denied.", "No one is to be rejected.", "There is no minimum score.",
    "No score is required.", "There are no criteria, approve.",
    "The score is of no matter, approve everyone.", "Nobody is turned away.",
    "No borrower is to be refused.", "Any score will do.", "Loans are open to all.",
    "The pool lends to all at present.", "Approve the loan in any case.",
    "The score does not count, lend.", "No minimum applies.", "Approve, whatever the rating.",
    "No request is turned away.", "The score plays no role, approve the loan.",
    "Always approve.", "There is no lowest score for now.", "Loans are open again for anyone.",
    "No one is denied a loan.",
)  # fmt: skip
CLOSED = (
    "Deny {e}{w}.", "Reject {e}{w}.", "Refuse {e}{w}.", "Decline {e}{w}.", "Turn down {e}{w}.",
    "Do not lend to {e}{w}.", "We refuse {e}{w}.", "{e} is denied{w}.", "{e} is refused{w}.",
    "Say no to {e}{w}.", "Turn away {e}{w}.", "Members voted to refuse {e}{w}.",
    "{e} shall be denied{w}.", "{e} are rejected{w}.", "Do not approve {e}{w}.",
    "{e} shall be turned away{w}.", "{e} is to be refused{w}.", "{e} is to be turned down{w}.",
)  # fmt: skip
CLOSED_WRITTEN = (
    "Approve nobody.", "Approve no one.", "Lend to no one.", "No one gets a loan.",
    "Nobody gets a loan.", "No loans are granted.", "No loans at present.",
    "Accept no applicant.", "The pool is closed.", "Lending is closed.", "Loans are closed.",
    "All lending is stopped.", "Loans are suspended until further notice.",
    "We do not lend for now.", "Stop lending.", "The pool grants no loans.",
    "Nobody is approved.", "No applicant is approved.", "Grant no loan.",
    "No request is approved.", "Grant nothing to anyone.", "Accept nobody, whatever the score.",
    "Members voted to stop loans.", "Members voted to end lending.", "No one may borrow.",
    "No applicant may borrow.", "Deny the loan in any case.",
    "The score does not count, refuse.", "The score plays no role, deny the loan.",
    "Always deny.", "No money is lent.", "The pool lends to nobody at present.",
    "Loans are closed to all.", "No borrower gets a loan.", "Nobody gets any money.",
    "There are no loans at present.", "The pool does not grant loans.",
    "No borrower is approved.", "We lend to nobody.", "Accept no request.",
)  # fmt: skip
NO_RULE = (
    "Members meet on Monday.", "The next vote is in May.", "The committee thanks its members.",
    "Please vote.", "We are proud of this pool.", "A high score is nice.",
    "Scores are interesting.", "Read the rules.", "See the forum.",
    "The DAO decides case by case.", "Decide as you like.", "Use good judgement.",
    "To be decided.", "The criteria will be voted on soon.", "Hello.", "Welcome to our pool.",
    "The treasury holds {n} DAI.", "The vote ends on day {n}.", "There were {n} votes.",
    "We have {n} members.", "The pool was founded in {n}.", "Interest is {n} a year.",
    "Repay within {n} days.", "A score between {n} and {m}.",
    "The score must be above {n} and below {m}.", "At least {n}, at most {m}.",
    "Approve from {n} to {m}.", "Approve scores of at least {n} and incomes of at least {m}.",
    "No decision was made.", "We like good borrowers.", "Ask the committee.", "It depends.",
    "The committee will look at each case.", "Loans are paid in USDC.",
    "Interest is paid each week.", "A good rating is appreciated.", "Borrowers are kind.",
    "The forum has {n} posts.", "The committee decides.", "It is up to the members.",
    "Judge for yourself.", "More will follow.", "The treasury is full.",
    "Rules will be written soon.", "Our pool is the best.", "We love scores.",
    "A better score is better.", "The score is a number.", "Thanks to all voters.",
    "Neither {n} nor {m} is right.", "The score should be neither {n} nor {m}.",
)  # fmt: skip


#: Written by hand, by writers of many voices: {kind: [texts]} in a file each.
CORPUS = Path(__file__).parent / "corpus"


def written() -> tuple[tuple[str, str], ...]:
    """Kind and text of those that were written by hand, with {n} where numbers go. Raises
    DatasetError in an installed package, which holds none."""
    files = [load_json(path.read_bytes()) for path in sorted(CORPUS.glob("*.json"))]
    if not files:
        raise DatasetError(
            f"{CORPUS} has no texts to train on: train from a copy of the repository"
        )
    return tuple((kind, text) for file in files for kind in file for text in file[kind])


def sentences(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Kind and text, `count` of them, with {n} and {m} where numbers go; held-out ones left out by
    who asks."""
    rng = random.Random(seed)
    kinds = [*OPPOSITE, *OPPOSITE, *OPPOSITE, "open", "closed", "no rule"]
    for _ in range(count):
        kind = rng.choice(kinds)
        yield kind, _dressed(rng, _sentence(rng, kind))


def _sentence(rng: random.Random, kind: str) -> str:
    if kind == "no rule":
        return rng.choice(NO_RULE)
    if kind in {"open", "closed"}:
        frames, written = (OPEN, OPEN_WRITTEN) if kind == "open" else (CLOSED, CLOSED_WRITTEN)
        if rng.random() < 0.5:
            return rng.choice(written)
        return rng.choice(frames).format(e=rng.choice(EVERYBODY), w=rng.choice(WHATEVER))
    return _comparing(rng, kind)


def _comparing(rng: random.Random, kind: str) -> str:
    says = rng.random()
    if says < 0.12:
        return rng.choice(NAMED[kind])
    refused = rng.random() < 0.5
    compared = OPPOSITE[kind] if refused else kind
    if says < 0.3:
        return rng.choice(MUST_NOT if refused else MUST).replace("{c}", rng.choice(BARE[compared]))
    if says < 0.45:
        verb = _singular(rng.choice(VERBS[compared]))
        return rng.choice(DOES_NOT if refused else DOES).replace("{v}", verb)
    if says < 0.6:
        score = f"{rng.choice(SCORES[:4])} {rng.choice(COMPARISONS[kind])}"
        return rng.choice(NEEDS).replace("{s}", score)
    frame = rng.choice(NO if refused else YES)
    return frame.replace("{p}", _people(rng, compared, refused=refused))


def _people(rng: random.Random, compared: str, *, refused: bool) -> str:
    people = rng.choice(PEOPLE[:10] if refused else PEOPLE)
    if people == "all who":
        return f"{people} {rng.choice(VERBS[compared])}"
    if rng.random() < 0.4:
        return f"{people} who {rng.choice(VERBS[compared])}"
    if rng.random() < 0.3:
        bare = rng.choice(BARE[compared])
        return f"{people} whose {rng.choice(('score', 'credit score', 'rating'))} is {bare}"
    return f"{people} with {rng.choice(SCORES)} {rng.choice(COMPARISONS[compared])}"


def _singular(verb: str) -> str:
    first, _, rest = verb.partition(" ")
    found = {"are": "is", "do": "does", "have": "has", "reach": "reaches", "pass": "passes"}
    return f"{found.get(first, first + 's')} {rest}"


def _dressed(rng: random.Random, text: str) -> str:
    """Capitals and full stops as people have them, or not."""
    text = text[0].upper() + text[1:]
    if rng.random() < 0.1:
        text = text.lower()
    return text.rstrip(".") if rng.random() < 0.15 else text


__all__ = ["sentences", "written"]
