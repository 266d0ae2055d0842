"""All chapters, in the order in which the demo shows them, and how they are played."""

from collections.abc import Iterator

from zkagent.executor.demo.chapters.answered_request import answered_request
from zkagent.executor.demo.chapters.chapter import Chapter, Line, World
from zkagent.executor.demo.chapters.exhausted_budget import exhausted_budget
from zkagent.executor.demo.chapters.expired_manifest import expired_manifest
from zkagent.executor.demo.chapters.late_tool import late_tool
from zkagent.executor.demo.chapters.loans import loans
from zkagent.executor.demo.chapters.migration import migration
from zkagent.executor.demo.chapters.paper_mode import paper_mode
from zkagent.executor.demo.chapters.paused import paused
from zkagent.executor.demo.chapters.plain_agent import plain_agent
from zkagent.executor.demo.chapters.refunded_request import refunded_request
from zkagent.executor.demo.chapters.strict_order import strict_order
from zkagent.executor.demo.chapters.supervised_transfer import supervised_transfer
from zkagent.models.catalogue import Model


def _plain(model: Model) -> bool:
    """Whether agents of this model need no contacts, which those with foreign tools do not tell."""
    return model.caution is None


CHAPTERS: tuple[Chapter, ...] = (
    Chapter("loans", "Loans: an agent asks another one, and a pool pays what is proven", loans),
    Chapter("answered request", "A request, answered by whoever proves the run", answered_request),
    Chapter("refunded request", "A request that nobody answers, and its refund", refunded_request),
    Chapter("late tool", "A run that waits for a tool and goes on later", late_tool, _plain),
    Chapter("strict order", "An agent that acts on nothing unproven", strict_order),
    Chapter("plain agent", "An agent that knows the ERC and nothing of this", plain_agent),
    Chapter(
        "supervised transfer", "A transfer that waits for its owner's approval", supervised_transfer
    ),
    Chapter("expired manifest", "A manifest of what is allowed, until it ends", expired_manifest),
    Chapter("exhausted budget", "A budget, until nothing is left of it", exhausted_budget),
    Chapter("paused", "A pause, and why", paused),
    Chapter("paper mode", "Calls that are made and rolled back", paper_mode),
    Chapter("migration", "A new version of the agent takes the old one's place", migration, _plain),
)


def chapters_for(model: Model) -> tuple[Chapter, ...]:
    return tuple(chapter for chapter in CHAPTERS if chapter.plays_for(model))


def play_chapter(chapter: Chapter, world: World) -> Iterator[Line]:
    """Its lines, one after the other; what it does to the world's chain is undone."""
    with world.undone():
        yield from chapter.play(world)


__all__ = ["CHAPTERS", "chapters_for", "play_chapter"]
