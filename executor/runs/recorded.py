"""Records the decisions of a plain `run`: then anybody may have the agent run, without a proof.

What is recorded is what the model says for its input, proven to the executor, and never a decision:
the run that uses it derives input and call itself, on the state of then, and no terms bind it.
Where one decision depends on what the one before came to, they are recorded one after another.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from zkagent.circuits.support.progress import silent
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import AgentModel, Block
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.errors import NestedDecision, NoAgentThere, TooManyDecisions
from zkagent.executor.runs.deciders import check_deciders
from zkagent.executor.runs.errors import RunReverted
from zkagent.executor.runs.events import Listener, Proved, Proving, ignore
from zkagent.executor.runs.plan import MAX_DECISIONS
from zkagent.executor.runs.provers import DecisionProver, ProverOpener, open_prover
from zkagent.executor.runs.session import Stage, circuit_bound
from zkagent.models.catalogue import Model
from zkagent.prover.local import LocalProver
from zkagent.verifier_contracts.chain.local import send
from zkagent.verifier_contracts.deployment.wallet import at
from zkagent.verifier_contracts.errors import RevertError


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """features_hash, output: 0x and hex digits. transaction: that recorded it. seconds: the
    proof's."""

    model_id: int
    features_hash: str
    output: str
    transaction: str
    gas_used: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """What was recorded, and what the agent's `run` answers on it now."""

    decisions: tuple[RecordedDecision, ...]
    answer: bytes


@dataclass(frozen=True, slots=True)
class _Wanted:
    model_id: int
    agent: str
    features: bytes


class DecisionRecorder:
    """Records at one executor, from one account. Everything raises ChainError and RevertError.

    executor: that the agent asks; nothing in the ERC tells which that is. model: that decides.
    prover_of: opens whoever proves by what the registry has, once something has to be proven.
    """

    def __init__(
        self,
        web3: Any,
        executor: str,
        signer: LocalAccount,
        model: Model,
        *,
        prover_of: Callable[[AgentModel], DecisionProver],
        report: Listener = ignore,
    ) -> None:
        self.web3, self.executor, self.signer = web3, executor.lower(), signer
        self.model, self.prover_of, self.report = model, prover_of, report
        self.reader = ContractReader(web3)
        self._bound: dict[int, AgentModel] = {}
        self._provers: dict[int, DecisionProver] = {}

    def record(self, agent: str, prompt: bytes) -> RecordedRun:
        """All decisions of the agent's `run` of `prompt` for this account, as far as they are
        missing.

        Raises RunReverted for the run's own failure, NoAgentThere where the agent asks another
        executor, OtherModel and NestedDecision for decisions of another model, ProverError.
        """
        made: list[RecordedDecision] = []
        while len(made) <= MAX_DECISIONS:
            step = self._run(agent, prompt)
            if not isinstance(step, _Wanted):
                return RecordedRun(tuple(made), step)
            if hexed(keccak(step.features)) in [each.features_hash for each in made]:
                why = f"what is recorded at {self.executor} makes no difference: it asks another"
                raise NoAgentThere(agent, f"{why} executor")
            made.append(self._record(len(made), step))
        raise TooManyDecisions(MAX_DECISIONS)

    def _run(self, agent: str, prompt: bytes) -> _Wanted | bytes:
        data = abi.RUN.call(abi.prompt_input(prompt), abi.NO_HANDLER)
        head = self.reader.block("latest")
        if not self.reader.code(agent, head):
            raise NoAgentThere(agent, "no code is there")
        try:
            returned = self.reader.call(agent, data, head, str(self.signer.address))
        except RevertError as exc:
            if exc.data[:4] != abi.DECISION_UNAVAILABLE.selector:
                raise RunReverted(str(exc), exc.name, dict(exc.arguments)) from exc
            return _Wanted(*abi.DECISION_UNAVAILABLE.arguments(exc.data))
        try:
            run_id, answer = abi.RUN.results(returned)
        except ValueError as exc:
            raise NoAgentThere(agent, str(exc)) from exc
        if run_id != -1:
            raise NoAgentThere(agent, f"it answers later, as run {run_id}")
        return bytes(answer)

    def _record(self, index: int, step: _Wanted) -> RecordedDecision:
        x = abi.unpack(step.features, abi.FEATURE_BYTES)
        y = self._model_of(index, step).infer(x)
        self.report(Proving(index, index + 1))
        started = time.perf_counter()
        proof = self._provers[step.model_id].prove(x)
        seconds = time.perf_counter() - started
        self.report(Proved(index, seconds))
        output = abi.pack(y, abi.OUTPUT_BYTES)
        function = at(self.web3, "AgentExecutor", self.executor).functions.recordDecision(
            step.model_id, step.features, output, proof.proof
        )
        receipt = send(self.web3, function, self.signer)
        return RecordedDecision(
            step.model_id,
            hexed(keccak(step.features)),
            hexed(output),
            hexed(bytes(receipt["transactionHash"])),
            int(receipt["gasUsed"]),
            round(seconds, 3),
        )

    def _model_of(self, index: int, step: _Wanted) -> Model:
        if step.model_id not in self._provers:
            bound = self._registered(step.model_id, self.reader.block("latest"))
            files = (bound.manifest_digest.hex(), bound.onnx_digest.hex())
            if files != (self.model.digest, self.model.manifest.files.onnx):
                why = f"decision {index + 1} is of model {step.model_id}, which is not"
                raise NestedDecision(step.agent, f"{why} {self.model.name}: name it by --model")
            self._provers[step.model_id] = self.prover_of(bound)
        return self.model

    def _registered(self, number: int, block: Block) -> AgentModel:
        (registry,) = self.reader.view(self.executor, abi.REGISTRY, block)
        return Web3Registry(self.reader, registry).model(number, block)


def record_decisions(
    web3: Any,
    agent: str,
    prompt: bytes,
    signer: LocalAccount,
    model: Model,
    *,
    executor: str | None = None,
    srs: Path | None = None,
    stage: Stage = silent,
    report: Listener = ignore,
    opener: ProverOpener = LocalProver,
) -> RecordedRun:
    """`DecisionRecorder.record` with circuit and prover, which are opened when something has to be
    proven. executor: by default the one that the agent names. Raises CircuitError too."""
    reader = ContractReader(web3)
    if executor is None:
        (executor,) = reader.view(agent, abi.EXECUTOR, reader.block("latest"))
    with ExitStack() as opened:

        def prover_of(bound: AgentModel) -> DecisionProver:
            check_deciders(reader.code, bound, reader.block("latest"))
            circuit = circuit_bound(bound, model, srs, stage)
            return opened.enter_context(open_prover(circuit, opener))

        recorder = DecisionRecorder(
            web3, executor, signer, model, prover_of=prover_of, report=report
        )
        return recorder.record(agent, prompt)


def hexed(data: bytes) -> str:
    return "0x" + data.hex()


__all__ = ["DecisionRecorder", "RecordedDecision", "RecordedRun", "record_decisions"]
