"""A small hand-written set to tune the generator and the training by, apart from the evaluation.

`development.jsonl` has lines {"do": ..., "text": ...} in the markup of `phrases/expansion.py`; `do`
is a tool ("Withdraw", "Withdraw all", ...), "view", "ask" or "decline". The generator must not know
its verbs. Run `python -m zkagent.models.wallet.development [MODEL] [--wrong]` for the figures.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from zkagent.models.catalogue import StepModel, load_model
from zkagent.models.encoding.book import plain_book
from zkagent.models.encoding.context import Context
from zkagent.models.encoding.decoder import Decision
from zkagent.models.errors import RefusedArgument
from zkagent.models.strict_json import load_json
from zkagent.models.wallet.dataset import ROLES, SLOTS_OF, SYMBOLS
from zkagent.models.wallet.states import ACTIONS
from zkagent.models.wallet.text.generator import ADDRESS, Kind, Sample, rendered

FILE = Path(__file__).with_name("development.jsonl")
MOVES = ("Withdraw", "Deploy", "Transfer")
POOL, WALLET = "120.5", "30"
OBSERVATION = f"The balance is: {POOL} USDC in the pool, {WALLET} USDC in the wallet"


def development_samples() -> list[Sample]:
    """The hand-written prompts, each with what should be done."""
    rng = random.Random(0)
    lines = FILE.read_text().splitlines()
    return [_sample(load_json(line), rng) for line in lines]


def _sample(line: dict[str, str], rng: random.Random) -> Sample:
    text, roles, _ = rendered(line["text"], rng)
    tool, _, rest = line["do"].partition(" ")
    kinds: dict[str, Kind] = {"view": "view", "ask": "ask", "decline": "decline"}
    kind = kinds.get(tool, "call")
    name = {"view": "ViewBalance", "call": tool}.get(kind)
    return Sample(text, roles, frozenset(), kind, name, rest == "all")


class Assessor:
    """Judges a model's decisions about samples, run by run."""

    def __init__(self, model: StepModel) -> None:
        self.model = model
        self.book = plain_book(SYMBOLS)

    def decide(self, sample: Sample, viewed: bool = False) -> tuple[Decision | None, str]:
        """The decision and the roles of its arguments (P, W: the balance in pool, in wallet)."""
        reasoning = (self.model.manifest.actions[0].prefix + b"{}\nObservation: "
                     + self.observation(sample).encode() + b"\n",) if viewed else ()  # fmt: skip
        text, values = self.distinct(sample)
        context = Context(text.encode(), reasoning, self.book)
        try:
            decision = self.model.decide(context, decimals=dict.fromkeys(values, 18))
        except RefusedArgument:
            return None, ""
        found = {**values, POOL: "P", WALLET: "W"}
        return decision, "".join(found[a.text] for a in decision.arguments)

    def distinct(self, sample: Sample) -> tuple[str, dict[str, str]]:
        """The sample's text with another value for each candidate, and the roles of the values."""
        parse = self.model.parse(Context(sample.text.encode(), (), self.book))
        parts: list[str] = []
        values: dict[str, str] = {}
        last = 0
        symbols = iter(SYMBOLS * 2)
        for number, (token, role) in enumerate(zip(parse.candidates, sample.roles, strict=True)):
            value = {"A": f"7{number}", "n": f"9{number}"}.get(role) or f"0x{number + 16:040x}"
            if role in "Ss":
                same = [v for v, r in values.items() if r == "S"] if role == "S" else []
                value = same[0] if same else next(symbols)
            values[value] = role
            parts.append(sample.text[last : token.start] + value)
            last = token.end
        return "".join(parts) + sample.text[last:], values

    def observation(self, sample: Sample) -> str:
        _, values = self.distinct(sample)
        unit = next((v for v, role in values.items() if role in "SX"), "USDC")
        return OBSERVATION.replace("USDC", unit)

    def right(self, sample: Sample) -> bool:
        """Whether every decision of the run is right."""
        decision, roles = self.decide(sample)
        if sample.kind == "ask":
            return decision is not None and decision.kind in ("ask", "missing")
        if sample.kind == "decline":
            return decision is not None and decision.kind == "decline"
        if sample.kind == "view" or sample.everything:
            viewed, then = self.decide(sample, viewed=True)
            first = self.calls(decision, roles, "ViewBalance", sample)
            if sample.kind == "view":
                return first and viewed is not None and viewed.kind == "report"
            return first and self.calls(viewed, then, sample.tool or "", sample)
        return self.calls(decision, roles, sample.tool or "", sample)

    def calls(self, decision: Decision | None, roles: str, tool: str, sample: Sample) -> bool:
        if decision is None or decision.kind != "call" or decision.action != tool:
            return False
        amount = ("P" if tool == "Withdraw" else "W") if sample.everything else "A"
        expected = [amount if s == 1 else ROLES[s] for s in SLOTS_OF[tool]]
        return all(role in options for role, options in zip(roles, expected, strict=True))

    def acts(self, sample: Sample) -> bool:
        """Whether a run on the sample changes state, after a balance too."""
        decision, _ = self.decide(sample)
        if decision is not None and decision.action == ACTIONS[0]:
            decision, _ = self.decide(sample, viewed=True)
        return decision is not None and decision.action in MOVES


def figures(
    model: StepModel, samples: Iterable[Sample], show_wrong: bool = False
) -> dict[str, str]:
    """Right runs by tool, and prompts to be declined that changed state."""
    assessor, hits, totals = Assessor(model), Counter[str](), Counter[str]()
    for sample in samples:
        called = sample.tool if sample.kind == "call" else sample.kind
        name = (called or "") + (" all" if sample.everything else "")
        right = assessor.right(sample)
        acted = sample.kind == "decline" and assessor.acts(sample)
        for group in (name, "runs") if sample.kind != "decline" else (name,):
            totals[group] += 1
            hits[group] += right
        if sample.kind == "decline":
            totals["acted on"] += 1
            hits["acted on"] += acted
        if show_wrong and (acted or not right) and (acted or sample.kind != "decline"):
            decision, roles = assessor.decide(sample)
            made = decision.action if decision and decision.action != "answer" else "answer"
            print(f"{name}: {made} {roles}: {sample.text.replace(ADDRESS, '0x..')}")
    return {n: f"{hits[n]}/{totals[n]} {100 * hits[n] / totals[n]:.1f} %" for n in sorted(totals)}


if __name__ == "__main__":
    names = [a for a in sys.argv[1:] if not a.startswith("-")]
    chosen = load_model(names[0] if names else "wallet", StepModel)
    for group, share in figures(chosen, development_samples(), "--wrong" in sys.argv).items():
        print(f"{group:16s} {share}")
