"""Whether an agent's encoder and decoder go by this version's rule.

Python derives what they derive. Where they are a release's that decided otherwise, the comparison
says nothing: a run is refused before anything is proven, and what happened is for the version that
goes by the same rule.
"""

from collections.abc import Callable, Sequence

from zkagent.executor.chain.agent import AgentChain, AgentModel, Block, Inclusion
from zkagent.executor.errors import DecidedOtherwise, DecidesOtherwise, NotReproducible
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.deployment.deciders import Earlier, earlier_by_hash
from zkagent.verifier_contracts.deployment.model_code import build_model_code
from zkagent.verifier_contracts.errors import ModelCodeError

#: As `AgentChain.code_hashes`.
CodeHashes = Callable[[Sequence[str], Block], Sequence[bytes]]


def earlier_decider(bound: AgentModel, model: Model, code: Sequence[bytes]) -> Earlier | None:
    """The encoder or decoder of a release that decides otherwise, if one of them is such. code:
    the hashes of theirs, in this order."""
    try:
        built = build_model_code(model.manifest, model.tables)
    except ModelCodeError:  # no contract of ours holds it
        return None
    return earlier_by_hash(built, bound.components, *code)


def check_deciders(hashes: CodeHashes, bound: AgentModel, model: Model, block: Block) -> None:
    """Raises DecidesOtherwise."""
    code = hashes((bound.encoder, bound.decoder), block)
    if found := earlier_decider(bound, model, code):
        raise DecidesOtherwise(str(found), found.zkagent)


def not_reproducible(
    chain: AgentChain, model: Model, inclusion: Inclusion, bound: AgentModel
) -> NotReproducible:
    """Of a run that no state leads to: why."""
    block = inclusion.result.block
    code = chain.code_hashes((bound.encoder, bound.decoder), block)
    if found := earlier_decider(bound, model, code):
        return DecidedOtherwise(inclusion.hash, block.number, str(found), found.zkagent)
    return NotReproducible(inclusion.hash, block.number)


__all__ = ["check_deciders", "earlier_decider", "not_reproducible"]
