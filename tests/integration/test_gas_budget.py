"""What the third decision of a long prompt costs, everything included but the tools' own work."""

from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.gas_report import iteration_gas
from zkagent.executor.runs.session import Session

BUDGET = 535_000
#: A whole run of three decisions, the first of its agent, a proof for each; terms included.
RUN_BUDGET = 1_588_000
SHORT_PROMPT = b"withdraw all my USDC"
#: 120 characters; three decisions of an agent with four tools.
PROMPT = (
    b"hello, the rent for the flat is due on friday so please withdraw all of my USDC from the "
    b"lending pool to my wallet, ok thanks"
)


def test_the_third_decision_of_a_long_prompt_stays_within_its_budget(
    session: Session, embedded: EmbeddedChain
) -> None:
    """What belongs to no decision alone (calldata, frame, base cost) is shared out equally."""
    assert len(PROMPT) >= 120
    completed = session.runner.run(PROMPT)
    identity = completed.proven.plan.identity
    found = iteration_gas(embedded.web3, completed.inclusion.hash, identity)
    assert found is not None
    assert len(found) == 3
    used = completed.inclusion.result.gas_used
    shared = used - sum(gas.decide + gas.verify + gas.act for gas in found)
    third = found[2].proven_decision + shared // 3
    print(f"third decision: {third} gas, of which {found[2]} and a third of {shared} shared")
    assert third <= BUDGET


def test_a_run_of_three_proven_decisions_stays_within_its_budget(
    session: Session, embedded: EmbeddedChain
) -> None:
    completed = session.runner.run(SHORT_PROMPT)
    assert len(completed.proven.plan.decisions) == 3
    used = completed.inclusion.result.gas_used
    found = iteration_gas(embedded.web3, completed.inclusion.hash, completed.proven.plan.identity)
    print(f"a run of three decisions: {used} gas, {found}")
    assert used <= RUN_BUDGET
