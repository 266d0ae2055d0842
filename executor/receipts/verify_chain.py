"""What of a receipt only a chain can confirm: that the recorded contexts were really there, that
the contracts are what their sources say, and that the run did what it decided.

Events are worth what the code is worth that emits them, so `Contracts` looks into it; those of
tokens, most of which are code of others, are compared with balances besides. State is read at the
recorded blocks, so the node must still have it: an archive node for old runs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from eth_utils.crypto import keccak

from zkagent.executor.chain.agent import AgentChain, Block, TokenTransfer, VerifiedDecision
from zkagent.executor.chain.signatures import read_transaction
from zkagent.executor.errors import DecimalsRefused, NoAgentThere, NotOnChain, WordRefused
from zkagent.executor.receipts.format import ContextRecord, Receipt, RunRecord
from zkagent.executor.receipts.parts import agents_of, models_of, parts_of
from zkagent.executor.receipts.recording import (
    block_record,
    is_read,
    recorded_context,
    signed_terms,
    unhexed,
    words_by_slot,
)
from zkagent.executor.receipts.verdicts import CannotTell, Check, check, difference
from zkagent.executor.runs.derivation import text
from zkagent.verifier_contracts.errors import RevertError

BLOCKS = "the blocks are on the chain"
MOVED = "tokens moved as decided"
STILL = "the run is still there at the end"
#: Tools whose calls move tokens, by the names that decisions have.
MOVES = ("Deploy", "Withdraw", "Transfer")
MOST_SHOWN = 3  # of transfers that nobody decided


@dataclass(frozen=True)
class Standing:
    """What stands behind a run. wallet, pool: where tokens lie, empty when nothing here tells.
    foreign_pool: it is code of others, which may keep tokens elsewhere. built: more checks, which
    need the model's circuits. walletless: the agent is by its code one that has no tokens.
    on_paper: its guard had the calls rolled back, so that nothing had to move. unnamed: of an agent
    that reads its tools, whose decisions name no tokens: what there is to say of what moved."""

    checks: tuple[Check, ...]
    wallet: str = ""
    pool: str = ""
    foreign_pool: bool = False
    built: Callable[[], Iterable[Check]] = tuple
    walletless: bool = False
    on_paper: bool = False
    unnamed: Check | None = None


UNKNOWN_CODE = Standing(
    (
        Check(
            "contracts", "are what their sources say", "nobody looked into their code", unknown=True
        ),
    )
)
#: Checks that are made when nothing else is broken.
Later = Callable[[], Iterator[Check]]
#: Looks into the contracts that a run touches, by their code.
Contracts = Callable[[RunRecord], Standing]


def check_chain(
    subject: str,
    receipt: Receipt,
    run: RunRecord,
    chain: AgentChain,
) -> Iterator[Check]:
    """Compare what a run records with the chain, but for `check_effects`. Raises ChainError when
    the node does not answer, CannotVerify when it no longer has the state of that time, or
    contradicts itself."""
    included = Block(run.transaction.block.number, run.transaction.block.hash)
    blocks = check(f"{subject}, chain", BLOCKS, _answered(lambda: _blocks(run, chain)))
    yield blocks
    if not blocks.held:
        return  # nothing can be asked about a block that is not there
    outermost, *inside = parts_of(run)
    cheap: tuple[tuple[str, Callable[[], str]], ...] = (
        ("the transaction is the signed one", lambda: _transaction(run, chain)),
        ("the transaction did this", lambda: _result(receipt, outermost, chain)),
        ("agent and model are the recorded ones", lambda: _names(receipt, outermost, chain)),
        ("the code is the recorded one", lambda: _code(outermost, chain, included)),
        ("the context was there", lambda: _context(outermost, chain)),
        ("every decision was verified", lambda: _verified(run, chain)),
    )
    for claim, problem in cheap:
        yield check(f"{subject}, chain", claim, _answered(problem))
    for number, part in enumerate(inside, start=1):
        yield from _nested_checks(f"{subject}, nested {number}, chain", receipt, run, part, chain)


def _nested_checks(
    subject: str, receipt: Receipt, run: RunRecord, part: RunRecord, outer: AgentChain
) -> Iterator[Check]:
    """Of an agent that was used as a tool, the same as of the outermost one."""
    chain = outer.about(part.agent)
    included = Block(run.transaction.block.number, run.transaction.block.hash)
    for claim, problem in (
        ("the transaction did this", lambda: _nested_results(run, part, chain)),
        ("agent and model are the recorded ones", lambda: _names(receipt, part, chain)),
        ("the code is the recorded one", lambda: _code(part, chain, included)),
        ("the context was there", lambda: _context(part, chain)),
    ):
        yield check(subject, claim, _answered(problem))


def _nested_results(run: RunRecord, part: RunRecord, chain: AgentChain) -> str:
    """All runs of this agent in the transaction, as they ended."""
    told = chain.nested_results(run.transaction.hash)
    pairs = zip(run.nested, parts_of(run)[1:], strict=True)
    same = [(each.iterations[-1], one) for each, one in pairs if each.agent == part.agent]
    ended = [one for _, one in sorted(same, key=lambda pair: pair[0])]
    recorded = [(one.answer, _steps(one)) for one in ended]
    found = [(text(each.answer), [text(step) for step in each.steps]) for each in told]
    return difference(("answers and steps", recorded, found))


def check_effects(
    subject: str,
    run: RunRecord,
    chain: AgentChain,
    contracts: Contracts | None,
    later: Callable[[Later], None],
) -> Iterator[Check]:
    """The code of what the run touched, without `contracts` unknown, and what it moved. later: is
    given the checks that need circuits. The blocks are there; raises like `check_chain`."""
    standing = contracts(run) if contracts else UNKNOWN_CODE

    def named(checks: Iterable[Check]) -> Iterator[Check]:
        return (replace(each, subject=f"{subject}, {each.subject}") for each in checks)

    later(lambda: named(standing.built()))
    yield from named(standing.checks)
    yield _movements(f"{subject}, chain", run, chain, standing)
    yield _balanced(f"{subject}, chain", run, chain, standing)


def check_still_there(subject: str, run: RunRecord, chain: AgentChain) -> Check:
    """The very last look, since a chain may drop blocks in the minutes that verifying takes; with
    how deep the run lies by then. Raises like `check_chain`."""
    recorded, head = run.transaction.block, chain.head().number

    def problem() -> str:
        found = block_record(chain.happened(run.transaction.hash).block)
        return difference(("the transaction's block", found, recorded))

    found = check(f"{subject}, chain", STILL, _answered(problem))
    return replace(found, note=f"{max(0, head - recorded.number)} blocks lie upon the run's block")


def _answered(problem: Callable[[], str]) -> Callable[[], str]:
    """What the chain does not know, or a contract that is no agent, is a problem of the receipt;
    a node that fails to answer is not, nor a book that this version does not read by."""

    def found() -> str:
        try:
            return problem()
        except WordRefused as exc:  # an earlier version's books list it
            raise CannotTell(str(exc)) from exc
        except (NoAgentThere, NotOnChain, DecimalsRefused, RevertError) as exc:
            return str(exc)

    return found


def _blocks(run: RunRecord, chain: AgentChain) -> str:
    recorded = (run.transaction.block, run.iterations[0].context.block)
    return difference(
        *((f"block {b.number}", b, block_record(chain.block(b.number))) for b in recorded)
    )


def _result(receipt: Receipt, run: RunRecord, chain: AgentChain) -> str:
    result = chain.run_result(run.transaction.hash)
    return difference(
        ("block", run.transaction.block, block_record(result.block)),
        ("requester", run.entry or receipt.requester, result.requester),
        ("answer", run.answer, text(result.answer)),
        ("steps", _steps(run), [text(step) for step in result.steps]),
    )


def _steps(run: RunRecord) -> list[str]:
    return [
        f"{step.decision.reasoning}Observation: {step.observation}\n"
        for step in run.iterations[:-1]
    ]


def _transaction(run: RunRecord, chain: AgentChain) -> str:
    """As the node has it, against what the raw bytes say, which the requester signed."""
    read = read_transaction(unhexed(run.transaction.raw))
    if read is None:
        return "it is not a signed EIP-1559 transaction"
    sender, fields = read
    found = chain.happened(run.transaction.hash)
    context = run.iterations[0].context.block
    parent = found.parent if context.number == found.block.number - 1 else context.hash
    return difference(
        ("sender", found.sender, sender),
        ("receiver", found.receiver, fields["to"]),
        ("value", found.value_wei, fields["value"]),
        ("nonce", found.nonce, fields["nonce"]),
        ("chain id", found.chain_id, fields["chainId"]),
        ("calldata", found.data, fields["data"]),
        ("block", block_record(found.block), run.transaction.block),
        ("the block before", parent, context.hash),
    )


def _verified(run: RunRecord, chain: AgentChain) -> str:
    """The executor's events: one for each iteration, in order, and no others. They name the
    commitment that was obeyed, which binds all that the receipt says of the model, whatever the
    registry showed before the run's block or after it."""
    found = chain.happened(run.transaction.hash).verified
    expected = tuple(
        VerifiedDecision(
            run.executor,
            model.id,
            agent,
            unhexed(model.commitment_hash),
            unhexed(step.features_hash),
            keccak(unhexed(step.y)),
        )
        for model, agent, step in zip(models_of(run), agents_of(run), run.iterations, strict=True)
    )
    verified = tuple(event for event in found if event.executor == run.executor)
    if any(not event.commitment_hash for event in verified):
        raise CannotTell("the executor is of a version that does not name the model it obeyed")
    if len(verified) != len(expected):
        return f"{len(verified)} decisions were verified, the receipt has {len(expected)}"
    return difference(
        *(
            (f"event {number}", event, wanted)
            for number, (event, wanted) in enumerate(zip(verified, expected, strict=True), 1)
        )
    )


def _movements(subject: str, run: RunRecord, chain: AgentChain, standing: Standing) -> Check:
    if standing.unnamed:
        return replace(standing.unnamed, subject=subject)
    besides: list[TokenTransfer] = []
    moved = _answered(lambda: _moved(run, chain, standing, besides.append))
    found = check(subject, MOVED, moved)
    if not (found.held and besides):
        return found
    tokens = _tokens(run, standing)
    came = [_shown(transfer) for transfer in besides if transfer.token in tokens]
    said = [_shown(transfer) for transfer in besides if transfer.token not in tokens]
    notes = (
        ("came besides, which nobody decided", came),
        ("said by contracts that are no tokens of this run, so nothing here believes it", said),
    )
    return replace(found, note="; ".join(f"{what}: {_few(each)}" for what, each in notes if each))


def _balanced(subject: str, run: RunRecord, chain: AgentChain, standing: Standing) -> Check:
    more: list[str] = []
    balances = _answered(lambda: _balances(run, chain, standing, more.append))
    found = check(subject, "balances changed as tokens say", balances)
    return replace(found, note=_few(more)) if found.held else found


def _few(shown: Sequence[str]) -> str:
    left = len(shown) - MOST_SHOWN
    return "; ".join([*shown[:MOST_SHOWN], *([f"and {left} more"] if left > 0 else [])])


def _moved(
    run: RunRecord,
    chain: AgentChain,
    standing: Standing,
    beside: Callable[[TokenTransfer], None],
) -> str:
    """Every transfer that was decided is there once, in order, and no other left the wallet.

    Tokens that move other amounts than they are told, such as those that take a fee, do not hold.
    Anybody whose code a token or a payee calls may move nothing, or send something to the wallet:
    the former does not count, the latter is told to `beside`. So are transfers that some other
    contract than this run's tokens speaks of: it may say anything, and the wallet calls no other.
    """
    if standing.walletless and not any(step.decision.action in MOVES for step in run.iterations):
        return ""
    wallet = _known(standing.wallet, "the wallet")
    found = [
        transfer
        for transfer in chain.happened(run.transaction.hash).transfers
        if wallet in (transfer.sender, transfer.recipient)
    ]
    expected, tokens = list(_to_move(run, standing)), _tokens(run, standing)
    left = list(expected)
    for transfer in found:
        if transfer.token not in tokens:
            if transfer.units:
                beside(transfer)
        elif left and _is(transfer, left[0], standing):
            left.pop(0)
        elif _came_besides(transfer, expected, standing):
            beside(transfer)
        elif transfer.units:
            wanted = f"where {_shown(left[0])} was decided" if left else "which nobody decided"
            return f"the transfer {_shown(transfer)}, {wanted}"
    if left:
        return f"{_shown(left[0])} was decided, and no such transfer is in the transaction"
    return ""


def _came_besides(
    transfer: TokenTransfer, expected: Sequence[TokenTransfer], standing: Standing
) -> bool:
    """Whether others than the pool sent it to the wallet. A decided one that is there again is not
    taken for that."""
    others = transfer.sender not in (standing.wallet, standing.pool)
    return others and transfer.units > 0 and not any(_is(transfer, e, standing) for e in expected)


def _balances(
    run: RunRecord, chain: AgentChain, standing: Standing, more: Callable[[str], None]
) -> str:
    """A token that says what it does not do is found, unless its balances lie as well.

    Nobody may have less than it says, by transfers and by what was unwrapped. Anybody can see to it
    that somebody has more: whoever wraps his coins in the same block gets tokens without an event,
    and where balances grow by themselves there is none either.
    """
    block = Block(run.transaction.block.number, run.transaction.block.hash)
    asked: dict[tuple[str, str], None] = {}
    for transfer in _decided(run, standing):
        for account in (transfer.sender, transfer.recipient):
            if not (standing.foreign_pool and account == standing.pool):
                asked[transfer.token, account] = None
    for token, account in asked:
        said, grew = chain.movement(token, account, block)
        words = (
            f"the token {token} says that {said:+} units came to {account} in "
            f"block {block.number}, whose balance there changed by {grew:+}"
        )
        if grew < said:
            return words
        if grew > said:
            more(words)
    return ""


def _tokens(run: RunRecord, standing: Standing) -> frozenset[str]:
    """What counts as a token in a run: those of its calls, and those that its agent's owner lists,
    so that none of them leaves unseen."""
    listed = {each.token for step in run.iterations for each in step.context.symbol_book}
    return frozenset({*listed, *(transfer.token for transfer in _decided(run, standing))})


def _to_move(run: RunRecord, standing: Standing) -> Iterator[TokenTransfer]:
    return iter(()) if standing.on_paper else _decided(run, standing)


def _decided(run: RunRecord, standing: Standing) -> Iterator[TokenTransfer]:
    """The transfers that the calls imply by what their arguments are said to be: a tool may take
    them in another order than a model gives them, and then does something else."""
    pool = standing.pool
    for step in () if standing.unnamed else run.iterations:
        if step.decision.kind != "call" or step.decision.action not in MOVES:
            continue
        if is_read(step.decision):  # a tool of a stranger's, whatever it is called
            continue
        wallet = _known(standing.wallet, "the wallet")
        words = words_by_slot(step.decision)
        token, units = _address(_of(words, "asset")), int.from_bytes(_of(words, "amount"), "big")
        if step.decision.action == "Transfer":
            yield TokenTransfer(token, wallet, _address(_of(words, "recipient")), units)
        elif step.decision.action == "Deploy":
            yield TokenTransfer(token, wallet, _known(pool, "the pool"), units)
        else:
            yield TokenTransfer(token, _known(pool, "the pool"), wallet, units)


def _of(words: Mapping[str, bytes], slot: str) -> bytes:
    if slot not in words:
        raise ValueError(f"a call that moves tokens names no {slot}")
    return words[slot]


def _is(found: TokenTransfer, wanted: TokenTransfer, standing: Standing) -> bool:
    """A foreign pool may have its tokens with somebody else, and more than one token."""
    if not standing.foreign_pool or standing.pool not in (wanted.sender, wanted.recipient):
        return found == wanted
    other = "recipient" if wanted.sender == standing.wallet else "sender"
    return found == replace(wanted, **{other: getattr(found, other)})


def _known(address: str, what: str) -> str:
    if not address:
        raise CannotTell(f"nothing here tells where {what} is")
    return address


def _address(word: bytes) -> str:
    return "0x" + word[12:].hex()


def _shown(transfer: TokenTransfer) -> str:
    return transfer.describe(())


def _names(receipt: Receipt, run: RunRecord, chain: AgentChain) -> str:
    found = chain.names(_at(run.iterations[0].context))
    return difference(
        ("chain id", receipt.chain_id, found.chain_id),
        ("agent", run.agent, found.agent),
        ("executor", run.executor, found.executor),
        ("registry", run.registry, found.registry),
        ("the model's number", run.model.id, found.model_id),
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


def _context(run: RunRecord, chain: AgentChain) -> str:
    """What never changes is asked for. What tools say of themselves is what the pins are of, and
    what book and tokens said is in the facts that the executor looked at in the run: both may have
    been something else when the block before was over. Earlier versions signed no facts for answers
    alone: then the book is asked for, as it was before the block. What an encoder asked others is
    in the features, which the executor derived in the run: its events name their hash."""
    record = run.iterations[0].context
    reads, names = recorded_context(record).reads, chain.names(_at(record))
    differing = difference(
        ("agent", reads.agent, names.agent),
        ("base prompt", reads.base_prompt, names.base_prompt),
        ("tools", tuple(tool.address for tool in reads.tools), names.tools),
        ("pinned", reads.pinned, names.pinned),
        ("book_contract", reads.book_contract, names.book),
    )
    if differing or signed_terms(run).facts:
        return differing
    there = chain.reads(_at(record))
    books = ("book_data", "book")
    return difference(*((name, getattr(reads, name), getattr(there, name)) for name in books))


def _at(record: ContextRecord) -> Block:
    return Block(record.block.number, record.block.hash)
