"""One agent as a chain shows it: what is read, called, sent and measured."""

__all__: list[str] = []
