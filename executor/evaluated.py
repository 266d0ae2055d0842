"""Runs of a model that the chain evaluates itself (`evm-int-v1`): there is nothing to prove.

A claim comes with an empty proof, and the contract that stands where a verifier would computes the
model. Called in place of a prover by whoever runs an agent of such a model.
"""

from collections.abc import Sequence

from circuits.artifacts import Proof
from executor.prover_protocol import ProofCheck
from models.catalogue import Model


class Evaluation:
    """A DecisionProver. A proof's circuit is what the registry commits to: the ONNX file."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def prove(self, x: Sequence[int]) -> Proof:
        return Proof(self.model.manifest.files.onnx, tuple(x), self.model.infer(x), b"")


def check_evaluation(model: Model) -> ProofCheck:
    """The verdict that the contract gives: no proof, and y as the ONNX file has it."""

    def verdict(x: Sequence[int], y: Sequence[int], proof: bytes) -> bool:
        return not proof and model.infer(x) == tuple(y)

    return verdict


__all__ = ["Evaluation", "check_evaluation"]
