"""Whether what stands on a chain is what its sources say: code, wiring, model, owners."""

__all__: list[str] = []
