"""The wallet agent's model: generator of its training text, its training, its shipped files."""

__all__: list[str] = []
