"""What a run obeyed and read, found when it is over.

Between the ends of two blocks anything may be so that neither shows: a number in the registry may
stand for one commitment before the run's block, for another while the run happens, and for a third
when the block is over, and a foreign tool or token may say something else each time. So a state is
taken only if it has the commitment that the executor's events name, or tools as the agent pinned
them; that it has the signed facts is for who asks to see.
"""

from collections.abc import Iterator, Sequence

from zkagent.executor.chain.agent import AgentChain, AgentIdentity, AgentReads, Inclusion
from zkagent.executor.errors import DecimalsRefused, NoAgentThere, NotReproducible
from zkagent.executor.runs.derivation import tool_hash
from zkagent.verifier_contracts.errors import RevertError

#: Blocks before a run's own that are looked into, since whoever planned it saw what it obeyed: as
#: many as come in the ten minutes that a run is good for by default, at two seconds each.
LOOKED_BACK = 300


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
    why = f"none of them has the model that its events name, of commitment 0x{commitment.hex()}"
    raise NotReproducible(inclusion.hash, block.number, why)


def states_around(
    chain: AgentChain, number: int, tokens: Sequence[str] = (), *, back: bool = False
) -> Iterator[AgentReads]:
    """What an agent may have read in a run of this block, with the decimals of these tokens: before
    the block, after it, and if asked for, `back` to where it was planned."""
    for each in (number - 1, number, *(_earlier(number) if back else ())):
        try:
            reads = chain.reads(chain.block(each), tokens)
        except (DecimalsRefused, NoAgentThere, RevertError):  # a tool or token was another one then
            continue
        if tuple(map(tool_hash, reads.tools)) == reads.pinned:
            yield reads


def _earlier(number: int) -> range:
    return range(number - 2, max(-1, number - LOOKED_BACK), -1)


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
        why = f"its events name {len(found)} models of the agent, expected one"
        raise NotReproducible(inclusion.hash, block.number, why)
    return found.pop()


def _candidates(
    chain: AgentChain, number: int, planned: AgentIdentity | None
) -> Iterator[AgentIdentity]:
    """What states around a block have, those first that are likely."""
    if planned:
        yield planned
    for each in (number - 1, number, *_earlier(number)):
        try:
            yield chain.identity(chain.block(each))
        except (NoAgentThere, RevertError):  # the model is withdrawn, or none that anybody obeys
            continue


__all__ = ["obeyed", "states_around"]
