"""Puts models and agents on a chain, and keeps the record of what stands where."""

__all__: list[str] = []
