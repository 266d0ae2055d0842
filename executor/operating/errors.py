"""What ends the answering and making of requests. The rest of the tree is in `executor/errors.py`.

RequestError                 a request cannot be made, answered or waited for
├── AnswerRecordDamaged      a file that may be the trace of a transaction
├── AnswerRecordsRefused     the folder of these files cannot be used
├── OperatorInHand           another process answers with the same account at the same desk
├── NoSuchRequest            the desk has no request of this number
├── RequestUnanswered        it is not answered yet
└── NotRefundable            its time is not over, or it has ended
"""

from pathlib import Path

from zkagent.executor.commands import typed
from zkagent.executor.errors import ExecutorError


class RequestError(ExecutorError):
    pass


class AnswerRecordDamaged(RequestError):
    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, why
        super().__init__(
            f"{path} may be the trace of a transaction and cannot be read: {why}; look for it on "
            "the chain, then move the file away"
        )


class AnswerRecordsRefused(RequestError):
    def __init__(self, folder: Path, reason: OSError) -> None:
        self.folder = folder
        super().__init__(
            f"what is signed is kept in {folder}, which cannot be used: "
            f"{reason.strerror or reason}; mend it, and nothing was sent meanwhile"
        )


class OperatorInHand(RequestError):
    exit_code = 6

    def __init__(self, account: str) -> None:
        self.account = account
        super().__init__(
            f"another process sends for {account}, and two would use each other's nonces: end it, "
            "or give this one an account of its own"
        )


class FeeTooLow(RequestError):
    """fee, spent, needed: wei. part: of so many equal ones that may be spent now."""

    def __init__(self, fee: int, spent: int, needed: int, *, part: int = 1) -> None:
        self.fee, self.spent, self.needed = fee, spent, needed
        what = f"its fee of {fee:,} wei" + (f", {spent:,} of it spent," if spent else "")
        half = {1: "", 2: "half of "}[part]
        super().__init__(f"{half}{what} is less than {needed:,} for gas")


class CallbackTooLarge(RequestError):
    def __init__(self, gas: int, most: int) -> None:
        self.gas, self.most = gas, most
        super().__init__(f"its callback is to get {gas:,} gas, and a block has {most:,}")


class NoSuchRequest(RequestError):
    def __init__(self, number: int, desk: str) -> None:
        self.number = number
        super().__init__(
            f"no request {number} at the desk {desk} was found in its events: check the number, "
            "or begin at an earlier block (--from-block)"
        )


class RequestUnanswered(RequestError):
    exit_code = 6

    def __init__(self, number: int, status: str, waited_s: float) -> None:
        self.number, self.status = number, status
        super().__init__(
            f"request {number} is {status} after {waited_s:.0f} s: look again with "
            f"`{typed('request', '--show', number)}`; after the deadline --refund takes the fee "
            "back"
        )


class NotRefundable(RequestError):
    def __init__(self, number: int, why: str) -> None:
        self.number = number
        super().__init__(f"request {number} is not refunded: {why}")


__all__ = ["AnswerRecordDamaged", "AnswerRecordsRefused", "CallbackTooLarge", "FeeTooLow"]
__all__ += ["NoSuchRequest", "NotRefundable", "OperatorInHand", "RequestError", "RequestUnanswered"]
