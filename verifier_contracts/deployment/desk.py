"""Puts a desk on a chain, where runs of one agent can be requested."""

from dataclasses import dataclass
from typing import Any

from zkagent.verifier_contracts.chain.local import Sender
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier, Step, create
from zkagent.verifier_contracts.toolchain.compile import contract

NOBODY = "0x" + "00" * 20


@dataclass(frozen=True, slots=True)
class DeskPlan:
    """patron: whose requests are taken, NOBODY for everybody's. fee_wei, lifetime_s,
    gas_for_callback: of requests by clients that know only the ERC. strict: its frames have their
    proofs at hand, whatever the agent tells."""

    patron: str
    fee_wei: int = 0
    lifetime_s: int = 3600
    gas_for_callback: int = 200_000
    strict: bool = False


def deploy_desk(web3: Any, agent: str, executor: str, plan: DeskPlan, sender: Sender) -> str:
    """Its address. The agent has to serve it, which its owner tells the agent. Raises CompileError,
    ChainError, RevertError."""
    door = (plan.fee_wei, plan.lifetime_s, plan.gas_for_callback)
    made = create(
        DirectCarrier(web3, sender),
        Step("desk", "desk"),
        contract("RequestDesk"),
        agent,
        executor,
        plan.patron,
        door,
        plan.strict,
    )
    return str(made.address)


__all__ = ["NOBODY", "DeskPlan", "deploy_desk"]
