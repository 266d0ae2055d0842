"""Goes on with an account's own run that waited: for its owner's approval, or for a tool.

What the run came to before lies on the chain and is not proven again. The rest is an instruction of
its own to the journal: named by the agent's number of the run and how far that had come, and so
carried out once, as any other (`carrier.py`).
"""

from dataclasses import replace
from pathlib import Path

from zkagent.executor.chain.agent import Inclusion
from zkagent.executor.chain.calls import run_of
from zkagent.executor.chain.desk import RESULT_MISSING
from zkagent.executor.chain.resumed_run import SuspendedRun
from zkagent.executor.errors import NoAnswerYet
from zkagent.executor.runs.carrier import NONE, Carrier, Keep, Wishes, differences, done_before
from zkagent.executor.runs.derivation import raw_bytes
from zkagent.executor.runs.errors import RunElsewhere, RunWaits
from zkagent.executor.runs.plan import Plan
from zkagent.executor.runs.records import ENDED_LATER, Intent, RunRecord
from zkagent.executor.runs.runner import AgentRunner, CompletedRun, ProvenRun, run_reverted
from zkagent.verifier_contracts.errors import RevertError


class Continuation:
    """Of runs that `carrier` began, or whose owner it has the key of."""

    def __init__(self, carrier: Carrier) -> None:
        self.carrier, self.journal = carrier, carrier.journal

    def go_on(self, record: RunRecord, wishes: Wishes = NONE, *, dearer: bool = False) -> Inclusion:
        """With the run that the record began or went on with before. dearer: by a transaction with
        a higher fee than what is on its way. Raises RunWaits while what it
        waits for has no answer, DoneBefore when it came to its end, RunElsewhere, and like
        `Carrier.run`."""
        here = self.carrier.intent(raw_bytes(record.intent.prompt))
        theirs = replace(record.intent, resumes=0, after=0)
        if here != theirs:
            raise RunElsewhere(record.id, differences(theirs, here))
        with self.journal.held(here):
            current = self.journal.find(record.id)
            number = current.intent.resumes or self._number_of(current)
            return self._gone_on(current, number, wishes, dearer=dearer)

    def _number_of(self, begun: RunRecord) -> int:
        """The agent's number of the run that a record began. Raises DoneBefore for one that waits
        for nothing."""
        try:
            self.carrier.settlement.settle(begun)
        except RunWaits as exc:
            return exc.waits.run
        raise done_before(self.journal.find(begun.id))

    def _gone_on(
        self, current: RunRecord, number: int, wishes: Wishes, *, dearer: bool
    ) -> Inclusion:
        rest = _Rest(self.carrier, number)
        last = self._last(current.intent, number)
        if last and last.state == "done":
            self._ended(current, number)
            raise done_before(last)
        if last and last.unfinished and last.state != "waiting":
            done = rest.go_on_with(last, wishes, dearer=dearer)
        else:
            done = rest.begun(current, wishes)
        self._ended(current, number)
        return done.inclusion

    def _last(self, intent: Intent, number: int) -> RunRecord | None:
        """What was signed last to go on with the run."""
        found = self._parts(intent, number)
        return max(found, key=lambda each: (each.intent.after, each.number), default=None)

    def _parts(self, intent: Intent, number: int) -> list[RunRecord]:
        return [
            each
            for each in self.journal.look()[0]
            if each.intent == replace(intent, resumes=number, after=each.intent.after)
        ]

    def _ended(self, current: RunRecord, number: int) -> None:
        """All that is known to have waited for this."""
        for each in (self.journal.find(current.id), *self._parts(current.intent, number)):
            if each.state == "waiting":
                self.carrier.settlement.keep(each, state="done", note=ENDED_LATER)


class _Rest(Carrier):
    """Carries out what is left of the agent's run `number`. There is no receipt of it."""

    def __init__(self, carrier: Carrier, number: int) -> None:
        sender = carrier.sender
        self.chain = SuspendedRun(sender.web3, sender.agent, number)
        runner = _RestRunner.of(carrier.runner, self.chain)
        super().__init__(runner, sender, carrier.journal, carrier.settlement)

    def go_on_with(self, record: RunRecord, wishes: Wishes, *, dearer: bool) -> CompletedRun:
        """What was signed already."""
        with self.journal.held(record.intent):
            return self._resume(record, _no_receipt, wishes, dearer=dearer)

    def begun(self, before: RunRecord, wishes: Wishes) -> CompletedRun:
        """before: the record of the part after which the run waits. Raises RunWaits."""
        head = self.chain.head()
        try:
            awaited = self.chain.awaited(head)
            self.chain.simulate(b"", (), self.sender.account, head)
        except RevertError as exc:
            if exc.data[:4] != RESULT_MISSING.selector:
                raise run_reverted(exc) from exc
            name, agent = before.hash, self.chain.agent
            waits = NoAnswerYet(name, agent, self.chain.number, awaited.tool, awaited.call)
            raise RunWaits(before.id, name, waits) from exc
        intent = replace(before.intent, resumes=self.chain.number, after=awaited.steps + 1)
        with self.journal.held(intent):
            return self._begin_once(intent, _no_receipt, replace(wishes, record_answer=True))

    def _finish(self, record: RunRecord, inclusion: Inclusion, keep: Keep) -> CompletedRun:
        self.settlement.keep(record, state="done", note="")
        return self._completed(record, inclusion)

    def _completed(self, record: RunRecord, inclusion: Inclusion) -> CompletedRun:
        """After an interruption the decisions are known to nobody here, and are none."""
        plans = len(record.signed)
        if proven := self._proven.get(inclusion.hash):
            return CompletedRun(proven, inclusion, plans)
        result, call = inclusion.result, run_of(inclusion.raw)
        prompt, identity = raw_bytes(record.intent.prompt), self.chain.identity(result.block)
        plan = Plan(result.block, identity, prompt, (), result.answer, result.steps)
        return CompletedRun(ProvenRun(plan, (), (), (), call.terms), inclusion, plans)


class _RestRunner(AgentRunner):
    """Plans and proves what is left of a run."""

    chain: SuspendedRun

    @classmethod
    def of(cls, runner: AgentRunner, chain: SuspendedRun) -> "_RestRunner":
        made = cls(
            chain,
            runner.sender,
            runner.model,
            runner.prover,
            runner.report,
            batches=runner.batches,
            limits=runner.limits,
            known=runner.known,
            nested=runner.nested,
        )
        made._proofs = runner._proofs
        return made

    def plan(self, prompt: bytes, before: int = 0) -> Plan:
        after = self.chain.before(self.chain.head())
        plan = super().plan(prompt, before=after)
        return replace(plan, resumes=self.chain.number, after=after)


def _no_receipt(completed: CompletedRun) -> Path:
    raise AssertionError("a receipt of a part of a run")


__all__ = ["Continuation"]
