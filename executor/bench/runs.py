"""Whole runs of the wallet agent on a chain: what an iteration costs beyond its proof.

The same prompts three times: each decision with a proof of its own, all of a run in one proof, and
without a proof, by an agent whose model the chain evaluates.
"""

from typing import TYPE_CHECKING

from zkagent.executor.bench.results import IterationCost, Run
from zkagent.executor.bench.subjects import Say
from zkagent.executor.errors import BenchMeasurementFailed

if TYPE_CHECKING:
    from zkagent.executor.chain.embedded import EmbeddedChain
    from zkagent.executor.runs.runner import AgentRunner
    from zkagent.models.catalogue import Model

#: Short, and as long as people write: 120 characters, three decisions each.
PROMPTS = (
    "withdraw all my USDC",
    "hello, the rent for the flat is due on friday so please withdraw all of my USDC from the "
    "lending pool to my wallet, ok thanks",
)
EACH, TOGETHER, EVM = "a proof each", "one proof", "evm"
TOGETHER_SIZE = 4


def wallet_runs(say: Say) -> tuple[Run, ...]:
    """Run each prompt in each form, each on a fresh state of one chain."""
    from zkagent.executor.runs.local_batches import batch_circuit
    from zkagent.executor.runs.runner import AgentRunner
    from zkagent.executor.runs.session import local_circuit, open_embedded
    from zkagent.models.catalogue import load_model

    model = load_model("wallet")
    circuit = local_circuit(model, None, say)
    batches = {TOGETHER_SIZE: batch_circuit(model, TOGETHER_SIZE, None, say)}
    with open_embedded(model, circuit, say, batches=batches) as (session, chain):
        own = AgentRunner(session.chain, session.sender, model, session.runner.prover)
        runners = {EACH: own, TOGETHER: session.runner, EVM: _evaluating(chain, model, say)}
        found = []
        for form, runner in runners.items():
            for prompt in PROMPTS:
                say(f"{form}: {len(prompt)} characters")
                snapshot = chain.anvil.snapshot()
                found.append(_run(chain, runner, form, prompt))
                chain.anvil.revert(snapshot)
    return tuple(found)


def _evaluating(chain: "EmbeddedChain", model: "Model", say: Say) -> "AgentRunner":
    """A second agent beside the first, whose model is computed on chain."""
    from zkagent.circuits.systems import EVALUATED
    from zkagent.executor.chain.embedded import EmbeddedChain, fund
    from zkagent.executor.chain.web3_agent import Web3Agent
    from zkagent.executor.chain.web3_sender import Web3Sender
    from zkagent.executor.runs.provers import InlineProver
    from zkagent.executor.runs.runner import AgentRunner
    from zkagent.verifier_contracts.deployment.wallet import deploy_wallet

    say("deploying: an agent without proofs")
    evaluated = EVALUATED.build(model.onnx_path)
    deployment = deploy_wallet(chain.web3, model, evaluated, chain.owner)
    fund(EmbeddedChain(chain.anvil, deployment, chain.owner, chain.friend, chain.stranger))
    agent = Web3Agent(chain.web3, deployment.agent)
    sender = Web3Sender(chain.web3, deployment.agent, chain.owner)
    return AgentRunner(agent, sender, model, InlineProver(evaluated))


def _run(chain: "EmbeddedChain", runner: "AgentRunner", form: str, prompt: str) -> Run:
    from zkagent.executor.chain.gas_report import iteration_gas

    completed = runner.run(prompt.encode())
    inclusion, proven = completed.inclusion, completed.proven
    groups = proven.groups if form == TOGETHER else None
    costs = iteration_gas(chain.web3, inclusion.hash, proven.plan.identity, groups)
    if not costs:
        raise BenchMeasurementFailed("the chain did not trace the run: is its anvil too old?")
    used = inclusion.result.gas_used
    return Run(
        network=runner.model.name,
        form=form,
        prompt=prompt,
        transaction_gas=used,
        shared_gas=used - sum(cost.proven_decision + cost.act for cost in costs),
        iterations=tuple(
            IterationCost(decide=cost.decide, verify=cost.verify, act=cost.act) for cost in costs
        ),
    )


__all__ = ["PROMPTS", "wallet_runs"]
