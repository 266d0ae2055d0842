"""Attacks on what is proven: outputs that the model did not give, proofs that are not of it."""

from collections.abc import Sequence
from dataclasses import replace

from zkagent.circuits.bn254.field import R
from zkagent.executor.chain.abi import OUTPUT_BYTES, unpack
from zkagent.executor.demo.attacks.stage import (
    FALSE_PROOF,
    AttackResult,
    AttackStage,
    misled_run,
    mount,
    run_transaction,
)
from zkagent.models.catalogue import Model, StepModel
from zkagent.models.instructions.calls import Tag
from zkagent.models.instructions.packing import TAG_BITS, TAGS_PER_NUMBER, TOKENS, said


def changed_output(stage: AttackStage) -> AttackResult:
    """Turn a deposit into a withdrawal by changing one number."""
    output = unpack(stage.run.call.claims[0].output, OUTPUT_BYTES)
    return mount(
        stage,
        "changed output",
        "one number changed, so that the deposit becomes a withdrawal",
        run_transaction(stage, misled_run(stage, _withdrawing(stage.model, output))),
        FALSE_PROOF,
    )


def _withdrawing(model: Model, output: Sequence[int]) -> list[int]:
    """A score raised, or a tag that begins a deposit made one that begins a withdrawal."""
    changed = list(output)
    if isinstance(model, StepModel):
        names = [action.name for action in model.manifest.actions]
        scores = changed[: model.manifest.action_scores]
        changed[names.index("Withdraw")] = max(scores) + 1
        return changed
    tags = said(output, TOKENS).tags
    number, place = divmod(tags.index(Tag.DEPOSIT), TAGS_PER_NUMBER)
    one = 1 << TAG_BITS * (TAGS_PER_NUMBER - 1 - place)
    changed[1 + number] += (Tag.WITHDRAW - Tag.DEPOSIT) * one
    return changed


def shifted_output(stage: AttackStage) -> AttackResult:
    """Write each y as y + p: the same field elements to a proof, other integers to an arg-max."""
    first, *rest = stage.run.call.claims
    values = unpack(first.output, OUTPUT_BYTES)
    shifted = b"".join((value % R + R).to_bytes(32, "big") for value in values)
    call = replace(stage.run.call, claims=(replace(first, output=shifted), *rest))
    return mount(
        stage,
        "output shifted by the field order",
        "each y as y + p in 32 bytes: to a proof the same, to an arg-max not",
        run_transaction(stage, call),
        "MalformedOutput",
    )


def changed_proof_byte(stage: AttackStage) -> AttackResult:
    """Flip one bit in the middle of a proof."""
    first, *rest = stage.run.call.proofs
    middle = len(first) // 2
    flipped = first[:middle] + bytes([first[middle] ^ 1]) + first[middle + 1 :]
    return mount(
        stage,
        "changed proof byte",
        f"one bit of byte {middle} of {len(first)} flipped",
        run_transaction(stage, replace(stage.run.call, proofs=(flipped, *rest))),
        FALSE_PROOF,
    )


def proof_for_another_prompt(stage: AttackStage) -> AttackResult:
    """Answer this prompt with the claims and proofs of another one."""
    other = stage.other_run.call
    call = replace(other, prompt=stage.run.call.prompt)
    return mount(
        stage,
        "proof for a prompt with other features",
        f"claims and proofs made for {other.prompt.decode()!r}",
        run_transaction(stage, call),
        "ClaimForOtherFeatures",
    )


def relabelled_proof(stage: AttackStage) -> AttackResult:
    """The same, with the claim's label forged: now only the proof itself stands in the way."""
    other = stage.other_run.call
    output = unpack(other.claims[0].output, OUTPUT_BYTES)
    return mount(
        stage,
        "the same, relabelled",
        "the other prompt's output and proof, under this prompt's features hash",
        run_transaction(stage, misled_run(stage, output, other.proofs[0])),
        FALSE_PROOF,
    )


def proof_by_another_model(stage: AttackStage) -> AttackResult:
    """A valid proof of a model that differs in one weight, offered as the agent's model's."""
    proof = stage.other_proof
    return mount(
        stage,
        "proof by another model",
        "a valid proof by a model with one other weight, offered as the agent's model's",
        run_transaction(stage, misled_run(stage, proof.outputs, proof.proof)),
        FALSE_PROOF,
    )


ATTACKS = (
    changed_output,
    shifted_output,
    changed_proof_byte,
    proof_for_another_prompt,
    relabelled_proof,
    proof_by_another_model,
)
