"""The loan workflow as a chapter of the demo, as data: an agent that asks another agent, criteria
in words that a vote changes, a pool that pays out what was proven. `chapters/loans.py` plays it.

Every run is one transaction: the pool has the loan agent decide, which reads the DAO's criteria and
has the credit-score agent decide in the same frame.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from eth_account.signers.local import LocalAccount

from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import PROVING, ProofSystem
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.chain.revert_site import explained
from zkagent.executor.demo.attacks.stage import FALSE_PROOF, REFUSALS, AttackResult
from zkagent.executor.errors import DemoError
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.writer import write_receipt
from zkagent.executor.runs.derivation import claim_for
from zkagent.executor.runs.events import Listener, ignore
from zkagent.executor.runs.runner import CompletedRun, ProvenRun
from zkagent.executor.runs.session import Session, Stage, local_circuit, open_session
from zkagent.models.catalogue import CreditModel, LoanModel, load_model
from zkagent.verifier_contracts.chain.local import Anvil, call, send
from zkagent.verifier_contracts.deployment.deployer import at
from zkagent.verifier_contracts.deployment.loan import LoanDeployment, LoanParts, deploy_loan
from zkagent.verifier_contracts.errors import RevertError

CRITERIA = "Approve applicants with a credit score of at least 650."
NEW_CRITERIA = "A loan takes a score of more than 900 points."
WHOLE, DECIMALS = 500, 6
#: Repaid, defaulted, months, collateral in hundredths, open loans.
GOOD, POOR = (20, 0, 60, 150, 0), (3, 3, 12, 60, 2)
GAS_LIMIT = 20_000_000
#: The scores of a network that nobody trained: approve.
APPROVING = (0, 0, 1, 0, 0)


@dataclass(frozen=True)
class LoanStage:
    """The workflow on a chain of its own. alice and carol have good records, bob a poor one; the
    DAO's members are three others."""

    anvil: Anvil
    deployment: LoanDeployment
    parts: LoanParts
    members: tuple[LocalAccount, ...]
    alice: LocalAccount
    bob: LocalAccount
    carol: LocalAccount
    stage: Stage
    report: Listener = ignore
    opened: ExitStack = field(default_factory=ExitStack)
    _sessions: dict[str, Session] = field(default_factory=dict)

    @property
    def web3(self) -> Any:
        return self.anvil.web3

    def session(self, applicant: LocalAccount) -> Session:
        """The applicant's, with the loan agent, by way of the pool."""
        if applicant.address not in self._sessions:
            self._sessions[applicant.address] = self.opened.enter_context(
                open_session(
                    self.web3,
                    self.deployment.agent,
                    applicant,
                    self.parts.loan,
                    self.parts.loan_circuit,
                    report=self.report,
                    stage=self.stage,
                    models=[self.parts.credit],
                    entry=self.deployment.pool,
                )
            )
        return self._sessions[applicant.address]

    def holds(self, applicant: LocalAccount) -> int:
        """Units of the token."""
        token = at(self.web3, "DemoToken", self.deployment.token).functions
        return int(call(self.web3, token.balanceOf(applicant.address)))

    def vote(self, criteria: str) -> None:
        """Two of three members have the criteria changed."""
        dao = at(self.web3, "CriteriaDao", self.deployment.dao).functions
        proposer, other = self.members[:2]
        number = int(call(self.web3, dao.propose(criteria), proposer.address))
        send(self.web3, dao.propose(criteria), proposer)
        send(self.web3, dao.vote(number), other)

    def repay(self, applicant: LocalAccount) -> None:
        """The whole loan."""
        pool = at(self.web3, "LoanPool", self.deployment.pool)
        token = at(self.web3, "DemoToken", self.deployment.token)
        owed = int(call(self.web3, pool.functions.owedBy(applicant.address)))
        send(self.web3, token.functions.approve(pool.address, owed), applicant)
        send(self.web3, pool.functions.repay(), applicant)


@dataclass(frozen=True)
class ShownLoan:
    """An application that was decided. paid: units that the applicant got."""

    title: str
    criteria: str
    completed: CompletedRun
    paid: int


@contextmanager
def loan_stage(
    stage: Stage,
    report: Listener = ignore,
    systems: tuple[ProofSystem | None, ProofSystem | None] = (None, None),
) -> Iterator[LoanStage]:
    """A chain with the whole workflow on it. systems: what the loan model's and the credit-score
    model's decisions are proven by, the usual ones by default. Raises ContractsError,
    CircuitError."""
    loan, credit = load_model("loan", LoanModel), load_model("credit-score", CreditModel)
    circuits = _circuit(loan, systems[0], stage), _circuit(credit, systems[1], stage)
    with Anvil() as anvil, ExitStack() as opened:
        owner, *others = anvil.accounts
        members, (alice, bob, carol) = (owner, *others[:2]), others[2:5]
        names = [str(member.address) for member in members]
        parts = LoanParts(loan, circuits[0], credit, circuits[1], names, CRITERIA)
        deployed = deploy_loan(anvil.web3, parts, owner, lambda s: stage(f"deploying: {s}"))
        _fund(anvil.web3, deployed, owner, {alice: GOOD, bob: POOR, carol: GOOD})
        yield LoanStage(anvil, deployed, parts, members, alice, bob, carol, stage, report, opened)


def play_loans(stage: LoanStage) -> Iterator[ShownLoan]:
    """Approved, denied, and denied after a vote. Raises DemoError when one is decided otherwise."""
    yield _applied(stage, "a loan by the criteria", stage.alice, CRITERIA, "Approved")
    yield _applied(stage, "an applicant below the limit", stage.bob, CRITERIA, "Denied")
    stage.vote(NEW_CRITERIA)
    yield _applied(
        stage, "the first one's equal, after a vote", stage.carol, NEW_CRITERIA, "Denied"
    )


def loan_receipt(stage: LoanStage, shown: ShownLoan, applicant: LocalAccount) -> Receipt:
    """Of one application."""
    session = stage.session(applicant)
    return write_receipt(session.chain, session.model, [shown.completed], applicant)


def attack_loans(stage: LoanStage) -> Iterator[AttackResult]:
    """Attacks on the workflow with the criteria that it began with; all is undone."""
    snapshot = stage.anvil.snapshot()
    try:
        stage.vote(CRITERIA)
        yield from _attacks(stage)
    finally:
        stage.anvil.revert(snapshot)


def _attacks(stage: LoanStage) -> Iterator[AttackResult]:
    run = stage.session(stage.carol).runner
    proven = run.prove(run.plan(application(stage, stage.carol)))
    yield _forged(stage)
    other = _Attempt(
        "another applicant's approval",
        "bob sends the run that is proven for carol",
        "MalformedApplication",
    )
    yield _mounted(stage, other, proven.call, stage.bob)
    yield _stale(stage, proven)
    yield _replayed(stage, proven)
    unscored = _Attempt(
        "no score",
        "carol leaves the credit-score agent's claim out",
        "ClaimForOtherModel",
    )
    yield _mounted(stage, unscored, _without(proven.call, 2), stage.carol)


def application(stage: LoanStage, applicant: LocalAccount) -> bytes:
    """What the pool expects of this applicant."""
    pool = at(stage.web3, "LoanPool", stage.deployment.pool).functions
    return str(call(stage.web3, pool.applicationOf(applicant.address, WHOLE))).encode()


def _applied(
    stage: LoanStage, title: str, applicant: LocalAccount, criteria: str, expected: str
) -> ShownLoan:
    before = stage.holds(applicant)
    completed = stage.session(applicant).runner.run(application(stage, applicant))
    paid, answer = stage.holds(applicant) - before, completed.proven.plan.answer.decode()
    due = WHOLE * 10**DECIMALS if expected == "Approved" else 0
    if not answer.startswith(expected) or paid != due:
        raise DemoError(f"{title}: {answer!r}, paid {paid}, expected {expected} and {due}")
    return ShownLoan(title, criteria, completed, paid)


def _forged(stage: LoanStage) -> AttackResult:
    """Bob claims that the network approves, where it denies; all else is as it would be then."""
    session = stage.session(stage.bob)
    honest = session.runner.prove(session.runner.plan(application(stage, stage.bob)))
    last = honest.plan.decisions[-1]
    claim = claim_for(last.claim.model_id, last.x, APPROVING)
    forged = replace(honest.call, claims=(*honest.call.claims[:-1], claim))
    what = "bob claims that the network approves"
    return _mounted(stage, _Attempt("a forged approval", what, FALSE_PROOF), forged, stage.bob)


def _stale(stage: LoanStage, proven: ProvenRun) -> AttackResult:
    """The criteria are changed between planning and inclusion."""
    snapshot = stage.anvil.snapshot()
    stage.vote(NEW_CRITERIA)
    what = "carol sends what was proven before the vote"
    attempt = _Attempt("stale criteria", what, "ClaimForOtherFeatures")
    try:
        return _mounted(stage, attempt, proven.call, stage.carol)
    finally:
        stage.anvil.revert(snapshot)


def _replayed(stage: LoanStage, proven: ProvenRun) -> AttackResult:
    """Paid out, paid back, and sent again."""
    snapshot = stage.anvil.snapshot()
    try:
        stage.session(stage.carol).sender.send(proven.call, GAS_LIMIT)
        stage.repay(stage.carol)
        what = "carol repays and sends the same run again"
        attempt = _Attempt("the same approval twice", what, "ClaimForOtherFeatures")
        return _mounted(stage, attempt, proven.call, stage.carol)
    finally:
        stage.anvil.revert(snapshot)


@dataclass(frozen=True)
class _Attempt:
    """name, what: is tried. expected: the error that stops it."""

    name: str
    what: str
    expected: str


def _mounted(
    stage: LoanStage, attempt: _Attempt, run: RunCall, sender: LocalAccount
) -> AttackResult:
    """Send it for real: it bounced if it was reverted for the reason it should, and paid nobody."""
    before = stage.holds(sender)
    error, found = _reason(stage, run, sender)
    receipt = _sent(stage, run, sender)
    untouched = receipt["status"] == 0 and stage.holds(sender) == before
    bounced = untouched and found == attempt.expected
    return AttackResult(attempt.name, attempt.what, bounced, error, found)


def _reason(stage: LoanStage, run: RunCall, sender: LocalAccount) -> tuple[str, str]:
    fields = _fields(stage, run) | {"from": sender.address}
    try:
        with explained(stage.web3, fields):
            stage.web3.eth.call(fields)
    except RevertError as exc:
        verifiers = {address.lower() for address in stage.deployment.verifiers.values()}
        false = exc.name in REFUSALS or exc.arguments.get("site") in verifiers
        return str(exc), FALSE_PROOF if false else exc.name
    return "", ""


def _sent(stage: LoanStage, run: RunCall, sender: LocalAccount) -> Any:
    web3 = stage.web3
    fees = {"maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**9}
    nonce = web3.eth.get_transaction_count(sender.address)
    fields = {"type": 2, "chainId": web3.eth.chain_id, "nonce": nonce, "value": 0}
    signed = sender.sign_transaction(_fields(stage, run) | fields | fees)
    sent = web3.eth.send_raw_transaction(signed.raw_transaction)
    return web3.eth.wait_for_transaction_receipt(sent, timeout=60, poll_latency=0.05)


def _fields(stage: LoanStage, run: RunCall) -> dict[str, Any]:
    return {"to": stage.deployment.pool, "data": abi.run_data(run), "gas": GAS_LIMIT}


def _without(run: RunCall, index: int) -> RunCall:
    def drop(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*items[:index], *items[index + 1 :])

    terms = replace(run.terms, calls=drop(run.terms.calls))
    return RunCall(run.prompt, drop(run.claims), drop(run.proofs), terms)


def _circuit(model: LoanModel | CreditModel, system: ProofSystem | None, stage: Stage) -> Circuit:
    return local_circuit(model, None, stage, system or PROVING[model.proof_systems[0]])


def _fund(
    web3: Any,
    deployed: LoanDeployment,
    owner: LocalAccount,
    records: dict[LocalAccount, tuple[int, ...]],
) -> None:
    token = at(web3, "DemoToken", deployed.token).functions
    send(web3, token.mint(deployed.pool, 10 * WHOLE * 10**DECIMALS), owner)
    history = at(web3, "CreditHistory", deployed.history).functions
    for account, record in records.items():
        send(web3, history.report(account.address, record), owner)


__all__ = ["LoanStage", "ShownLoan", "application", "attack_loans", "loan_receipt", "loan_stage"]
__all__ += ["play_loans"]
