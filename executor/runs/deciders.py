"""Whether an agent's encoder and decoder go by this version's rule.

Python derives what they derive. Where they are a release's that decided otherwise, the comparison
says nothing: a run is refused before anything is proven, and what happened is for the version that
goes by the same rule.
"""

from collections.abc import Callable, Sequence

from zkagent.executor.chain.agent import AgentChain, AgentModel, Block, Inclusion
from zkagent.executor.errors import DecidedOtherwise, DecidesOtherwise, NotReproducible
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.deployment.deciders import (
    Earlier,
    earlier_by_code,
    earlier_by_hash,
)
from zkagent.verifier_contracts.deployment.model_code import code_of
from zkagent.verifier_contracts.errors import ModelCodeError

#: Why no state around a block leads to a run: of one that other transactions came before, and of
#: the block's first.
AMONG_OTHERS = (
    "another transaction of that block came before it and may have changed what the agent reads, "
    "or the node does not tell what is so"
)
FIRST = (
    "no transaction of that block came before it, so the node does not tell what is so, or this "
    "version of zkagent derives something else from it than the contracts did"
)
#: As `AgentChain.code`.
CodeAt = Callable[[str, Block], bytes]


def earlier_decider(bound: AgentModel, model: Model, code: Sequence[bytes]) -> Earlier | None:
    """The encoder or decoder of a release that decides otherwise, if one of them is such, as far as
    hashes tell. code: those of theirs, in this order."""
    try:
        built = code_of(model)
    except ModelCodeError:  # no contract of ours holds it
        return None
    return earlier_by_hash(built, bound.components, *code)


def check_deciders(code: CodeAt, bound: AgentModel, block: Block) -> None:
    """Raises DecidesOtherwise."""
    if found := _earlier_there(code, bound, block):
        raise DecidesOtherwise(str(found), found.zkagent)


def not_reproducible(chain: AgentChain, inclusion: Inclusion, bound: AgentModel) -> NotReproducible:
    """Of a run that no state leads to: why."""
    block = inclusion.result.block
    if found := _earlier_there(chain.code, bound, block):
        return DecidedOtherwise(inclusion.hash, block.number, str(found), found.zkagent)
    earlier = chain.happened(inclusion.hash).place
    return NotReproducible(inclusion.hash, block.number, AMONG_OTHERS if earlier else FIRST)


def _earlier_there(code: CodeAt, bound: AgentModel, block: Block) -> Earlier | None:
    """Whatever data the model's owner lists beside it."""
    found = (earlier_by_code(code(each, block)) for each in (bound.decoder, bound.encoder))
    return next(filter(None, found), None)


__all__ = ["check_deciders", "earlier_decider", "not_reproducible"]
