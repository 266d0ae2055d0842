"""Agents' models: what decides for an agent, from a context to a decision.

model.py          what each of them is to the rest
steps.py          decides step by step, by scores of actions and slots
instructions.py   reads a whole instruction and decides on all of its calls at once
loan.py, credit.py   decide on loans, and score accounts
labels.py         a text classifier: says which label a text has
"""

__all__: list[str] = []
