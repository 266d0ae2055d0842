"""How often the loan model decides the held-out cases rightly, in whole and by kind of criterion.

    python -m zkagent.models.loan.evaluate [FOLDER [TEXTS]]

TEXTS: other ones, {kind: [texts with {n} where the limit goes]} as JSON, or that packed by gzip.
"""

import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from zkagent.models.agents.loan import LoanModel, load_loan_model
from zkagent.models.agents.loan_words import APPROVED, ASK_CRITERIA, DENIED, SCORE_IS, ask_score
from zkagent.models.encoding.book import SymbolBook
from zkagent.models.encoding.context import Context, escape_observation
from zkagent.models.loan.heldout import Case, cases
from zkagent.models.strict_json import load_json

APPLICANT = "0x" + "5e" * 20
PROMPT = f"Loan of 500 USDC for {APPLICANT}"


def context_of(case: Case) -> Context:
    """When criteria and score were observed."""
    criteria = escape_observation(case.text.encode()).decode()
    entries = (
        f"{ASK_CRITERIA}Observation: {criteria}\n",
        f"{ask_score(APPLICANT)}Observation: {SCORE_IS}{case.score}\n",
    )
    return Context(PROMPT.encode(), tuple(e.encode() for e in entries), SymbolBook(()))


def decided(model: LoanModel, case: Case) -> str:
    """approve, deny or ask."""
    answer = model.decide(context_of(case)).answer
    if answer.startswith(APPROVED):
        return "approve"
    return "deny" if answer.startswith(DENIED) else "ask"


def measured(model: LoanModel, asked: Sequence[Case] | None = None) -> dict[str, float]:
    """Of cases, the held-out ones where none are given, in hundredths: those decided rightly, in
    whole and by kind, and those decided wrongly without asking."""
    found: dict[str, list[bool]] = defaultdict(list)
    wrong: list[bool] = []
    for case in cases() if asked is None else asked:
        said = decided(model, case)
        found[case.kind].append(said == case.expected)
        wrong.append(said not in (case.expected, "ask"))
    whole = [right for each in found.values() for right in each]
    return {"cases": _share(whole), "wrong_decisions": _share(wrong)} | {
        f"cases_{kind.replace(' ', '_')}": _share(each) for kind, each in found.items()
    }


def cases_in(path: Path) -> tuple[Case, ...]:
    """Of the texts in a file."""
    raw = path.read_bytes()
    return cases(load_json(gzip.decompress(raw) if path.suffix == ".gz" else raw))


def _share(right: list[bool]) -> float:
    return round(100 * sum(right) / len(right), 2)


if __name__ == "__main__":
    FOLDER = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent
    TEXTS = cases_in(Path(sys.argv[2])) if sys.argv[2:] else None
    print(json.dumps(measured(load_loan_model(FOLDER), TEXTS), indent=2))

__all__ = ["cases_in", "context_of", "decided", "measured"]
