"""Proofs as a service: durable jobs, batching and workers on top of the circuits.

A job that was accepted is proven once, even when a worker dies half-way. Nothing here knows about
Solidity or chains.
"""

__all__: list[str] = []
