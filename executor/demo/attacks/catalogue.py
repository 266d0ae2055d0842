"""All attacks, in the order in which the demo mounts them."""

from collections.abc import Callable

from zkagent.executor.demo.attacks import (
    changed_state,
    forged_proofs,
    hostile_tools,
    misused_claims,
    strangers,
    tampered_proofs,
)
from zkagent.executor.demo.attacks.stage import AttackResult, AttackStage

Attack = Callable[[AttackStage], AttackResult]

ATTACKS: tuple[Attack, ...] = (
    *tampered_proofs.ATTACKS,
    *misused_claims.ATTACKS,
    *changed_state.ATTACKS,
    *strangers.ATTACKS,
    *hostile_tools.ATTACKS,
    *forged_proofs.ATTACKS,
)
