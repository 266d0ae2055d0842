"""All attacks, in the order in which the demo mounts them."""

from collections.abc import Callable

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import HALO2, system_of
from zkagent.executor.demo.attacks import (
    changed_state,
    forged_proofs,
    hostile_tools,
    misused_claims,
    strangers,
    tampered_proofs,
)
from zkagent.executor.demo.attacks.stage import AttackResult, AttackStage
from zkagent.models.catalogue import Model

Attack = Callable[[AttackStage], AttackResult]

#: On runs by proofs of any system.
ON_RUNS: tuple[Attack, ...] = (
    *tampered_proofs.ATTACKS,
    *misused_claims.ATTACKS,
    *changed_state.ATTACKS,
    *strangers.ATTACKS,
    *hostile_tools.ATTACKS,
)
#: And on ezkl's circuits and verifiers.
ATTACKS: tuple[Attack, ...] = (*ON_RUNS, *forged_proofs.ATTACKS)


def attacks_on(circuit: Circuit, model: Model) -> tuple[Attack, ...]:
    """Those that apply to proofs of this circuit, and to agents of this model. One that reads whole
    instructions says the same at each step, so that its claims have no order; and the agent with a
    foreign tool tells no contacts."""
    found = ATTACKS if system_of(circuit) is HALO2 else ON_RUNS
    if model.caution is None:
        return found
    without = {misused_claims.wrong_order, *hostile_tools.ATTACKS}
    return (*(attack for attack in found if attack not in without), *changed_state.INSTRUCTED)
