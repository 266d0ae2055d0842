"""Transactions, reverts and gas on any chain, and a local chain of one's own."""

__all__: list[str] = []
