"""What of a receipt only a chain can confirm: that the recorded contexts were really there.

State is read at the recorded blocks, so the node must still have it: an archive node for old runs.
"""

from collections.abc import Callable, Iterator

from zkagent.executor.chain.agent import AgentChain, Block
from zkagent.executor.errors import NoAgentThere, NotOnChain
from zkagent.executor.receipts.format import ContextRecord, Receipt, RunRecord
from zkagent.executor.receipts.recording import (
    block_record,
    recorded_context,
    recorded_model,
    unhexed,
)
from zkagent.executor.receipts.verdicts import Check, check, difference
from zkagent.executor.runs.derivation import text
from zkagent.verifier_contracts.errors import RevertError


def check_chain(
    subject: str, receipt: Receipt, run: RunRecord, chain: AgentChain
) -> Iterator[Check]:
    """Compare a run with the chain. Raises ChainError when the node does not answer, or no longer
    has the state of that time."""
    included = Block(run.transaction.block.number, run.transaction.block.hash)
    blocks = check(
        f"{subject}, chain", "the blocks are on the chain", _answered(lambda: _blocks(run, chain))
    )
    yield blocks
    if not blocks.held:
        return  # nothing can be asked about a block that is not there
    checks: tuple[tuple[str, Callable[[], str]], ...] = (
        ("the transaction did this", lambda: _result(receipt, run, chain)),
        ("agent and model are the recorded ones", lambda: _identity(receipt, run, chain)),
        ("the code is the recorded one", lambda: _code(run, chain, included)),
        ("the context was there", lambda: _context(run.iterations[0].context, chain)),
    )
    for claim, problem in checks:
        yield check(f"{subject}, chain", claim, _answered(problem))


def _answered(problem: Callable[[], str]) -> Callable[[], str]:
    """What the chain does not know, or a contract that is no agent, is a problem of the receipt;
    a node that fails to answer is not."""

    def found() -> str:
        try:
            return problem()
        except (NoAgentThere, NotOnChain, RevertError) as exc:
            return str(exc)

    return found


def _blocks(run: RunRecord, chain: AgentChain) -> str:
    recorded = (run.transaction.block, run.iterations[0].context.block)
    return difference(
        *((f"block {b.number}", b, block_record(chain.block(b.number))) for b in recorded)
    )


def _result(receipt: Receipt, run: RunRecord, chain: AgentChain) -> str:
    result = chain.run_result(run.transaction.hash)
    steps = [
        f"{step.decision.reasoning}Observation: {step.observation}\n"
        for step in run.iterations[:-1]
    ]
    return difference(
        ("block", run.transaction.block, block_record(result.block)),
        ("requester", receipt.requester, result.requester),
        ("answer", run.answer, text(result.answer)),
        ("steps", steps, [text(step) for step in result.steps]),
    )


def _identity(receipt: Receipt, run: RunRecord, chain: AgentChain) -> str:
    found = chain.identity(_at(run.iterations[0].context))
    return difference(
        ("chain id", receipt.chain_id, found.chain_id),
        ("agent", run.agent, found.agent),
        ("executor", run.executor, found.executor),
        ("registry", run.registry, found.registry),
        ("model", recorded_model(run.model), found.model),
    )


def _code(run: RunRecord, chain: AgentChain, block: Block) -> str:
    model = run.model
    batches = (batch.verifier for batch in model.batches)
    contracts = (model.verifier, model.encoder, model.decoder, *model.components, *batches)
    found = chain.code_hashes([c.address for c in contracts], block)
    return difference(
        *(
            (f"code hash of {c.address}", unhexed(c.code_hash), code)
            for c, code in zip(contracts, found, strict=True)
        )
    )


def _context(record: ContextRecord, chain: AgentChain) -> str:
    recorded = recorded_context(record)
    tokens = [token for token, _ in recorded.reads.decimals]
    there = chain.reads(_at(record), tokens)
    return difference(
        *(
            (name, getattr(recorded.reads, name), getattr(there, name))
            for name in ("agent", "base_prompt", "tools", "pinned", "book", "decimals")
        )
    )


def _at(record: ContextRecord) -> Block:
    return Block(record.block.number, record.block.hash)
