"""What is said between pool, loan agent and credit-score agent, mirrored by
`verifier_contracts/src/loan/LoanWords.sol`."""

import re

from zkagent.models.errors import ApplicantUnclear

OPENING = "Loan of "
APPROVED, DENIED = "Approved: ", "Denied: "
UNCLEAR = "The criteria do not say what to decide: the DAO has to word them anew."
CRITERIA_TOOL, SCORE_AGENT = "LoanCriteria", "CreditScoreAgent"
ASK_CRITERIA = "Thought: I need the criteria of the DAO.\nAction: LoanCriteria\nAction Input: {}\n"
ASK_SCORE = 'Thought: I need the credit score.\nAction: CreditScoreAgent\nAction Input: {"prompt":"'
END_SCORE = '"}\n'
SCORE_OF, SCORE_IS = "Credit score of ", "The credit score is: "
MAX_CHARACTERS, ADDRESS_LENGTH = 512, 42

_APPLICANT = re.compile(rb" (0x[0-9a-f]{40})\Z")
_NUMBER = re.compile(rb"[0-9]{1,4}")


def applicant_in(prompt: bytes) -> str:
    """The account that the prompt ends in. Raises ApplicantUnclear."""
    found = _APPLICANT.search(prompt)
    if found is None or len(prompt) > MAX_CHARACTERS:
        raise ApplicantUnclear(prompt.decode("utf-8", "replace"))
    return found[1].decode()


def ask_score(applicant: str) -> str:
    """What the agent writes when it asks for the score."""
    return f"{ASK_SCORE}{SCORE_OF}{applicant}{END_SCORE}"


def number_of(text: bytes) -> int | None:
    """The number that is all of `text`: 1 to 4 digits."""
    return int(text) if _NUMBER.fullmatch(text) else None


def score_in(answer: bytes) -> int | None:
    """The score that a score agent's answer says."""
    opening = SCORE_IS.encode()
    return number_of(answer[len(opening) :]) if answer.startswith(opening) else None


__all__ = ["applicant_in", "ask_score", "number_of", "score_in"]
