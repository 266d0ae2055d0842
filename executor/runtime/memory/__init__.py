"""What agents remember: streams within a run, collections beyond it."""

__all__: list[str] = []
