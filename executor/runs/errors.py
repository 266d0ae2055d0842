"""What ends an instruction on its way, from its plan to the receipt, and what is wrong with the
records of runs. The rest of the tree is in `executor/errors.py`.

SendError                    a planned run did not become a transaction
├── StateKeepsChanging       each new plan was outdated before it was included (transient)
├── RunReverted              the contract's own error, decoded
├── NothingToDo              the answer calls no tool
├── NotAgreed                whoever was asked did not agree
│   └── NotAsSigned          and it is not what was signed for the instruction before
├── DoneBefore               the same instruction was carried out already
├── RunUnsettled             it was signed, and what became of it is not known yet
│   └── RunUnwritten         and the journal cannot be written
├── RunWaits                 it was begun, and waits for its owner or for a tool
├── StillPossible            an earlier transaction may still be mined, and it would be done twice
└── NonceTaken               another transaction is said to have the nonce of the run's
RunRecordError               what is kept of runs cannot be used
├── RunsUnreadable           the folder of the records
├── RunRecordDamaged         a file that may be the trace of a transaction
│   └── RunRecordUnreadable  the system does not let it be read
├── RunRecordRefused         what could not be read again is not written
├── RunInHand                another process is at the same instruction
├── RunElsewhere             a run of another chain, agent or account than the ones at hand
└── UnknownRun               no run of this id
"""

import os
from pathlib import Path

from zkagent.executor.commands import typed
from zkagent.executor.errors import ExecutorError, NoAnswerYet, SendError, quoted

ONE_INSTRUCTION = "an instruction has one amount, one asset and at most one address"


class StateKeepsChanging(SendError):
    def __init__(self, attempts: int, last: str) -> None:
        self.attempts = attempts
        super().__init__(
            f"the state behind the decisions changed after each of {attempts} plans "
            f"(last: {last}): try again when the agent's contracts are quieter"
        )


class RunReverted(SendError):
    """`name` and `arguments` are those of the Solidity error, `name` empty when unknown."""

    def __init__(self, reason: str, name: str, arguments: dict[str, object]) -> None:
        self.name, self.arguments = name, arguments
        super().__init__(f"the run reverts and nothing of it happened: {reason}")


class NothingToDo(SendError):
    """No failure: the decision is the answer, and `answer` has it. hint: what an instruction that
    was asked about has to be; else empty, as for models that read whole instructions."""

    def __init__(self, answer: str, kind: str = "") -> None:
        self.answer = answer
        self.hint = ONE_INSTRUCTION if kind == "ask" else ""
        super().__init__(
            f"nothing to do on chain, the answer is {answer!r}: nothing was sent; "
            + (f"{self.hint}; " if self.hint else "")
            + "--record-answer has it recorded"
        )


class NotAgreed(SendError):
    exit_code = 7

    def __init__(self, why: str = "") -> None:
        super().__init__(f"nothing was sent: {why or 'it was not agreed to'}")


class NotAsSigned(NotAgreed):
    """transaction: signed for the instruction before. departures: in words."""

    def __init__(self, transaction: str, departures: tuple[str, ...]) -> None:
        self.transaction, self.departures = transaction, departures
        super().__init__(
            "the instruction comes to something else than what was agreed to when transaction "
            f"{transaction} was signed: {'; '.join(departures)}; if that is meant, give it on a "
            "terminal, where it is asked for"
        )


class DoneBefore(SendError):
    """run: of the record that says so. remedy: which command sends it."""

    exit_code = 5

    def __init__(self, run: str, transaction: str, what: str, remedy: str) -> None:
        self.run, self.transaction = run, transaction
        super().__init__(
            f"this instruction {what} (run {run}, transaction {transaction}), and nothing was sent "
            f"now: {remedy}"
        )


class RunUnsettled(SendError):
    """The transaction may be mined, now or later: a repeated run goes on with it."""

    exit_code = 6

    def __init__(self, run: str, transaction: str, nonce: int, why: str) -> None:
        self.run, self.transaction, self.nonce = run, transaction, nonce
        super().__init__(
            f"transaction {transaction} (nonce {nonce}) was signed, and may still be included: "
            f"{why}; repeat the command to go on with it, or see `zkagent runs pending`"
        )


class RunWaits(SendError):
    """run: of the journal; waits: the agent's number of it, and for what."""

    exit_code = 6

    def __init__(self, run: str, transaction: str, waits: NoAnswerYet) -> None:
        self.run, self.transaction, self.waits = run, transaction, waits
        what = f"call {waits.call} of {waits.awaited}"
        super().__init__(
            f"run {waits.run} of {waits.agent} was begun in transaction {transaction}, and waits "
            f"for {what}: once that has an answer (of a guard: "
            f"`{typed('guard', 'approve', waits.call)}`), `{typed('runs', 'resume', run)}` goes on "
            "with it"
        )


class RunUnwritten(RunUnsettled):
    """state: of the record that could not be written."""

    def __init__(
        self,
        run: str,
        transaction: str,
        nonce: int,
        state: str,
        reason: "OSError | RunRecordRefused",
    ) -> None:
        self.run, self.transaction, self.nonce = run, transaction, nonce
        full = isinstance(reason, OSError)
        why = (reason.strerror if isinstance(reason, OSError) else None) or reason
        remedy = "make room, then repeat" if full else "ask another node: repeat"
        SendError.__init__(
            self,
            f"transaction {transaction} (nonce {nonce}) is {state}, which cannot be written to the "
            f"journal ({why}): {remedy} the command to go on with it",
        )


class StillPossible(SendError):
    """Of a transaction that was given up. until: its deadline."""

    exit_code = 6

    def __init__(self, run: str, transaction: str, nonce: int, until: str) -> None:
        self.run, self.transaction, self.nonce, self.until = run, transaction, nonce, until
        super().__init__(
            f"transaction {transaction} (nonce {nonce}, run {run}) may still happen until {until}, "
            "whatever one node says of it: wait until a block is later than that, or give "
            "--may-still-happen, and it may happen beside what is sent next"
        )


class NonceTaken(SendError):
    """By what a node says. taker: the transaction that has it, "" for unknown; by: the run that it
    is of, "" for none. until: when the run's own may still be included, "" for no longer."""

    exit_code = 6

    def __init__(
        self,
        run: str,
        transaction: str,
        nonce: int,
        *,
        taker: str = "",
        block: int = 0,
        by: str = "",
        until: str = "",
    ) -> None:
        self.run, self.transaction, self.nonce = run, transaction, nonce
        self.taker, self.block, self.by, self.until = taker, block, by, until
        if taker:
            whose = f"of run {by}" if by else "which was not made here"
            what = (
                f"transaction {taker}, {whose}, used nonce {nonce} in block {block}, so the node "
                f"says, and not transaction {transaction}"
            )
        else:
            what = (
                f"nonce {nonce} is used, and the deadline of transaction {transaction} has passed, "
                "but the node does not show what used it: ask another node whether it was that one"
            )
        when = f", after {until}: before, it may still be included" if until else ""
        super().__init__(
            f"{what}; if it is to be done still, repeat the command with --again{when}"
        )


class RunRecordError(ExecutorError):
    """Root of what is wrong with the records of runs."""


class RunsUnreadable(RunRecordError):
    """Which runs there are cannot be told, or none can be recorded."""

    def __init__(self, folder: Path, exc: OSError) -> None:
        self.folder = folder
        super().__init__(
            f"{folder} holds the records of runs, and cannot be used ({exc.strerror or exc}"
            f"{_owner(folder)}): give it back to the account that "
            "zkagent runs under, mend its permissions or its disk, or make room; another "
            "ZKAGENT_HOME knows nothing of these runs, and the same instruction would happen again"
        )


class RunRecordDamaged(RunRecordError):
    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(
            f"{path} is no record of a run that can be read ({quoted(why)}), and may stand for a "
            "transaction that was sent and may still be mined: its instruction is not carried out "
            "while it is there, and may happen twice once it is gone; look at the account's "
            "transactions until the deadline has passed (--deadline, 10 minutes where none was "
            "given), then move it away"
        )


class RunRecordUnreadable(RunRecordDamaged):
    def __init__(self, path: Path, exc: OSError) -> None:
        self.path, self.why = path, exc.strerror or str(exc)
        RunRecordError.__init__(
            self,
            f"{path} cannot be read ({quoted(self.why)}), and may stand for a transaction that was "
            "sent and may still be mined: its instruction is not carried out while that is so; "
            "give it back to the account that zkagent runs under, or mend its permissions or its "
            "disk; another ZKAGENT_HOME knows nothing of it",
        )


class RunRecordRefused(RunRecordError):
    """Of what would be written for a run."""

    def __init__(self, run: str, why: str) -> None:
        self.run = run
        super().__init__(
            f"what is to be recorded of run {run} could not be read again ({quoted(why)}): "
            "nothing was written or sent; ask another node"
        )


class RunInHand(RunRecordError):
    def __init__(self, key: str) -> None:
        super().__init__(f"another process is at this instruction (run {key}): let it end first")


class RunElsewhere(RunRecordError):
    """differences: what, of the run, at hand."""

    def __init__(self, run: str, differences: list[tuple[str, str, str]]) -> None:
        told = ", ".join(f"{what} {theirs}, and not {ours}" for what, theirs, ours in differences)
        super().__init__(
            f"run {run} is of {told}: nothing was looked up or sent; give the --rpc, --agent and "
            "--key-file that it was made with"
        )


class UnknownRun(RunRecordError):
    def __init__(self, beginning: str, found: list[str]) -> None:
        many = f"several runs begin with {beginning!r}" if found else f"no run is {beginning!r}"
        super().__init__(f"{many}: `zkagent runs pending --all` lists them")


def _owner(folder: Path) -> str:
    """Of a folder of somebody else."""
    try:
        owner = folder.stat().st_uid
    except OSError:
        return ""
    return "" if owner == os.geteuid() else f", owned by user {owner}"
