"""What a run tells while it happens: a bus, and sinks that keep, log, count or trace it.

All of them withhold what was read and written, and show what happened, unless they are told to
include more (contents.py).
"""

__all__: list[str] = []
