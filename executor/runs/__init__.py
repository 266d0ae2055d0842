"""One run from prompt to answer: planned by simulation, proven, sent."""

__all__: list[str] = []
