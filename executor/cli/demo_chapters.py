"""How the chapters of `zkagent demo --all` look, and what `--json` says of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zkagent.executor.cli.demo_view import DemoView, short

if TYPE_CHECKING:
    from zkagent.executor.cli.narrator import Narrator
    from zkagent.executor.demo.chapters.chapter import Chapter, Line, World

Shown = tuple[tuple["Chapter", tuple["Line", ...]], ...]


def show_chapters(view: DemoView, tell: "Narrator", world: "World") -> Shown:
    """Plays them all, and prints each line as it comes."""
    from zkagent.executor.demo.chapters.catalogue import chapters_for, play_chapter

    shown = []
    for chapter in chapters_for(world.session.model):
        lines = []
        with tell.aside():
            view.heading(chapter.title)
        tell.stage(f"chapter: {chapter.name}")
        for line in play_chapter(chapter, world):
            lines.append(line)
            with tell.aside():
                _show(view, line)
            tell.stage(f"chapter: {chapter.name}")
        shown.append((chapter, tuple(lines)))
    return tuple(shown)


def chapters_json(shown: Shown) -> list[dict[str, Any]]:
    return [
        {
            "name": chapter.name,
            "title": chapter.title,
            "held": all(line.held for line in lines),
            "lines": [_line_json(line) for line in lines],
        }
        for chapter, lines in shown
    ]


def broken(shown: Shown) -> Sequence[str]:
    """What was not as it has to be; a chapter without lines shows nothing."""
    lines = [f"{c.name}: {line.what}" for c, lines in shown for line in lines if not line.held]
    return [*lines, *(f"{chapter.name}: no line" for chapter, lines in shown if not lines)]


def _line_json(line: "Line") -> dict[str, Any]:
    kind = "refused" if line.refused else "happened"
    return {"what": line.what, "kind": kind, "held": line.held, "found": line.found}


def _show(view: DemoView, line: "Line") -> None:
    verdict, style = _verdict(line)
    view.verdict(line.what, verdict, style)
    style = "yellow" if line.refused else ""
    for found in line.found.splitlines():
        view.console.print(f"    {short(found)}", style=style, markup=False)


def _verdict(line: "Line") -> tuple[str, str]:
    if line.held:
        return ("bounced" if line.refused else "done"), "green"
    return ("SUCCEEDED" if line.refused else "FAILED"), "bold red"


__all__ = ["Shown", "broken", "chapters_json", "show_chapters"]
