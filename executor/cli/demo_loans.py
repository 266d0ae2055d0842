"""The chapter of `zkagent demo --all` about loans: agents that use agents."""

from zkagent.executor.cli.demo_view import DemoView
from zkagent.executor.cli.narrator import Narrator
from zkagent.executor.demo.attacks.stage import AttackResult
from zkagent.executor.demo.loan import LoanStage, ShownLoan, attack_loans, loan_stage, play_loans
from zkagent.models.encoding.amounts import format_amount


def show_loans(view: DemoView, tell: Narrator, before: int) -> list[AttackResult]:
    """Runs and attacks, which are numbered on from `before`."""
    attacks = []
    with loan_stage(tell.stage, tell) as stage:
        with tell.aside():
            _opening(view, stage)
        for shown in play_loans(stage):
            with tell.aside():
                _loan(view, shown)
        with tell.aside():
            view.heading("Attacks on the loans")
        for number, result in enumerate(attack_loans(stage), start=before + 1):
            attacks.append(result)
            with tell.aside():
                view.attack(number, result)
    return attacks


def _opening(view: DemoView, stage: LoanStage) -> None:
    deployed = stage.deployment
    view.heading("Loans: an agent asks another one, and a pool pays out what is proven")
    view.pair("pool", deployed.pool)
    view.pair("loan agent", f"{deployed.agent}, model {stage.parts.loan.name}")
    view.pair("score agent", f"{deployed.scores}, model {stage.parts.credit.name}")
    view.pair("DAO", deployed.dao)


def _loan(view: DemoView, shown: ShownLoan) -> None:
    proven, result = shown.completed.proven, shown.completed.inclusion.result
    inside = {index for run in proven.plan.nested for index in run.decisions}
    view.heading(f"Loan: {shown.title}")
    view.pair("criteria", shown.criteria, "bold")
    view.pair("prompt", proven.plan.prompt.decode(), "bold")
    for index, planned in enumerate(proven.plan.decisions):
        who = "score agent" if index in inside else "loan agent"
        seconds = proven.seconds[proven.proof_of(index)]
        view.pair(f"    {who}", f"{planned.decision.words}  (proof {seconds:.2f} s)", "green")
    view.pair("paid out", f"{format_amount(shown.paid, 6)} USDC")
    view.pair("transaction", f"block {result.block.number}, {result.gas_used:,} gas")
