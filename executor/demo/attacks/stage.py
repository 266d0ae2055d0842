"""What every attack needs, and how its outcome is judged.

An attack is a real transaction, sent with a gas limit of its own so that no estimate stops it. It
bounced when it was included as reverted, nobody's balance moved, and the error is the one that the
defence raises: another error would mean that something else happened to be in the way.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.executor.chain import abi
from zkagent.executor.chain.abi import FEATURE_BYTES, unpack
from zkagent.executor.chain.agent import AgreedCall, DecisionContext, MissingDecision, RunCall
from zkagent.executor.chain.embedded import EmbeddedChain, balances
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.runs.derivation import claim_for, derive_decision
from zkagent.executor.runs.runner import AgentRunner, ProvenRun
from zkagent.executor.runs.terms import agreed_call
from zkagent.models.catalogue import Model, StepModel
from zkagent.verifier_contracts.errors import ChainError, RevertError

GAS_LIMIT = 20_000_000
FALSE_PROOF = "false proof"
#: Of the verifier that takes a frame's Groth16 proofs together.
REFUSALS = frozenset({"PairingRefused", "PointRefused", "ProofRefused", "ProofsFalse"})


@dataclass(frozen=True, slots=True)
class AttackResult:
    """What came of an attack. bounced: it failed, for the reason it should, and moved nothing.

    attempt: what was tried. error: what stopped it, as shown to people. error_name: the Solidity
    error, or FALSE_PROOF for a verifier that reverts.
    """

    name: str
    attempt: str
    bounced: bool
    error: str
    error_name: str


@dataclass(frozen=True)
class AttackStage:
    """An embedded chain and an honest run on it that is proven but not sent.

    other_run: a proven run of another prompt. other_proof: for the first decision of `run`, by a
    model that differs in one weight and is registered as number `other_model_id`.
    """

    chain: EmbeddedChain
    model: Model
    circuit: Circuit
    runner: AgentRunner
    run: ProvenRun
    other_run: ProvenRun
    other_proof: Proof
    other_model_id: int

    @property
    def web3(self) -> Any:
        return self.chain.web3

    @property
    def scored(self) -> StepModel:
        """The model of attacks by foreign tools, whose agents tell no contacts."""
        assert isinstance(self.model, StepModel)
        return self.model

    @property
    def verifier(self) -> str:
        return self.chain.deployment.contracts.verifier.lower()

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Whatever happens inside is taken back."""
        snapshot = self.chain.anvil.snapshot()
        try:
            yield
        finally:
            self.chain.anvil.revert(snapshot)


@dataclass(frozen=True, slots=True)
class Transaction:
    """A call as an attacker (or anybody) sends it."""

    sender: LocalAccount
    to: str
    data: bytes

    @property
    def fields(self) -> dict[str, Any]:
        from web3 import Web3

        to = Web3.to_checksum_address(self.to)
        return {"from": self.sender.address, "to": to, "data": self.data, "gas": GAS_LIMIT}


def run_transaction(
    stage: AttackStage, call: RunCall, sender: LocalAccount | None = None
) -> Transaction:
    """A complete run, sent to the wallet agent by its owner unless said otherwise."""
    data = abi.run_data(call)
    return Transaction(sender or stage.chain.owner, stage.chain.deployment.agent, data)


def misled_run(stage: AttackStage, output: Sequence[int], proof: bytes | None = None) -> RunCall:
    """The run that follows when `output` is claimed for its first decision.

    All else is as good as an attacker can make it: later decisions are the model's, on the history
    that the first one leads to, with their proofs, and the terms agree to what they come to. Only
    the first proof (the honest one by default) is not one of what is claimed."""
    chain, prompt, block = stage.runner.chain, stage.run.call.prompt, stage.runner.chain.head()
    honest = stage.run.plan.decisions[0]
    reads, reasoning = honest.context.reads, honest.context.reasoning
    claims = [claim_for(honest.claim.model_id, honest.x, output)]
    proofs = [proof or stage.run.call.proofs[0]]
    calls = [_agreed(stage.model, DecisionContext(reads, reasoning, prompt), output)]
    step = chain.simulate(prompt, claims, stage.runner.sender.account, block)
    while isinstance(step, MissingDecision):
        x = unpack(step.features, FEATURE_BYTES)
        y = stage.model.infer(x)
        claims.append(claim_for(step.model_id, x, y))
        proofs.append(stage.runner.proof(x)[0].proof)
        calls.append(_agreed(stage.model, DecisionContext(reads, step.reasoning, prompt), y))
        step = chain.simulate(prompt, claims, stage.runner.sender.account, block)
    terms = replace(stage.run.terms, calls=tuple(calls))
    return RunCall(prompt, tuple(claims), tuple(proofs), terms)


def _agreed(model: Model, context: DecisionContext, y: Sequence[int]) -> AgreedCall:
    return agreed_call(context.reads, derive_decision(model, context, y))


def mount(
    stage: AttackStage, name: str, attempt: str, transaction: Transaction, expected: str
) -> AttackResult:
    """Send the transaction for real and judge. `expected`: the error's name, or FALSE_PROOF."""
    with stage.undone():
        before = balances(stage.chain)
        error, error_name = reason(stage, transaction)
        reverted = not _included(stage, transaction)
        untouched = before == balances(stage.chain)
    bounced = reverted and untouched and error_name == expected
    return AttackResult(name, attempt, bounced, error, error_name)


def reason(stage: AttackStage, transaction: Transaction) -> tuple[str, str]:
    """Why the transaction fails: in words and by name; empty when it does not."""
    try:
        with explained(stage.web3, transaction.fields):
            stage.web3.eth.call(transaction.fields)
    except RevertError as exc:
        if exc.arguments.get("site") == stage.verifier:
            return "the verifier reverts: the proof is false for these values", FALSE_PROOF
        if exc.name in REFUSALS:
            return str(exc), FALSE_PROOF
        return str(exc), exc.name
    except ChainError as exc:
        return str(exc), type(exc).__name__
    return "", ""


def succeeds(stage: AttackStage, transaction: Transaction) -> bool:
    """Whether the call would go through now: the control that makes an attack worth mounting."""
    return reason(stage, transaction) == ("", "")


def _included(stage: AttackStage, transaction: Transaction) -> bool:
    """Send and wait; whether it succeeded."""
    web3 = stage.web3
    signed = transaction.sender.sign_transaction(
        {
            **{key: transaction.fields[key] for key in ("to", "data", "gas")},
            "type": 2,
            "value": 0,
            "chainId": web3.eth.chain_id,
            "nonce": web3.eth.get_transaction_count(transaction.sender.address),
            "maxFeePerGas": 10**11,
            "maxPriorityFeePerGas": 10**9,
        }
    )
    sent = web3.eth.send_raw_transaction(signed.raw_transaction)
    receipt = web3.eth.wait_for_transaction_receipt(sent, timeout=60, poll_latency=0.05)
    return bool(receipt["status"] == 1)
