"""Verifies receipts: every proof, every feature vector, every decision, all over again.

Offline this shows that the recorded model, on the recorded contexts, makes exactly these decisions,
and that the requester signed a transaction with exactly these claims and proofs. That the contexts
were the chain's is what `verify_chain` adds, given a node. Nothing is trusted because a digest in
the file says so: what can be computed is computed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from eth_utils.crypto import keccak

from zkagent.circuits.errors import CircuitError
from zkagent.circuits.systems import SYSTEMS
from zkagent.executor.chain.abi import (
    DECIMALS,
    FEATURE_BYTES,
    NO_HANDLER,
    NO_TOOL,
    OUTPUT_BYTES,
    RUN_WITH_PROOFS,
    covered_by,
    is_agreed,
    prompt_of,
    size_for,
    unpack,
)
from zkagent.executor.chain.agent import AgentChain
from zkagent.executor.chain.model_hashes import commitment_hash, model_hash
from zkagent.executor.chain.signatures import read_transaction, receipt_signer
from zkagent.executor.errors import CannotVerify, TooMuchAnswered
from zkagent.executor.receipts.format import (
    ModelRecord,
    ProofRecord,
    Receipt,
    RunRecord,
    signed_text,
)
from zkagent.executor.receipts.parts import agents_of, models_of, parts_of, tree_problem
from zkagent.executor.receipts.recording import (
    hexed,
    recorded_model,
    relied_on,
    rests_on,
    rows_of_proof,
    signed_terms,
    unhexed,
)
from zkagent.executor.receipts.verdicts import Check, Report, check, difference, unread
from zkagent.executor.receipts.verify_chain import (
    BLOCKS,
    Contracts,
    Later,
    check_chain,
    check_effects,
    check_still_there,
)
from zkagent.executor.receipts.verify_iteration import check_iterations
from zkagent.executor.runs.provers import ProofCheck
from zkagent.models.catalogue import Model
from zkagent.models.errors import ModelError, UnknownModel
from zkagent.verifier_contracts.errors import ChainError

#: What is left out of a receipt of which something cheaper is broken: always, and, where the
#: receipt is broken by itself, besides.
COSTLY = "circuits, proofs"
ON_CHAIN = ", the code of contracts, and what moved"
MODEL = "the model is the one named"
ITERATIONS = "iterations, "
#: What else is left out of a receipt that its requester did not sign: anybody may have written it.
UNSIGNED = ITERATIONS + "what the chain says, "
#: A receipt's proofs once one of them is none: each takes a while.
OTHER_PROOFS = "proofs after the one that is broken"
BUILT = ", circuits of contracts, and whether the runs are still there"
#: The model of a name. Raises zkagent.models.errors.ModelError.
ModelSource = Callable[[str], Model]
#: Proof verdicts for a model's circuit of this digest, for as many decisions in a proof, of the
#: proof system with this id. Raises ValueError when that circuit is not one of the model,
#: CannotVerify when there is no telling.
CircuitSource = Callable[[Model, str, int, bytes], ProofCheck]


@dataclass(frozen=True)
class Sources:
    """Where verification gets what a receipt only names. chain: None to verify offline; contracts:
    looks into the code of that chain's, without which no run on it is accepted."""

    models: ModelSource
    circuits: CircuitSource
    chain: Callable[[str], AgentChain] | None = None  # by the agent's address
    contracts: Contracts | None = None


def verify_receipt(receipt: Receipt, sources: Sources) -> Report:
    """All checks, or those up to where verification cannot go on when one is broken already.

    What lies behind answers that are too long for anybody to read is unknown. Raises CannotVerify,
    ModelError or CircuitError for what is missing here, and ChainError when a given chain does not
    answer.
    """
    done: list[Check] = []
    left: list[str] = []
    try:
        for checked in all_checks(receipt, sources, left.append):
            done.append(checked)
    except TooMuchAnswered as exc:
        left = left or ([COSTLY + ON_CHAIN] if any(map(_broken, done)) else [])
        done.append(unread(exc))
    except (CannotVerify, ModelError, CircuitError, ChainError):
        if all(checked.held for checked in done):
            raise
        left = left or [COSTLY + ON_CHAIN]
    return Report(tuple(done), left_out="".join(left))


def all_checks(
    receipt: Receipt, sources: Sources, leave_out: Callable[[str], None] = lambda what: None
) -> Iterator[Check]:
    """The checks one by one, cheap ones first; whoever wants only the verdict may stop early.
    leave_out: told what is not looked at.

    A receipt that nobody signed, which costs nothing to make, is not looked into any further than
    its transactions. One that is broken by itself makes no work. One that the chain denies is
    compared with the contracts, which tell why; circuits, which take minutes to build, are for
    those alone of which nothing is broken.
    """
    signed = check("receipt", "the requester signed it", lambda: _signature(receipt))
    yield signed
    broken, unlike = _broken(signed), ""
    for checked in _own_checks(receipt, sources, signed=signed.held):
        broken = broken or _broken(checked)
        unlike = ITERATIONS if checked.claim == MODEL and not checked.held else unlike
        yield checked
    if not signed.held:
        leave_out(UNSIGNED + COSTLY + ON_CHAIN)
        return
    later: list[Later] = []
    for checked in _chain_checks(receipt, sources, None if broken else later):
        broken = broken or _broken(checked)
        yield checked
    if broken:
        leave_out(unlike + COSTLY + ("" if later else ON_CHAIN))
        return
    for checked in _all_proofs(receipt, sources):
        yield checked
        if _broken(checked):
            leave_out(OTHER_PROOFS + (BUILT if later else ""))
            return
    for built in later:
        yield from built()
    if sources.chain is not None:
        for subject, run in _runs(receipt):
            yield check_still_there(subject, run, _chain_of(run, sources.chain))


def _chain_of(run: RunRecord, chain: Callable[[str], AgentChain]) -> AgentChain:
    found = chain(run.agent)
    return found.run_by(run.entry) if run.plain and run.entry else found


def _broken(checked: Check) -> bool:
    return not checked.held and not checked.unknown


def _runs(receipt: Receipt) -> Iterator[tuple[str, RunRecord]]:
    for number, run in enumerate(receipt.runs, start=1):
        yield f"run {number}", run


def _own_checks(receipt: Receipt, sources: Sources, *, signed: bool) -> Iterator[Check]:
    """What the receipt alone tells, its signature apart. signed: whether it holds."""
    yield check("receipt", "its runs are in the order they were sent", lambda: _order(receipt))
    for subject, run in _runs(receipt):
        yield from _call_checks(subject, receipt, run)
        if signed:
            yield from _decision_checks(subject, run, sources)


def _chain_checks(receipt: Receipt, sources: Sources, later: list[Later] | None) -> Iterator[Check]:
    """later: takes the checks of contracts that need circuits; None to leave contracts alone."""
    if sources.chain is None:
        return
    for subject, run in _runs(receipt):
        if tree_problem(run):
            continue  # which is told already
        chain, there = _chain_of(run, sources.chain), True
        for checked in check_chain(subject, receipt, run, chain):
            there = there and (checked.held or checked.claim != BLOCKS)
            yield checked
        if not there or later is None:
            continue
        for named, part in _named_parts(subject, run):
            at = chain if part.agent == run.agent else chain.about(part.agent)
            yield from check_effects(named, part, at, sources.contracts, later.append)


def _all_proofs(receipt: Receipt, sources: Sources) -> Iterator[Check]:
    for subject, run in _runs(receipt):
        yield from _proof_checks(subject, run, sources)


def _proof_checks(subject: str, run: RunRecord, sources: Sources) -> Iterator[Check]:
    """By the models' circuits."""
    for part in parts_of(run):
        of, model = part.model, _found(sources.models, part.model.name)
        try:
            sources.circuits(model, of.circuit_digest, 1, unhexed(of.proof_system_id))
        except ValueError as exc:
            yield Check(subject, "the circuit is the model's", str(exc))
            return
    for record in run.proofs:
        problem = partial(_proof, run, record, sources)
        yield check(f"{subject}, {_named(record.iterations)}", "the proof is valid", problem)


def _call_checks(subject: str, receipt: Receipt, run: RunRecord) -> Iterator[Check]:
    """The signed transaction, against what is recorded of it."""
    yield check(
        subject, "the transaction is the requester's call", lambda: _transaction(receipt, run)
    )
    yield check(subject, "the call holds these claims and proofs", lambda: _call(run))
    yield check(subject, "the signed terms are these decisions", lambda: _terms(run))
    yield check(subject, "the signed facts are what these rest on", lambda: _facts(run))
    yield check(subject, "the hashes cover the model", lambda: _hashes(run.model))
    for number, each in enumerate(run.nested, start=1):
        inside = partial(_hashes, each.model)
        yield check(f"{subject}, nested {number}", "the hashes cover the model", inside)
    if run.nested:
        yield check(subject, "the nested runs lie in each other", lambda: tree_problem(run))
    yield check(subject, "every iteration has one proof", lambda: _complete(run))


def _decision_checks(subject: str, run: RunRecord, sources: Sources) -> Iterator[Check]:
    """Each iteration over again, by the model of its agent."""
    if tree_problem(run):
        return
    for named, part in _named_parts(subject, run):
        yield from _part_checks(named, part, sources)


def _named_parts(subject: str, run: RunRecord) -> Iterator[tuple[str, RunRecord]]:
    for number, part in enumerate(parts_of(run)):
        yield (f"{subject}, nested {number}" if number else subject), part


def _part_checks(subject: str, run: RunRecord, sources: Sources) -> Iterator[Check]:
    try:
        model = _found(sources.models, run.model.name)
    except ValueError as exc:
        yield Check(subject, MODEL, str(exc))
        return
    named = check(subject, MODEL, lambda: _model(run.model, model))
    yield named
    if named.held:  # nothing is asked of a model that the receipt is not about
        yield from check_iterations(subject, run, model)
    yield check(subject, "the answer is the last decision's", lambda: _answer(run))


def _found(models: ModelSource, name: str) -> Model:
    try:
        return models(name)
    except UnknownModel as exc:
        raise CannotVerify(f"{exc}; name its folder with --model") from exc


def _signature(receipt: Receipt) -> str:
    signer = receipt_signer(receipt.signature, signed_text(receipt.document))
    return difference(("signer", signer, receipt.requester))


def _order(receipt: Receipt) -> str:
    """By nonce, of which an account has each only once."""
    found = [read_transaction(unhexed(run.transaction.raw)) for run in receipt.runs]
    nonces = [transaction[1]["nonce"] for transaction in found if transaction]
    return difference(("order of nonces", nonces, sorted(set(nonces))))


def _transaction(receipt: Receipt, run: RunRecord) -> str:
    raw = unhexed(run.transaction.raw)
    found = read_transaction(raw)
    if found is None:
        return "it is not a signed EIP-1559 transaction"
    sender, fields = found
    return difference(
        ("sender", sender, receipt.requester),
        ("chain id", fields["chainId"], receipt.chain_id),
        ("receiver", fields["to"], run.entry or run.agent),
        ("hash", run.transaction.hash, hexed(keccak(raw))),
    )


def _call(run: RunRecord) -> str:
    found = read_transaction(unhexed(run.transaction.raw))
    if found is None:
        return "it is not a signed EIP-1559 transaction"
    given, handler, claims, proofs, _ = RUN_WITH_PROOFS.arguments(found[1]["data"])
    expected = [
        (model.id, unhexed(step.features_hash), unhexed(step.y))
        for model, step in zip(models_of(run), run.iterations, strict=True)
    ]
    said = [(number, bytes(x), bytes(y)) for number, x, y in claims]
    covered = covered_by(said, proofs)
    return difference(
        ("prompt", prompt_of(given).decode("utf-8", "surrogateescape"), run.prompt),
        ("result handler", handler, NO_HANDLER),
        ("claims", list(claims), expected),
        ("iterations that each proof covers", _coverage(run), covered),
        (
            "proofs",
            [proofs[first] for first, *_ in covered],
            [unhexed(r.proof) for r in run.proofs],
        ),
    )


def _terms(run: RunRecord) -> str:
    """Each decision is the call that the requester agreed to, amounts within its ranges."""
    terms = signed_terms(run)
    if len(terms.calls) != len(run.iterations):
        return f"{len(terms.calls)} calls are agreed to, there are {len(run.iterations)} iterations"
    each = zip(terms.calls, agents_of(run), run.iterations, strict=True)
    for number, (agreed, agent, step) in enumerate(each, 1):
        tool = step.decision.tool or NO_TOOL
        params = b"".join(unhexed(value) for value in step.decision.values)
        if not is_agreed(agreed, agent, tool, params):
            return f"iteration {number} is another call than the requester agreed to"
    return ""


def _facts(run: RunRecord) -> str:
    """The symbols and decimals by which the decisions were read are those that the requester had
    the chain confirm."""
    signed, expected = signed_terms(run).facts, relied_on(run.iterations)
    asked = {fact.target for fact in signed if fact.selector == DECIMALS.selector}
    told = {each.token for step in run.iterations for each in step.context.token_decimals}
    if more := sorted(told - asked):
        return f"decimals of {more[0]} are told, which no decision rests on"
    if rests_on(run.iterations, signed):
        return ""
    if len(signed) != len(expected):
        return f"{len(signed)} facts are relied on, expected {len(expected)}"
    return difference(
        *(
            (f"fact {number}", fact, wanted)
            for number, (fact, wanted) in enumerate(zip(signed, expected, strict=True), 1)
        )
    )


def _coverage(run: RunRecord) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(number - 1 for number in record.iterations) for record in run.proofs)


def _hashes(record: ModelRecord) -> str:
    covered = model_hash(
        (bytes.fromhex(record.onnx_digest), bytes.fromhex(record.manifest_digest)),
        unhexed(record.encoder.code_hash),
        unhexed(record.decoder.code_hash),
        [unhexed(c.code_hash) for c in record.components],
    )
    return _proof_system(record) or difference(
        ("model hash", record.model_hash, hexed(covered)),
        ("verifying key hash", record.vk_hash, record.verifier.code_hash),
        ("circuit hash", record.circuit_hash, f"0x{record.circuit_digest}"),
        ("commitment hash", record.commitment_hash, hexed(commitment_hash(recorded_model(record)))),
    )


def _proof_system(record: ModelRecord) -> str:
    """A model that the chain evaluates itself names its ONNX file where others name a circuit."""
    system = SYSTEMS.get(unhexed(record.proof_system_id))
    if system is None:
        return f"there is no proof system {record.proof_system_id} in this version of zkagent"
    if not system.names(record.circuit_digest, record.onnx_digest):
        return f"proof system {system.name} has no circuit of the name {record.circuit_digest[:16]}"
    return ""


def _model(record: ModelRecord, model: Model) -> str:
    return difference(
        ("name", record.name, model.name),
        ("manifest digest", record.manifest_digest, model.digest),
        ("ONNX digest", record.onnx_digest, model.manifest.files.onnx),
        ("inputs", record.inputs, model.input_count),
        ("outputs", record.outputs, model.output_count),
    )


def _complete(run: RunRecord) -> str:
    covered = sorted(number for record in run.proofs for number in record.iterations)
    expected = list(range(1, len(run.iterations) + 1))
    return "" if covered == expected else f"the proofs are for iterations {covered}"


def _named(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"iteration {numbers[0]}"
    return f"iterations {', '.join(map(str, numbers))}"


def _proof(run: RunRecord, record: ProofRecord, sources: Sources) -> str:
    """By the verifier that the contract would take for so many decisions, those with the same x and
    y being one, with the last one as often as it is missing."""
    steps = rows_of_proof(run, record)
    if not steps:
        return "it is for no iteration of the run"
    of = models_of(run)
    made_by = [of[number - 1] for number in record.iterations if number <= len(of)]
    if any(other != made_by[0] for other in made_by):
        return "it is for iterations of several models"
    bound = made_by[0]
    model = _found(sources.models, bound.name)
    digests = {1: bound.circuit_digest} | {b.size: b.circuit_digest for b in bound.batches}
    size = size_for(len(steps), [batch.size for batch in bound.batches])
    system = unhexed(bound.proof_system_id)
    verdict = sources.circuits(model, digests[size], size, system)
    filled = [*steps, *steps[-1:] * (size - len(steps))]
    x = [value for step in filled for value in unpack(unhexed(step.x), FEATURE_BYTES)]
    y = [value for step in filled for value in unpack(unhexed(step.y), OUTPUT_BYTES)]
    return "" if verdict(x, y, unhexed(record.proof)) else "it is not a proof of y = f(x)"


def _answer(run: RunRecord) -> str:
    return difference(("answer", run.answer, run.iterations[-1].decision.answer))
