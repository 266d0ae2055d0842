"""A worker: it takes turns from the queue, proves in child processes, and buries the dead."""

__all__: list[str] = []
