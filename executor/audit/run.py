"""The contracts behind a recorded run: their code where the run found them, made by their own
constructors, and still the same when it was over; tokens with the decimals that amounts were read
by. What verifying a receipt with a chain asks for (`verify_chain.Contracts`).
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from zkagent.circuits.errors import CircuitError
from zkagent.executor.audit.agent import (
    contract_checks,
    decimals_check,
    made_checks,
    origin_checks,
    pool_of,
    tell,
    tool_checks_of_run,
    vouched,
)
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.guard import guard_checks, guard_place, on_paper
from zkagent.executor.audit.model import Audited, model_contract_checks, obeyed_check
from zkagent.executor.audit.plain import plain_checks, plain_wiring
from zkagent.executor.audit.wiring import AGENTS, NOBODY, Wiring, places, pool_place, read_wiring
from zkagent.executor.audit.wiring import token_place as listed_place
from zkagent.executor.chain.abi import size_for
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.errors import NoAgentThere
from zkagent.executor.receipts.circuits import LocalCircuits
from zkagent.executor.receipts.format import DecisionRecord, RunRecord
from zkagent.executor.receipts.recording import recorded_model, rows_of_proof, words_by_slot
from zkagent.executor.receipts.verdicts import CannotTell, Check
from zkagent.executor.receipts.verify_chain import MOVED, Standing
from zkagent.executor.receipts.verify_run import ModelSource
from zkagent.models.catalogue import ReaderModel
from zkagent.models.encoding.book import Listing
from zkagent.verifier_contracts.errors import RevertError

WITH_POOL = ("ViewBalance", "Deploy", "Withdraw")


@dataclass(frozen=True)
class RunContracts:
    """Looks into the contracts of runs. models, circuits: as verification has them. trusted:
    whose unknown code the asker vouches for, as Code has it."""

    reader: ContractReader
    models: ModelSource
    circuits: LocalCircuits
    trusted: Collection[str] = ()
    _origins: dict[tuple[str, str], str] = field(default_factory=dict)

    def __call__(self, run: RunRecord) -> Standing:
        """Raises ChainError; CannotVerify, ModelError, CircuitError for what is missing here."""
        at = run.iterations[0].context.block
        code = Code(self.reader, Block(at.number, at.hash), self.trusted, self._origins)
        if run.plain:
            checks = tuple(plain_checks(run, code))
            return Standing(checks, built=partial(self._built, code, plain_wiring(run), run))
        try:
            wiring = read_wiring(self.reader, run.agent, code.block)
            found = tuple(self._checks(code, wiring, run))
        except (NoAgentThere, RevertError) as exc:
            agent = Place("agent", run.agent, AGENTS)
            return Standing((code.check(agent), Check("agent", "answers as one", str(exc))))
        pool = _pool(code, wiring)
        foreign = bool(pool) and not code.is_ours(pool_place(pool))
        wallet = "" if wiring.wallet == NOBODY or wiring.reads else wiring.wallet
        built = partial(self._built, code, wiring, run)
        return Standing(
            found,
            wallet,
            pool,
            foreign,
            built,
            walletless=bool(wiring.walletless),
            on_paper=on_paper(code, wiring, run.transaction.hash),
            unnamed=self._unnamed(code, wiring, run),
        )

    def _unnamed(self, code: Code, wiring: Wiring, run: RunRecord) -> Check | None:
        """Of an agent that reads its tools, by a reader's decisions: whether somebody vouches for
        what these do. None of other agents."""
        if not (wiring.reads and isinstance(self.models(run.model.name), ReaderModel)):
            return None
        why = (
            "no decision of a reader names tokens, and what the agent's tools move is its author's "
            f"word; --trust agent={wiring.agent} vouches for it"
        )
        agent = next(places(wiring, code))
        return vouched(code, agent, Check("agent", MOVED, why, unknown=True))

    def _checks(self, code: Code, wiring: Wiring, run: RunRecord) -> Iterator[Check]:
        yield from contract_checks(code, wiring)
        yield from made_checks(code, wiring)
        yield from guard_checks(code, wiring)
        if on_paper(code, wiring, run.transaction.hash):
            yield Check("guard", "had the calls made", "", note="on paper: nothing was to move")
        foreign = tuple(_touched(code, wiring, run))
        for place in foreign:
            yield code.check(place)
            yield from origin_checks(code, place)
        block = run.transaction.block
        after = Block(block.number, block.hash)
        later = Code(self.reader, after, self.trusted, self._origins)
        for listing in _listings(run):
            before = decimals_check(code, listing)
            yield before if before.held else decimals_check(later, listing)
        yield from tool_checks_of_run(code, wiring, run.model.decoder.address)
        if after.number != code.block.number:
            ours = (place for place in places(wiring, code) if place.address != NOBODY)
            guard = [] if wiring.guard == NOBODY else [guard_place(code, wiring)]
            rest = [*ours, *guard, *foreign]
            claim = "are the same after the run"
            yield tell("contracts", claim, lambda: _changed(code, rest, after))

    def _built(self, code: Code, wiring: Wiring, run: RunRecord) -> Iterator[Check]:
        """What needs the model's circuits. Raises like a call."""
        try:
            yield from self._model(code, wiring, run)
        except (NoAgentThere, RevertError) as exc:
            yield Check("model", "its contracts answer", str(exc))

    def _model(self, code: Code, wiring: Wiring, run: RunRecord) -> Iterator[Check]:
        """The model is the recorded one, since the executor's events name its commitment. A
        registry of others may tell executors of something else than it shows under that."""
        bound, model = recorded_model(run.model), self.models(run.model.name)
        digests = {1: run.model.circuit_digest}
        digests |= {batch.size: batch.circuit_digest for batch in run.model.batches}
        sizes = [batch.size for batch in run.model.batches]
        system = bytes.fromhex(run.model.proof_system_id[2:])
        try:
            used = {1} | {size_for(len(rows_of_proof(run, each)), sizes) for each in run.proofs}
            found = {
                size: self.circuits.circuit(model, digests[size], size, system)
                for size in sorted(used)
            }
        except (ValueError, CircuitError, CannotTell) as exc:
            unknown = isinstance(exc, CannotTell)
            yield Check("model", "its circuits are the recorded ones", str(exc), unknown)
            return
        audited = Audited(code, wiring.registry, bound, model, found.pop(1), found, wiring.executor)
        if not code.is_ours(Place("registry", wiring.registry, ("ModelRegistry",))):
            registry = Web3Registry(self.reader, wiring.registry)
            shown = registry.model(wiring.model_id, code.block)
            yield obeyed_check(replace(audited, bound=shown))
        yield from model_contract_checks(audited, tuple(found))


def _touched(code: Code, wiring: Wiring, run: RunRecord) -> Iterator[Place]:
    """Pool and tokens that the run's calls reach: the owner's choice."""
    pool = _pool(code, wiring)
    if pool and any(call.action in WITH_POOL for call in _calls(run)):
        yield pool_place(pool)
    known = _known(run)
    for token in _tokens(run):
        if token in known:
            yield listed_place(known[token])
        else:
            yield Place(f"token {token}", token, ("DemoToken",), {"_decimals": None}, choice=True)


def _calls(run: RunRecord) -> list[DecisionRecord]:
    return [step.decision for step in run.iterations if step.decision.kind == "call"]


def _tokens(run: RunRecord) -> Iterator[str]:
    """Those that the calls name, each once."""
    named = (words_by_slot(call).get("asset") for call in _calls(run))
    yield from dict.fromkeys("0x" + asset[12:].hex() for asset in named if asset)


def _known(run: RunRecord) -> dict[str, Listing]:
    """By which the amounts of calls are read: of the symbol book, or a token's own answer."""
    context = run.iterations[0].context
    told, listed = context.token_decimals, context.symbol_book
    known = {each.token: Listing(each.token, each.token, each.decimals) for each in told}
    return known | {e.token: Listing(e.symbol, e.token, e.decimals) for e in listed}


def _listings(run: RunRecord) -> Iterator[Listing]:
    """What the book says of the calls' tokens. What a token says itself is in the signed facts,
    which the executor looked at in the run."""
    listed = {each.token for each in run.iterations[0].context.symbol_book}
    known = _known(run)
    yield from (known[token] for token in _tokens(run) if token in listed)


def _pool(code: Code, wiring: Wiring) -> str:
    """Empty when nothing here tells: the wallet's own check says why. What a reader's tools move is
    no wallet's of ours."""
    if wiring.reads:
        return ""
    try:
        return pool_of(code, wiring)
    except (CannotTell, ValueError):
        return ""


def _changed(code: Code, stood: list[Place], after: Block) -> str:
    for place in stood:
        before = code.reader.code(place.address, code.block)
        if code.reader.code(place.address, after) != before:
            return f"the code at {place.address} is another in block {after.number}"
    return ""


__all__ = ["RunContracts"]
