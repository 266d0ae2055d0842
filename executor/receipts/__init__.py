"""What remains of a run, and how anyone checks it again."""

__all__: list[str] = []
