"""Text to the features x, and outputs y to a decision: what the contracts do, in Python.

The same rules as verifier_contracts/src/encoding, file by file; tests hold the two together.
Numbers are integers throughout, and what the contracts refuse is refused here.
"""

__all__: list[str] = []
