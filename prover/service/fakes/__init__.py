"""Proofs by keyed hash instead of circuits, for tests and for `--fake`."""

__all__: list[str] = []
