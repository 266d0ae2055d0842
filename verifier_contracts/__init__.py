"""The Solidity side: contracts, their compiler, a local chain, deployment and the registry.

The contracts derive the model input and decode its output themselves; a generated verifier checks
the step in between. Nothing here knows how a proof is made.
"""

__all__: list[str] = []
