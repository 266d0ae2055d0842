"""Agents to run: opened with `agent`, one transaction for each run, a receipt of what happened."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

from zkagent.circuits.support.progress import Told, silent
from zkagent.executor.api.arguments import (
    AnyPath,
    check_number,
    check_time,
    check_whole,
    model_of,
    path_of,
    setup_file,
)
from zkagent.executor.chain.agent import Inclusion
from zkagent.executor.chain.deadlines import MOST_LIFETIME_S
from zkagent.executor.receipts import file as receipt_file
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.carrier import Again, Carrier, Keep, Wishes
from zkagent.executor.runs.continuation import Continuation
from zkagent.executor.runs.derivation import check_prompt, observation_in, raw_bytes, text
from zkagent.executor.runs.events import Listener, ignore
from zkagent.executor.runs.keys import Password
from zkagent.executor.runs.paper import OnPaper, any_of, calls_on_paper, rest_on_paper
from zkagent.executor.runs.plan import Plan
from zkagent.executor.runs.preview import Confirm, Preview
from zkagent.executor.runs.records import RunRecord
from zkagent.executor.runs.runner import CompletedRun, run_reverted
from zkagent.executor.runs.session import Session
from zkagent.executor.runs.settlement import TIMEOUT_S, Settlement
from zkagent.executor.runs.target import Proving, Target, open_run
from zkagent.executor.runs.terms import DEFAULT_LIFETIME_S, DEFAULT_TOLERANCE, RunLimits
from zkagent.models.catalogue import Model
from zkagent.models.encoding.decoder import Decision
from zkagent.models.whole import Place
from zkagent.verifier_contracts.chain.signing import GWEI, FeeCaps
from zkagent.verifier_contracts.deployment.record import Deployment
from zkagent.verifier_contracts.errors import RevertError


@dataclass(frozen=True)
class Run:
    """A run that happened. receipt: what anybody can check it with, kept at `path`. calls_on_paper:
    for each decision, whether a guard had its call made and rolled back; None where that cannot be
    told (`executor/runs/paper.py`)."""

    completed: CompletedRun
    receipt: Receipt
    path: Path
    calls_on_paper: tuple[OnPaper, ...]

    @property
    def on_paper(self) -> OnPaper:
        """Whether any of its calls was made and rolled back: what it says of them did not happen.
        None where that cannot be told of some."""
        return any_of(self.calls_on_paper)

    @property
    def answer(self) -> str:
        return text(self.completed.inclusion.result.answer)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """In order; the last one is the answer."""
        return _decisions(self.completed.proven.plan)

    @property
    def observations(self) -> tuple[str, ...]:
        """What the tools returned, one for each decision but the last."""
        steps = zip(self.completed.inclusion.result.steps, self.decisions, strict=False)
        return tuple(text(observation_in(entry, decision) or b"") for entry, decision in steps)

    @property
    def transaction(self) -> str:
        """Its hash, 0x and 64 hex digits."""
        return self.completed.inclusion.hash

    @property
    def block(self) -> int:
        return self.completed.inclusion.result.block.number

    @property
    def gas_used(self) -> int:
        return self.completed.inclusion.result.gas_used


@dataclass(frozen=True)
class Waiting:
    """For a transaction. confirmations: blocks, the run's own included; None for 1 on local chains
    and 3 on others. timeout_s: for all of them."""

    confirmations: int | None = None
    timeout_s: float = TIMEOUT_S


WAITING = Waiting()


class Agent:
    """An agent that is open, with a warm prover and its owner's key; `agent` makes them."""

    def __init__(self, session: Session, waiting: Waiting = WAITING) -> None:
        self.session = session
        settlement = Settlement(
            session.sender, session.journal, waiting.confirmations, waiting.timeout_s
        )
        self.carrier = Carrier(session.runner, session.sender, session.journal, settlement)

    @property
    def address(self) -> str:
        return self.session.sender.agent

    @property
    def owner(self) -> str:
        """The account that signs the runs."""
        return str(self.session.signer.address)

    @property
    def rpc(self) -> str:
        """Where the agent's chain answers, also that of a demo agent."""
        return str(self.session.web3.provider.endpoint_uri)

    def run(
        self,
        prompt: str,
        *,
        receipt: AnyPath | None = None,
        confirm: Confirm | None = None,
        departing: Confirm | None = None,
        again: Again = False,
        record_answer: bool = False,
        may_still_happen: bool = False,
    ) -> Run:
        """Plan, prove each decision, send one transaction, wait for it, write the receipt. What was
        interrupted after it was signed is gone on with, and never signed for twice.

        receipt: a new file; by default one in the cache's folder. confirm: is shown a Preview
        before anything is signed, and says whether it shall happen. departing: the same where
        `confirm` is None, of a run that is not what was signed for the instruction before; without
        it such a run is not sent (NotAsSigned). again: carry out once more
        what was carried out already, or whom to ask. record_answer: also send a run whose answer
        calls no tool. may_still_happen: send also beside an earlier transaction that was given up
        and has not reached its deadline: the instruction may then happen twice.

        Nothing was signed when this raises PlaceRefused, RefusedText, RefusedArgument, PlanError,
        ProverError, ChainError, RunRecordError or SendError, but for four of the latter's kind:
        RunUnsettled, NonceTaken, RunReverted, which may be the end of a transaction, and RunWaits:
        the run was begun, and goes on later (`go_on`). The run happened when it raises
        HappenedUnreceipted.
        """
        instruction, path = self._checked(prompt), path_of(receipt)
        again = again or self.session.throwaway
        resumed = self._may_have_its_receipt(instruction, again)
        place = receipt_file.check_place(path, resumed=resumed)
        if not isinstance(again, bool):
            again = partial(_wanted_and_has_a_place, again, path)
        may_still_happen = may_still_happen or self.session.throwaway
        wishes = Wishes(confirm, departing, again, record_answer, may_still_happen)
        return self._kept(place, lambda keep: self.carrier.run(instruction, keep, wishes))

    def resume(
        self,
        record: RunRecord,
        *,
        receipt: AnyPath | None = None,
        confirm: Confirm | None = None,
        departing: Confirm | None = None,
        dearer: bool = False,
    ) -> Run:
        """Go on with an interrupted run. dearer: by a transaction with a higher fee. Raises like
        `run`."""
        place = receipt_file.check_place(path_of(receipt), resumed=True)
        wishes = Wishes(confirm, departing)
        return self._kept(
            place, lambda keep: self.carrier.resume(record, keep, wishes, dearer=dearer)
        )

    def go_on(
        self,
        record: RunRecord,
        *,
        confirm: Confirm | None = None,
        departing: Confirm | None = None,
        dearer: bool = False,
    ) -> Inclusion:
        """Go on with a run that waited for its owner's approval or for a tool, by a transaction of
        its own. There is no receipt of such a run. dearer: by one with a higher fee than what is on
        its way. Raises RunWaits while there is no answer, and like `run`."""
        wishes = Wishes(confirm, departing)
        return Continuation(self.carrier).go_on(record, wishes, dearer=dearer)

    def rest_on_paper(self, rest: Inclusion) -> OnPaper:
        """Of what `go_on` did: whether a guard had a call in it made and rolled back; None where
        that cannot be told."""
        return rest_on_paper(self.session.chain, rest)

    def receipt_of(self, run: str) -> str:
        """Where the receipt of a run lies, by the run's id as DoneBefore has it; empty where there
        is none. Raises UnknownRun, RunRecordDamaged."""
        return self.session.journal.find(run).receipt

    def plan(self, prompt: str) -> tuple[Decision, ...]:
        """The decisions that a run would take now; nothing is proven or sent. Raises RefusedText,
        RefusedArgument, PlanError, RunReverted."""
        with _reverts_named():
            return _decisions(self.session.runner.plan(self._checked(prompt)))

    def dry_run(self, prompt: str) -> Preview:
        """Everything but signing: plan, proofs, gas, fees and effects. Raises like `run`."""
        with _reverts_named():
            plan = self.session.runner.plan(self._checked(prompt))
            return self.carrier.preview(self.carrier.prove(plan))

    def _kept(self, place: Place | None, carry: Callable[[Keep], CompletedRun]) -> Run:
        session, kept = self.session, list[tuple[Receipt, Path]]()

        def keep(completed: CompletedRun) -> Path:
            written = write_receipt(session.chain, session.model, [completed], session.signer)
            kept.append(
                (written, receipt_file.keep(written, place, completed.inclusion.hash[2:18]))
            )
            return kept[-1][1]

        completed = carry(keep)
        decisions = completed.proven.plan.decisions
        on_paper = calls_on_paper(session.chain.reader, decisions, completed.inclusion)
        return Run(completed, *kept[-1], on_paper)

    def _may_have_its_receipt(self, instruction: bytes, again: Again) -> bool:
        """Whether this may be a repeat of a run, which begins none."""
        last = self.session.journal.last(self.carrier.intent(instruction))
        return last is not None and (
            last.unfinished or (last.state == "done" and again is not True)
        )

    def _checked(self, prompt: str) -> bytes:
        return checked_prompt(self.session.model, prompt)


def _wanted_and_has_a_place(
    again: Callable[[RunRecord], bool], path: Path | None, done: RunRecord
) -> bool:
    """Whether a run begins after all; the receipt of the one before must not be in its way."""
    if not again(done):
        return False
    receipt_file.check_place(path)
    return True


@contextmanager
def agent(
    rpc: str | None = None,
    address: str | None = None,
    *,
    key_file: AnyPath | None = None,
    password: Password = None,
    deployment: Deployment | AnyPath | None = None,
    chain_id: int | None = None,
    model: Model | AnyPath = "wallet",
    srs: AnyPath | None = None,
    service: str | None = None,
    batch: bool = False,
    progress: Told = silent,
    listener: Listener = ignore,
    max_fee_gwei: float | None = None,
    max_priority_fee_gwei: float | None = None,
    confirmations: int | None = None,
    timeout_s: float = TIMEOUT_S,
    tolerance: float = float(DEFAULT_TOLERANCE),
    deadline_s: int = DEFAULT_LIFETIME_S,
) -> Iterator[Agent]:
    """Open an agent, ready to run instructions until the block ends.

        >>> with zkagent.agent() as agent:  # a demo agent on a chain of its own
        ...     run = agent.run("deposit 5 USDC")
        >>> run.answer
        'Successfully deployed'

    rpc: where the agent's chain answers; without one, a demo agent on an embedded chain, which ends
    with the block. address: the agent's; or deployment, which names agent and chain: the record or
    the file that `zkagent deploy` writes. key_file: the owner's key, 64 hex digits or an encrypted
    keystore; password: the keystore's, or a function that asks for it when $ZKAGENT_KEY_PASSWORD is
    not set. chain_id: refuse any other chain. model: the agent's, by name or folder. srs: the
    set-up file that the agent's verifier was made with. service: let the proof service at this URL
    prove. batch: prove a run's decisions together, by a batch verifier. progress: told in words of
    what takes long before a run; listener: of the events of a run.

    max_fee_gwei, max_priority_fee_gwei: what is paid at most for a unit of gas, in all and to the
    block's proposer; without them, limits that docs/errors.md has under FeeRefused. confirmations:
    blocks to wait for, the run's own included; by default 1 on local chains (31337) and 3 on
    others. timeout_s: how long. tolerance: how far an amount that a tool told, such as a balance,
    may be from the planned one when the run happens, as a part of it. deadline_s: how long after
    proving the transaction is good for anything, whole seconds, at most 10,000,000.

    Raises DeploymentMissing, KeyFileError, NoAgentThere, OtherModel, ModelError, CircuitError,
    ContractsError, ArgumentRefused.
    """
    check_number("confirmations", confirmations, 1)
    check_time("timeout_s", timeout_s)
    check_number("tolerance", tolerance, 0, 1)
    check_whole("deadline_s", deadline_s, 1, MOST_LIFETIME_S)
    caps = FeeCaps(
        wei_of("max_fee_gwei", max_fee_gwei),
        wei_of("max_priority_fee_gwei", max_priority_fee_gwei),
    )
    where = Target(rpc, address, path_of(key_file), _deployment(deployment), chain_id, caps)
    with open_run(
        where,
        model_of(model),
        Proving(setup_file(srs), batch, service),
        password=password,
        stage=progress,
        report=listener,
        limits=RunLimits(Fraction(str(tolerance)), deadline_s),
    ) as session:
        yield Agent(session, Waiting(confirmations, timeout_s))


def wei_of(name: str, gwei: float | None) -> int | None:
    """Raises ArgumentRefused."""
    check_number(name, gwei, 0)
    return None if gwei is None else int(Decimal(str(gwei)) * GWEI)


def checked_prompt(model: Model, prompt: str) -> bytes:
    """The instruction as contracts take it. Raises RefusedText for what no agent could read."""
    instruction = raw_bytes(prompt)
    check_prompt(model, instruction)
    return instruction


def _deployment(given: Deployment | AnyPath | None) -> Deployment | Path | None:
    return given if given is None or isinstance(given, Deployment) else Path(given)


def _decisions(plan: Plan) -> tuple[Decision, ...]:
    return tuple(planned.decision for planned in plan.decisions)


@contextmanager
def _reverts_named() -> Iterator[None]:
    """A run's own failure, by the error that runs raise. Raises RunReverted."""
    try:
        yield
    except RevertError as exc:
        raise run_reverted(exc) from exc


__all__ = ["Agent", "Run", "Waiting", "agent", "checked_prompt", "wei_of"]
