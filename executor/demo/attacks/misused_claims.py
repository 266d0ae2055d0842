"""Attacks with honest claims and proofs, used in another way than they were made for."""

from dataclasses import replace

from zkagent.executor.chain.agent import RunCall
from zkagent.executor.demo.attacks.stage import AttackResult, AttackStage, mount, run_transaction

UNREGISTERED = 999


def wrong_order(stage: AttackStage) -> AttackResult:
    call = stage.run.call
    turned = replace(call, claims=call.claims[::-1], proofs=call.proofs[::-1])
    return mount(
        stage,
        "claims in the wrong order",
        "all claims with their proofs, the last one first",
        run_transaction(stage, turned),
        "ClaimForOtherFeatures",
    )


def missing_claim(stage: AttackStage) -> AttackResult:
    call = stage.run.call
    terms = replace(call.terms, calls=call.terms.calls[:-1])
    fewer = replace(call, claims=call.claims[:-1], proofs=call.proofs[:-1], terms=terms)
    return mount(
        stage,
        "missing claim",
        "the last claim and its proof left out",
        run_transaction(stage, fewer),
        "ClaimMissing",
    )


def claim_left_over(stage: AttackStage) -> AttackResult:
    call = stage.run.call
    claims, proofs = (*call.claims, call.claims[-1]), (*call.proofs, call.proofs[-1])
    terms = replace(call.terms, calls=(*call.terms.calls, call.terms.calls[-1]))
    return mount(
        stage,
        "claim left over",
        "one claim with its proof more than the run needs",
        run_transaction(stage, replace(call, claims=claims, proofs=proofs, terms=terms)),
        "ClaimsLeftOver",
    )


def missing_proof(stage: AttackStage) -> AttackResult:
    call = stage.run.call
    return mount(
        stage,
        "claim without a proof",
        "all claims, the last proof left out",
        run_transaction(stage, replace(call, proofs=call.proofs[:-1])),
        "ProofCountMismatch",
    )


def claim_for_another_model(stage: AttackStage) -> AttackResult:
    """The agent obeys one model; a claim for another registered one is not for it."""
    return mount(
        stage,
        "claim for another model",
        f"a claim for model {stage.other_model_id}, which is registered but not the agent's",
        run_transaction(stage, _first_claim_for(stage, stage.other_model_id)),
        "ClaimForOtherModel",
    )


def unregistered_model(stage: AttackStage) -> AttackResult:
    return mount(
        stage,
        "unregistered model",
        f"a claim for model {UNREGISTERED}, which nobody registered",
        run_transaction(stage, _first_claim_for(stage, UNREGISTERED)),
        "ClaimForOtherModel",
    )


def _first_claim_for(stage: AttackStage, model_id: int) -> RunCall:
    first, *rest = stage.run.call.claims
    return replace(stage.run.call, claims=(replace(first, model_id=model_id), *rest))


ATTACKS = (
    wrong_order,
    missing_claim,
    claim_left_over,
    missing_proof,
    claim_for_another_model,
    unregistered_model,
)
