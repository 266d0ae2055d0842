"""Setup vocabulary of proven planners: a wallet's tools in Python, and proofs by a hash."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.fakes.memory_prover import check_memory_proof, memory_proof
from zkagent.circuits.artifacts import Proof
from zkagent.executor.runtime import (
    Agent,
    AgentConfig,
    AgentResult,
    AllowAll,
    CallContext,
    PlannerState,
    ToolDefinition,
    ToolOutput,
)
from zkagent.executor.runtime.core.errors import ProofFault
from zkagent.executor.runtime.core.steps import Planner, ProofOfStep, StepVerdict, ToolInfo
from zkagent.executor.runtime.planners.proofs import Made
from zkagent.models.catalogue import Model

TEXT = {"type": "string"}
BALANCE = "The balance is: 2.5 USDC in the pool, 30 USDC in the wallet"
CIRCUIT = "c1" * 32


@dataclass
class HashedProofs:
    """A hash for a proof: whoever knows x and y can make one. fails: with this, when proving."""

    digest: str = CIRCUIT
    fails: ProofFault | None = None
    made: list[ProofOfStep] = field(default_factory=list)

    def named(self, model: Model, x: Sequence[int], about: str) -> ProofOfStep:
        return ProofOfStep(model.name, self.digest, receipt=f"{about}.json")

    def make(self, model: Model, x: Sequence[int], named: ProofOfStep) -> Made:
        if self.fails:
            raise self.fails
        self.made.append(named)
        y = model.infer(x)
        return Made(Proof(self.digest, tuple(x), y, memory_proof(x, y)), 0.5)

    def check(
        self, model: Model, x: Sequence[int], named: ProofOfStep, proof: Proof | None
    ) -> tuple[StepVerdict, Proof | None]:
        if proof is None or proof.circuit != self.digest or proof.inputs != tuple(x):
            return StepVerdict(False, "another circuit or context"), proof
        held = check_memory_proof(x, proof.outputs, proof.proof)
        return StepVerdict(held, "" if held else "the proof does not hold"), proof

    def close(self) -> None: ...


def wallet_tool(name: str, answer: Callable[..., Any], **properties: Any) -> ToolDefinition:
    async def run(given: dict[str, Any], context: CallContext) -> ToolOutput:
        return ToolOutput(True, answer(**given))

    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolDefinition(name, name, schema, run)


def wallet_tools(given: list[dict[str, Any]] | None = None) -> list[ToolDefinition]:
    """given: what withdrawals were asked with."""

    def withdraw(**arguments: Any) -> str:
        (given if given is not None else []).append(arguments)
        return "Successfully withdrawn"

    return [
        wallet_tool("ViewBalance", lambda asset: BALANCE, asset=TEXT),
        wallet_tool("Withdraw", withdraw, asset=TEXT, amount=TEXT),
    ]


def wallet_agent(planner: Planner, tools: Sequence[ToolDefinition]) -> Agent:
    config = AgentConfig("wallet", "withdraw 5 USDC", tools, planner, permissions=AllowAll())
    return Agent(config)


def states(result: AgentResult, tools: Sequence[ToolDefinition], task: str) -> list[PlannerState]:
    """What the planner saw before each step of a run."""
    known = tuple(ToolInfo(tool.id, tool.description, tool.schema) for tool in tools)
    return [
        PlannerState(result.id, task, known, actions=result.actions[:step], step=step)
        for step in range(len(result.actions))
    ]


def evidence(result: AgentResult, step: int) -> str:
    """The attachment of a step's proof."""
    proof = result.actions[step].step.proof
    assert proof is not None
    return result.attachments[proof.receipt or f"{proof.proof_id}.json"]
