"""What an operator agrees to pay, and when a transaction counts as settled."""

from dataclasses import dataclass

from zkagent.executor.runs.settlement import CONFIRMATIONS, LOCAL_CONFIRMATIONS

#: Seconds before a request's deadline in which no proof is begun for it.
LEAST_LEFT_S = 30
#: After a try that came to nothing; doubled each time, up to the second.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 300.0
#: A beginning of a run that waits takes one of so many parts of what may be paid for it.
PARTS_OF_WAITING = 2


@dataclass(frozen=True, slots=True)
class Policy:
    """at_a_loss: pay more for gas than a request's fee. facts: serve requests that are bound to
    facts of their requester's choice, who may see to it that they fail. begin: also begin runs that
    wait for a tool, where others may be paid for going on with them. confirmations: blocks from
    a transaction's own on; None for 1 on local chains and 3 on others."""

    at_a_loss: bool = False
    facts: bool = False
    confirmations: int | None = None
    begin: bool = True

    def wanted(self, *, local: bool) -> int:
        if self.confirmations is not None:
            return self.confirmations
        return LOCAL_CONFIRMATIONS if local else CONFIRMATIONS


USUAL = Policy()

__all__ = ["FIRST_PAUSE_S", "LEAST_LEFT_S", "LONGEST_PAUSE_S", "USUAL", "Policy"]
