"""Makes agents' receipts, and says whether one still is what was signed."""

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain.signatures import receipt_signer, sign_receipt
from zkagent.executor.runtime.core.errors import ReceiptRefused
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.result import AgentResult
from zkagent.executor.runtime.core.steps import ActionResult, ProofOfStep
from zkagent.executor.runtime.receipts.format import (
    SALT_BYTES,
    AgentReceipt,
    Committed,
    ProofNamed,
    StepTaken,
    chained,
)

KIND = "agent receipt"  # a signature of one kind of receipt is none of another's
SIGNATURE = re.compile(r"0x[0-9a-f]{130}", re.ASCII)


def _salt() -> str:
    return secrets.token_hex(SALT_BYTES)


@dataclass
class ReceiptDraft:
    """A run's receipt while it is written, step by step.

    withhold: values stand as salted digests only; what opens them is in `openings`, by place
    ("task", "steps.0.input", "result", "attachments.NAME"), for the run's owner to keep. What is a
    digest of them without a salt, by which a guess could be tried, is left out: the calls' keys and
    the proofs' ids; and attachments have numbers for names.
    """

    agent: str
    run_id: str
    task: Json
    framework: str
    started_at: datetime
    withhold: bool = False
    models: list[str] = field(default_factory=list)
    attachments: dict[str, str] = field(default_factory=dict)
    steps: list[StepTaken] = field(default_factory=list)
    openings: dict[str, tuple[str, Json]] = field(default_factory=dict)
    new_salt: Callable[[], str] = _salt
    _numbers: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def add(
        self,
        done: ActionResult,
        *,
        started_at: datetime,
        finished_at: datetime,
        model: str | None = None,
    ) -> None:
        """What was done next. model: who decided it. Raises TypeError, ValueError for what is no
        JSON."""
        place, step = f"steps.{len(self.steps)}", done.step
        given = step.message if step.kind == "message" else step.input
        came = step.result if step.kind == "finish" else done.output
        if model and model not in self.models:
            self.models.append(model)
        self.steps.append(
            StepTaken(
                index=len(self.steps),
                kind=step.kind,
                state=done.state,
                input=self._committed(f"{place}.input", given),
                output=self._committed(f"{place}.output", came),
                started_at=_told(started_at),
                finished_at=_told(finished_at),
                tool=step.tool_id,
                model=model,
                key=None if self.withhold else done.key,
                proof=self._named(step.proof) if step.proof else None,
            )
        )

    def signed(
        self, account: LocalAccount, *, result: Json, success: bool, finished_at: datetime
    ) -> AgentReceipt:
        """The receipt, once the run is over."""
        receipt = AgentReceipt(
            framework=self.framework,
            agent=self.agent,
            run_id=self.run_id,
            success=success,
            started_at=_told(self.started_at),
            finished_at=_told(finished_at),
            models=tuple(self.models),
            task=self._committed("task", self.task),
            result=self._committed("result", result),
            steps=tuple(self.steps),
            signer=str(account.address).lower(),
            attachments={
                name: self._committed(f"attachments.{name}", text)
                for name, text in zip(
                    map(self._name, self.attachments), self.attachments.values(), strict=True
                )
            },
        )
        chain = chained(receipt)
        steps = tuple(
            replace(step, link=link) for step, link in zip(receipt.steps, chain.links, strict=True)
        )
        receipt = replace(receipt, steps=steps, head=chain.head)
        # What could not be read again is not signed.
        receipt = AgentReceipt.read(receipt.text)
        return replace(receipt, signature=sign_receipt(account, receipt.signed_text, KIND))

    def _named(self, proof: ProofOfStep) -> ProofNamed:
        return ProofNamed(
            proof.model,
            proof.digest,
            None if self.withhold else proof.proof_id,
            proof.receipt and self._name(proof.receipt),
        )

    def _name(self, attachment: str) -> str:
        """In the receipt."""
        if not self.withhold:
            return attachment
        return self._numbers.setdefault(attachment, f"attachment-{len(self._numbers)}")

    def _committed(self, place: str, value: Json) -> Committed:
        salt = self.new_salt() if self.withhold else ""
        found = Committed.to(value, salt)
        if not self.withhold:
            return found
        self.openings[place] = (salt, value)
        return found.withheld()


def receipt_of(
    result: AgentResult,
    task: str | None,
    account: LocalAccount,
    *,
    withhold: bool = False,
) -> AgentReceipt:
    """Of a run of this runtime, whose times its steps have, too.

    task: the one that the run had, as its permissions allowed it: `result.task`, or None for just
    that. It stands in the receipt; what a run was asked for and its permissions redacted does not.
    Raises ReceiptRefused for another text, so that no task is signed that was never run.
    """
    if task is not None and task != result.task:
        raise ReceiptRefused(_another_task(result, task))
    draft = ReceiptDraft(
        agent=result.agent_id,
        run_id=result.id,
        task=result.task,
        framework="zkagent",
        started_at=result.started_at,
        withhold=withhold,
        models=list(result.provenance.models),
        attachments=dict(result.attachments),
    )
    asked = {call.step: call.model for call in result.model_calls}
    start, end = result.started_at, result.finished_at
    for done in result.actions:
        proven = done.step.proof.model if done.step.proof else None
        model = proven or asked.get(done.index)
        draft.add(done, started_at=start, finished_at=end, model=model)
    return draft.signed(account, result=result.result, success=result.success, finished_at=end)


def _another_task(result: AgentResult, task: str) -> str:
    """Without the text, which may hold what the permissions took out of it."""
    given = f"the task that is given, of {len(task):,} characters, is not that of run {result.id}"
    if result.task is None:
        return f"{given}, which has none on record: give None"
    return f"{given} as its permissions allowed it: give result.task, or None"


@dataclass(frozen=True, slots=True)
class ReceiptVerdict:
    """reasons: why it does not hold, the first step that was changed first; none where it does.
    signer: whose word it is."""

    signer: str
    reasons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.reasons


def verify_tool_receipt(
    receipt: AgentReceipt | str | bytes | Mapping[str, object], signer: str | None = None
) -> ReceiptVerdict:
    """Whether it is what its signer signed, in every letter. signer: the address that has to be it;
    without one anybody's word will do, and the verdict says whose it is.

    Raises ReceiptRefused for what is no receipt of this format.
    """
    found = _read(receipt)
    return ReceiptVerdict(found.signer, tuple(_reasons(found, signer)))


def _read(receipt: AgentReceipt | str | bytes | Mapping[str, object]) -> AgentReceipt:
    if isinstance(receipt, AgentReceipt):
        return receipt
    if isinstance(receipt, str | bytes):
        return AgentReceipt.read(receipt)
    return AgentReceipt.from_json(receipt)


def _reasons(receipt: AgentReceipt, signer: str | None) -> Iterator[str]:
    chain = chained(receipt)
    for place, (step, link) in enumerate(zip(receipt.steps, chain.links, strict=True)):
        if step.index != place or step.link != link:
            yield f"step {place} is not what was signed, or does not follow on what stands before"
            break
    if receipt.head != chain.head:
        yield "its head is not the last step's: steps were added, removed or changed"
    for name, committed in _committed(receipt):
        if not committed.holds:
            yield f"{name} does not have the digest that stands beside it"
    known = set(receipt.attachments)
    named = {step.proof.receipt for step in receipt.steps if step.proof and step.proof.receipt}
    for name in sorted(named - known):
        yield f"the proof {name!r} is not attached"
    made_by = (
        receipt_signer(receipt.signature, receipt.signed_text, KIND)
        if SIGNATURE.fullmatch(receipt.signature)
        else None
    )
    if made_by != receipt.signer:
        yield f"the signature is not {receipt.signer}'s over this text"
    if signer is not None and receipt.signer != signer.lower():
        yield f"it is signed by {receipt.signer}, not by {signer.lower()}"


def _committed(receipt: AgentReceipt) -> Iterator[tuple[str, Committed]]:
    yield "task", receipt.task
    yield "result", receipt.result
    for step in receipt.steps:
        yield f"input of step {step.index}", step.input
        yield f"output of step {step.index}", step.output
    for name, text in receipt.attachments.items():
        yield f"attachment {name!r}", text


def _told(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


__all__ = ["ReceiptDraft", "ReceiptVerdict", "receipt_of", "verify_tool_receipt"]
