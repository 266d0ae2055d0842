"""Batch verifiers that a registration leaves in place. Each of them is signed again, so that none
is taken because a node lists it: it is what this version builds, or the model's owner named it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from eth_utils.crypto import keccak

from zkagent.circuits.errors import CircuitError
from zkagent.circuits.support.progress import Told
from zkagent.executor.audit.code import Code
from zkagent.executor.audit.model import batch_problem
from zkagent.executor.audit.sources import own_circuit
from zkagent.executor.chain.agent import AgentModel, BatchVerifier
from zkagent.executor.errors import KeptRefused
from zkagent.executor.receipts.verdicts import CannotTell, difference
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.deployment.backing import ExactCode, backing_of


@dataclass(frozen=True)
class Listing:
    """What a node lists under a model's number, and what its verifiers are compared with."""

    code: Code
    bound: AgentModel
    model: Model
    srs: Path | None
    stage: Told


def kept_batches(
    listing: Listing, replaced: Collection[int], named: Mapping[int, str]
) -> tuple[BatchVerifier, ...]:
    """Those that are listed, but for the sizes that are replaced. named: addresses that the owner
    vouches for, by size.

    Raises KeptRefused for one that nobody vouches for and that this version does not build, or
    that is not the one named; DevelopmentSetupRefused.
    """
    listed = {batch.size: batch for batch in listing.bound.batches}
    for size, address in named.items():
        if size in replaced:
            raise KeptRefused(size, address, "--batch replaces it")
        if size not in listed or listed[size].verifier.lower() != address.lower():
            other = listed[size].verifier if size in listed else "none"
            raise KeptRefused(size, address, f"the registry has {other} for so many")
    kept = tuple(batch for batch in listing.bound.batches if batch.size not in replaced)
    for batch in kept:
        if batch.size not in named and (problem := _problem(listing, batch)):
            raise KeptRefused(batch.size, batch.verifier, problem)
    return kept


def _problem(listing: Listing, batch: BatchVerifier) -> str:
    """Why it is not the verifier that this version builds for so many decisions; empty when it is.

    The registry takes an entry for code of its hash alone: with the hash of what was compiled here
    it cannot be another contract's, whatever the node says stands there.
    """
    code, bound = listing.code, listing.bound
    try:
        if problem := batch_problem(code, bound, batch):
            return problem
        circuit = own_circuit(bound, listing.model, listing.srs, listing.stage, batch.size)
    except (CannotTell, CircuitError) as exc:
        return str(exc)
    backing = backing_of(circuit)
    backing.check(code.reader.chain_id, circuit.origin.onnx)
    if problem := difference(("circuit hash", batch.circuit_hash.hex(), circuit.digest)):
        return problem
    standing = backing.standing(batch.verifier, code.reader.code(batch.verifier, code.block))
    if len(standing) != 1 or not isinstance(standing[0], ExactCode):
        return "nothing here compiles to all of its code"
    return difference(("code hash", batch.code_hash.hex(), keccak(standing[0].code).hex()))


__all__ = ["Listing", "kept_batches"]
