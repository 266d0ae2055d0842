"""Puts a runner on a chain, which gives an agent that knows only the ERC runs with proofs."""

from typing import Any

from zkagent.verifier_contracts.chain.local import Sender
from zkagent.verifier_contracts.deployment.carrier import DirectCarrier, Step, create
from zkagent.verifier_contracts.toolchain.compile import contract


def deploy_runner(
    web3: Any,
    agent: str,
    executor: str,
    owner: str,
    sender: Sender,
    *,
    needs_proofs: bool = False,
) -> str:
    """Its address. owner: who runs the agent by it. needs_proofs: its runs have their proofs at
    hand, for tools that act on proven decisions alone. Raises CompileError, ChainError,
    RevertError."""
    made = create(
        DirectCarrier(web3, sender),
        Step("runner", "runner"),
        contract("PlainRunner"),
        executor,
        agent,
        owner,
        needs_proofs,
    )
    return str(made.address)


__all__ = ["deploy_runner"]
