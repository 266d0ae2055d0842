"""The training text of the wallet model: phrases grouped by meaning, and the rules that combine
them.

Everything here is plain data but for `expansion.py`, `verbs.py` and `clauses.py`; generator.py
beside this folder draws labelled prompts from it. No phrase contains a word of the held-out
evaluation.
"""

__all__: list[str] = []
