"""Makes receipts out of runs that happened, reading again what was behind each decision.

The plan's reads are not enough: between plan and inclusion a balance may have moved, which changes
observations though not the features. So the history comes from the agent's event, and everything
else from the state that the transaction ran on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from eth_account.signers.local import LocalAccount
from pydantic import ValidationError

from zkagent.executor.chain.abi import DECIMALS, FEATURE_BYTES, OUTPUT_BYTES, pack
from zkagent.executor.chain.agent import (
    AgentChain,
    AgentIdentity,
    AgentModel,
    AgentReads,
    DecisionContext,
    Inclusion,
    RunResult,
)
from zkagent.executor.chain.model_hashes import model_hash
from zkagent.executor.chain.signatures import read_transaction, sign_receipt
from zkagent.executor.errors import NoAgentThere, NotReproducible, TooLongForReceipt
from zkagent.executor.receipts.format import (
    FORMAT,
    MOST_BYTES,
    IterationRecord,
    ModelRecord,
    NestedRecord,
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
    relied_on,
    rests_on,
)
from zkagent.executor.runs.deciders import not_reproducible
from zkagent.executor.runs.derivation import (
    addresses_in,
    asked_tokens,
    derive_decision,
    derive_features,
    features_hash,
    is_bookless,
    observation_in,
    raw_bytes,
    text,
    with_answers,
)
from zkagent.executor.runs.obeyed import obeyed, states_around
from zkagent.executor.runs.plan import NestedRun, Plan, PlannedDecision
from zkagent.executor.runs.runner import CompletedRun
from zkagent.models.catalogue import Model
from zkagent.models.encoding.decoder import Decision
from zkagent.models.errors import ModelError
from zkagent.verifier_contracts.errors import RevertError


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


@dataclass(frozen=True)
class _Part:
    """What one agent did in a run, as planned, and what the chain says of it. made: its decisions;
    numbers: those, counted from 1 in the whole run."""

    chain: AgentChain
    model: Model
    identity: AgentIdentity
    prompt: bytes
    made: tuple[PlannedDecision, ...]
    numbers: tuple[int, ...]
    result: RunResult


def _run_record(chain: AgentChain, model: Model, run: CompletedRun) -> RunRecord:
    result, plan = run.inclusion.result, run.proven.plan
    outermost, *inside = parts = _parts(chain, model, run)
    iterations = _iterations(parts, run)
    identity = obeyed(chain, run.inclusion, plan.identity)
    _, sent = read_transaction(run.inclusion.raw) or ("", {"to": identity.agent})
    return RunRecord(
        agent=identity.agent,
        executor=identity.executor,
        registry=identity.registry,
        prompt=text(outermost.prompt),
        answer=text(result.answer),
        model=_model_record(chain, model, identity.model, run.inclusion),
        transaction=TransactionRecord(
            raw=hexed(run.inclusion.raw),
            hash=run.inclusion.hash,
            block=block_record(result.block),
        ),
        iterations=iterations,
        proofs=_proof_records(run),
        nested=tuple(
            _nested_record(part, nested, run.inclusion)
            for part, nested in zip(inside, plan.nested, strict=True)
        ),
        entry=None if sent["to"] == identity.agent else sent["to"],
        plain=None if chain.pins else True,
    )


def _parts(chain: AgentChain, model: Model, run: CompletedRun) -> tuple[_Part, ...]:
    """The outermost agent's, then the nested ones' in order. Raises NotReproducible where the chain
    has other runs of their agents."""
    plan, inclusion = run.proven.plan, run.inclusion
    inside = {index for each in plan.nested for index in each.decisions}
    own = tuple(index for index in range(len(plan.decisions)) if index not in inside)
    made, numbers = _made(plan, own)
    found = [_Part(chain, model, plan.identity, plan.prompt, made, numbers, inclusion.result)]
    ended = sorted(plan.nested, key=lambda each: each.decisions[-1])
    for each in plan.nested:
        of_agent = [one for one in ended if one.identity.agent == each.identity.agent]
        at = chain.about(each.identity.agent)
        results = at.nested_results(inclusion.hash)
        if len(results) != len(of_agent):
            why = (
                f"{each.identity.agent} was used as a tool {len(of_agent)} times, and the node "
                f"tells of {len(results)} runs of it"
            )
            raise NotReproducible(inclusion.hash, inclusion.result.block.number, why)
        result, (made, numbers) = results[of_agent.index(each)], _made(plan, each.decisions)
        found.append(_Part(at, each.model, each.identity, each.prompt, made, numbers, result))
    return tuple(found)


def _made(
    plan: Plan, decisions: Sequence[int]
) -> tuple[tuple[PlannedDecision, ...], tuple[int, ...]]:
    """Decisions by their indices, and those counted from 1."""
    return tuple(plan.decisions[i] for i in decisions), tuple(i + 1 for i in decisions)


def _nested_record(part: _Part, nested: NestedRun, inclusion: Inclusion) -> NestedRecord:
    identity = obeyed(part.chain, inclusion, part.identity)
    return NestedRecord(
        agent=identity.agent,
        prompt=text(part.prompt),
        answer=text(part.result.answer),
        model=_model_record(part.chain, part.model, identity.model, inclusion),
        parent=nested.parent + 1,
        iterations=part.numbers,
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
        why = "the code of the model's contracts is not what its commitment binds"
        raise NotReproducible(inclusion.hash, block.number, why)
    return model_record(bound, model.name, bound.circuit_hash.hex(), code)


def _proof_records(run: CompletedRun) -> tuple[ProofRecord, ...]:
    return tuple(
        ProofRecord(iterations=tuple(index + 1 for index in group), proof=hexed(proof.proof))
        for group, proof in zip(run.proven.groups, run.proven.proofs, strict=True)
    )


def _iterations(parts: Sequence[_Part], run: CompletedRun) -> tuple[IterationRecord, ...]:
    """Of all agents, in the order in which decisions were made."""
    facts = run.proven.terms.facts
    by_number: dict[int, IterationRecord] = {}
    for part in parts:
        found = _part_iterations(part, run, alone=len(parts) == 1)
        by_number |= dict(zip(part.numbers, found, strict=True))
    records = tuple(by_number[number] for number in sorted(by_number))
    if not rests_on(records, facts):
        raise not_reproducible(parts[0].chain, run.inclusion, parts[0].identity.model)
    return records


def _part_iterations(part: _Part, run: CompletedRun, *, alone: bool) -> tuple[IterationRecord, ...]:
    """On the state before the block; when that leads elsewhere, on the state after it, because an
    earlier transaction of the same block may have changed what was read; when that does, too, on
    what the plan read, as if it had been so before the block."""
    facts = run.proven.terms.facts
    each = (asked_tokens(part.model, made.context, made.y) for made in part.made)
    asked = tuple(dict.fromkeys(token for tokens in each for token in tokens))
    if is_bookless(part.made[0].context.reads):
        asked = tuple(dict.fromkeys((*addresses_in(part.prompt), *asked)))
    number = part.result.block.number
    relied = {fact.target for fact in facts if fact.selector == DECIMALS.selector}
    for state in _states(part, number, asked):
        told = tuple((token, places) for token, places in state.decimals if token in relied)
        reads = replace(state, decimals=told)
        records = tuple(_rederived(part, reads))
        if len(records) != len(part.made):
            continue
        if rests_on(records, facts) if alone else set(relied_on(records)) <= set(facts):
            return records
    raise not_reproducible(part.chain, run.inclusion, part.identity.model)


def _states(part: _Part, number: int, asked: Sequence[str]) -> Iterator[AgentReads]:
    """One after another: the first nearly always does, and each takes many questions."""
    yield from states_around(part.chain, number, asked)
    yield replace(_planned(part), block=part.chain.block(number - 1))


def _planned(part: _Part) -> AgentReads:
    """With all that its decisions asked for."""
    reads = [made.context.reads for made in part.made]
    decimals = dict(told for each in reads for told in each.decimals)
    answers = dict(told for each in reads for told in each.answers)
    return replace(reads[-1], decimals=tuple(decimals.items()), answers=tuple(answers.items()))


def _rederived(part: _Part, reads: AgentReads) -> Iterator[IterationRecord]:
    """Records up to the first that these reads do not explain."""
    contexts = [
        DecisionContext(reads, part.result.steps[:index], part.prompt)
        for index in range(len(part.made))
    ]
    try:
        for context in contexts:  # all of them have one state
            asking = with_answers(part.chain, part.model, replace(context, reads=reads))
            reads = asking.reads
    except (ModelError, RevertError, NoAgentThere):
        return
    for index, planned in enumerate(part.made):
        context = replace(contexts[index], reads=reads)
        try:
            x = derive_features(part.model, context)
            decision = derive_decision(part.model, context, planned.y)
        except ModelError:
            return
        observation = _observation(decision, index, part.result)
        follows = observation is not None or raw_bytes(decision.answer) == part.result.answer
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
