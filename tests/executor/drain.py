"""A policy written by hand, and an agent in memory that obeys it.

Whatever the prompt says, the policy looks at the balance, withdraws all of it, and reports: three
iterations whose outcome is known without training anything.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from eth_account import Account

from tests.support.fakes.memory_agent import (
    MemoryAgent,
    State,
    made_up_address,
    memory_identity,
    memory_tools,
    revert,
)
from tests.support.fakes.memory_prover import MemoryProver, check_memory_proof
from tests.support.models import DRAFT, random_tables
from zkagent.executor.chain.agent import AgentReads, Block
from zkagent.executor.runs.derivation import tool_hash
from zkagent.models.catalogue import Model, save_model
from zkagent.models.encoding.amounts import format_amount
from zkagent.models.encoding.book import Listing
from zkagent.models.encoding.encoder import COUNT_UNIT
from zkagent.models.networks.policy import PolicyWeights

REQUESTER = Account.from_key("0x" + "11" * 32)
AGENT = made_up_address(0xA)
USDC, DAI = "0x" + "a1" * 20, "0x" + "b2" * 20
SYMBOL_BOOK, BOOK_DATA = made_up_address(0xB), made_up_address(0xC)
BOOK = (Listing("usdc", USDC, 6), Listing("dai", DAI, 18))
CHAIN_ID = 31337
CIRCUIT = "c1" * 32
PROMPT = b"withdraw all my USDC"
VIEW, WITHDRAW, REPORT, SOURCE_POOL = 0, 2, 4, 8
ITERATION = 32 + 4  # index of the iteration count in x


def drain_weights() -> PolicyWeights:
    """Score of each of the three decisions: -(iteration - its iteration)**2; others stay far
    below. Every candidate that fits a slot gets a positive score."""
    w1, b1 = np.zeros((41, 4), np.int64), np.zeros(4, np.int64)
    w2, b2 = np.zeros((4, 10), np.int64), np.full(10, -(10**6), np.int64)
    for unit, action in enumerate((VIEW, WITHDRAW, REPORT)):
        w1[ITERATION, unit], b1[unit] = 1, -COUNT_UNIT * unit
        w2[unit, action], b2[action] = -1, 0
    b2[SOURCE_POOL] = 10
    c1, d1 = np.zeros((16, 2), np.int64), np.zeros(2, np.int64)
    return PolicyWeights(w1, b1, w2, b2, c1, d1, np.zeros((2, 3), np.int64), np.ones(3, np.int64))


def drain_model(directory: Path, seed: int = 0) -> Model:
    draft = DRAFT.model_copy(update={"id": "drain"})
    return save_model(directory, draft, random_tables(np.random.default_rng(seed)), drain_weights())


def view_balance(state: State, values: tuple[int, ...]) -> str:
    pool, wallet = (format_amount(state[place], 6) for place in ("pool", "wallet"))
    return f"The balance is: {pool} USDC in the pool, {wallet} USDC in the wallet"


def withdraw(state: State, values: tuple[int, ...]) -> str:
    if values[1] > state["pool"]:
        raise revert("InsufficientBalance", available=state["pool"], needed=values[1])
    state["pool"] -= values[1]
    state["wallet"] += values[1]
    return "Successfully withdrawn"


def drain_agent(model: Model) -> MemoryAgent:
    tools = memory_tools(model)
    reads = AgentReads(
        block=Block(0, "0x" + "00" * 32),
        agent=AGENT,
        base_prompt=b"You look after a wallet.",
        tools=tools,
        pinned=tuple(map(tool_hash, tools)),
        book=BOOK,
        book_contract=SYMBOL_BOOK,
        book_data=BOOK_DATA,
    )
    return MemoryAgent(
        model=model,
        identity_now=memory_identity(model, AGENT, CHAIN_ID, CIRCUIT),
        reads_now=reads,
        tools={"ViewBalance": view_balance, "Withdraw": withdraw},
        signer=REQUESTER,
        checks=check_memory_proof,
        state={"pool": 120_500_000, "wallet": 30_000_000},
    )


def drain_prover(model: Model) -> MemoryProver:
    return MemoryProver(model.infer, CIRCUIT)


def without_tool(agent: MemoryAgent, name: str) -> None:
    """Take a tool off the agent."""
    kept = [i for i, t in enumerate(agent.reads_now.tools) if t.name != name.encode()]
    agent.reads_now = replace(
        agent.reads_now,
        tools=tuple(agent.reads_now.tools[i] for i in kept),
        pinned=tuple(agent.reads_now.pinned[i] for i in kept),
    )
