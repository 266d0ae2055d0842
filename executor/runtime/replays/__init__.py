"""Runs once more, from what is on record: the planner decides anew, and nothing else happens.

Tools are never called and models never asked; each decision, and each event, is compared with the
one that was kept.
"""

__all__: list[str] = []
