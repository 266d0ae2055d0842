"""Agents' models: what decides for an agent, from a context to a decision.

model.py          what each of them is to the rest
steps.py          decides step by step, by scores of actions and slots
instructions.py   reads a whole instruction and decides on all of its calls at once
"""

__all__: list[str] = []
