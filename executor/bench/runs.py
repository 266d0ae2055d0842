"""Whole runs of the wallet agent on a chain: what an iteration costs beyond its proof.

The same prompts four times: each decision with a proof of its own, all of a run in one proof, with
Groth16 proofs that are verified together, where their prover is installed, and without a proof, by
an agent whose model the chain evaluates.
"""

from typing import TYPE_CHECKING

from zkagent.executor.bench.results import IterationCost, Run
from zkagent.executor.bench.subjects import Say
from zkagent.executor.errors import BenchMeasurementFailed

if TYPE_CHECKING:
    from zkagent.circuits.artifacts import Circuit
    from zkagent.executor.chain.embedded import EmbeddedChain
    from zkagent.executor.runs.provers import DecisionProver
    from zkagent.executor.runs.runner import AgentRunner
    from zkagent.models.catalogue import Model

#: Short, and as long as people write: 120 characters, three decisions each.
PROMPTS = (
    "withdraw all my USDC",
    "hello, the rent for the flat is due on friday so please withdraw all of my USDC from the "
    "lending pool to my wallet, ok thanks",
)
EACH, TOGETHER, KEYED, EVM = "a proof each", "one proof", "groth16", "evm"
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
        found = [
            *_runs(chain, own, EACH, say),
            *_runs(chain, session.runner, TOGETHER, say),
            *keyed_runs(chain, model, say),
            *evaluated_runs(chain, model, say),
        ]
    return tuple(found)


def keyed_runs(chain: "EmbeddedChain", model: "Model", say: Say) -> list[Run]:
    """By an agent beside, whose decisions have Groth16 proofs; none without their prover."""
    from zkagent.circuits.errors import EngineMissing
    from zkagent.circuits.systems import GROTH16
    from zkagent.executor.runs.session import local_circuit
    from zkagent.prover.local import LocalProver

    try:
        circuit = local_circuit(model, None, say, GROTH16)
    except EngineMissing as exc:
        say(f"no runs with Groth16 proofs: {exc}")
        return []
    with LocalProver(circuit) as prover:
        return _runs(chain, _beside(chain, model, circuit, prover, say), KEYED, say)


def evaluated_runs(chain: "EmbeddedChain", model: "Model", say: Say) -> list[Run]:
    """By an agent beside, whose model is computed on chain."""
    from zkagent.circuits.systems import EVALUATED
    from zkagent.executor.runs.provers import InlineProver

    circuit = EVALUATED.build(model.onnx_path)
    with InlineProver(circuit) as prover:
        return _runs(chain, _beside(chain, model, circuit, prover, say), EVM, say)


def _beside(
    chain: "EmbeddedChain", model: "Model", circuit: "Circuit", prover: "DecisionProver", say: Say
) -> "AgentRunner":
    """A further agent on the chain, with what it needs of its own."""
    from zkagent.executor.chain.embedded import EmbeddedChain, fund
    from zkagent.executor.chain.web3_agent import Web3Agent
    from zkagent.executor.chain.web3_sender import Web3Sender
    from zkagent.executor.runs.runner import AgentRunner
    from zkagent.verifier_contracts.deployment.wallet import deploy_wallet

    say(f"deploying: an agent of {circuit.origin.system}")
    deployment = deploy_wallet(chain.web3, model, circuit, chain.owner)
    fund(EmbeddedChain(chain.anvil, deployment, chain.owner, chain.friend, chain.stranger))
    agent = Web3Agent(chain.web3, deployment.agent)
    sender = Web3Sender(chain.web3, deployment.agent, chain.owner)
    return AgentRunner(agent, sender, model, prover)


def _runs(chain: "EmbeddedChain", runner: "AgentRunner", form: str, say: Say) -> list[Run]:
    """Each prompt on a fresh state of the chain."""
    found = []
    for prompt in PROMPTS:
        say(f"{form}: {len(prompt)} characters")
        snapshot = chain.anvil.snapshot()
        found.append(_run(chain, runner, form, prompt))
        chain.anvil.revert(snapshot)
    return found


def _run(chain: "EmbeddedChain", runner: "AgentRunner", form: str, prompt: str) -> Run:
    from zkagent.executor.chain.gas_report import iteration_gas

    completed = runner.run(prompt.encode())
    inclusion, proven = completed.inclusion, completed.proven
    costs = iteration_gas(chain.web3, inclusion.hash, proven.plan.identity, proven.groups)
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


__all__ = ["PROMPTS", "evaluated_runs", "keyed_runs", "wallet_runs"]
