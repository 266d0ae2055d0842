"""Between what the executor works with and what a receipt holds, both ways."""

from collections.abc import Sequence

from zkagent.executor.chain.abi import RUN_WITH_PROOFS, WORD, rows_of, terms_in
from zkagent.executor.chain.agent import (
    AgentModel,
    AgentReads,
    BatchVerifier,
    Block,
    DecisionContext,
    Fact,
    InstructedReads,
    RunTerms,
)
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.receipts.format import (
    AnswerRecord,
    ArgumentRecord,
    BatchRecord,
    BlockRecord,
    ContactRecord,
    ContextRecord,
    ContractRecord,
    DecimalsRecord,
    DecisionRecord,
    InstructedRecord,
    IterationRecord,
    ListingRecord,
    ModelRecord,
    ParameterRecord,
    ProofRecord,
    RunRecord,
    ToolRecord,
)
from zkagent.executor.receipts.parts import models_of
from zkagent.executor.runs import derivation
from zkagent.executor.runs.derivation import facts_of, has_facts, raw_bytes, text
from zkagent.models.encoding.book import Listing
from zkagent.models.encoding.context import ToolMetadata, ToolParameter, View
from zkagent.models.encoding.decoder import READ, Argument, Decision


def hexed(data: bytes) -> str:
    return "0x" + data.hex()


def unhexed(shown: str) -> bytes:
    return bytes.fromhex(shown[2:])


def block_record(block: Block) -> BlockRecord:
    return BlockRecord(number=block.number, hash=block.hash)


def tool_record(tool: ToolMetadata, pinned: bytes) -> ToolRecord:
    parameters = tuple(
        ParameterRecord(type=p.type, name=text(p.name), description=text(p.description))
        for p in tool.parameters
    )
    return ToolRecord(
        address=tool.address,
        name=text(tool.name),
        description=text(tool.description),
        parameters=parameters,
        metadata_hash=hexed(pinned),
    )


def recorded_tool(record: ToolRecord) -> ToolMetadata:
    parameters = tuple(
        ToolParameter(p.type, raw_bytes(p.name), raw_bytes(p.description))
        for p in record.parameters
    )
    name, description = raw_bytes(record.name), raw_bytes(record.description)
    return ToolMetadata(record.address, name, description, parameters)


def context_record(context: DecisionContext) -> ContextRecord:
    reads = context.reads
    return ContextRecord(
        block=block_record(reads.block),
        agent=reads.agent,
        base_prompt=text(reads.base_prompt),
        tools=tuple(tool_record(t, h) for t, h in zip(reads.tools, reads.pinned, strict=True)),
        book_contract=reads.book_contract,
        book_data=reads.book_data,
        symbol_book=tuple(
            ListingRecord(symbol=x.symbol, token=x.token, decimals=x.decimals) for x in reads.book
        ),
        token_decimals=tuple(DecimalsRecord(token=t, decimals=d) for t, d in reads.decimals),
        reasoning=tuple(map(text, context.reasoning)),
        prompt=text(context.prompt),
        instructed=_instructed_record(reads.instructed) if reads.instructed else None,
        answers=tuple(
            AnswerRecord(target=view.target, call=hexed(view.call), answer=hexed(answer))
            for view, answer in reads.answers
        ),
    )


def _instructed_record(told: InstructedReads) -> InstructedRecord:
    return InstructedRecord(
        owner=told.owner,
        caution=told.caution,
        contact_book=told.contact_book,
        contact_data=told.contact_data,
        contacts=tuple(ContactRecord(name=n, account=a) for n, a in told.contacts),
    )


def _recorded_instructed(record: InstructedRecord) -> InstructedReads:
    return InstructedReads(
        owner=record.owner,
        caution=record.caution,
        contact_book=record.contact_book,
        contact_data=record.contact_data,
        contacts=tuple((each.name, each.account) for each in record.contacts),
    )


def recorded_context(record: ContextRecord) -> DecisionContext:
    reads = AgentReads(
        block=Block(record.block.number, record.block.hash),
        agent=record.agent,
        base_prompt=raw_bytes(record.base_prompt),
        tools=tuple(map(recorded_tool, record.tools)),
        pinned=tuple(unhexed(tool.metadata_hash) for tool in record.tools),
        book=tuple(Listing(x.symbol, x.token, x.decimals) for x in record.symbol_book),
        book_contract=record.book_contract,
        book_data=record.book_data,
        decimals=tuple((x.token, x.decimals) for x in record.token_decimals),
        instructed=_recorded_instructed(record.instructed) if record.instructed else None,
        answers=tuple(
            (View(each.target, unhexed(each.call)), unhexed(each.answer)) for each in record.answers
        ),
    )
    reasoning = tuple(map(raw_bytes, record.reasoning))
    return DecisionContext(reads, reasoning, raw_bytes(record.prompt))


def decision_record(decision: Decision, tools: Sequence[ToolMetadata]) -> DecisionRecord:
    called = [t.address for t in tools if text(t.name) == decision.action]
    return DecisionRecord(
        kind=decision.kind,
        action=decision.action,
        tool=called[0] if decision.kind == "call" else None,
        arguments=tuple(
            ArgumentRecord(slot=a.slot, text=a.text, source=a.source) for a in decision.arguments
        ),
        values=tuple(f"0x{value:064x}" for value in decision.values),
        reasoning=decision.reasoning,
        answer=decision.answer,
    )


def recorded_decision(record: DecisionRecord) -> Decision:
    return Decision(
        kind=record.kind,
        action=record.action,
        arguments=tuple(Argument(a.slot, a.text, a.source) for a in record.arguments),  # type: ignore[arg-type]
        values=tuple(int(value, 16) for value in record.values),
        answer=record.answer,
        reasoning=record.reasoning,
    )


def is_read(decision: DecisionRecord) -> bool:
    """Whether a call is of a tool that no manifest knows: what its name and parameters mean is for
    their maker to say."""
    return any(argument.source == READ for argument in decision.arguments)


def words_by_slot(decision: DecisionRecord) -> dict[str, bytes]:
    """The 32 bytes of each argument of a call, by what it is for ("asset", "amount", "recipient"),
    which models may have in any order; nothing of a call whose arguments are for nothing that is
    known here. Raises ValueError where one is missing or there twice."""
    found = derivation.words_by_slot(recorded_decision(decision))
    if found and not len(found) == len(decision.arguments) == len(decision.values):
        slots = ", ".join(argument.slot for argument in decision.arguments)
        raise ValueError(
            f"the call has {len(decision.values)} words for {slots}, of which each takes one"
        )
    return {slot: word.to_bytes(WORD, "big") for slot, word in found.items()}


def rows_of_proof(run: RunRecord, record: ProofRecord) -> tuple[IterationRecord, ...]:
    """The iterations that a proof has rows for, in order: those with numbers of their own."""
    covered = [i for i in range(len(run.iterations)) if i + 1 in record.iterations]
    numbers = [model.id for model in models_of(run)]
    said = [(n, step.x, step.y) for n, step in zip(numbers, run.iterations, strict=True)]
    return tuple(run.iterations[index] for index in rows_of(covered, said))


def relied_on(steps: Sequence[IterationRecord]) -> tuple[Fact, ...]:
    """The facts that these iterations rest on."""
    return facts_of(map(_decided, steps))


def rests_on(steps: Sequence[IterationRecord], facts: Sequence[Fact]) -> bool:
    """As `derivation.has_facts`."""
    return has_facts(facts, list(map(_decided, steps)))


def _decided(step: IterationRecord) -> tuple[AgentReads, Decision]:
    return recorded_context(step.context).reads, recorded_decision(step.decision)


def signed_terms(run: RunRecord) -> RunTerms:
    """What the requester agreed to. Raises ValueError when there are none."""
    found = read_transaction(unhexed(run.transaction.raw))
    if found is None:
        raise ValueError("it is not a signed EIP-1559 transaction")
    return terms_in(RUN_WITH_PROOFS.arguments(found[1]["data"])[4])


def model_record(
    model: AgentModel, name: str, circuit_digest: str, code: Sequence[bytes]
) -> ModelRecord:
    """`code`: code hashes of verifier, encoder, decoder and the components, in this order. Those of
    batch verifiers are what was registered."""
    addresses = (model.verifier, model.encoder, model.decoder, *model.components)
    contracts = tuple(
        ContractRecord(address=a, code_hash=hexed(h)) for a, h in zip(addresses, code, strict=True)
    )
    return ModelRecord(
        name=name,
        id=model.model_id,
        manifest_digest=model.manifest_digest.hex(),
        onnx_digest=model.onnx_digest.hex(),
        circuit_digest=circuit_digest,
        inputs=model.inputs,
        outputs=model.outputs,
        verifier=contracts[0],
        encoder=contracts[1],
        decoder=contracts[2],
        components=contracts[3:],
        batches=tuple(map(_batch_record, model.batches)),
        model_hash=hexed(model.model_hash),
        circuit_hash=hexed(model.circuit_hash),
        vk_hash=hexed(model.vk_hash),
        proof_system_id=hexed(model.proof_system_id),
        uri=model.uri,
        commitment_hash=hexed(model.commitment_hash),
    )


def recorded_model(record: ModelRecord) -> AgentModel:
    return AgentModel(
        model_id=record.id,
        model_hash=unhexed(record.model_hash),
        circuit_hash=unhexed(record.circuit_hash),
        vk_hash=unhexed(record.vk_hash),
        proof_system_id=unhexed(record.proof_system_id),
        uri=record.uri,
        verifier=record.verifier.address,
        encoder=record.encoder.address,
        decoder=record.decoder.address,
        components=tuple(c.address for c in record.components),
        onnx_digest=bytes.fromhex(record.onnx_digest),
        manifest_digest=bytes.fromhex(record.manifest_digest),
        inputs=record.inputs,
        outputs=record.outputs,
        batches=tuple(map(_recorded_batch, record.batches)),
        commitment_hash=unhexed(record.commitment_hash),
    )


def _batch_record(batch: BatchVerifier) -> BatchRecord:
    contract = ContractRecord(address=batch.verifier, code_hash=hexed(batch.code_hash))
    return BatchRecord(size=batch.size, circuit_digest=batch.circuit_hash.hex(), verifier=contract)


def _recorded_batch(record: BatchRecord) -> BatchVerifier:
    return BatchVerifier(
        record.size,
        record.verifier.address,
        bytes.fromhex(record.circuit_digest),
        unhexed(record.verifier.code_hash),
    )
