"""Every attack of the demo, mounted: it bounces, with the error of the defence that stopped it."""

import pytest

from tests.support.obliging_verifier import oblige
from zkagent.executor.demo.attacks import (
    changed_state,
    forged_proofs,
    hostile_tools,
    misused_claims,
    strangers,
)
from zkagent.executor.demo.attacks import tampered_proofs as tampered
from zkagent.executor.demo.attacks.catalogue import ATTACKS, Attack
from zkagent.executor.demo.attacks.stage import (
    FALSE_PROOF,
    AttackStage,
    run_transaction,
    succeeds,
)

STOPPED_BY: dict[Attack, str | None] = {
    tampered.changed_output: FALSE_PROOF,
    tampered.shifted_output: "MalformedOutput",
    tampered.changed_proof_byte: FALSE_PROOF,
    tampered.proof_for_another_prompt: "ClaimForOtherFeatures",
    tampered.relabelled_proof: FALSE_PROOF,
    tampered.proof_by_another_model: FALSE_PROOF,
    misused_claims.wrong_order: "ClaimForOtherFeatures",
    misused_claims.missing_claim: "ClaimMissing",
    misused_claims.claim_left_over: "ClaimsLeftOver",
    misused_claims.missing_proof: "ProofCountMismatch",
    misused_claims.claim_for_another_model: "ClaimForOtherModel",
    misused_claims.unregistered_model: "ClaimForOtherModel",
    changed_state.relisted_symbol: "FactChanged",
    changed_state.late_inclusion: "RunExpired",
    strangers.stranger_calls_agent: "CallerIsNotTheOwner",
    strangers.stranger_calls_tool: "CallerIsNotTheAgent",
    strangers.copied_transaction: "CallerIsNotTheOwner",
    hostile_tools.changed_metadata: "ToolMetadataChanged",
    hostile_tools.injected_recipient: None,  # does not revert: the agent does not obey
    hostile_tools.injected_history: None,
    forged_proofs.shifted_abi_head: FALSE_PROOF,
    forged_proofs.permuted_matrix_product: FALSE_PROOF,
}


def test_every_attack_of_the_demo_is_tested_here() -> None:
    assert list(STOPPED_BY) == list(ATTACKS)


def test_what_is_attacked_would_succeed_untouched(stage: AttackStage) -> None:
    assert succeeds(stage, run_transaction(stage, stage.run.call))
    assert succeeds(stage, run_transaction(stage, stage.other_run.call))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_the_attack_bounces_with_the_error_of_its_defence(
    stage: AttackStage, attack: Attack
) -> None:
    result = attack(stage)
    assert result.bounced, f"{result.attempt}: {result.error}"
    if STOPPED_BY[attack] is not None:
        assert result.error_name == STOPPED_BY[attack]


def test_an_attack_that_succeeds_is_not_called_a_bounce(stage: AttackStage) -> None:
    """The owner's own honest run, judged as if it were an attack."""
    from zkagent.executor.demo.attacks.stage import mount

    honest = run_transaction(stage, stage.run.call)
    result = mount(stage, "honest run", "", honest, "ClaimMissing")
    assert not result.bounced
    assert result.error == ""


def test_an_attack_that_fails_for_another_reason_is_not_called_a_bounce(
    stage: AttackStage,
) -> None:
    from dataclasses import replace

    from zkagent.executor.demo.attacks.stage import mount

    copied = replace(run_transaction(stage, stage.run.call), sender=stage.chain.stranger)
    assert not mount(stage, "copied", "", copied, "ClaimMissing").bounced


@pytest.mark.parametrize(
    "attack",
    [
        tampered.changed_output,
        tampered.changed_proof_byte,
        tampered.relabelled_proof,
        tampered.proof_by_another_model,
    ],
    ids=lambda attack: attack.__name__,
)
def test_with_a_verifier_that_accepts_everything_the_attack_succeeds(
    stage: AttackStage, attack: Attack
) -> None:
    """So it is the proof that stops it, and nothing else on the way."""
    with stage.undone():
        oblige(stage.chain.anvil, stage.chain.deployment)
        result = attack(stage)
    assert not result.bounced
    assert result.error == ""
