"""Signed receipts of agents' runs: which tools were called with what, and what came back.

Of runs of this runtime and of other frameworks alike (adapters/). A receipt is its signer's word,
and shows whatever was changed in it since; that a decision was a model's own is shown by the proofs
that its steps name, and only by those.
"""

__all__: list[str] = []
