"""Text of strangers on its way to a terminal: one line, in which nothing acts."""

from zkagent.errors import plain as one_line


def plain(text: str, most: int | None = None) -> str:
    """Text of strangers on one line, without what could act on a terminal; of one that is longer
    than `most`, the beginning."""
    if most is not None and len(text) > most:
        return plain(text[:most]) + "..."
    return one_line(text)


__all__ = ["plain"]
