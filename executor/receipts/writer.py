"""Makes receipts out of runs that happened, reading again what was behind each decision.

The plan's reads are not enough: between plan and inclusion a balance may have moved, which changes
observations though not the features. So the history comes from the agent's event, and everything
else from the state that the transaction ran on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from eth_account.signers.local import LocalAccount
from pydantic import ValidationError

from zkagent.executor.chain.abi import DECIMALS, FEATURE_BYTES, OUTPUT_BYTES, pack
from zkagent.executor.chain.agent import (
    AgentChain,
    AgentModel,
    AgentReads,
    DecisionContext,
    Inclusion,
    RunResult,
)
from zkagent.executor.chain.model_hashes import model_hash
from zkagent.executor.chain.signatures import sign_receipt
from zkagent.executor.errors import NotReproducible, TooLongForReceipt
from zkagent.executor.receipts.format import (
    FORMAT,
    MOST_BYTES,
    IterationRecord,
    ModelRecord,
    Notes,
    ProofRecord,
    Receipt,
    RunNotes,
    RunRecord,
    TransactionRecord,
    signed_text,
)
from zkagent.executor.receipts.recording import (
    block_record,
    context_record,
    decision_record,
    hexed,
    model_record,
    rests_on,
)
from zkagent.executor.runs.deciders import not_reproducible
from zkagent.executor.runs.derivation import (
    asked_tokens,
    derive_decision,
    derive_features,
    features_hash,
    observation_in,
    raw_bytes,
    text,
)
from zkagent.executor.runs.obeyed import obeyed, states_around
from zkagent.executor.runs.plan import Plan, PlannedDecision
from zkagent.executor.runs.runner import CompletedRun
from zkagent.models.catalogue import Model
from zkagent.models.encoding.decoder import Decision
from zkagent.models.errors import ModelError


def write_receipt(
    chain: AgentChain, model: Model, runs: Sequence[CompletedRun], signer: LocalAccount
) -> Receipt:
    """The signed receipt of `runs`, all of them requested by `signer`.

    Raises NotReproducible when a run cannot be reproduced from the chain's state,
    TooLongForReceipt when what contracts said leaves the format's maxima.
    """
    last = runs[-1].inclusion.hash
    try:
        receipt = _written(chain, model, runs, signer)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "document"
        raise TooLongForReceipt(last, where, str(first["msg"])) from exc
    if (size := len(receipt.to_json())) > MOST_BYTES:
        raise TooLongForReceipt(last, "document", f"{size:,} bytes, at most {MOST_BYTES:,}")
    return receipt


def _written(
    chain: AgentChain, model: Model, runs: Sequence[CompletedRun], signer: LocalAccount
) -> Receipt:
    records = tuple(_run_record(chain, model, run) for run in runs)
    draft = {
        "format": FORMAT,
        "chain_id": runs[0].proven.plan.identity.chain_id,
        "requester": str(signer.address).lower(),
        "runs": [record.model_dump() for record in records],
    }
    signature = sign_receipt(signer, signed_text(draft))
    return Receipt.model_validate(draft | {"informational": _notes(runs), "signature": signature})


def _notes(runs: Sequence[CompletedRun]) -> Notes:
    return Notes(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        zkagent=_version(),
        runs=tuple(
            RunNotes(
                gas_used=run.inclusion.result.gas_used,
                prove_seconds=tuple(round(s, 3) for s in run.proven.seconds),
                plans=run.plans,
            )
            for run in runs
        ),
    )


def _version() -> str:
    try:
        return version("zkagent")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "from source"


def _run_record(chain: AgentChain, model: Model, run: CompletedRun) -> RunRecord:
    result = run.inclusion.result
    iterations = _iterations(chain, model, run)
    identity = obeyed(chain, run.inclusion, run.proven.plan.identity)
    return RunRecord(
        agent=identity.agent,
        executor=identity.executor,
        registry=identity.registry,
        prompt=text(run.proven.plan.prompt),
        answer=text(result.answer),
        model=_model_record(chain, model, identity.model, run.inclusion),
        transaction=TransactionRecord(
            raw=hexed(run.inclusion.raw),
            hash=run.inclusion.hash,
            block=block_record(result.block),
        ),
        iterations=iterations,
        proofs=_proof_records(run),
    )


def _model_record(
    chain: AgentChain, model: Model, bound: AgentModel, inclusion: Inclusion
) -> ModelRecord:
    """Raises NotReproducible for code that is not what the commitment binds."""
    block = inclusion.result.block
    addresses = (bound.verifier, bound.encoder, bound.decoder, *bound.components)
    code = chain.code_hashes(addresses, block)
    verifier, encoder, decoder, *components = code
    files = bound.onnx_digest, bound.manifest_digest
    covered = model_hash(files, encoder, decoder, components)
    if (verifier, covered) != (bound.vk_hash, bound.model_hash):
        raise NotReproducible(inclusion.hash, block.number)
    return model_record(bound, model.name, bound.circuit_hash.hex(), code)


def _proof_records(run: CompletedRun) -> tuple[ProofRecord, ...]:
    return tuple(
        ProofRecord(iterations=tuple(index + 1 for index in group), proof=hexed(proof.proof))
        for group, proof in zip(run.proven.groups, run.proven.proofs, strict=True)
    )


def _iterations(chain: AgentChain, model: Model, run: CompletedRun) -> tuple[IterationRecord, ...]:
    """On the state before the block; when that leads elsewhere, on the state after it, because an
    earlier transaction of the same block may have changed what was read; when that does, too, on
    what the plan read, as if it had been so before the block."""
    result, plan = run.inclusion.result, run.proven.plan
    each = (asked_tokens(model, made.context, made.y) for made in plan.decisions)
    asked = tuple(dict.fromkeys(token for tokens in each for token in tokens))
    number = result.block.number
    relied = {fact.target for fact in run.proven.terms.facts if fact.selector == DECIMALS.selector}
    for state in _states(chain, number, asked, plan):
        told = tuple((token, places) for token, places in state.decimals if token in relied)
        reads = replace(state, decimals=told)
        records = tuple(_rederived(model, reads, plan, result))
        complete = len(records) == len(plan.decisions)
        if complete and rests_on(records, run.proven.terms.facts):
            return records
    raise not_reproducible(chain, run.inclusion, plan.identity.model)


def _states(
    chain: AgentChain, number: int, asked: Sequence[str], plan: Plan
) -> Iterator[AgentReads]:
    """One after another: the first nearly always does, and each takes many questions."""
    yield from states_around(chain, number, asked)
    yield replace(_planned(plan), block=chain.block(number - 1))


def _planned(plan: Plan) -> AgentReads:
    """With all decimals that its decisions asked for."""
    reads = [made.context.reads for made in plan.decisions]
    decimals = dict(told for each in reads for told in each.decimals)
    return replace(reads[-1], decimals=tuple(decimals.items()))


def _rederived(
    model: Model, reads: AgentReads, plan: Plan, result: RunResult
) -> Iterator[IterationRecord]:
    """Records up to the first that these reads do not explain."""
    for index, planned in enumerate(plan.decisions):
        context = DecisionContext(reads, result.steps[:index], plan.prompt)
        try:
            x = derive_features(model, context)
            decision = derive_decision(model, context, planned.y)
        except ModelError:
            return
        observation = _observation(decision, index, result)
        follows = observation is not None or raw_bytes(decision.answer) == result.answer
        if x != planned.x or not follows:
            return
        yield _iteration_record(context, planned, decision, observation)


def _observation(decision: Decision, index: int, result: RunResult) -> bytes | None:
    if index == len(result.steps):
        return None
    return observation_in(result.steps[index], decision)


def _iteration_record(
    context: DecisionContext,
    planned: PlannedDecision,
    decision: Decision,
    observation: bytes | None,
) -> IterationRecord:
    return IterationRecord(
        context=context_record(context),
        x=hexed(pack(planned.x, FEATURE_BYTES)),
        features_hash=hexed(features_hash(planned.x)),
        y=hexed(pack(planned.y, OUTPUT_BYTES)),
        decision=decision_record(decision, context.reads.tools),
        observation=None if observation is None else text(observation),
    )
