"""A proven run in which something is claimed that nobody proved."""

from dataclasses import replace

from zkagent.executor.chain.agent import RunCall
from zkagent.executor.runs.derivation import claim_for
from zkagent.executor.runs.runner import ProvenRun


def forged(run: ProvenRun, decision: int = -1) -> RunCall:
    """The run's call with another output claimed for one decision, by default the last one, and for
    all that have its proof, which is left as it is."""
    planned = run.plan.decisions[decision]
    output = (*planned.y[:-1], planned.y[-1] + 1)
    false = claim_for(planned.claim.model_id, planned.x, output)
    claims = tuple(false if claim == planned.claim else claim for claim in run.call.claims)
    return replace(run.call, claims=claims)


__all__ = ["forged"]
