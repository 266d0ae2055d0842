"""Whole runs of the wallet agent on a chain: what an iteration costs beyond its proof."""

from typing import TYPE_CHECKING

from executor.bench.results import IterationCost, Run
from executor.bench.subjects import Say
from executor.errors import BenchMeasurementFailed

if TYPE_CHECKING:
    from executor.session import Session

#: Short, and as long as people write: 120 characters, three decisions each.
PROMPTS = (
    "withdraw all my USDC",
    "hello, the rent for the flat is due on friday so please withdraw all of my USDC from the "
    "lending pool to my wallet, ok thanks",
)


def wallet_runs(say: Say) -> tuple[Run, ...]:
    """Run each prompt once on a fresh state of one chain, every decision proven."""
    from executor.session import local_circuit, open_embedded
    from models.catalogue import load_model

    model = load_model("wallet")
    circuit = local_circuit(model, None, say)
    with open_embedded(model, circuit, say) as (session, embedded):
        found = []
        for prompt in PROMPTS:
            say(f"running {len(prompt)} characters")
            snapshot = embedded.anvil.snapshot()
            found.append(_run(session, prompt))
            embedded.anvil.revert(snapshot)
    return tuple(found)


def _run(session: "Session", prompt: str) -> Run:
    from executor.gas_report import iteration_gas

    completed = session.runner.run(prompt.encode())
    inclusion = completed.inclusion
    costs = iteration_gas(session.web3, inclusion.hash, completed.proven.plan.identity)
    if not costs:
        raise BenchMeasurementFailed("the chain did not trace the run: is its anvil too old?")
    used = inclusion.result.gas_used
    return Run(
        network=session.model.name,
        form="zkagent",
        prompt=prompt,
        transaction_gas=used,
        shared_gas=used - sum(cost.proven_decision + cost.act for cost in costs),
        iterations=tuple(
            IterationCost(decide=cost.decide, verify=cost.verify, act=cost.act) for cost in costs
        ),
    )


__all__ = ["PROMPTS", "wallet_runs"]
