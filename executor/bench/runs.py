"""Whole runs of the wallet agent on a chain: what an iteration costs beyond its proof.

The same prompts three times: each decision with a proof of its own, all of a run in one proof, and
without a proof, by an agent whose model the chain evaluates.
"""

from typing import TYPE_CHECKING

from executor.bench.results import IterationCost, Run
from executor.bench.subjects import Say
from executor.errors import BenchMeasurementFailed

if TYPE_CHECKING:
    from executor.embedded import EmbeddedChain
    from executor.onchain import AgentRunner
    from models.catalogue import Model

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
    from executor.local_batches import batch_circuit
    from executor.onchain import AgentRunner
    from executor.session import local_circuit, open_embedded
    from models.catalogue import load_model

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
    from executor.embedded import EmbeddedChain, fund
    from executor.evaluated import Evaluation
    from executor.onchain import AgentRunner
    from executor.web3_agent import Web3Agent
    from executor.web3_sender import Web3Sender
    from verifier_contracts.deploy import deploy_wallet
    from verifier_contracts.evm import generate_evm_model

    say("deploying: an agent without proofs")
    evaluated = generate_evm_model(model.onnx_path.read_bytes())
    deployment = deploy_wallet(chain.web3, model, evaluated, chain.owner)
    fund(EmbeddedChain(chain.anvil, deployment, chain.owner, chain.friend, chain.stranger))
    agent = Web3Agent(chain.web3, deployment.agent)
    sender = Web3Sender(chain.web3, deployment.agent, chain.owner)
    return AgentRunner(agent, sender, model, Evaluation(model))


def _run(chain: "EmbeddedChain", runner: "AgentRunner", form: str, prompt: str) -> Run:
    from executor.gas_report import iteration_gas

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
