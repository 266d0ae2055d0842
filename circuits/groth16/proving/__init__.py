"""Proofs by the provers there are, and whether they hold."""

__all__: list[str] = []
