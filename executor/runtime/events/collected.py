"""A sink that keeps what it is told, for tests."""

from dataclasses import dataclass, field

from zkagent.executor.runtime.core.events import Event, EventKind


@dataclass
class Collected:
    """events: all, in order; a run that goes on tells some again, and they are kept once."""

    events: list[Event] = field(default_factory=list)

    async def take(self, event: Event) -> None:
        if event.number is None or event.number > self.last(event.run_id):
            self.events.append(event)

    def last(self, run_id: str) -> int:
        """The highest number of a run's events; -1 if there is none."""
        numbers = (one.number for one in self.events if one.run_id == run_id)
        return max((number for number in numbers if number is not None), default=-1)

    def of(self, *kinds: EventKind) -> list[Event]:
        return [event for event in self.events if event.kind in kinds]

    @property
    def kinds(self) -> list[EventKind]:
        return [event.kind for event in self.events]


__all__ = ["Collected"]
