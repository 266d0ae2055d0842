"""The loan workflow with real proofs: an agent asks another one, a vote changes what is decided,
and the pool pays out what is proven."""

from collections.abc import Iterator

import pytest

from zkagent.circuits.systems import PROVING
from zkagent.executor.demo.loan import (
    LoanStage,
    ShownLoan,
    attack_loans,
    loan_receipt,
    loan_stage,
    play_loans,
)
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.verify_run import Sources, verify_receipt
from zkagent.models.catalogue import Model, load_model


@pytest.fixture(scope="module")
def stage() -> Iterator[LoanStage]:
    with loan_stage(lambda told: None) as found:
        yield found


@pytest.fixture(scope="module")
def shown(stage: LoanStage) -> list[ShownLoan]:
    return list(play_loans(stage))


def test_all_attacks_bounce_after_the_runs_as_the_demo_mounts_them(
    stage: LoanStage, shown: list[ShownLoan]
) -> None:
    attacks = list(attack_loans(stage))
    assert [(each.name, each.error) for each in attacks if not each.bounced] == []
    assert len(attacks) == 5


def test_a_loan_is_approved_denied_and_denied_after_a_vote(shown: list[ShownLoan]) -> None:
    assert [each.completed.proven.plan.answer.split(b":")[0] for each in shown] == [
        b"Approved",
        b"Denied",
        b"Denied",
    ]
    assert [each.paid for each in shown] == [500_000_000, 0, 0]


def test_one_transaction_holds_the_claims_of_two_models(shown: list[ShownLoan]) -> None:
    plan = shown[0].completed.proven.plan
    assert [plan.identity_of(i).agent for i in range(4)] == [
        plan.identity.agent,
        plan.identity.agent,
        plan.nested[0].identity.agent,
        plan.identity.agent,
    ]
    assert len({claim.model_id for claim in plan.claims}) == 2


def test_a_receipt_of_it_verifies(stage: LoanStage, shown: list[ShownLoan]) -> None:
    receipt = loan_receipt(stage, shown[0], stage.alice)
    (run,) = receipt.runs
    assert run.entry == stage.deployment.pool.lower()
    assert run.nested[0].prompt.startswith("Credit score of 0x")
    chain = stage.session(stage.alice).chain
    sources = Sources(lambda name: load_model(name, Model), LocalCircuits(), lambda agent: chain)
    broken = [c for c in verify_receipt(receipt, sources).checks if not (c.held or c.unknown)]
    assert broken == []


def test_two_proof_systems_prove_one_run() -> None:
    pytest.importorskip("groth16py")
    systems = (PROVING["ezkl"], PROVING["groth16"])
    with loan_stage(lambda told: None, systems=systems) as mixed:
        first = next(play_loans(mixed))
    plan = first.completed.proven.plan
    used = {plan.model_of(i).proof_system_id for i in range(4)}
    assert len(used) == 2
    assert first.paid == 500_000_000
