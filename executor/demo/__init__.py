"""The story that `zkagent demo` tells, and the attacks that it mounts."""

__all__: list[str] = []
