"""Attacks by who is not the owner: on the agent, on its tools, with a copied transaction."""

from dataclasses import replace

from eth_abi.abi import encode

from zkagent.executor.chain import abi
from zkagent.executor.demo.attacks.stage import (
    AttackResult,
    AttackStage,
    Transaction,
    mount,
    run_transaction,
    succeeds,
)

ADDRESS_PARAMETER, UINT_PARAMETER = 1, 4  # IERCAgentTool.ParamType


def stranger_calls_agent(stage: AttackStage) -> AttackResult:
    """Ask somebody else's agent for somebody else's tokens."""
    stranger = stage.chain.stranger
    prompt = f"send 5 USDC to {stranger.address}".encode()
    data = abi.RUN.call(abi.prompt_input(prompt), abi.NO_HANDLER)
    return mount(
        stage,
        "stranger calls the agent",
        "'send 5 USDC to me', from an account that is not the owner",
        Transaction(stranger, stage.chain.deployment.agent, data),
        "CallerIsNotTheOwner",
    )


def stranger_calls_tool(stage: AttackStage) -> AttackResult:
    """Go past the agent: the wallet obeys its tools, so call one."""
    deployment, stranger = stage.chain.deployment, stage.chain.stranger
    token = deployment.token("USDC")
    types, values = ("address", "uint256", "address"), (token.address, 10**6, stranger.address)
    kinds = (ADDRESS_PARAMETER, UINT_PARAMETER, ADDRESS_PARAMETER)
    params = [
        (kind, encode([name], [value]))
        for kind, name, value in zip(kinds, types, values, strict=True)
    ]
    data = abi.RUN.call((params, encode(types, values)), abi.NO_HANDLER)
    return mount(
        stage,
        "stranger calls a tool directly",
        "Transfer.run with the stranger as recipient, without the agent",
        Transaction(stranger, deployment.tool("Transfer"), data),
        "CallerIsNotTheAgent",
    )


def copied_transaction(stage: AttackStage) -> AttackResult:
    """The owner's transaction, seen in the mempool and sent by somebody else first."""
    owners = run_transaction(stage, stage.run.call)
    result = mount(
        stage,
        "copied transaction from another sender",
        "the owner's exact calldata, proofs and all, from another account",
        replace(owners, sender=stage.chain.stranger),
        "CallerIsNotTheOwner",
    )
    return replace(result, bounced=result.bounced and succeeds(stage, owners))


ATTACKS = (stranger_calls_agent, stranger_calls_tool, copied_transaction)
