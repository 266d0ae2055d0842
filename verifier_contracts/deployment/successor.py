"""Puts a wallet agent on a chain that takes the place of another one, with the same wallet.

Whom the wallet obeys, and whom a guard guards, its owner says afterwards.
"""

from dataclasses import dataclass
from typing import Any

from zkagent.verifier_contracts.chain.code import created_address
from zkagent.verifier_contracts.chain.local import Sender
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier, Step, create
from zkagent.verifier_contracts.deployment.deployer import MAX_ITERATIONS
from zkagent.verifier_contracts.toolchain.compile import contract

#: What its constructor makes by CREATE, as `TOOL_NONCES` of wallet.py says of an agent that makes
#: its wallet itself.
SUCCESSOR_TOOL_NONCES = {"ViewBalance": 2, "Deploy": 3, "Withdraw": 4, "Transfer": 5}
#: Behind which no constructor of a wallet agent of ours makes a tool.
LAST_TOOL_NONCE = 8


@dataclass(frozen=True, slots=True)
class SuccessorPlan:
    """Addresses, and the model by its number and the commitment that it has to have."""

    predecessor: str
    wallet: str
    executor: str
    book: str
    model_id: int
    commitment: bytes


def deploy_successor(web3: Any, plan: SuccessorPlan, sender: Sender) -> str:
    """Its address. Raises CompileError, ChainError, RevertError."""
    made = create(
        DirectCarrier(web3, sender),
        Step("agent", "successor"),
        contract("SuccessorWalletAgent"),
        plan.executor,
        str(plan.model_id),
        plan.commitment,
        plan.wallet,
        plan.predecessor,
        plan.book,
        MAX_ITERATIONS,
    )
    return str(made.address)


def successor_tools(successor: str) -> tuple[str, ...]:
    """ViewBalance, Deploy, Withdraw, Transfer: where they stand follows from its address."""
    return tuple(created_address(successor, nonce) for nonce in SUCCESSOR_TOOL_NONCES.values())


def possible_tools(agent: str) -> tuple[str, ...]:
    """All that can be a tool made by a wallet agent's constructor, whichever of ours it is."""
    return tuple(created_address(agent, nonce) for nonce in range(1, LAST_TOOL_NONCE + 1))


__all__ = ["SuccessorPlan", "deploy_successor", "possible_tools", "successor_tools"]
