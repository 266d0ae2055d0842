"""The `zkagent` command. Only this room imports click and rich, and nothing imports it."""

__all__: list[str] = []
