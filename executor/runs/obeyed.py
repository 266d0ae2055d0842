"""The model that a run obeyed, by the executor's own events.

A number in the registry may stand for one commitment before the run's block, for another one while
the run happens, and for a third when the block is over: its owner decides. So what the registry
shows at the end of a block is taken only if it has the commitment that the events name.
"""

from collections.abc import Iterator

from zkagent.executor.chain.agent import AgentChain, AgentIdentity, Inclusion
from zkagent.executor.errors import NoAgentThere, NotReproducible
from zkagent.verifier_contracts.errors import RevertError

#: Blocks before a run's own that are looked into: whoever planned it saw what it obeyed.
LOOKED_BACK = 64


def obeyed(
    chain: AgentChain, inclusion: Inclusion, planned: AgentIdentity | None = None
) -> AgentIdentity:
    """Agent and model of a run that happened. planned: as they were when it was planned.

    Raises NotReproducible when no state that is looked into has that commitment.
    """
    block = inclusion.result.block
    commitment = _commitment(chain, inclusion)
    for identity in _candidates(chain, block.number, planned):
        if identity.model.commitment_hash == commitment:
            return identity
    raise NotReproducible(inclusion.hash, block.number)


def _commitment(chain: AgentChain, inclusion: Inclusion) -> bytes:
    block = inclusion.result.block
    names = chain.names(block)
    mine = (names.executor, names.model_id, names.agent)
    found = {
        event.commitment_hash
        for event in chain.happened(inclusion.hash).verified
        if (event.executor, event.model_id, event.agent) == mine
    }
    if len(found) != 1:  # the executor that is known here has one for all decisions of a run
        raise NotReproducible(inclusion.hash, block.number)
    return found.pop()


def _candidates(
    chain: AgentChain, number: int, planned: AgentIdentity | None
) -> Iterator[AgentIdentity]:
    """What states around a block have, those first that are likely."""
    if planned:
        yield planned
    for each in (number - 1, number, *range(number - 2, max(-1, number - LOOKED_BACK), -1)):
        try:
            yield chain.identity(chain.block(each))
        except (NoAgentThere, RevertError):  # the model is withdrawn, or none that anybody obeys
            continue


__all__ = ["obeyed"]
