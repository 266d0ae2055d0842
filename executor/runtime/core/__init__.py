"""The small contracts between planner, runner, tools, memory, permissions, events; their data.

Everything else in runtime/ implements one of these or is composed of them; nothing here does I/O.
"""

__all__: list[str] = []
