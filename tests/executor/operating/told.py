"""What an operator told, and how often it had its turn."""

from pathlib import Path
from typing import TypeVar

from tests.support.desk_stage import DeskStage
from zkagent.executor.chain.desk import Status
from zkagent.executor.operating.desk_operator import DeskOperator
from zkagent.executor.operating.events import Event

Kind = TypeVar("Kind", bound=Event)


class Told(list[Event]):
    """A Listener that remembers."""

    def __call__(self, event: Event) -> None:
        self.append(event)

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self if isinstance(event, kind)]


def turns(operator: DeskOperator, most: int = 6) -> None:
    for _ in range(most):
        if not operator.turn():
            return


def status(stage: DeskStage, number: int) -> Status:
    operator = stage.operating(Path("/nonexistent"))
    return operator.desk.status(number, operator.desk.head())


__all__ = ["Told", "status", "turns"]
