"""What three decisions of one run cost beside three runs of one decision each."""

from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.gas_report import iteration_gas
from zkagent.executor.runs.runner import AgentRunner

#: 120 characters each; the first takes three decisions and two tools, the second one and none.
THREE = (
    b"hello, the rent for the flat is due on friday so please withdraw all of my USDC from the "
    b"lending pool to my wallet, ok thanks"
)
ONE = (
    b"what is the weather like in Lisbon tomorrow, and will it rain in the afternoon when I am "
    b"walking along the river with you?"
)


def gas_without_tools(runner: AgentRunner, chain: EmbeddedChain, prompt: bytes, count: int) -> int:
    """Of the whole transaction, whose decisions are so many, less the tools' own work."""
    assert len(prompt) >= 120
    completed = runner.run(prompt)
    proven = completed.proven
    assert len(proven.plan.decisions) == count
    found = iteration_gas(chain.web3, completed.inclusion.hash, proven.plan.identity, proven.groups)
    assert found is not None
    return completed.inclusion.result.gas_used - sum(gas.act for gas in found)


def check_together(
    together: AgentRunner, alone: AgentRunner, chain: EmbeddedChain, most_percent: int
) -> None:
    """After the agent's first run: what is written for the first time is not compared."""
    gas_without_tools(alone, chain, ONE, 1)
    single = gas_without_tools(alone, chain, ONE, 1)
    whole = gas_without_tools(together, chain, THREE, 3)
    print(f"three decisions together {whole:,} gas, one alone {single:,}: {whole / 3 / single:.1%}")
    assert whole <= 3 * single * most_percent // 100
