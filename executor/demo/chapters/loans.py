"""The loan workflow, on a chain of its own: approved, denied, denied after a vote, and attacked."""

from collections.abc import Iterator

from zkagent.executor.demo.chapters.chapter import Line, World, happened, of_attack
from zkagent.executor.demo.loan import ShownLoan, attack_loans, loan_stage, play_loans
from zkagent.models.encoding.amounts import format_amount


def loans(world: World) -> Iterator[Line]:
    """`play_loans` raises DemoError where one is decided otherwise."""
    with loan_stage(world.tell) as stage:
        for shown in play_loans(stage):
            yield _line(shown)
        yield from map(of_attack, attack_loans(stage))


def _line(shown: ShownLoan) -> Line:
    proven, result = shown.completed.proven, shown.completed.inclusion.result
    inside = {index for run in proven.plan.nested for index in run.decisions}
    decided = (
        f"{'score agent' if index in inside else 'loan agent'}: {planned.decision.words}"
        for index, planned in enumerate(proven.plan.decisions)
    )
    paid = f"{format_amount(shown.paid, 6)} USDC paid, {result.gas_used:,} gas"
    what = f'{shown.title}, by "{shown.criteria}"'
    return happened(what, "\n".join((*decided, paid)), len(inside) == 1)
