"""Attacks on the statement that we prove, mounted for real by the demo and by the tests.

Each has to fail against what we build, and to succeed against the thing without its safeguard.
"""

__all__: list[str] = []
